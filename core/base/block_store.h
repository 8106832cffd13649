// Block store: the source of the memory of tensors. Repeated passes write results of equal sizes. A
// store keeps the blocks of unused results for the next pass, which then neither requests memory
// from the system nor waits for fresh pages.
#pragma once

#include <deque>
#include <memory>
#include <mutex>

#include "core/base/index.h"

namespace headscope {

/// Safe to use from any thread.
class BlockStore {
 public:
  BlockStore() = default;
  ~BlockStore() { keepFree(0); }
  BlockStore(const BlockStore&) = delete;
  BlockStore& operator=(const BlockStore&) = delete;

  /// Memory for `count` floats, 64-byte aligned; contents are undefined. Throws std::bad_alloc.
  float* take(Index count);
  void release(float* memory, Index count);

  /// The limit of unused bytes. Beyond it, the blocks that were unused longest go back to the
  /// system.
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
