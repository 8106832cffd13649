// Compositions of heads on the model page: lines between the pairs in which one head reads most of
// what another writes, and the partners of the chosen head in words.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "app/ui/model/prediction_views.h"
#include "app/ui/parts/computed.h"
#include "core/model/compositions.h"
#include "core/model/stacks.h"

namespace headscope::ui {

struct FrameContext;
struct ModelHeadsView;
struct PanelContext;

/// The compositions of heads that write one stream with heads that read it.
struct StreamCompositions {
  model::Stack from, into;  // equal but for the encoder's heads with those of cross-attention
  model::Compositions found;
  /// By kind: the mean over all pairs, and the pairs of one attention far above it, the strongest
  /// first.
  std::array<double, model::kCompositions> means{};
  std::array<std::vector<model::ComposedHeads>, model::kCompositions> standOut{};
};
struct ModelCompositions {
  model::ModelPtr of;
  std::vector<StreamCompositions> streams;
};

/// Computes the compositions from the weights of a model, of two stacks of the decoder's moment.
/// `problem` reports a computation that would take too long.
Computed<ModelCompositions> modelCompositions(const PanelContext& panel, const ModelMoment& moment);

/// The pairs of a kind that lines join: those that stand out among the shown layers of a stack.
std::vector<model::ComposedHeads> joinedPairs(const ModelCompositions& compositions,
                                              model::Composition kind, model::Stack stack,
                                              const std::vector<Index>& layers);

/// Draws the choice of the kind of composition whose pairs are joined.
void chooseLines(const FrameContext& look, ModelHeadsView& heads, const ModelMoment& moment);

/// Names the strongest partners of a head of a stack: "1·2 most with   1·2 → 2·1 K 0.312 …".
/// `decoder`: the configuration of the model, of two stacks of its decoder.
std::string partnersInWords(const ModelCompositions& compositions, model::Composition kind,
                            model::Stack stack, const HeadOfLayer& head,
                            const model::ModelConfig& decoder);

}  // namespace headscope::ui
