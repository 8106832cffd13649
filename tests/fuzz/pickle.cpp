// Pickle: data.pkl of a file that torch.save wrote. What is accepted lies within its storages.
#include "core/formats/pickle.h"

#include "tests/fuzz/fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headscope;
  fuzz::accepted([&] {
    for (const auto& [name, tensor] :
         formats::tensorsOfPickle(fuzz::textOf(data, size), "data.pkl")) {
      fuzz::require(tensor.shape.size() == tensor.strides.size());
      Index last = tensor.offset;
      for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
        if (tensor.shape[axis] == 0) return;
        last += (tensor.shape[axis] - 1) * tensor.strides[axis];
      }
      fuzz::require(tensor.offset >= 0 && last < tensor.storageCount);
    }
  });
  return 0;
}
