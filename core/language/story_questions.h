// Story questions: six questions about stories whose answer is the next word: who is given the
// thing, he or she, was or were, which syllable comes next, what was in the box, who is thanked.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/index.h"

namespace headscope::language {

/// A text without its last word, and that word.
struct StoryCase {
  std::vector<std::int32_t> tokens;  // from kBeginToken on; the answer would follow
  std::int32_t right = 0;
  /// The word that the answer is compared with. None: the right word must be the first of all.
  std::optional<std::int32_t> wrong;
  Index decides = 0;  // the place of the word that decides, which a head may look at
};

struct StoryQuestion {
  std::string_view name;     // "pronoun": in files and JSON
  std::string_view words;    // "he or she: “Mia was sad because” she"
  std::string_view decides;  // "the person": the word that decides, for a sentence
  double solved = 0.9;       // the share of right answers from which it counts as answered
};

/// agree, pronoun, give, thank, song, box: in the order in which models learn them.
inline constexpr std::size_t kStoryQuestions = 6;
const std::array<StoryQuestion, kStoryQuestions>& storyQuestions();

/// `count` cases of a question; every call returns equal ones, and no training seed gives them.
std::vector<StoryCase> storyCases(std::size_t question, Index count);

}  // namespace headscope::language
