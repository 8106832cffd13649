#include "core/model/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/model/head_output.h"

namespace headscope::model {
namespace {

/// Calls `call` for each part that a sweep replaces in a layer; places share one part.
template <typename Call>
void eachPart(SweepOver over, const ModelConfig& config, Index layer, const Call& call) {
  switch (over) {
    case SweepOver::heads:
      for (Index head = 0; head < config.heads; ++head) call(Site::heads, layer, head);
      return;
    case SweepOver::queries:
      for (Index head = 0; head < config.heads; ++head) call(Site::q, layer, head);
      return;
    case SweepOver::keys:
      for (Index head = 0; head < config.kvHeads; ++head) call(Site::k, layer, head);
      return;
    case SweepOver::values:
      for (Index head = 0; head < config.kvHeads; ++head) call(Site::v, layer, head);
      return;
    case SweepOver::layers:
      call(Site::attention, layer, 0);
      if (config.hasNetwork(layer)) call(Site::network, layer, 0);
      return;
    case SweepOver::places:
      call(Site::residual, layer, 0);
      return;
  }
}

Tensor rowAlone(const Tensor& rows, Index row) { return rows.slice(0, row, row + 1).clone(); }

}  // namespace

Tensor valuesOf(const ModelTrace& trace, Site site, Index layer, Index head) {
  if (site == Site::heads) return headOutput(trace, {layer, head});
  if (isSide(site)) {
    const Tensor all = valuesInLayer(site, trace, layer);
    return all.slice(1, head, head + 1).clone().reshaped({all.dim(2), all.dim(3)});
  }
  return valuesInLayer(site, trace, layer).reshaped({trace.tokens(), trace.config().dModel});
}

void MeanValues::add(const ModelTrace& trace) {
  std::size_t at = 0;
  for (Index layer = 0; layer < trace.layers(); ++layer) {
    eachPart(over_, trace.config(), layer, [&](Site site, Index, Index head) {
      const Tensor values = valuesOf(trace, site, layer, head);
      if (at == parts_.size()) {
        parts_.push_back({site, layer, head, {}});
        parts_.back().sums.resize(static_cast<std::size_t>(values.dim(1)), 0.0);
      }
      std::vector<double>& sums = parts_[at++].sums;
      for (Index row = 0; row < values.dim(0); ++row) {
        const std::span<const float> numbers = values.matrix().row(row);
        for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += static_cast<double>(numbers[j]);
      }
    });
  }
  tokens_ += trace.tokens();
}

Tensor MeanValues::of(Site site, Index layer, Index head) const {
  const auto part = std::ranges::find_if(parts_, [&](const Part& each) {
    return each.site == site && each.layer == layer && each.head == head;
  });
  Tensor mean = Tensor::uninitialised({std::ssize(part->sums)});
  std::ranges::transform(part->sums, mean.mutableData(), [&](double sum) {
    return static_cast<float>(sum / static_cast<double>(tokens_));
  });
  return mean;
}

NewValues zeros() {
  return [](const Tensor& present, Site, Index, Index) { return Tensor::zeros(present.shape()); };
}

NewValues meansOf(std::shared_ptr<const MeanValues> means) {
  return [means = std::move(means)](const Tensor& present, Site site, Index layer, Index head) {
    const Tensor mean = means->of(site, layer, head);
    Tensor rows = Tensor::uninitialised(present.shape());
    for (Index row = 0; row < rows.dim(0); ++row) {
      std::copy_n(mean.data(), mean.size(), rows.mutableMatrix().row(row).data());
    }
    return rows;
  };
}

NewValues valuesFrom(ModelTracePtr other) {
  return [other = std::move(other)](const Tensor& present, Site site, Index layer, Index head) {
    Tensor values = valuesOf(*other, site, layer, head);
    if (values.dim(0) == present.dim(0)) return values;
    throw UserError(fmt::format(
        "the other text has {} tokens and this one {}: a part is replaced token by token, so give "
        "a text with equally many tokens",
        withThousands(values.dim(0)), present.dim(0)));
  };
}

std::vector<Patch> patchesOver(SweepOver over, const ModelTrace& base, const NewValues& values) {
  std::vector<Patch> patches;
  for (Index layer = 0; layer < base.layers(); ++layer) {
    eachPart(over, base.config(), layer, [&](Site site, Index, Index head) {
      const Tensor rows = values(valuesOf(base, site, layer, head), site, layer, head);
      if (over != SweepOver::places) {
        patches.push_back({site, layer, head, Patch::kEveryPlace, rows});
        return;
      }
      for (Index place = 0; place < base.tokens(); ++place) {
        patches.push_back({site, layer, 0, place, rowAlone(rows, place)});
      }
    });
  }
  return patches;
}

namespace {

PatchEffect meanOfEffects(const std::vector<PatchEffect>& effects) {
  PatchEffect mean;
  const auto count = static_cast<double>(effects.size());
  double direct = 0.0, estimate = 0.0, looks = 0.0;
  bool defined = true, estimated = true, looked = true;
  for (const PatchEffect& each : effects) {
    mean.metric += each.metric / count;
    mean.probability += each.probability / count;
    mean.divergence += each.divergence / count;
    direct += each.direct.value_or(0.0) / count;
    defined = defined && each.direct.has_value();
    estimate += each.estimate.value_or(0.0) / count;
    estimated = estimated && each.estimate.has_value();
    looks += each.looks.value_or(0.0) / count;
    looked = looked && each.looks.has_value();
  }
  if (defined) mean.direct = direct;
  if (estimated) mean.estimate = estimate;
  if (looked) mean.looks = looks;
  return mean;
}

}  // namespace

void EffectsOverTexts::add(const PatchEffect& base, std::vector<PatchEffect> effects) {
  if (!effects_.empty() && effects.size() != effects_.front().size()) {
    throw UserError(
        "the texts of the set have different numbers of tokens, so their places do not match: give "
        "texts with equally many tokens, or sweep over heads or layers");
  }
  bases_.push_back(base);
  effects_.push_back(std::move(effects));
}

PatchEffect EffectsOverTexts::base() const { return meanOfEffects(bases_); }

EffectsOverTexts::Summary EffectsOverTexts::of(std::size_t patch) const {
  Summary summary;
  std::vector<PatchEffect> each;
  double changes = 0.0, squares = 0.0, largest = -1.0;
  for (std::size_t text = 0; text < effects_.size(); ++text) {
    each.push_back(effects_[text][patch]);
    const double own = change(text, patch);
    changes += own;
    squares += own * own;
    if (std::abs(own) <= largest) continue;
    largest = std::abs(own);
    summary.strongest = text;
  }
  summary.mean = meanOfEffects(each);
  const auto count = static_cast<double>(each.size());
  summary.spread =
      std::sqrt(std::max(0.0, squares / count - (changes / count) * (changes / count)));
  return summary;
}

std::vector<std::size_t> EffectsOverTexts::strongest(std::size_t patch) const {
  std::vector<std::size_t> order(texts());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(),
                           [&](std::size_t text) { return std::abs(change(text, patch)); });
  return order;
}

}  // namespace headscope::model
