// Mistakes: the common mistakes in multi-head attention, in words. Each can be switched on to show
// its effect.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

struct AttentionConfig;

enum class Mistake {
  reshapeWithoutTranspose,
  softmaxOverQueries,
  zeroForMasked,
  noScale,  // the same switch as ÷√d_k
  sharedHead,
};

struct MistakeText {
  Mistake mistake;
  std::string_view id;     // "softmax-queries": in flags and files
  std::string_view title;  // "Softmax over the queries"
  std::string_view wrong;  // the wrong computation
  std::string_view right;  // the right computation
  std::string_view why;    // its consequence
};

/// In the order of the enumeration.
std::span<const MistakeText> allMistakes();
const MistakeText& textOf(Mistake mistake);
/// Throws UserError that lists the ids.
Mistake mistakeFromString(std::string_view id);

/// Returns whether the configuration makes the mistake: differs by it from its own model.
bool isOn(const AttentionConfig& config, Mistake mistake);
/// Returns why the mistake cannot be made in this configuration, as a sentence; empty where it can.
std::string_view whyNoMistake(const AttentionConfig& config, Mistake mistake);
void setMistake(AttentionConfig& config, Mistake mistake, bool on);
std::vector<Mistake> mistakesOn(const AttentionConfig& config);
/// The ids of the active mistakes, separated by ", ", as in files; empty where none is on.
std::string idsOfMistakes(const AttentionConfig& config);
/// The configuration without mistakes.
AttentionConfig withoutMistakes(AttentionConfig config);

}  // namespace headscope
