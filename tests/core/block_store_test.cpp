#include "core/base/block_store.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "core/tensor/tensor.h"

namespace headscope::test {
namespace {

constexpr Index kFloats = 1 << 20;  // 4 MiB
constexpr Index kBytes = kFloats * 4;

TEST(BlockStore, HandsOutAgainWhatWasGivenBack) {
  BlockStore store;
  store.keepFree(kBytes);
  float* first = store.take(kFloats);
  store.release(first, kFloats);
  EXPECT_EQ(store.freeBytes(), kBytes);
  float* other = store.take(kFloats / 2);
  EXPECT_NE(other, first);
  EXPECT_EQ(store.take(kFloats), first);
  EXPECT_EQ(store.freeBytes(), 0);
  store.release(first, kFloats);
  store.release(other, kFloats / 2);
}

TEST(BlockStore, KeepsNoMoreThanItMayAndTheNewest) {
  BlockStore store;
  store.keepFree(2 * kBytes);
  float* oldest = store.take(kFloats);
  float* middle = store.take(kFloats);
  float* newest = store.take(kFloats);
  for (float* block : {oldest, middle, newest}) store.release(block, kFloats);
  EXPECT_EQ(store.freeBytes(), 2 * kBytes);
  store.keepFree(kBytes);
  EXPECT_EQ(store.take(kFloats), newest);
  store.release(newest, kFloats);
  store.keepFree(0);
  EXPECT_EQ(store.freeBytes(), 0);
}

TEST(BlockStore, ATensorGivesItsMemoryBackOnceNobodyHoldsIt) {
  const auto store = std::make_shared<BlockStore>();
  store->keepFree(kBytes);
  std::optional<Tensor> tensor = Tensor::uninitialised({1024, 1024}, store);
  const Tensor view = tensor->transposed(0, 1);
  const float* memory = tensor->data();
  tensor.reset();
  EXPECT_EQ(store->freeBytes(), 0);  // the view holds the block
  std::optional<Tensor> last = view;
  const_cast<Tensor&>(view) = {};
  last.reset();
  EXPECT_EQ(store->freeBytes(), kBytes);
  EXPECT_EQ(Tensor::uninitialised({1024, 1024}, store).data(), memory);
}

}  // namespace
}  // namespace headscope::test
