#include "core/formats/text_templates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <set>
#include <utility>

#include "core/base/asset_json.h"
#include "core/base/assets.h"
#include "core/base/error.h"
#include "core/base/random.h"

namespace headscope::formats {
namespace {

using Piece = TextTemplate::Piece;
using Pieces = TextTemplate::Pieces;
using Slot = TextTemplate::Slot;
using Words = TextTemplate::Words;

constexpr std::string_view kPrefix = "template:";
constexpr std::string_view kFolder = "text_sets/";
constexpr std::string_view kVocabulary = "vocabulary";

/// "key/keys" as its forms.
std::vector<std::string> formsOf(const std::string& word) {
  std::vector<std::string> forms;
  for (std::size_t begin = 0; begin <= word.size();) {
    const std::size_t end = std::min(word.find('/', begin), word.size());
    forms.push_back(word.substr(begin, end - begin));
    begin = end + 1;
  }
  return forms;
}

std::optional<std::size_t> slotNamed(const std::vector<Slot>& slots, std::string_view name) {
  const auto found = std::ranges::find(slots, name, &Slot::name);
  if (found == slots.end()) return std::nullopt;
  return static_cast<std::size_t>(found - slots.begin());
}

/// Splits "The {noun/2} near" at its braces.
Pieces piecesOf(const std::string& pattern, const std::vector<Slot>& slots,
                const JsonField& field) {
  Pieces pieces;
  for (std::size_t at = 0; at < pattern.size();) {
    const std::size_t open = std::min(pattern.find('{', at), pattern.size());
    if (open > at) pieces.push_back({pattern.substr(at, open - at), {}, 0});
    if (open == pattern.size()) break;
    const std::size_t close = pattern.find('}', open);
    if (close == std::string::npos) field.fail("has a { without a }");
    const std::vector<std::string> inner = formsOf(pattern.substr(open + 1, close - open - 1));
    const auto slot = slotNamed(slots, inner.front());
    if (!slot) field.fail(fmt::format("names {{{}}}, which is no slot", inner.front()));
    std::size_t form = 1;
    if (inner.size() > 1) {
      std::from_chars(inner[1].data(), inner[1].data() + inner[1].size(), form);
    }
    pieces.push_back({{}, slot, form - 1});
    at = close + 1;
  }
  return pieces;
}

/// Writes the meanings of a case into a sentence.
std::string withMeanings(std::string sentence, const JsonField& meanings) {
  for (const auto& [name, meaning] : meanings.fields()) {
    const std::string braces = fmt::format("{{{}}}", name);
    for (std::size_t at = sentence.find(braces); at != std::string::npos;
         at = sentence.find(braces, at + meaning.text().size())) {
      sentence.replace(at, braces.size(), meaning.text());
    }
  }
  return sentence;
}

void readSlots(const JsonField& file, TextTemplate& into) {
  for (const JsonField& each : file.at("slots").items()) {
    Slot slot{each.at("name").text(), each.at("of").text(), {}, {}};
    const auto& lists = into.lists;
    const bool known =
        lists.contains(slot.list) || std::ranges::count(into.fromVocabulary, slot.list) > 0;
    if (!known) each.at("of").refuseUnknown();
    const auto other = [&](const char* name) -> std::optional<std::size_t> {
      const auto field = each.find(name);
      if (!field) return std::nullopt;
      const auto found = slotNamed(into.slots, field->text());
      if (!found) field->refuseUnknown();
      return found;
    };
    slot.after = other("after");
    slot.before = other("before");
    into.slots.push_back(std::move(slot));
  }
}

Pieces joined(Pieces first, const Pieces& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// Returns whether a token stands for words that the model does not know.
bool isUnknown(const tokenizer::Tokenizer& tokenizer, tokenizer::TokenId id) {
  const std::string* name = tokenizer.text(id);
  return name == nullptr || *name == "<unk>" || *name == "[UNK]";
}

/// Returns whether a text has no such token.
bool reads(const tokenizer::Tokenizer& tokenizer, const std::string& text) {
  return std::ranges::none_of(tokenizer.encode(text, false), [&](const tokenizer::Token& token) {
    return isUnknown(tokenizer, token.id);
  });
}

using Tokenizers = std::vector<const tokenizer::Tokenizer*>;

/// The last place at which a text holds a word by itself.
std::optional<std::size_t> wordAt(const std::string& text, const std::string& word) {
  const auto letter = [&](std::size_t at) {
    return at < text.size() && std::isalpha(static_cast<unsigned char>(text[at])) != 0;
  };
  for (std::size_t at = text.rfind(word); at != std::string::npos; at = text.rfind(word, at - 1)) {
    if ((at == 0 || !letter(at - 1)) && !letter(at + word.size())) return at;
    if (at == 0) break;
  }
  return std::nullopt;
}

struct FoundWord {
  std::size_t at = 0, length = 0;
  std::size_t form = 0;
};
/// The last word of a text that is in a list.
std::optional<FoundWord> lastWordOf(const std::string& text, const Words& list) {
  std::optional<FoundWord> last;
  for (const auto& forms : list) {
    for (std::size_t form = 0; form < forms.size(); ++form) {
      const auto at = wordAt(text, forms[form]);
      if (at && (!last || *at > last->at)) last = FoundWord{*at, forms[form].size(), form};
    }
  }
  return last;
}

/// Makes the texts of one template. Their words are those that all tokenizers know.
class TextMaker {
 public:
  TextMaker(const TextTemplate& of, Tokenizers tokenizers, std::uint64_t seed)
      : of_(of), tokenizers_(std::move(tokenizers)), stream_(seed, std::string(kPrefix) + of.name) {
    for (const Slot& slot : of.slots) {
      const auto given = of.lists.find(slot.list);
      if (given == of.lists.end() && vocabulary_.empty()) vocabulary_ = wordsOfVocabulary();
      lists_.push_back(given == of.lists.end() ? &vocabulary_ : &given->second);
    }
  }

  TextOfSet text(Index number) {
    if (auto made = drawn(number)) return std::move(*made);
    if (!unknown_.empty()) {
      throw UserError(fmt::format(
          "“{}” ({}{}): the model does not know all words of such a text (\"{}\"): choose another "
          "template, or give a file of texts",
          of_.title, kPrefix, of_.name, unknown_));
    }
    if (!shortList_.empty()) {
      throw UserError(
          fmt::format("“{}” ({}{}): too few words of its list \"{}\" are one token for this model: "
                      "choose another "
                      "template, or give a file of texts",
                      of_.title, kPrefix, of_.name, shortList_));
    }
    throw UserError(fmt::format(
        "“{}” ({}{}): no clean and corrupted text have equally many tokens for this model: "
        "choose another template, or give a file of texts",
        of_.title, kPrefix, of_.name));
  }

  bool drawsOne() { return drawn(0).has_value(); }

 private:
  /// The words of small letters among the first tokenizer's tokens, in the order of their ids.
  Words wordsOfVocabulary() const {
    Words words;
    std::set<std::string> seen;
    const tokenizer::Tokenizer& of = *tokenizers_.front();
    for (tokenizer::TokenId id = 0; id < of.end(); ++id) {
      if (of.isSpecial(id)) continue;
      std::string word = of.bytes(id);
      if (word.starts_with(' ')) word.erase(0, 1);
      const bool letters =
          !word.empty() && std::ranges::all_of(word, [](char c) { return c >= 'a' && c <= 'z'; });
      if (letters && seen.insert(word).second) words.push_back({std::move(word)});
    }
    return words;
  }

  /// Draws a text; nothing where some attempts found no fitting words.
  std::optional<TextOfSet> drawn(Index number) {
    constexpr Index kAttempts = 64;
    std::optional<TextOfSet> made;
    for (Index attempt = 0; attempt < kAttempts && !made; ++attempt) {
      next_ = static_cast<std::uint64_t>(number * kAttempts + attempt) << 24U;
      made = drawn();
    }
    return made;
  }

  std::size_t drawnBelow(std::size_t count) { return stream_.bits(next_++) % count; }

  std::optional<TextOfSet> drawn() {
    const TextTemplate::Variant& variant = of_.variants[drawnBelow(of_.variants.size())];
    const std::array wholes{variant.clean, variant.corrupt, joined(variant.clean, variant.right),
                            joined(variant.clean, variant.wrong)};
    chosen_.assign(of_.slots.size(), std::nullopt);
    for (std::size_t slot = 0; slot < of_.slots.size(); ++slot) {
      if (!drawWord(slot, wholes)) return std::nullopt;
    }
    TextOfSet made;
    made.text.text = textOf(variant.clean);
    made.other.text = textOf(variant.corrupt);
    const auto fit = [&](const Pieces& pieces) { return allAreOneToken(pieces); };
    for (const tokenizer::Tokenizer* each : tokenizers_) {
      if (!reads(*each, made.text.text) || !reads(*each, made.other.text)) {
        unknown_ = made.text.text;
        return std::nullopt;
      }
      const bool aligned =
          tokensOf(*each, made.text.text).size() == tokensOf(*each, made.other.text).size();
      if (!aligned) return std::nullopt;
    }
    if (!std::ranges::all_of(wholes, fit)) return std::nullopt;
    for (const Pieces& answer : {variant.right, variant.wrong}) {
      const std::string word = textOf(answer);
      const auto id = oneTokenAfter(made.text.text, word);
      if (!id) return std::nullopt;
      made.answers.push_back(tokenizers_.size() == 1 ? std::to_string(*id) : word);
    }
    return made;
  }

  /// Chooses a slot's word among those that the other slots allow and that are one token in every
  /// text. False where there is none.
  bool drawWord(std::size_t slot, const std::array<Pieces, 4>& wholes) {
    std::vector<std::size_t> left;
    for (std::size_t word = 0; word < lists_[slot]->size(); ++word) {
      if (allowed(slot, word)) left.push_back(word);
    }
    while (!left.empty()) {
      const std::size_t at = drawnBelow(left.size());
      chosen_[slot] = left[at];
      const auto fits = [&](const Pieces& pieces) { return isOneToken(slot, pieces); };
      if (std::ranges::all_of(wholes, fits)) return true;
      std::swap(left[at], left.back());
      left.pop_back();
    }
    shortList_ = of_.slots[slot].list;
    return false;
  }

  bool allowed(std::size_t slot, std::size_t word) const {
    const Slot& own = of_.slots[slot];
    if (own.after && word <= *chosen_[*own.after]) return false;
    if (own.before && word >= *chosen_[*own.before]) return false;
    for (std::size_t other = 0; other < slot; ++other) {
      if (lists_[other] == lists_[slot] && chosen_[other] == word) return false;
    }
    return true;
  }

  /// Returns whether a slot's word is one token wherever it stands in a text. Where words before it
  /// are not drawn yet, only the space before it counts.
  bool isOneToken(std::size_t slot, const Pieces& pieces) const {
    std::optional<std::string> before = std::string();
    bool space = false;
    for (const Piece& piece : pieces) {
      const bool drawn = !piece.slot || chosen_[*piece.slot];
      const std::string text = drawn ? textOf({piece}) : std::string();
      if (piece.slot == slot) {
        if (before ? !oneTokenAfter(*before, text) : space && !oneTokenAfter(text, " " + text)) {
          return false;
        }
      }
      if (!drawn) before.reset();
      if (before) *before += text;
      space = text.ends_with(' ');
    }
    return true;
  }

  /// Returns whether every drawn word is one token.
  bool allAreOneToken(const Pieces& pieces) const {
    std::string before;
    for (const Piece& piece : pieces) {
      const std::string text = textOf({piece});
      if (piece.slot && !oneTokenAfter(before, text)) return false;
      before += text;
    }
    return true;
  }

  std::string textOf(const Pieces& pieces) const {
    std::string text;
    for (const Piece& piece : pieces) {
      if (!piece.slot) {
        text += piece.text;
        continue;
      }
      const auto& forms = (*lists_[*piece.slot])[*chosen_[*piece.slot]];
      text += forms[std::min(piece.form, forms.size() - 1)];
    }
    return text;
  }

  static std::vector<tokenizer::TokenId> tokensOf(const tokenizer::Tokenizer& tokenizer,
                                                  std::string_view text) {
    std::vector<tokenizer::TokenId> ids;
    for (const tokenizer::Token& token : tokenizer.encode(text, false)) ids.push_back(token.id);
    return ids;
  }

  /// The first tokenizer's token that a word adds to a text; nothing where it adds several to any,
  /// or changes those before. A space before the word is part of it.
  std::optional<tokenizer::TokenId> oneTokenAfter(const std::string& text,
                                                  const std::string& word) const {
    std::optional<tokenizer::TokenId> first;
    for (const tokenizer::Tokenizer* each : tokenizers_) {
      const auto id = oneTokenAfter(*each, text, word);
      if (!id) return std::nullopt;
      if (!first) first = id;
    }
    return first;
  }

  static std::optional<tokenizer::TokenId> oneTokenAfter(const tokenizer::Tokenizer& tokenizer,
                                                         const std::string& text,
                                                         const std::string& word) {
    const std::size_t end = text.find_last_not_of(' ');
    std::vector<tokenizer::TokenId> ids = tokensOf(
        tokenizer, std::string_view(text).substr(0, end == std::string::npos ? 0 : end + 1));
    const std::vector<tokenizer::TokenId> all = tokensOf(tokenizer, text + word);
    if (all.size() != ids.size() + 1) return std::nullopt;
    ids.push_back(all.back());
    if (ids != all || isUnknown(tokenizer, all.back())) return std::nullopt;
    return all.back();
  }

  const TextTemplate& of_;
  Tokenizers tokenizers_;
  RandomStream stream_;
  Words vocabulary_;
  std::vector<const Words*> lists_;  // by slot
  std::vector<std::optional<std::size_t>> chosen_;
  std::uint64_t next_ = 0;  // the next number of the stream
  std::string unknown_;     // a text with a word that the model does not know
  std::string shortList_;   // the list that had no fitting word
};

}  // namespace

TextTemplate parseTextTemplate(std::string_view json, const std::string& name) {
  const std::string fileName = std::string(kFolder) + name + ".json";
  return readAsset<UserError>(json, fileName, [&](const JsonField& file) {
    TextTemplate read;
    read.name = name;
    read.title = file.at("title").text();
    read.about = file.at("about").text();
    read.source = file.at("source").text();
    for (const auto& [list, words] : file.at("words").fields()) {
      if (words.value().text() != nullptr) {
        if (words.text() != kVocabulary) words.refuseUnknown(std::string(kVocabulary));
        read.fromVocabulary.push_back(list);
        continue;
      }
      for (const std::string& word : words.texts()) read.lists[list].push_back(formsOf(word));
    }
    readSlots(file, read);
    const JsonField sentences = file.at("sentences");
    for (const std::string& sentence : sentences.texts()) {
      for (const JsonField& each : file.at("cases").items()) {
        const auto pieces = [&](const char* meanings) {
          return piecesOf(withMeanings(sentence, each.at(meanings)), read.slots, sentences);
        };
        const auto answer = [&](const char* which) {
          return piecesOf(each.at(which).text(), read.slots, each.at(which));
        };
        read.variants.push_back(
            {pieces("clean"), pieces("corrupt"), answer("right"), answer("wrong")});
      }
    }
    if (read.variants.empty()) file.fail("has no sentence with a case");
    return read;
  });
}

const std::vector<TextTemplate>& textTemplates() {
  static const std::vector<TextTemplate> all = [] {
    std::vector<TextTemplate> read;
    for (const Asset& each : allAssets()) {
      if (!each.name.starts_with(kFolder) || !each.name.ends_with(".json")) continue;
      const std::string_view file = each.name.substr(kFolder.size());
      read.push_back(parseTextTemplate(each.data, std::string(file.substr(0, file.size() - 5))));
    }
    return read;
  }();
  return all;
}

bool isTextTemplate(std::string_view set) { return set.starts_with(kPrefix); }

std::string textTemplatesInWords() {
  std::string words;
  for (const TextTemplate& each : textTemplates()) {
    const bool last = &each == &textTemplates().back();
    words += fmt::format("{}{}{}", words.empty() ? "" : last ? " or " : ", ", kPrefix, each.name);
  }
  return words;
}

const TextTemplate& textTemplate(std::string_view set) {
  for (const TextTemplate& each : textTemplates()) {
    if (set.substr(std::min(kPrefix.size(), set.size())) == each.name) return each;
  }
  throw UserError(fmt::format("there is no {}: give {}", set, textTemplatesInWords()));
}

const TextTemplate& readableTemplate(const tokenizer::Tokenizer& tokenizer) {
  constexpr Index kTried = 20;
  const std::vector<TextTemplate>& all = textTemplates();
  const auto readable = [&](const TextTemplate& each) {
    try {
      return std::ssize(textsOf(each, tokenizer, kTried, 1)) == kTried;
    } catch (const UserError&) {  // the model does not know its words
      return false;
    }
  };
  const auto found = std::ranges::find_if(all, readable);
  return found != all.end() ? *found : all.front();
}

std::optional<std::string> withAnotherWord(const std::string& text,
                                           const tokenizer::Tokenizer& tokenizer) {
  std::vector<const TextTemplate::Words*> lists;  // those of people first
  for (const bool people : {true, false}) {
    for (const TextTemplate& each : textTemplates()) {
      for (const auto& [name, words] : each.lists) {
        if ((name == "names") == people) lists.push_back(&words);
      }
    }
  }
  const std::size_t tokens = tokenizer.encode(text, false).size();
  for (const TextTemplate::Words* list : lists) {
    const auto last = lastWordOf(text, *list);
    if (!last) continue;
    for (const auto& forms : *list) {
      if (last->form >= forms.size() || wordAt(text, forms[last->form])) continue;
      std::string other = text;
      other.replace(last->at, last->length, forms[last->form]);
      if (tokenizer.encode(other, false).size() == tokens && reads(tokenizer, other)) return other;
    }
  }
  return std::nullopt;
}

bool fits(const TextTemplate& of, const tokenizer::Tokenizer& tokenizer) {
  return TextMaker(of, {&tokenizer}, 1).drawsOne();
}

std::vector<TextOfSet> textsOf(const TextTemplate& of, const tokenizer::Tokenizer& tokenizer,
                               Index count, std::uint64_t seed) {
  return textsOfAll(of, {&tokenizer}, count, seed);
}

std::vector<TextOfSet> textsOfAll(const TextTemplate& of,
                                  const std::vector<const tokenizer::Tokenizer*>& tokenizers,
                                  Index count, std::uint64_t seed) {
  TextMaker maker(of, tokenizers, seed);
  std::vector<TextOfSet> texts;
  std::set<std::string> made;
  const Index tries = 20 * count + 200;  // where the template has fewer different texts
  for (Index number = 0; number < tries && std::ssize(texts) < count; ++number) {
    TextOfSet text = maker.text(number);
    if (!made.insert(text.text.text).second) continue;
    text.name = fmt::format("{}{}, text {}", kPrefix, of.name, made.size());
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace headscope::formats
