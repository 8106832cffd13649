// Sweep: a patch of every head, of its query, key or value alone, of every layer's attention and
// network, or of the residual stream at every layer and place, with the effect of each on one
// prediction. Of a model with an encoder and a decoder the parts are those of both.
//
//   PatchedRuns runs(base, patchesOver(SweepOver::heads, *base, zeros()), asked, execution);
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/model/patching.h"

namespace headscope::model {

enum class SweepOver { heads, layers, places, queries, keys, values };

/// The values of one part of a stack's pass: (T, d_k) of a head and its sides, otherwise (T, D).
Tensor valuesOf(const ModelTrace& pass, Site site, Index layer, Index head);

/// The mean values of the parts of a sweep, over all tokens of one or several texts.
class MeanValues {
 public:
  explicit MeanValues(SweepOver over) : over_(over) {}
  void add(const ModelTrace& trace);
  /// (width); needs at least one text.
  Tensor of(const Patch& part) const;

 private:
  struct Part {
    Patch of;  // without rows
    std::vector<double> sums;
    Index rows = 0;
  };
  SweepOver over_;
  std::vector<Part> parts_;
};

/// Gives the new values of a part, of the shape of its present ones; the part has no rows.
using NewValues = std::function<Tensor(const Tensor& present, const Patch& part)>;
NewValues zeros();
NewValues meansOf(std::shared_ptr<const MeanValues> means);
/// The values of another pass of the same model.
NewValues valuesFrom(ModelTracePtr other);

/// The patches of a sweep, layer by layer, those of an encoder first. In each layer heads come in
/// order, attention before network, places in order. A model of attention alone has no networks.
/// Throws UserError where `other` has another number of tokens than the base pass.
std::vector<Patch> patchesOver(SweepOver over, const ModelTrace& base, const NewValues& values);

/// The effects of one sweep over several texts.
class EffectsOverTexts {
 public:
  /// Adds a text. Throws UserError where it has another number of effects than the first.
  void add(const PatchEffect& base, std::vector<PatchEffect> effects);

  std::size_t texts() const { return bases_.size(); }
  PatchEffect base() const;  // the mean
  struct Summary {
    PatchEffect mean;
    double spread = 0.0;        // the standard deviation of the metric's change from the base
    std::size_t strongest = 0;  // the text whose metric changed most
  };
  Summary of(std::size_t patch) const;
  /// The change of the metric from the base in one text.
  double change(std::size_t text, std::size_t patch) const {
    return effects_[text][patch].metric - bases_[text].metric;
  }
  /// The texts by the size of that change, the largest first.
  std::vector<std::size_t> strongest(std::size_t patch) const;

 private:
  std::vector<PatchEffect> bases_;
  std::vector<std::vector<PatchEffect>> effects_;
};

}  // namespace headscope::model
