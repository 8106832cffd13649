// Head off: what a model still answers with the output of one head gone (its gain 0): which
// question loses its answers tells what the head was for. Nothing is learned anew: other heads
// might take its place if they had the time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/training/loss.h"
#include "core/training/model.h"

namespace headscope::training {

struct HeadsOff {
  Losses all;                                // with every head
  std::vector<std::vector<Losses>> without;  // [layer][head]
};

/// Of the model's answers on these examples. Nothing where cancelled.
std::optional<HeadsOff> switchEachOff(const Model& model, const Examples& examples,
                                      const ExecutionContext& execution = {});

/// The head without which a question loses most of its accuracy (or R²), and how much; none where
/// it loses nothing without any.
struct HeadMissed {
  HeadPlace head;
  double with = 0.0, without = 0.0;
};
std::optional<HeadMissed> mostMissed(const HeadsOff& off, std::size_t question);

/// A sentence for each question.
std::string headsOffInWords(const Task& task, const HeadsOff& off);

/// "97 %", of a number "R² 0.97".
std::string accuracyInWords(const Question& question, double accuracy);
/// "head 3", "layer 2, head 1".
std::string headInWords(const HeadPlace& head, Index layers);

}  // namespace headscope::training
