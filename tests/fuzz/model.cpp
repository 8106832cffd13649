// A model's directory: an input is its config.json; or ("\0index" first) the index of its weights,
// next to one shard that is there. What is accepted is opened as far as it goes.
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "core/attention/config.h"
#include "core/base/json.h"
#include "core/formats/model_config_json.h"
#include "core/formats/model_directory.h"
#include "core/formats/weight_files.h"
#include "core/tensor/safetensors.h"
#include "tests/fuzz/fuzzing.h"

namespace headscope {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kIndexFirst = "\0index"sv;

/// A folder with one shard, for as long as the process lives.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "fuzz-model-XXXXXX").string();
    fuzz::require(::mkdtemp(name.data()) != nullptr);
    path_ = name;
    writeSafetensors(path_ / "a.safetensors",
                     std::vector<NamedTensor>{{"t", Tensor::zeros({2, 2})}});
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void hold(const char* name, std::string_view bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
  }

 private:
  std::filesystem::path path_;
};

void readIndex(std::string_view text) {
  static const Folder folder;
  folder.hold("model.safetensors.index.json", text);
  fuzz::accepted([] {
    model::ModelNotes notes;
    const formats::WeightFiles files(folder.path(), notes);
    for (const std::string& name : files.names()) {
      fuzz::require(files.path(name).parent_path() == folder.path());
      fuzz::require(files.read(name).shape() == files.shape(name));
    }
  });
}

void readConfig(std::string_view text) {
  static const Folder folder;
  folder.hold("config.json", text);
  fuzz::accepted([] {
    model::ModelNotes notes;
    const auto config = formats::readModelDescription(folder.path() / "config.json", notes).config;
    fuzz::require(validate(config.attention(config.layers - 1, 1)).empty());
    formats::openModel(folder.path(), 1);  // no weights: refused
    fuzz::require(false);
  });
}

}  // namespace
}  // namespace headscope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headscope;
  const std::string_view text = fuzz::textOf(data, size);
  if (text.starts_with(kIndexFirst)) {
    readIndex(text.substr(kIndexFirst.size()));
  } else {
    readConfig(text);
  }
  return 0;
}
