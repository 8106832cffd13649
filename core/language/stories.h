// Stories: short texts about people, animals and things, from a grammar with a state: who is there,
// who has what, where a thing was put. They hold patterns that a model can learn from next words
// alone: who was given something, he or she, was or were, a thing put away and taken out, a song
// sung twice.
//
//   Draws draws(1, "stories");
//   story(draws);  // {"one", "day", "Mia", "and", "Leo", "went", "to", "the", "park", ".", …}
//
// Words are tokens. One seed gives the same text on every machine.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/index.h"
#include "core/training/task.h"

namespace headscope::language {

/// The token before each story, and that of a word that no story has.
inline constexpr std::string_view kBeginToken = "<s>";
inline constexpr std::string_view kUnknownToken = "<unk>";

/// All tokens by id: kBeginToken, kUnknownToken, then the words in order.
std::span<const std::string> storyWords();
/// The id of a word. Throws std::out_of_range for a word that no story has.
std::int32_t storyWord(std::string_view word);

/// One story, without the token before it.
std::vector<std::string_view> story(training::Draws& draws);

/// `count` tokens of stories, kBeginToken before each; the last one may be cut.
std::vector<std::int32_t> storyTokens(std::uint64_t seed, Index count);

}  // namespace headscope::language
