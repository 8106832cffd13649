#include "core/model/texts_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/memory_budget.h"
#include "core/document/trace.h"
#include "core/model/attribution_patching.h"

namespace headscope::model {
namespace {

double metricOf(const ModelTrace& trace, const AskedWord& asked) {
  const Tensor logits = trace.logits(std::min(asked.row, trace.tokens() - 1), 1);
  const double word = logits.data()[asked.word];
  return asked.other ? word - static_cast<double>(logits.data()[*asked.other]) : word;
}

/// The tokens of the word that decides: of the first `count`, those that are the asked word, else
/// those in which the other text differs.
std::vector<Index> decidingPlaces(const std::vector<Index>& ids,
                                  const std::optional<ModelInput>& other, Index word, Index count) {
  std::vector<Index> same, changed;
  const bool aligned = other && other->ids.size() == ids.size();
  for (Index place = 0; place < count; ++place) {
    const auto at = static_cast<std::size_t>(place);
    if (ids[at] == word) same.push_back(place);
    if (aligned && other->ids[at] != ids[at]) changed.push_back(place);
  }
  return same.empty() ? changed : same;
}

/// The tokens that decide, among those that heads of self-attention and of cross-attention look at.
/// An id of the target may be another word in the source.
struct DecidingPlaces {
  std::vector<Index> ofText, ofSource;

  DecidingPlaces(const ModelTrace& base, const std::optional<ModelInput>& other,
                 const AskedWord& asked) {
    const std::vector<Index>& ids = base.document().input.ids;
    const bool two = base.config().crossAttention;
    ofText = decidingPlaces(ids, two ? std::nullopt : other, asked.word, asked.row + 1);
    if (!two) return;
    const std::vector<Index>& source = passOf(base, Stack::encoder).document().input.ids;
    constexpr Index kNoWord = -1;
    ofSource = decidingPlaces(source, other, kNoWord, std::ssize(source));
  }
};

/// The weight of each patched head from the asked token on the places that decide. An encoder's
/// heads do not look from there.
std::vector<std::optional<double>> looksOf(const ModelTrace& base,
                                           const std::vector<Patch>& patches, Index row,
                                           const DecidingPlaces& deciding) {
  std::vector<std::optional<double>> looks(patches.size());
  for (std::size_t i = 0; i < patches.size(); ++i) {
    if (patches[i].site != Site::heads && patches[i].site != Site::q) continue;
    if (patches[i].stack == Stack::encoder) continue;
    const std::vector<Index>& places =
        base.config().readsMemory(patches[i].layer) ? deciding.ofSource : deciding.ofText;
    if (places.empty()) continue;
    const TracePtr layer = base.layer(patches[i].layer);
    const Tensor& weights = layer->tensor(TensorId::weights);
    double look = 0.0;
    for (const Index place : places) look += weights.at({0, patches[i].head, row, place});
    looks[i] = look;
  }
  return looks;
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

Index TextsSweep::units(std::size_t texts, const SweepSetting& setting, const Model& model) {
  Index layers = model.config().layers;
  // an encoder's copies go through all layers but the decoder's first
  if (model.encoder() != nullptr) layers += model.encoder()->config().layers + layers - 1;
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
    const TextToSweep& text = own ? texts_[meansDone_] : texts_.front();
    const auto trace =
        own ? pass(text.input, text.source) : passOfOther(setting_.meanOf[meansDone_], text);
    if (trace != nullptr) means_->add(*trace);
  });
  ++meansDone_;
  return true;
}

void TextsSweep::begin(const TextToSweep& text) {
  const ModelTracePtr base = pass(text.input, text.source);
  if (base == nullptr) return;
  const AskedWord asked = text.asked(*base);
  ModelTracePtr other;
  if (setting_.with == SweepWith::other) {
    if (!text.other) {
      throw UserError(
          "there is no other text, whose values are put in place: give one with equally many "
          "tokens");
    }
    other = passOfOther(*text.other, text);
    if (other == nullptr) return;
    found_.otherMetrics.push_back(metricOf(*other, asked));
  }
  auto patches = patchesOver(setting_.over, *base, valuesFor(base, other));
  if (setting_.to) {
    std::erase_if(patches,
                  [&](const Patch& each) { return !reaches(base->config(), each, *setting_.to); });
  }
  if (found_.parts.empty()) {
    found_.parts = patches;
    for (Patch& part : found_.parts) part.rows = Tensor();
  }
  looks_ = looksOf(*base, patches, asked.row, DecidingPlaces(*base, text.other, asked));
  if (setting_.to) patches = patchesThrough(*base, patches, *setting_.to, execution_);
  estimates_ = estimatedEffects(base, patches, asked, execution_);
  if (execution_.stop()) return;
  found_.asked.push_back(asked);
  runs_.emplace(base, std::move(patches), asked, execution_);
}

void TextsSweep::end() {
  std::vector<PatchEffect> effects = runs_->effects();
  for (std::size_t i = 0; i < effects.size(); ++i) {
    effects[i].estimate = estimates_[i];
    effects[i].looks = looks_[i];
  }
  found_.effects.add(runs_->base(), std::move(effects));
  runs_.reset();
}

NewValues TextsSweep::valuesFor(const ModelTracePtr& base, const ModelTracePtr& other) const {
  if (setting_.with == SweepWith::zero) return zeros();
  if (setting_.with == SweepWith::other) return valuesFrom(other);
  if (means_ != nullptr) return meansOf(means_);
  const auto own = std::make_shared<MeanValues>(setting_.over);
  own->add(*base);
  return meansOf(own);
}

ModelTracePtr TextsSweep::pass(const ModelInput& input,
                               const std::optional<ModelInput>& source) const {
  const Index budget = defaultMemoryBudget() / 4;
  ModelDocumentPtr document = withInput(*document_, input);
  if (source) {
    const ModelTracePtr& known = document_->memory;
    const auto memory = runModel(withInput(known->document(), *source), known, execution_, budget);
    if (memory == nullptr) return nullptr;
    document = withMemory(*document, memory);
  }
  return runModel(document, previous_, execution_, budget);
}

ModelTracePtr TextsSweep::passOfOther(const ModelInput& other, const TextToSweep& text) const {
  const bool two = document_->model->encoder() != nullptr;
  return two ? pass(text.input, other) : pass(other, std::nullopt);
}

std::optional<SweptTexts> TextsSweep::found() const {
  if (execution_.stop() || textsDone() < texts_.size()) return std::nullopt;
  return found_;
}

}  // namespace headscope::model
