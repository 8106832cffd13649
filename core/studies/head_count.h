// Head count: compares numbers of heads for one input and width: their cost, and how many heads
// attend differently from the rest. More heads are not always better: Michel et al. 2019.
//
// d_model stays, so d_k = d_model / heads. Parameters and the four projections' FLOPs do not depend
// on the number of heads, nor do those of the scores (2·B·H·T·M·d_k = 2·B·T·M·D); the B·H·T·M
// scores themselves, their softmax and their memory grow with it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/similarity.h"
#include "core/base/error.h"
#include "core/base/execution.h"
#include "core/document/document.h"
#include "core/document/fwd.h"
#include "core/editing/make_document.h"
#include "core/training/learned_layer.h"
#include "core/training/learned_layers.h"

namespace headscope {

inline constexpr Index kMostHeadsCounted = 64;

/// The divisors of d_model from 1 to kMostHeadsCounted, and the present number of heads if larger.
std::vector<Index> headCounts(const AttentionConfig& config);

struct HeadCountCost {
  Index parameters = 0;
  Index flops = 0;            // of a whole pass
  Index projectionFlops = 0;  // of `project` and `output`
  Index scoreValues = 0;      // B·H·T·M, of one score tensor
  Index residentBytes = 0;    // what a pass holds
};

struct HeadCountPoint {
  Index heads = 1;
  HeadCountCost cost;
  std::optional<HeadTree> tree;  // none where similarity is not defined
  double ms = 0.0;               // of a pass, the best of `runs`
  int runs = 0;
  Index heldBytes = 0;  // by the results of that pass, as they are
  std::string why;      // why it was not run, or has no tree; else empty

  bool ran() const { return runs > 0; }
  /// The number of groups where heads of at least this similarity count as one.
  std::optional<Index> distinct(double similarity) const;
};

/// The counted cost of one pass of this configuration, without running it.
HeadCountCost headCountCost(const AttentionConfig& config, ScoreStorage held = ScoreStorage::all);

/// The document with this number of query and of key/value heads, gains of 1 and without pins;
/// weights are drawn for it, or kept if loaded. Throws UserError where that is impossible.
DocumentPtr withHeads(const Document& document, Index heads, Index memoryBudgetBytes,
                      const WeightMaker& make = drawWeightsFor);

/// Measures one number of heads. Trains weights where the document's are learned and none exist for
/// this number, repeats the pass for a tenth of a second (once if it takes longer), and measures
/// the similarity of its heads over all items. Each pass but the first finds memory and packed
/// weights ready, as after an edit of the input; at d_model 512 they take twenty times as long as
/// the pass. Runs unit by unit: a learning step, a pass, the comparison of its heads.
class HeadCountMeasure {
 public:
  HeadCountMeasure(const Document& document, Index heads, Index memoryBudgetBytes,
                   const ExecutionContext& execution,
                   std::shared_ptr<LearnedLayers> layers = nullptr);

  /// Runs the next unit. True where that was the last one, or the measurement was cancelled.
  bool runUnit();
  /// The result after the last unit; nothing where cancelled.
  std::optional<HeadCountPoint> point() const {
    return complete_ ? std::optional(point_) : std::nullopt;
  }

 private:
  void learn();
  bool runsAgain() const;
  void runPass();
  void compareHeads();
  void refuse(const UserError& error);

  ExecutionContext execution_;
  Document from_;
  Index memoryBudgetBytes_;
  HeadCountPoint point_;
  std::shared_ptr<LearnedLayers> layers_;            // found there, and kept there
  std::unique_ptr<training::LayerLearner> learner_;  // of the document's weights, under way
  DocumentPtr document_;                             // with so many heads
  double totalMs_ = 0.0;
  TracePtr trace_;  // the last pass
  bool complete_ = false;
};

/// Runs all units; nothing where cancelled.
std::optional<HeadCountPoint> measureHeadCount(const Document& document, Index heads,
                                               Index memoryBudgetBytes,
                                               const ExecutionContext& execution = {});

}  // namespace headscope
