// safetensors: a whole file, or ("{…" first) its header as text, a NUL, and the data. What is
// accepted is read to the last tensor, and taken as weights and as input where it can be.
#include "core/tensor/safetensors.h"

#include <cstring>

#include "core/attention/config.h"
#include "core/attention/ledger.h"
#include "core/attention/state_dict.h"
#include "core/formats/pass_files.h"
#include "core/input/input.h"
#include "tests/fuzz/fuzzing.h"

namespace headscope {
namespace {

constexpr Index kMostCells = 1 << 16;

std::string fileOf(std::string_view input) {
  if (!input.starts_with('{')) return std::string(input);
  const std::string_view header = input.substr(0, input.find('\0'));
  const std::uint64_t length = header.size();
  std::string file(sizeof length, '\0');
  std::memcpy(file.data(), &length, sizeof length);
  input.remove_prefix(std::min(input.size(), header.size() + 1));
  return file.append(header).append(input);
}

void useAsInput(const SafetensorsFile& file) {
  const InputSource source = formats::loadInput(file);
  const AttentionConfig config = fitTo(source, {});
  const Tensor& x = std::get<TensorSource>(source).x;
  fuzz::require(x.dim(0) == config.batch && x.dim(2) == config.dModel);
  if (x.size() <= kMostCells) makeInput(source, Positions::named, config);
}

void useAsWeights(const SafetensorsFile& file) {
  const formats::LoadedWeights loaded = formats::loadWeights(file);
  fuzz::require(loaded.weights.wQ.dim(1) == loaded.dModel);
  formats::kvHeadsFor(loaded, 2, "file");
}

}  // namespace
}  // namespace headscope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headscope;
  static const fuzz::MemoryFile memory;
  memory.hold(fileOf(fuzz::textOf(data, size)));
  fuzz::accepted([] {
    const SafetensorsFile file(memory.path());
    for (const std::string& name : file.names()) {
      fuzz::accepted([&] {
        const Tensor tensor = file.read(name);
        fuzz::require(tensor.shape() == file.shape(name));
        tensor.values();
      });
    }
    fuzz::accepted([&] { useAsWeights(file); });
    fuzz::accepted([&] { useAsInput(file); });
  });
  return 0;
}
