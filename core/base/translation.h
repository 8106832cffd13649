// Translation: the texts of the interface in another language.
//
//   tr("Undo")                        "Rückgängig", where the table of the language has it
//   trFormat("head {} of {}", 1, 8)   "Kopf 1 von 8": the values stand in the translation's places
//
// The code holds each text in English, which is its key in a table. A text that the table lacks
// stays English. assets/languages/template.json lists every text; tests/core/translation_test.cpp
// compares it with the code.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace headscope {

/// The texts of one language, by their English text.
class Translations {
 public:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  using Texts = std::unordered_map<std::string, std::string, Hash, std::equal_to<>>;

  Translations() = default;  // English
  Translations(std::string language, Texts texts)
      : language_(std::move(language)), texts_(std::move(texts)) {}

  const std::string& language() const { return language_; }
  const Texts& texts() const { return texts_; }

 private:
  std::string language_ = "English";  // as its speakers call it
  Texts texts_;
};

/// Reads a table: {"language": "Deutsch", "texts": {"Undo": "Rückgängig", …}}. An empty translation
/// counts as none. Throws UserError, which names the file and the text, where a translation does
/// not have the placeholders of its English text: {} for {}, {:.2f} for {:.2f}.
Translations readTranslations(const std::string& json, const std::string& file);

/// Sets the language of the whole process. Call it once, before the first window: texts that are
/// shown already keep their language.
void useTranslations(Translations translations);

/// The text in the language of the process. It stays valid until the process ends.
const char* tr(const char* english);
std::string_view tr(std::string_view english);

/// Marks a constant for the table, which lists the texts between these parentheses. tr translates
/// it where it is shown.
constexpr const char* trLater(const char* english) { return english; }

/// fmt::format with the translation of `english`.
template <typename... Values>
std::string trFormat(fmt::format_string<Values...> english, Values&&... values) {
  const fmt::string_view format = english;
  return fmt::vformat(tr(format.data()), fmt::make_format_args(values...));
}

}  // namespace headscope
