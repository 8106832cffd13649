#include "core/words/glossary.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <stdexcept>
#include <utility>

#include "core/base/asset_json.h"
#include "core/base/assets.h"
#include "core/base/translation.h"

namespace headscope {

const std::vector<GlossaryEntry>& glossary() {
  static const std::vector<GlossaryEntry> all = parseGlossary(asset("glossary.json"));
  return all;
}

std::vector<GlossaryEntry> parseGlossary(std::string_view text) {
  return readAsset<std::runtime_error>(text, "glossary.json", [](const JsonField& file) {
    std::vector<GlossaryEntry> entries;
    for (const JsonField& entry : file.at("terms").items()) {
      const auto shown = entry.find("shown");
      const std::string term = entry.at("term").text();
      const auto also = entry.find("also");
      entries.push_back({term, shown ? shown->text() : term, entry.at("about").text(),
                         also ? also->text() : std::string()});
      if (term.empty() || entries.back().about.empty()) {
        entry.fail(tr("has an empty term or explanation"));
      }
    }
    return entries;
  });
}

const std::string& aboutTerm(std::string_view term) {
  const auto found = std::find_if(glossary().begin(), glossary().end(),
                                  [term](const auto& entry) { return entry.term == term; });
  if (found == glossary().end()) {
    throw std::out_of_range(tr("glossary.json has no term ") + std::string(term));
  }
  return found->about;
}

namespace {

/// A way in which a text writes a term.
struct Spelling {
  std::string text;
  const GlossaryEntry* entry;
  bool plain;  // of small letters: a sentence may begin with it
};

bool isPlain(const std::string& word) {
  return std::all_of(word.begin(), word.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || c == ' ' || c == '-'; });
}

/// The singular and the plural of a word of small letters; of any other itself.
std::vector<std::string> numbersOf(const std::string& word) {
  if (!isPlain(word)) return {word};
  if (word.ends_with('s')) return {word, word.substr(0, word.size() - 1)};
  if (word.ends_with('y')) return {word, word.substr(0, word.size() - 1) + "ies"};
  return {word, word + "s"};
}

/// All spellings, the longest first: "pair bias" is no "bias".
std::vector<Spelling> spellingsOf(const std::vector<GlossaryEntry>& entries) {
  constexpr std::string_view kAmbiguous[] = {"window", "pin", "split", "output"};
  std::vector<Spelling> all;
  for (const GlossaryEntry& entry : entries) {
    if (std::ranges::find(kAmbiguous, entry.term) != std::end(kAmbiguous) &&
        entry.shown == entry.term) {
      continue;
    }
    std::string_view rest = entry.shown;
    while (!rest.empty()) {  // "W^Q, W^K, W^V" are three
      const std::size_t comma = std::min(rest.find(", "), rest.size());
      for (std::string& word : numbersOf(std::string(rest.substr(0, comma)))) {
        const bool plain = isPlain(word);
        all.push_back({std::move(word), &entry, plain});
      }
      rest.remove_prefix(std::min(comma + 2, rest.size()));
    }
  }
  std::ranges::stable_sort(all, std::ranges::greater(),
                           [](const Spelling& spelling) { return spelling.text.size(); });
  return all;
}

/// Returns whether the byte at a place is part of a letter, a digit or a sign of rich text.
bool isInWord(std::string_view text, std::size_t at) {
  constexpr unsigned char kLatin = 0xC3, kLastAlphabet = 0xD4;
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) --at;
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte >= kLatin) {
    return byte <= kLastAlphabet && !text.substr(at).starts_with("×") &&
           !text.substr(at).starts_with("÷");
  }
  return std::isalnum(byte) != 0 || byte == '_' || byte == '^' || byte == '\\';
}

/// Returns whether a spelling stands at a place of a text by itself, perhaps with a capital.
bool standsAt(std::string_view text, std::size_t at, const Spelling& spelling) {
  const std::string_view word = spelling.text;
  const char first = text[at];
  const bool capital = spelling.plain && first >= 'A' && first <= 'Z' &&
                       static_cast<char>(first - 'A' + 'a') == word.front();
  if (first != word.front() && !capital) return false;
  if (text.substr(at + 1, word.size() - 1) != word.substr(1)) return false;
  const std::size_t end = at + word.size();
  return (at == 0 || !isInWord(text, at - 1)) && (end >= text.size() || !isInWord(text, end));
}

}  // namespace

std::vector<TermPlace> termsIn(std::string_view text) {
  static const std::vector<Spelling> kSpellings = spellingsOf(glossary());
  std::vector<TermPlace> found;
  for (std::size_t at = 0; at < text.size();) {
    const auto here = std::ranges::find_if(
        kSpellings, [&](const Spelling& each) { return standsAt(text, at, each); });
    if (here == kSpellings.end()) {
      ++at;
      continue;
    }
    const bool before = std::ranges::any_of(
        found, [&](const TermPlace& place) { return place.entry == here->entry; });
    if (!before) found.push_back({here->entry, at, at + here->text.size()});
    at += here->text.size();
  }
  return found;
}

std::string termText(std::string_view term) {
  return std::string(term) + ": " + std::string(tr(aboutTerm(term)));
}

}  // namespace headscope
