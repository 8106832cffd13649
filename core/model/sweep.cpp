#include "core/model/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/model/text_alignment.h"

namespace headscope::model {
namespace {

/// Calls `call` for each part that a sweep replaces in a layer; places share one part.
template <typename Call>
void eachPartOfLayer(SweepOver over, const ModelConfig& config, Index layer, const Call& call) {
  switch (over) {
    case SweepOver::heads:
      for (Index head = 0; head < config.heads; ++head) call(Site::heads, head);
      return;
    case SweepOver::queries:
      for (Index head = 0; head < config.heads; ++head) call(Site::q, head);
      return;
    case SweepOver::keys:
      for (Index head = 0; head < config.kvHeads; ++head) call(Site::k, head);
      return;
    case SweepOver::values:
      for (Index head = 0; head < config.kvHeads; ++head) call(Site::v, head);
      return;
    case SweepOver::layers:
      call(Site::attention, 0);
      if (config.hasNetwork(layer)) call(Site::network, 0);
      return;
    case SweepOver::places:
      call(Site::residual, 0);
      return;
  }
}

/// Calls `call` for each part of a pass, without rows, and the pass of its stack.
template <typename Call>
void eachPart(SweepOver over, const ModelTrace& trace, const Call& call) {
  for (const Stack stack : stacksOf(trace)) {
    const ModelTrace& pass = passOf(trace, stack);
    for (Index layer = 0; layer < pass.layers(); ++layer) {
      eachPartOfLayer(over, pass.config(), layer, [&](Site site, Index head) {
        call(Patch{site, layer, head, Patch::kEveryPlace, {}, stack}, pass);
      });
    }
  }
}

Tensor rowAlone(const Tensor& rows, Index row) { return rows.slice(0, row, row + 1).clone(); }

}  // namespace

void MeanValues::add(const ModelTrace& trace) {
  std::size_t at = 0;
  eachPart(over_, trace, [&](const Patch& part, const ModelTrace& pass) {
    const Tensor values = valuesOfPart(pass, part.site, part.layer, part.head);
    if (at == parts_.size()) {
      parts_.push_back({part, std::vector<double>(static_cast<std::size_t>(values.dim(1)))});
    }
    Part& sums = parts_[at++];
    for (Index row = 0; row < values.dim(0); ++row) {
      const std::span<const float> numbers = values.matrix().row(row);
      for (std::size_t j = 0; j < numbers.size(); ++j) {
        sums.sums[j] += static_cast<double>(numbers[j]);
      }
    }
    sums.rows += values.dim(0);
  });
}

Tensor MeanValues::of(const Patch& part) const {
  const auto found =
      std::ranges::find_if(parts_, [&](const Part& each) { return samePart(each.of, part); });
  Tensor mean = Tensor::uninitialised({std::ssize(found->sums)});
  std::ranges::transform(found->sums, mean.mutableData(), [&](double sum) {
    return static_cast<float>(sum / static_cast<double>(found->rows));
  });
  return mean;
}

NewValues zeros() {
  return [](const Tensor& present, const Patch&) { return Tensor::zeros(present.shape()); };
}

NewValues meansOf(std::shared_ptr<const MeanValues> means) {
  return [means = std::move(means)](const Tensor& present, const Patch& part) {
    const Tensor mean = means->of(part);
    Tensor rows = Tensor::uninitialised(present.shape());
    for (Index row = 0; row < rows.dim(0); ++row) {
      std::copy_n(mean.data(), mean.size(), rows.mutableMatrix().row(row).data());
    }
    return rows;
  };
}

NewValues valuesFrom(ModelTracePtr other, std::vector<Index> places) {
  return [other = std::move(other), places = std::move(places)](const Tensor& present,
                                                                const Patch& part) {
    const ModelTrace& pass = passOf(*other, part.stack);
    Tensor values = valuesOfPart(pass, part.site, part.layer, part.head);
    if (values.shape() == present.shape()) return values;
    if (std::ssize(places) == present.dim(0)) return alignedRows(present, values, places);
    throw UserError(trFormat(
        "the other text has {} tokens and this one {}: a part is replaced token by token, so give "
        "a text with equally many tokens",
        withThousands(values.dim(0)), present.dim(0)));
  };
}

std::vector<Patch> patchesOver(SweepOver over, const ModelTrace& base, const NewValues& values,
                               Index place) {
  if (place >= base.tokens() || place < kAskedPlace) {
    throw UserError(trFormat("there is no token {}: the text has the tokens 0 to {}", place,
                             base.tokens() - 1));
  }
  std::vector<Patch> patches;
  eachPart(over, base, [&](Patch part, const ModelTrace& pass) {
    Tensor rows = values(valuesOfPart(pass, part.site, part.layer, part.head), part);
    if (over != SweepOver::places && place == Patch::kEveryPlace) {
      part.rows = std::move(rows);
      patches.push_back(std::move(part));
      return;
    }
    const bool each = over == SweepOver::places || place == kEachPlace;
    // another stack's text may be shorter than the place
    const Index end = each ? rows.dim(0) : std::min(place + 1, rows.dim(0));
    for (part.place = each ? 0 : place; part.place < end; ++part.place) {
      part.rows = rowAlone(rows, part.place);
      patches.push_back(part);
    }
  });
  return patches;
}

namespace {

PatchEffect meanOfEffects(const std::vector<PatchEffect>& effects) {
  PatchEffect mean;
  const auto count = static_cast<double>(effects.size());
  const auto meanOf = [&](std::optional<double> PatchEffect::*number) -> std::optional<double> {
    double sum = 0.0;
    for (const PatchEffect& each : effects) {
      if (!(each.*number)) return std::nullopt;
      sum += *(each.*number);
    }
    return sum / count;
  };
  for (const PatchEffect& each : effects) {
    mean.metric += each.metric / count;
    mean.probability += each.probability / count;
    mean.divergence += each.divergence / count;
  }
  mean.direct = meanOf(&PatchEffect::direct);
  mean.estimate = meanOf(&PatchEffect::estimate);
  mean.looks = meanOf(&PatchEffect::looks);
  mean.adds = meanOf(&PatchEffect::adds);
  return mean;
}

}  // namespace

std::optional<double> valueOf(const PatchEffect& base, const PatchEffect& effect, EffectKind kind) {
  switch (kind) {
    case EffectKind::total:
      return effect.metric - base.metric;
    case EffectKind::direct:
      return effect.direct;
    case EffectKind::probability:
      return effect.probability - base.probability;
    case EffectKind::divergence:
      return effect.divergence;
    case EffectKind::looks:
      return effect.looks;
    case EffectKind::adds:
      return effect.adds;
    case EffectKind::estimate:
      return effect.estimate;
  }
  return std::nullopt;
}

void EffectsOverTexts::add(const PatchEffect& base, std::vector<PatchEffect> effects) {
  if (!effects_.empty() && effects.size() != effects_.front().size()) {
    throw UserError(tr(
        "the texts of the set have different numbers of tokens, so their places do not match: give "
        "texts with equally many tokens, or sweep over heads or layers"));
  }
  bases_.push_back(base);
  effects_.push_back(std::move(effects));
}

PatchEffect EffectsOverTexts::base() const { return meanOfEffects(bases_); }

PatchEffect EffectsOverTexts::mean(std::size_t patch) const {
  std::vector<PatchEffect> each;
  for (const std::vector<PatchEffect>& text : effects_) each.push_back(text[patch]);
  return meanOfEffects(each);
}

double EffectsOverTexts::spread(std::size_t patch, EffectKind kind) const {
  double sum = 0.0, squares = 0.0, count = 0.0;
  for (std::size_t text = 0; text < texts(); ++text) {
    const auto number = value(text, patch, kind);
    if (!number) continue;
    sum += *number;
    squares += *number * *number;
    ++count;
  }
  if (count == 0.0) return 0.0;
  return std::sqrt(std::max(0.0, squares / count - (sum / count) * (sum / count)));
}

std::vector<std::size_t> EffectsOverTexts::strongest(std::size_t patch, EffectKind kind) const {
  std::vector<std::size_t> order(texts());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t text) {
    return std::abs(value(text, patch, kind).value_or(0.0));
  });
  return order;
}

std::vector<TextValue> EffectsOverTexts::best(std::size_t patch, EffectKind kind,
                                              std::size_t most) const {
  std::vector<TextValue> found;
  for (const std::size_t text : strongest(patch, kind)) {
    const auto number = value(text, patch, kind);
    if (number && found.size() < most) found.push_back({text, *number});
  }
  return found;
}

}  // namespace headscope::model
