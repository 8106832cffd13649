#include "core/base/block_store.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

#include "core/platform/memory.h"

namespace headscope {
namespace {

Index blockBytes(Index count) { return count * static_cast<Index>(sizeof(float)); }

}  // namespace

float* BlockStore::take(Index count) {
  {
    const std::lock_guard lock(mutex_);
    // the block returned last is the most likely to be in cache
    const auto found = std::find_if(free_.rbegin(), free_.rend(),
                                    [count](const Free& f) { return f.count == count; });
    if (found != free_.rend()) {
      float* memory = found->memory;
      free_.erase(std::next(found).base());
      freeBytes_ -= blockBytes(count);
      return memory;
    }
  }
  return platform::allocateFloats(count);
}

void BlockStore::release(float* memory, Index count) {
  const std::lock_guard lock(mutex_);
  if (blockBytes(count) > mostFree_) return platform::freeFloats(memory, count);
  try {
    free_.push_back({memory, count});
  } catch (const std::bad_alloc&) {
    return platform::freeFloats(memory, count);
  }
  freeBytes_ += blockBytes(count);
  shrink();
}

void BlockStore::keepFree(Index bytes) {
  const std::lock_guard lock(mutex_);
  mostFree_ = bytes;
  shrink();
}

Index BlockStore::freeBytes() const {
  const std::lock_guard lock(mutex_);
  return freeBytes_;
}

void BlockStore::shrink() {
  while (freeBytes_ > mostFree_) {
    const Free oldest = free_.front();
    free_.pop_front();
    freeBytes_ -= blockBytes(oldest.count);
    platform::freeFloats(oldest.memory, oldest.count);
  }
}

Block::Block(Index count, BlockStorePtr store)
    : store_(std::move(store)),
      count_(count),
      data_(store_ != nullptr ? store_->take(count) : platform::allocateFloats(count)) {}

Block::~Block() {
  if (store_ != nullptr) {
    store_->release(data_, count_);
  } else {
    platform::freeFloats(data_, count_);
  }
}

}  // namespace headscope
