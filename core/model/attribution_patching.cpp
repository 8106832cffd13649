#include "core/model/attribution_patching.h"

#include <algorithm>
#include <optional>

namespace headscope::model {
namespace {

/// Σ gradient · (other − own) over some numbers.
double firstOrder(const float* gradient, const float* own, const float* other, Index count) {
  double total = 0.0;
  for (Index i = 0; i < count; ++i) {
    total += static_cast<double>(gradient[i]) *
             (static_cast<double>(other[i]) - static_cast<double>(own[i]));
  }
  return total;
}

/// The present values of patched parts. Those of the last part are kept, since the patches of one
/// part at several places follow each other.
class PresentValues {
 public:
  explicit PresentValues(const ModelTrace& base) : base_(base) {}

  const Tensor& of(const Patch& patch) {
    if (last_ && samePart(*last_, patch)) return values_;
    values_ = valuesOfPart(passOf(base_, patch.stack), patch.site, patch.layer, patch.head);
    last_ = patch;
    last_->rows = Tensor();
    return values_;
  }

 private:
  const ModelTrace& base_;
  std::optional<Patch> last_;
  Tensor values_;
};

}  // namespace

std::vector<double> estimatedEffects(const ModelTracePtr& base, const std::vector<Patch>& patches,
                                     const AskedWord& asked, const ExecutionContext& execution) {
  std::vector<double> estimates(patches.size());
  std::vector<Site> sites;
  for (const Patch& patch : patches) {
    if (std::ranges::find(sites, patch.site) == sites.end()) sites.push_back(patch.site);
  }
  const auto gradients =
      gradientsOfLogit(base, asked.row, asked.word, asked.other, execution, sites);
  if (!gradients) return estimates;
  std::optional<ModelGradients> ofEncoder;
  if (std::ranges::find(patches, Stack::encoder, &Patch::stack) != patches.end()) {
    ofEncoder = gradientsOfEncoder(*base, *gradients, execution, sites);
    if (!ofEncoder) return estimates;
  }
  PresentValues present(*base);
  for (std::size_t i = 0; i < patches.size() && !execution.stop(); ++i) {
    const Patch& patch = patches[i];
    const ModelGradients& of = patch.stack == Stack::encoder ? *ofEncoder : *gradients;
    const Tensor own = present.of(patch);
    Tensor gradient = of.inLayer(patch.site, patch.layer);
    if (isOfHeads(patch.site)) {
      gradient = gradient.slice(0, patch.head, patch.head + 1).reshaped({own.dim(0), own.dim(1)});
    }
    const Index first = patch.place == Patch::kEveryPlace ? 0 : patch.place;
    estimates[i] = firstOrder(gradient.data() + first * own.dim(1), own.data() + first * own.dim(1),
                              patch.rows.data(), patch.rows.size());
  }
  return estimates;
}

}  // namespace headscope::model
