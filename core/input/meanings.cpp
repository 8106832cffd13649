#include "core/input/meanings.h"

#include <fmt/format.h>

#include "core/base/asset_json.h"
#include "core/base/assets.h"
#include "core/base/error.h"
#include "core/input/input.h"

namespace headscope {

Meanings::Meanings(std::string_view json) {
  readAsset<UserError>(json, "meanings.json", [this](const JsonField& file) {
    for (const auto& [meaning, words] : file.fields()) {
      for (const std::string& word : words.texts()) {
        const auto [found, isNew] = meanings_.emplace(word, meaning);
        if (!isNew) {
          throw UserError(fmt::format("meanings.json: \"{}\" means \"{}\" and \"{}\"; give it one",
                                      word, found->second, meaning));
        }
      }
    }
  });
}

std::string Meanings::of(const std::string& token) const {
  std::string word = lowerCased(token);
  const auto found = meanings_.find(word);
  return found != meanings_.end() ? found->second : word;
}

const Meanings& meanings() {
  static const Meanings instance(asset("meanings.json"));
  return instance;
}

}  // namespace headscope
