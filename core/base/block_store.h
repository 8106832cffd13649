// Block store: where the memory of tensors comes from. Repeated passes write results of the same
// sizes: a store keeps the blocks of results that nobody looks at any more for the next ones, so
// that a pass neither asks the system for memory nor waits for fresh pages.
#pragma once

#include <deque>
#include <memory>
#include <mutex>

#include "core/base/index.h"

namespace headscope {

/// Safe on any thread.
class BlockStore {
 public:
  BlockStore() = default;
  ~BlockStore() { keepFree(0); }
  BlockStore(const BlockStore&) = delete;
  BlockStore& operator=(const BlockStore&) = delete;

  /// Memory for `count` floats, 64-byte aligned; contents are undefined. Throws std::bad_alloc.
  float* take(Index count);
  void giveBack(float* memory, Index count);

  /// How many bytes may lie unused; of more the longest unused go back to the system.
  void keepFree(Index bytes);
  Index freeBytes() const;

 private:
  struct Free {
    float* memory;
    Index count;
  };
  void shrink();

  mutable std::mutex mutex_;
  std::deque<Free> free_;  // the longest unused first
  Index freeBytes_ = 0;
  Index mostFree_ = 0;
};

using BlockStorePtr = std::shared_ptr<BlockStore>;

/// Memory for `count` floats; from a store, or (null) from the system.
class Block {
 public:
  Block(Index count, BlockStorePtr store);
  ~Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  float* data() const { return data_; }

 private:
  BlockStorePtr store_;
  Index count_;
  float* data_;
};

}  // namespace headscope
