// Text templates: sets of texts that are made, not read, for experiments whose right answer is
// known: who is given something (IOI), which year is later, whether a verb agrees, what follows a
// repeated word. Each text has a right and a wrong next word, and a corrupted text of as many
// tokens. They are data: assets/text_sets/NAME.json, described by the README there.
//
//   const auto texts = textsOf(textTemplate("template:ioi"), tokenizer, 50, 1);
//   texts[0].text.text   // "When Mary and John went to the store, John gave a drink to"
//   texts[0].answers     // the ids of " Mary" and " John"
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/text_set.h"
#include "core/tokenizer/tokenizer.h"

namespace headscope::formats {

struct TextTemplate {
  /// Plain text, or the place of a drawn word in one of its forms.
  struct Piece {
    std::string text;
    std::optional<std::size_t> slot;
    std::size_t form = 0;
  };
  using Pieces = std::vector<Piece>;
  /// A word that is drawn for each text. Slots of one list hold different words.
  struct Slot {
    std::string name, list;
    /// The slot whose word stands before, or behind, this one's in the list.
    std::optional<std::size_t> after, before;
  };
  /// A sentence in one of its cases.
  struct Variant {
    Pieces clean, corrupt;
    Pieces right, wrong;  // what follows the clean text
  };
  /// A word's forms: singular and plural.
  using Words = std::vector<std::vector<std::string>>;

  std::string name;  // "ioi"
  std::string title, about, source;
  std::map<std::string, Words> lists;
  std::vector<std::string> fromVocabulary;  // lists that hold every word of the tokenizer
  std::vector<Slot> slots;
  std::vector<Variant> variants;
};

/// Reads a template's file. Throws UserError that names the file and the field.
TextTemplate parseTextTemplate(std::string_view json, const std::string& name);

/// Those of assets/text_sets, by name.
const std::vector<TextTemplate>& textTemplates();

/// Returns whether a set's name is a template's: "template:ioi".
bool isTextTemplate(std::string_view set);
/// Throws UserError that lists the templates for an unknown one.
const TextTemplate& textTemplate(std::string_view set);
/// "template:agreement, template:greater_than, template:induction or template:ioi"
std::string textTemplatesInWords();

/// Returns the first template whose texts this tokenizer writes without an unknown token; where
/// there is none, the first of all.
const TextTemplate& readableTemplate(const tokenizer::Tokenizer& tokenizer);

/// Returns whether a tokenizer has words of a template as its texts need them: textsOf() makes
/// some.
bool fits(const TextTemplate& of, const tokenizer::Tokenizer& tokenizer);

/// The text with one word replaced by another of a template's list, of as many tokens, to compare
/// both: the last name of a person, else the last word of another list. Nothing where no word is in
/// a list.
std::optional<std::string> withAnotherWord(const std::string& text,
                                           const tokenizer::Tokenizer& tokenizer);

/// Makes texts that differ; fewer where the template has not so many. Only words that are one token
/// where they stand are used, so that all texts of one sentence have equally many tokens. Text n
/// depends on the tokenizer, the seed and n alone. Throws UserError where too few words of a list
/// are single tokens.
std::vector<TextOfSet> textsOf(const TextTemplate& of, const tokenizer::Tokenizer& tokenizer,
                               Index count, std::uint64_t seed);
/// Likewise texts that several models read, of words that are one token for each tokenizer. Where
/// there are several, the answers are words in place of ids.
std::vector<TextOfSet> textsOfAll(const TextTemplate& of,
                                  const std::vector<const tokenizer::Tokenizer*>& tokenizers,
                                  Index count, std::uint64_t seed);

}  // namespace headscope::formats
