// GGUF: a whole file. What is accepted is read to the last tensor.
#include "core/formats/gguf.h"

#include "tests/fuzz/fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headscope;
  static const fuzz::MemoryFile memory;
  memory.hold(fuzz::textOf(data, size));
  fuzz::accepted([] {
    const formats::GgufFile file(memory.path());
    for (const auto& [name, entry] : file.tensors()) {
      fuzz::accepted([&file, &name = name, &entry = entry] {
        const Tensor tensor = file.read(name);
        fuzz::require(tensor.shape() == entry.shape);
      });
    }
  });
  return 0;
}
