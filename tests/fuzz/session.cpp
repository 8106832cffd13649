// Session: the JSON; its tensors come from session.safetensors in a folder of its own. What is
// accepted is run where it is small, saved, and loaded again.
#include "core/formats/session.h"

#include <stdlib.h>

#include <fstream>

#include "core/attention/config.h"
#include "core/document/attention.h"
#include "core/document/document.h"
#include "core/tensor/safetensors.h"
#include "tests/fuzz/fuzzing.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr Index kBudget = 8 << 20;

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "headscope-fuzz-XXXXXX").string();
    fuzz::require(::mkdtemp(name.data()) != nullptr);
    path_ = name;
    std::vector<NamedTensor> tensors;
    for (const Shape& shape :
         {Shape{1, 3, 4}, {1, 2, 4}, {4, 4}, {2, 4}, {4}, {2}, {5, 2}, {2, 3, 4}}) {
      const auto count = static_cast<std::size_t>(elementCount(shape));
      std::vector<float> values(count);
      for (std::size_t i = 0; i < count; ++i) values[i] = 0.25F * static_cast<float>(i % 7) - 0.5F;
      tensors.push_back({toString(shape), Tensor::fromValues(shape, values)});
    }
    writeSafetensors(path_ / "session.safetensors", tensors);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  fs::path given() const { return path_ / "given.headscope.json"; }
  fs::path saved() const { return path_ / "saved.headscope.json"; }

 private:
  fs::path path_;
};

void run(const DocumentPtr& document) {
  const AttentionConfig& c = document->config;
  if (c.batch * c.numHeads * c.seqLen * c.keys() > 4096 || c.dModel > 64) return;
  fuzz::accepted([&] { runAttention(document); });
}

void checkSaved(const formats::Session& session, const fs::path& path) {
  formats::saveSession(path, session);
  const formats::Session again = formats::loadSession(path, kBudget);
  fuzz::require(again.document->config == session.document->config);
  fuzz::require(again.document->pins == session.document->pins);
  fuzz::require(again.view == session.view);
  fuzz::require(again.scenes.size() == session.scenes.size());
}

}  // namespace
}  // namespace headscope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headscope;
  static const Folder folder;
  std::ofstream(folder.given(), std::ios::binary) << fuzz::textOf(data, size);
  formats::originOf(folder.given());
  formats::Session session;
  if (!fuzz::accepted([&] { session = formats::loadSession(folder.given(), kBudget); })) return 0;
  run(session.document);
  for (const formats::SavedScene& scene : session.scenes) run(scene.document);
  checkSaved(session, folder.saved());
  return 0;
}
