// Measured runs: what language models of several sizes learned from stories, and when, as
// bench/story_runs.py measured it. The page Train shows them next to the run before one's eyes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/attention/places.h"
#include "core/language/story_questions.h"

namespace headscope::language {

struct MeasuredRun {
  struct Question {
    std::vector<double> right;  // the share of right answers, by step
    /// The head that looks most at the word that decides, at the end, and its mean weight there.
    HeadOfLayer looks;
    double look = 0.0;
    double rightWithoutIt = 0.0;
    /// The head without which the fewest answers are right; none where no single head is missed.
    std::optional<HeadOfLayer> mostMissed;
    double rightWithoutMostMissed = 0.0;
  };

  Index layers = 0, dModel = 0, heads = 0;
  bool networks = true;
  std::uint64_t seed = 1;
  Index parameters = 0;
  double heldOutLoss = 0.0;  // at the end, nats per token
  std::vector<Index> steps;  // the evaluations
  std::array<Question, kStoryQuestions> questions;

  /// The first step at which the question was answered; none where it never was.
  std::optional<Index> answeredAt(std::size_t question) const;
  /// Returns whether both are runs of one model, whatever their seeds.
  bool sameModel(const MeasuredRun& other) const;
};

/// All runs; those of one model stand together.
const std::vector<MeasuredRun>& measuredRuns();

}  // namespace headscope::language
