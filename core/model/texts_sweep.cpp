#include "core/model/texts_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/memory_budget.h"
#include "core/document/trace.h"
#include "core/model/attribution_patching.h"
#include "core/model/logit_parts.h"

namespace headscope::model {
namespace {

double metricAt(const ModelTrace& trace, Index row, const AskedWord& asked) {
  const Tensor logits = trace.logits(row == kNoPartner ? trace.tokens() - 1 : row, 1);
  const double word = logits.data()[asked.word];
  return asked.other ? word - static_cast<double>(logits.data()[*asked.other]) : word;
}

/// The tokens of the word that decides: up to the asked one, those that are the asked word, else
/// those that the other text has not.
std::vector<Index> decidingPlaces(const TextToSweep& text, const AskedWord& asked,
                                  const std::vector<Index>& partners) {
  const std::vector<Index>& ids = text.input.ids;
  std::vector<Index> same, changed;
  for (Index place = 0; place <= asked.row; ++place) {
    const auto at = static_cast<std::size_t>(place);
    if (ids[at] == asked.word) same.push_back(place);
    if (partners.empty()) continue;
    const Index partner = partners[at];
    const bool kept =
        partner != kNoPartner && text.other->ids[static_cast<std::size_t>(partner)] == ids[at];
    if (!kept) changed.push_back(place);
  }
  return same.empty() ? changed : same;
}

/// The weight of a patched head from the asked token on these places.
std::optional<double> lookOf(const ModelTrace& base, const Patch& patch, Index row,
                             const std::vector<Index>& places) {
  const bool ofHead = patch.site == Site::heads || patch.site == Site::q;
  if (places.empty() || !ofHead) return std::nullopt;
  const TracePtr layer = base.layer(patch.layer);
  const Tensor& weights = layer->tensor(TensorId::weights);
  double look = 0.0;
  for (const Index place : places) look += weights.at({0, patch.head, row, place});
  return look;
}

/// The addition of a head, an attention or a network to the metric.
std::optional<double> additionOf(const Patch& patch, const LogitParts& parts) {
  if (patch.site == Site::heads) return parts.headPart(patch.layer, patch.head);
  if (patch.site != Site::attention && patch.site != Site::network) return std::nullopt;
  double sum = 0.0;
  for (const WrittenPart& part : parts.parts) {
    const bool ofAttention =
        part.kind == WriterKind::head || part.kind == WriterKind::attentionBias;
    const bool ofSite =
        patch.site == Site::attention ? ofAttention : part.kind == WriterKind::feedForward;
    if (part.layer == patch.layer && ofSite) sum += part.value;
  }
  return sum;
}

/// Calls `call`; the message of an error begins with the text's name.
template <typename Call>
void naming(const std::string& text, const Call& call) {
  try {
    call();
  } catch (const UserError& error) {
    const std::string why = error.what();
    if (text.empty() || why.starts_with(text)) throw;
    throw UserError(fmt::format("{}: {}", text, why));
  }
}

/// The number of texts whose mean replaces parts; 0 where each text has its own.
std::size_t textsOfMean(std::size_t texts, const SweepSetting& setting) {
  if (setting.with != SweepWith::mean) return 0;
  if (!setting.meanOf.empty()) return setting.meanOf.size();
  return texts > 1 ? texts : 0;
}

}  // namespace

TextsSweep::TextsSweep(ModelDocumentPtr document, std::vector<TextToSweep> texts,
                       SweepSetting setting, const ExecutionContext& execution,
                       ModelTracePtr previous)
    : document_(std::move(document)),
      texts_(std::move(texts)),
      setting_(std::move(setting)),
      execution_(execution),
      previous_(std::move(previous)) {
  if (textsOfMean(texts_.size(), setting_) > 0) {
    means_ = std::make_shared<MeanValues>(setting_.over);
  }
}

Index TextsSweep::units(std::size_t texts, const SweepSetting& setting, Index layers) {
  return static_cast<Index>(texts) * (1 + layers) + static_cast<Index>(textsOfMean(texts, setting));
}

bool TextsSweep::runUnit() {
  if (ended_) return true;
  if (addToMeans()) return ended_ = execution_.stop();
  const TextToSweep& text = texts_[textsDone()];
  naming(text.name, [&] {
    if (!runs_) {
      begin(text);
    } else if (runs_->runUnit() && !execution_.stop()) {
      end();
    }
  });
  return ended_ = execution_.stop() || textsDone() == texts_.size();
}

/// Adds the next text to the means. False where there is none.
bool TextsSweep::addToMeans() {
  if (meansDone_ == textsOfMean(texts_.size(), setting_)) return false;
  const bool own = setting_.meanOf.empty();
  naming(own ? texts_[meansDone_].name : std::string(), [&] {
    const auto trace = pass(own ? texts_[meansDone_].input : setting_.meanOf[meansDone_]);
    if (trace != nullptr) means_->add(*trace);
  });
  ++meansDone_;
  return true;
}

void TextsSweep::begin(const TextToSweep& text) {
  const ModelTracePtr base = pass(text.input);
  if (base == nullptr) return;
  const AskedWord asked = text.asked(*base);
  ModelTracePtr other;
  const AlignedText partners = text.other ? aligned(text.input, *text.other) : AlignedText();
  if (setting_.with == SweepWith::other) {
    if (!text.other) {
      throw UserError("there is no other text, whose values are put in place: give one");
    }
    other = pass(*text.other);
    if (other == nullptr) return;
    const Index row = partners.places[static_cast<std::size_t>(asked.row)];
    found_.otherMetrics.push_back(metricAt(*other, row, asked));
    found_.aligned.push_back(partners);
  }
  auto patches =
      patchesOver(setting_.over, *base, valuesFor(base, other, partners.places), setting_.place);
  if (setting_.to) {
    std::erase_if(patches, [&](const Patch& each) { return each.layer >= setting_.to->layer; });
  }
  if (found_.parts.empty()) {
    found_.parts = patches;
    for (Patch& part : found_.parts) part.rows = Tensor();
  }
  const std::vector<Index> places = decidingPlaces(text, asked, partners.places);
  std::optional<LogitParts> parts;
  if (DirectPath::exists(*document_->model)) {
    parts = logitParts(*base, asked.row, asked.word, asked.other, execution_);
  }
  known_.assign(patches.size(), {});
  for (std::size_t i = 0; i < patches.size(); ++i) {
    known_[i].looks = lookOf(*base, patches[i], asked.row, places);
    if (parts) known_[i].adds = additionOf(patches[i], *parts);
  }
  if (setting_.to) patches = patchesThrough(*base, patches, *setting_.to, execution_);
  const auto estimates = estimatedEffects(base, patches, asked, execution_);
  if (execution_.stop()) return;
  for (std::size_t i = 0; i < patches.size(); ++i) known_[i].estimate = estimates[i];
  found_.asked.push_back(asked);
  runs_.emplace(base, std::move(patches), asked, execution_);
}

void TextsSweep::end() {
  std::vector<PatchEffect> effects = runs_->effects();
  for (std::size_t i = 0; i < effects.size(); ++i) {
    effects[i].estimate = known_[i].estimate;
    effects[i].looks = known_[i].looks;
    effects[i].adds = known_[i].adds;
  }
  found_.effects.add(runs_->base(), std::move(effects));
  runs_.reset();
}

NewValues TextsSweep::valuesFor(const ModelTracePtr& base, const ModelTracePtr& other,
                                const std::vector<Index>& places) const {
  if (setting_.with == SweepWith::zero) return zeros();
  if (setting_.with == SweepWith::other) return valuesFrom(other, places);
  if (means_ != nullptr) return meansOf(means_);
  const auto own = std::make_shared<MeanValues>(setting_.over);
  own->add(*base);
  return meansOf(own);
}

ModelTracePtr TextsSweep::pass(const ModelInput& input) const {
  return runModel(withInput(*document_, input), previous_, execution_, defaultMemoryBudget() / 4);
}

std::optional<SweptTexts> TextsSweep::found() const {
  if (execution_.stop() || textsDone() < texts_.size()) return std::nullopt;
  return found_;
}

std::optional<SweptTexts> TextsSweep::soFar() const {
  if (execution_.stop()) return std::nullopt;
  if (textsDone() > 0) return found_;
  if (!runs_) return std::nullopt;
  SweptTexts early = found_;
  early.estimatesOnly = true;
  std::vector<PatchEffect> effects = known_;
  for (PatchEffect& effect : effects) {
    effect.metric = runs_->base().metric;
    effect.probability = runs_->base().probability;
  }
  early.effects.add(runs_->base(), std::move(effects));
  return early;
}

}  // namespace headscope::model
