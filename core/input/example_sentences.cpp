#include "core/input/example_sentences.h"

#include "core/base/asset_json.h"
#include "core/base/assets.h"
#include "core/base/error.h"

namespace headscope {

const std::vector<std::string>& exampleSentences() {
  static const std::vector<std::string> sentences = [] {
    std::vector<std::string> read;
    readAsset<UserError>(asset("sentences.json"), "sentences.json",
                         [&read](const JsonField& file) { read = file.texts(); });
    return read;
  }();
  return sentences;
}

}  // namespace headscope
