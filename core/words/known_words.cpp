#include "core/words/known_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/input/tagger.h"

namespace headscope {
namespace {

constexpr std::size_t kMostNamed = 8;

/// `learned`: there are heads that learned from English, or were built for it.
void noteWords(const std::vector<std::string>& tokens, bool learned,
               std::vector<std::string>& notes) {
  const std::vector<std::string> words(tokens.begin(), std::find(tokens.begin(), tokens.end(), ""));
  if (seemsForeign(words)) {
    if (!learned) return;
    notes.emplace_back(tr(
        "the text seems to be in another language than English: of heads that learned from English "
        "sentences, only the one for the previous word can hold"));
    return;
  }
  const std::vector<bool> isUnknown = unknownWords(words);
  std::vector<std::string> unknown;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool named = std::find(unknown.begin(), unknown.end(), words[i]) != unknown.end();
    if (isUnknown[i] && !named) unknown.push_back(words[i]);
  }
  if (unknown.empty()) return;
  const std::size_t more = unknown.size() - std::min(unknown.size(), kMostNamed);
  unknown.resize(unknown.size() - more);
  notes.push_back(trFormat("unknown words, whose class is guessed: {}{}", fmt::join(unknown, ", "),
                           more > 0 ? trFormat(" and {} more", more) : ""));
}

}  // namespace

std::vector<std::string> notesOnWords(const Document& document) {
  std::vector<std::string> notes;
  if (!std::holds_alternative<TextSource>(*document.source)) return notes;
  const WeightSource& weights = document.weightSource;
  const bool learned = weights.drawn() && (weights.init == WeightInit::learned ||
                                           weights.init == WeightInit::designed);
  for (const std::vector<std::string>& tokens : document.input->tokens) {
    noteWords(tokens, learned, notes);
  }
  std::vector<std::string> once;  // items of a batch may have the same text
  for (std::string& note : notes) {
    if (std::find(once.begin(), once.end(), note) == once.end()) once.push_back(std::move(note));
  }
  return once;
}

}  // namespace headscope
