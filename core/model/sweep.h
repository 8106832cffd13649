// Sweep: a patch of every head, of its query, key or value alone, of every layer's attention and
// network, or of the residual stream at every layer and place, with the effect of each on one
// prediction. Of a model with an encoder and a decoder the parts are those of both.
//
//   PatchedRuns runs(base, patchesOver(SweepOver::heads, *base, zeros()), asked, execution);
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/model/patching.h"
#include "core/model/text_value.h"

namespace headscope::model {

enum class SweepOver { heads, layers, places, queries, keys, values };

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
/// The values of another pass of the same model. `places` names the other's place for each token
/// (text_alignment.h); empty: the texts have equally many tokens.
NewValues valuesFrom(ModelTracePtr other, std::vector<Index> places = {});

/// Stands for each token in turn where a sweep's place is asked for: a patch for each part and
/// token.
inline constexpr Index kEachPlace = -2;
/// Stands for the token whose prediction is read.
inline constexpr Index kAskedPlace = -3;

/// The patches of a sweep, layer by layer, those of an encoder first. In each layer heads come in
/// order, attention before network, places in order. A model of attention alone has no networks.
/// With `place`, heads, their sides and layers are replaced at that token alone, or with kEachPlace
/// at each one in turn. Throws UserError for a place that the pass does not have, and for values of
/// another number of tokens.
std::vector<Patch> patchesOver(SweepOver over, const ModelTrace& base, const NewValues& values,
                               Index place = Patch::kEveryPlace);

/// A number of a patch that parts are compared by.
enum class EffectKind {
  total,        // the change of the metric from the base
  direct,       // PatchEffect::direct
  probability,  // the change of the word's probability
  divergence,   // PatchEffect::divergence
  looks,        // likewise, and so on
  adds,
  estimate,
};
inline constexpr std::size_t kEffectKinds = 7;
/// Returns nothing where it is not defined.
std::optional<double> valueOf(const PatchEffect& base, const PatchEffect& effect, EffectKind kind);

/// The effects of one sweep over several texts.
class EffectsOverTexts {
 public:
  /// Adds a text. Throws UserError where it has another number of effects than the first.
  void add(const PatchEffect& base, std::vector<PatchEffect> effects);

  std::size_t texts() const { return bases_.size(); }
  PatchEffect base() const;  // the mean
  PatchEffect mean(std::size_t patch) const;
  std::optional<double> value(std::size_t text, std::size_t patch, EffectKind kind) const {
    return valueOf(bases_[text], effects_[text][patch], kind);
  }
  /// The change of the metric from the base in one text.
  double change(std::size_t text, std::size_t patch) const {
    return effects_[text][patch].metric - bases_[text].metric;
  }
  /// The standard deviation of a number over the texts that define it.
  double spread(std::size_t patch, EffectKind kind = EffectKind::total) const;
  /// The texts by the size of a number, the largest first.
  std::vector<std::size_t> strongest(std::size_t patch, EffectKind kind = EffectKind::total) const;
  /// The first of them, with their numbers.
  std::vector<TextValue> best(std::size_t patch, EffectKind kind,
                              std::size_t most = kBestTexts) const;

 private:
  std::vector<PatchEffect> bases_;
  std::vector<std::vector<PatchEffect>> effects_;
};

}  // namespace headscope::model
