// Head off: the answers of a model with the output of one head removed (gain 0). The question that
// loses its answers shows the purpose of the head. The model is not trained again: with more
// training, other heads might replace the removed one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/training/loss.h"
#include "core/training/task_model.h"

namespace headscope::training {

struct HeadsOff {
  Losses all;                                // with every head
  std::vector<std::vector<Losses>> without;  // [layer][head]
};

/// Computes the losses on these examples with every head, and with each head switched off in turn.
/// Returns nothing where cancelled.
std::optional<HeadsOff> switchEachOff(const TaskModel& model, const Examples& examples,
                                      const ExecutionContext& execution = {});

/// The head whose removal costs a question the most accuracy (or R²), and the accuracy with and
/// without it; none where no removal costs any.
struct HeadMissed {
  HeadOfLayer head;
  double with = 0.0, without = 0.0;
};
std::optional<HeadMissed> mostMissed(const HeadsOff& off, std::size_t question);

/// A sentence for each question.
std::string headsOffInWords(const Task& task, const HeadsOff& off);

/// An accuracy as "97 %", or "R² 0.97" for a question about a number.
std::string accuracyInWords(const Question& question, double accuracy);
/// "head 3", "layer 2, head 1".
std::string headInWords(const HeadOfLayer& head, Index layers);

}  // namespace headscope::training
