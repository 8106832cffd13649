#include "core/lessons/lesson.h"

#include "core/document/document.h"
#include "core/editing/make_document.h"
#include "core/presets/presets.h"

namespace headscope::lessons {
namespace {

/// The document with the sizes of a lesson; sizes that it does not name are kept.
SetDimensions sizesOf(const SceneState& state, const AttentionConfig& now) {
  SetDimensions sizes{now.dModel, now.numHeads, now.numKvHeads, now.headDim};
  if (state.dModel) sizes.dModel = *state.dModel;
  if (state.heads) sizes.numHeads = sizes.numKvHeads = *state.heads;
  if (state.kvHeads) sizes.numKvHeads = *state.kvHeads;
  if (state.dK || state.dModel || state.heads) sizes.headDim = state.dK.value_or(0);
  return sizes;
}

bool setsSizes(const SceneState& state) {
  return state.dModel || state.heads || state.kvHeads || state.dK;
}

bool setsMask(const SceneState& state) { return state.causal || state.window || state.lengths; }

Mask maskOf(const SceneState& state, Mask mask) {
  if (state.causal) mask.causal = *state.causal;
  if (state.window) mask.window = *state.window;
  if (state.lengths) mask.lengths = *state.lengths;
  return mask;
}

DocumentPtr begin(const SceneState& state, const Document& now, Index budget) {
  const WeightSource weights{state.init.value_or(WeightInit::learned), state.seed, {}};
  if (!state.preset.empty()) return makePreset(presetByName(state.preset), weights, budget);
  if (!state.example.empty()) {
    AttentionConfig config;
    config.dModel = state.dModel.value_or(512);
    config.numHeads = state.heads.value_or(8);
    config.numKvHeads = state.kvHeads.value_or(config.numHeads);
    config.headDim = state.dK.value_or(0);
    return makeDocument("", config, exampleByName(state.example).source, Positions::named, weights,
                        budget);
  }
  return std::make_shared<const Document>(now);
}

}  // namespace

bool SceneState::changesNothing() const {
  return !opens() && !init && edits.empty() && !setsSizes(*this) && !setsMask(*this);
}

bool Way::isNone() const {
  return state.changesNothing() && view.empty() && choose.empty() && trainStep.empty() &&
         !modelHeadsOff;
}

DocumentPtr documentOf(const SceneState& state, const Document& now, Index memoryBudgetBytes) {
  DocumentPtr document = begin(state, now, memoryBudgetBytes);
  const auto change = [&](const Edit& edit) {
    document = apply(*document, edit, memoryBudgetBytes).document;
  };
  if (setsSizes(state) && state.example.empty()) {
    change(sizesOf(state, document->config));
  }
  if (state.init && !state.opens()) change(DrawWeights{*state.init, state.seed});
  if (setsMask(state)) change(SetMask{maskOf(state, document->config.mask), {}});
  for (const Edit& edit : state.edits) change(edit);
  return document;
}

}  // namespace headscope::lessons
