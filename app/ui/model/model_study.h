// Model study: computations about all heads of a model in the background: their metrics on the text
// and on repeated random tokens, their weight on chosen tokens, the gradients
// of a word, their largest drawn weights, and their weights reduced to a small size.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/live_model.h"
#include "app/ui/parts/computed.h"
#include "app/ui/parts/reduce.h"
#include "core/model/model_heads.h"
#include "core/model/pass_pairs.h"

namespace headscope::ui {

struct ChosenWord;
struct PanelContext;

/// The measured heads of a document's pass.
struct FoundHeads {
  model::ModelDocumentPtr of;
  std::shared_ptr<const model::MeasuredHeads> heads;
};
/// Measures all heads on the moment's text. `name` sets the measures of several passes apart.
Computed<FoundHeads> measuredHeads(const PanelContext& panel, const ModelMoment& moment,
                                   Schedule when, std::string_view name = "model heads");

/// The limit of work, some minutes, above which products of a model's weights are not computed.
inline constexpr double kMostFlopsOfWeights = 5e12;

/// The model's pass over repeated random tokens, and the measured heads of it.
struct ProbedModel {
  std::shared_ptr<const ModelMoment> moment;  // without predictions
  std::shared_ptr<const model::MeasuredHeads> heads;
};
/// Computes the probe once per model and its edits.
Computed<ProbedModel> probedModel(const PanelContext& panel, const ModelMoment& moment);

/// For each head: the total weight on the chosen keys, averaged over the chosen queries that may
/// see one of them.
Computed<std::vector<MetricValue>> weightOnTokens(const PanelContext& panel,
                                                  const ModelMoment& moment,
                                                  const std::vector<Index>& queries,
                                                  const std::vector<Index>& keys);

/// The moment whose predictions the heads of a shown moment act on: of the source of an
/// encoder–decoder model that of the target.
const ModelMoment& predictedBy(const LiveModel& live, const ModelMoment& shown);

/// For each head of a stack: the length of the derivative of the word's logit, or of the difference
/// of two, with respect to the head's output at all tokens. `moment` predicts the word.
Computed<std::vector<MetricValue>> gradientsOfHeads(const PanelContext& panel,
                                                    const ModelMoment& moment, model::Stack stack,
                                                    const ChosenWord& chosen);

/// For each head: its copying score, by the weights alone (circuits.h). `problem` reports a
/// computation that would take too long.
Computed<std::vector<MetricValue>> copyingOfHeads(const PanelContext& panel,
                                                  const ModelMoment& moment);

/// For each head: the share of its attention that positions account for (position_patterns.h).
Computed<std::vector<MetricValue>> sharesOfPositions(const PanelContext& panel,
                                                     const ModelMoment& moment);

/// For each head: the share of the class token's weights that lies on the shape of a moment's
/// drawing (core/images/shape_looks.h).
Computed<std::vector<MetricValue>> weightsOnShape(const PanelContext& panel,
                                                  const ModelMoment& moment);

/// For each head: how much the model's adapter changes its weights (adapter_change.h).
Computed<std::vector<MetricValue>> changesByAdapter(const PanelContext& panel,
                                                    const ModelMoment& moment);

/// The rows and columns that pictures of heads leave out, by token.
struct LeftOut {
  std::vector<bool> rows, columns;
  std::vector<bool> memory;  // the columns of cross-attention

  const std::vector<bool>& columnsOf(const model::ModelConfig& config, Index layer) const {
    return config.readsMemory(layer) ? memory : columns;
  }
};

/// The weights that pictures of heads show: those of a moment's pass, or what they exceed those of
/// another pass by.
struct ShownWeights {
  std::shared_ptr<const ModelMoment> of;
  std::shared_ptr<const ModelMoment> against = nullptr;     // null: nothing is subtracted
  std::shared_ptr<const model::PassPairs> pairs = nullptr;  // of both passes

  bool held(Index layer) const {
    return of->trace->held(layer) &&
           (against == nullptr || layer >= against->trace->layers() || against->trace->held(layer));
  }
  /// Returns whether a head has a value to show: the other pass has one of its number.
  bool has(const HeadOfLayer& head) const { return against == nullptr || pairs->has(head); }
  std::uint64_t numberAgainst() const { return against != nullptr ? against->number : 0; }
};

/// The largest magnitude of each head's weights outside the excluded rows and columns; 0 where a
/// layer is not held. SmallHeads contains the values, too.
Computed<std::vector<float>> largestWeights(const PanelContext& panel, const ShownWeights& shown,
                                            const LeftOut& leftOut);

/// A head's weights for drawing: 0 in the excluded rows and columns; of a difference, masked where
/// a token or the head has no partner. Valid as long as the moments; the layer must be held.
CellRows drawnWeights(const ShownWeights& shown, const HeadOfLayer& head, const LeftOut& leftOut);

/// The weights of all heads reduced to `side` × `side` cells of the largest weights, so that a
/// picture of all heads does not read them at every size. Layers that are not held are masked.
struct SmallHeads {
  std::uint64_t key = 0;  // the fingerprint of all inputs
  Index tokens = 0;       // the queries of the original weights
  Index memory = 0;       // the keys of those of cross-attention; 0: there are none
  Index side = 0;
  std::vector<float> cells;
  std::vector<float> largest;  // the largest weight of each head, as in largestWeights()

  CellRows of(std::size_t head) const;
  /// Returns whether the numbers of heads and tokens are those of the moment.
  bool areOf(const ModelMoment& moment) const;
};
/// The keys of a moment's cross-attention; 0 where there is none.
Index memoryTokens(const ModelMoment& moment);
/// The side of small heads, 32 to 256 cells: the largest power of two with which all heads fit into
/// 64 MB, if any does.
Index smallSide(const ModelMoment& moment);
Computed<SmallHeads> smallHeads(const PanelContext& panel, const ShownWeights& shown,
                                const LeftOut& leftOut);

}  // namespace headscope::ui
