// Model study: what is found out about all heads of a model beside the frames: their metrics on
// the text and on repeated random tokens, their compositions, how much weight they put on chosen
// tokens, the largest weight of each that is drawn, and their weights made small.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "app/live_model.h"
#include "app/ui/panel.h"
#include "app/ui/parts/reduce.h"
#include "core/model/compositions.h"
#include "core/model/model_heads.h"

namespace headscope::ui {

/// What every head does in the pass of a document.
struct FoundHeads {
  model::ModelDocumentPtr of;
  std::shared_ptr<const model::MeasuredHeads> heads;
};
/// On the moment's text.
Computed<FoundHeads> measuredHeads(const PanelContext& panel, const ModelMoment& moment, When when);

/// The model's pass over repeated random tokens, and what every head does in it.
struct ProbedModel {
  std::shared_ptr<const ModelMoment> moment;  // without predictions
  std::shared_ptr<const model::MeasuredHeads> heads;
};
/// Once per model and its edits.
Computed<ProbedModel> probedModel(const PanelContext& panel, const ModelMoment& moment);

struct ModelCompositions {
  model::ModelPtr of;
  model::Compositions found;
  /// By kind: the mean over all pairs, and those pairs that stand out from it, the first first.
  std::array<double, model::kCompositions> means{};
  std::array<std::vector<model::ComposedHeads>, model::kCompositions> standOut{};
};
/// From the model's weights. Its problem says so where that would take too long.
Computed<ModelCompositions> modelCompositions(const PanelContext& panel, const ModelMoment& moment);

/// The mean, over the queries that are chosen and may see one of the keys, of the weight on those
/// keys together; one per head.
Computed<std::vector<MetricValue>> weightOnTokens(const PanelContext& panel,
                                                  const ModelMoment& moment,
                                                  const std::vector<Index>& queries,
                                                  const std::vector<Index>& keys);

/// The largest weight of each head without the rows and columns that are left out; 0 where a layer
/// is not held. SmallHeads have them too.
Computed<std::vector<float>> largestWeights(const PanelContext& panel, const ModelMoment& moment,
                                            const std::vector<bool>& rowsLeftOut,
                                            const std::vector<bool>& columnsLeftOut);

/// A head's weights as they are drawn: 0 in the rows and columns that are left out. Valid as long
/// as the moment, of a layer that is held.
CellRows drawnWeights(const ModelMoment& moment, const model::HeadOfLayer& head,
                      const std::vector<bool>& rowsLeftOut,
                      const std::vector<bool>& columnsLeftOut);

/// The weights of all heads made small, so that a picture of all of them does not read them anew at
/// each size: `side` × `side` of the largest each, masked throughout where a layer is not held.
struct SmallHeads {
  std::uint64_t key = 0;  // of all that they depend on
  Index tokens = 0;       // what they were made of: tokens × tokens each
  Index side = 0;
  std::vector<float> cells;
  std::vector<float> largest;  // of each head, as largestWeights

  CellRows of(std::size_t head) const;
  /// As many heads and tokens as there are.
  bool areOf(const ModelMoment& moment) const;
};
/// Their side: as fine as 64 MB allow.
Index smallSide(const ModelMoment& moment);
Computed<SmallHeads> smallHeads(const PanelContext& panel, const ModelMoment& moment,
                                const std::vector<bool>& rowsLeftOut,
                                const std::vector<bool>& columnsLeftOut);

}  // namespace headscope::ui
