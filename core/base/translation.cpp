#include "core/base/translation.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/asset_json.h"
#include "core/base/error.h"

namespace headscope {
namespace {

constexpr std::size_t kMostTexts = 20'000;

/// The placeholders of a format text in the order of the alphabet: {"{:.2f}", "{}"}.
std::vector<std::string> placeholdersOf(std::string_view text) {
  std::vector<std::string> found;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '{' && text[at] != '}') continue;
    if (text.substr(at, 2) == "{{" || text.substr(at, 2) == "}}") {
      ++at;
      continue;
    }
    const std::size_t end = text.find('}', at);
    found.emplace_back(text.substr(at, end == std::string_view::npos ? end : end - at + 1));
    if (end == std::string_view::npos) break;
    at = end;
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// The process's language, as the C library keeps the process's locale.
std::atomic<const Translations*>& current() {
  static std::atomic<const Translations*> translations{nullptr};
  return translations;
}

/// Null where the text stays English.
const std::string* translationOf(std::string_view english) {
  const Translations* translations = current();
  if (translations == nullptr) return nullptr;
  const auto found = translations->texts().find(english);
  return found == translations->texts().end() ? nullptr : &found->second;
}

}  // namespace

Translations readTranslations(const std::string& json, const std::string& file) {
  const auto read = [&](const JsonField& table) {
    Translations::Texts texts;
    for (const auto& [english, field] : table.at("texts").fields()) {
      std::string text = field.text();
      if (text.empty()) continue;
      if (placeholdersOf(text) != placeholdersOf(english)) {
        throw UserError(
            fmt::format("{}: the translation “{}” must have the placeholders of “{}”: "
                        "copy each {{…}} as it is",
                        file, text, english));
      }
      texts.emplace(english, std::move(text));
    }
    return Translations(table.at("language").text(), std::move(texts));
  };
  return readAsset<UserError>(json, file, read, {.keys = kMostTexts});
}

void useTranslations(Translations translations) {
  // Earlier tables stay: texts that were taken from them are still shown.
  static std::vector<std::unique_ptr<const Translations>> kept;
  kept.push_back(std::make_unique<const Translations>(std::move(translations)));
  current() = kept.back().get();
}

const char* tr(const char* english) {
  const std::string* text = translationOf(english);
  return text != nullptr ? text->c_str() : english;
}

std::string_view tr(std::string_view english) {
  const std::string* text = translationOf(english);
  return text != nullptr ? *text : english;
}

}  // namespace headscope
