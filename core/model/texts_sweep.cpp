#include "core/model/texts_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "core/base/error.h"
#include "core/base/memory_budget.h"
#include "core/base/translation.h"
#include "core/document/trace.h"
#include "core/model/attribution_patching.h"
#include "core/model/image_embedding.h"
#include "core/model/logit_metric.h"
#include "core/model/logit_parts.h"

namespace headscope::model {
namespace {

double metricAt(const ModelTrace& trace, Index row, const AskedWord& asked) {
  const Tensor logits = trace.logits(row == kNoPartner ? trace.tokens() - 1 : row, 1);
  return metricOf(logits.matrix({0}).row(0), asked);
}

/// The tokens of the word that decides: of the first `count`, those that are the asked word, else
/// those that the other text has not. `partners` are its places; empty without another text.
std::vector<Index> decidingPlaces(const std::vector<Index>& ids,
                                  const std::optional<ModelInput>& other,
                                  const std::vector<Index>& partners, Index word, Index count) {
  std::vector<Index> same, changed;
  for (Index place = 0; place < count; ++place) {
    const auto at = static_cast<std::size_t>(place);
    if (ids[at] == word) same.push_back(place);
    if (!other || partners.empty()) continue;
    const Index partner = partners[at];
    const bool kept =
        partner != kNoPartner && other->ids[static_cast<std::size_t>(partner)] == ids[at];
    if (!kept) changed.push_back(place);
  }
  return same.empty() ? changed : same;
}

/// The patches of an image that another image of its size has otherwise.
std::vector<Index> changedPatches(const ImageInput& image, const Tensor& own, const Tensor& other) {
  const auto numbers = static_cast<std::size_t>(patchNumbers(image));
  std::vector<float> here(numbers), there(numbers);
  std::vector<Index> changed;
  const Extent size = extentOf(own);
  for (Index patch = 0; patch < image.gridOf(size).area(); ++patch) {
    cutPatch(image, own.data(), size, patch, here.data());
    cutPatch(image, other.data(), size, patch, there.data());
    if (here != there) changed.push_back(image.firstPatch() + patch);
  }
  return changed;
}

/// The tokens that decide, among those that heads of self-attention and of cross-attention look at.
/// An id of the target may be another word in the source.
struct DecidingPlaces {
  std::vector<Index> ofText, ofSource;

  DecidingPlaces(const ModelTrace& base, const std::optional<ModelInput>& other,
                 const std::vector<Index>& partners, const AskedWord& asked) {
    const ModelInput& input = base.document().input;
    if (input.pixels != nullptr) {  // its words are labels, which stand in no image
      if (other) ofText = changedPatches(base.config().image, *input.pixels, *other->pixels);
      return;
    }
    const std::vector<Index>& ids = input.ids;
    const bool two = base.config().crossAttention;
    ofText = decidingPlaces(ids, two ? std::nullopt : other, partners, asked.word, asked.row + 1);
    if (!two) return;
    const std::vector<Index>& source = passOf(base, Stack::encoder).document().input.ids;
    constexpr Index kNoWord = -1;
    ofSource = decidingPlaces(source, other, partners, kNoWord, std::ssize(source));
  }
};

/// The weight of a patched head from the asked token on the places that decide. An encoder's heads
/// do not look from there.
std::optional<double> lookOf(const ModelTrace& base, const Patch& patch, Index row,
                             const DecidingPlaces& deciding) {
  const bool ofHead = patch.site == Site::heads || patch.site == Site::q;
  if (!ofHead || patch.stack == Stack::encoder) return std::nullopt;
  const std::vector<Index>& places =
      base.config().readsMemory(patch.layer) ? deciding.ofSource : deciding.ofText;
  if (places.empty()) return std::nullopt;
  const TracePtr layer = base.layer(patch.layer);
  const Tensor& weights = layer->tensor(TensorId::weights);
  double look = 0.0;
  for (const Index place : places) look += weights.at({0, patch.head, row, place});
  return look;
}

/// The addition of a head, an attention or a network to the metric, which it makes at token `row`
/// alone; an encoder adds nothing by itself.
std::optional<double> additionOf(const Patch& patch, const LogitParts& parts, Index row) {
  const bool written =
      patch.site == Site::heads || patch.site == Site::attention || patch.site == Site::network;
  if (!written) return std::nullopt;
  const bool elsewhere = patch.place != Patch::kEveryPlace && patch.place != row;
  if (patch.stack == Stack::encoder || elsewhere) return 0.0;
  if (patch.site == Site::heads) return parts.headPart(patch.layer, patch.head);
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

/// Returns whether the tokens of a part are those of the text whose prediction is read.
bool ofTarget(const ModelTrace& base, const Patch& part) {
  const bool ofKeys = part.site == Site::k || part.site == Site::v;
  const Stack stack = ofKeys ? keysOf(base, part.stack, part.layer) : part.stack;
  return stack == Stack::decoder;
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

/// The patched runs of one text that go first, and the least number of all for which they do.
constexpr std::size_t kFirst = 8, kLeastForFirst = 24;

/// Returns whether the parts with the largest estimates run before the others.
bool strongestFirst(std::size_t texts, std::size_t patches) {
  return texts == 1 && patches >= kLeastForFirst;
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
  const Index first = texts == 1 ? 1 : 0;
  return static_cast<Index>(texts) * (1 + layers) + first +
         static_cast<Index>(textsOfMean(texts, setting));
}

bool TextsSweep::runUnit() {
  if (ended_) return true;
  if (addToMeans()) return ended_ = execution_.stop();
  const TextToSweep& text = texts_[textsDone()];
  naming(text.name, [&] {
    if (base_ == nullptr) {
      begin(text);
    } else if (strongestFirst(texts_.size(), left_.size()) && left_.size() == patches_.size()) {
      runStrongest();
    } else {
      if (!runs_) beginRuns();
      if (runs_->runUnit() && !execution_.stop()) endRuns();
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
  const bool two = base->config().crossAttention;  // the other text is another source
  const ModelInput& own = two ? passOf(*base, Stack::encoder).document().input : text.input;
  const AlignedText partners = text.other ? aligned(own, *text.other) : AlignedText();
  if (setting_.with == SweepWith::other) {
    if (!text.other) {
      throw UserError(tr("there is no other text, whose values are put in place: give one"));
    }
    other = passOfOther(*text.other, text);
    if (other == nullptr) return;
    const auto at = static_cast<std::size_t>(asked.row);
    const Index row = two ? asked.row : partners.places[at];
    found_.otherMetrics.push_back(metricAt(*other, row, asked));
    found_.aligned.push_back(partners);
  }
  const Index place = setting_.place == kAskedPlace ? asked.row : setting_.place;
  auto patches = patchesOver(setting_.over, *base, valuesFor(base, other, partners.places), place);
  if (setting_.place == kAskedPlace) {
    std::erase_if(patches, [&](const Patch& each) { return !ofTarget(*base, each); });
  }
  if (setting_.to) {
    std::erase_if(patches,
                  [&](const Patch& each) { return !reaches(base->config(), each, *setting_.to); });
  }
  if (found_.parts.empty()) {
    found_.parts = patches;
    for (Patch& part : found_.parts) part.rows = Tensor();
    found_.tokens = own.tokens;
  }
  const DecidingPlaces places(*base, text.other, partners.places, asked);
  std::optional<LogitParts> parts;
  if (DirectPath::exists(*document_->model)) {
    parts = logitParts(*base, asked.row, asked.word, asked.other, execution_);
  }
  known_.assign(patches.size(), {});
  for (std::size_t i = 0; i < patches.size(); ++i) {
    known_[i].looks = lookOf(*base, patches[i], asked.row, places);
    if (parts) known_[i].adds = additionOf(patches[i], *parts, asked.row);
  }
  if (setting_.to) patches = patchesThrough(*base, patches, *setting_.to, execution_);
  const auto estimates = estimatedEffects(base, patches, asked, execution_);
  if (execution_.stop()) return;
  unchanged_ = PatchedRuns(base, {}, asked, execution_).base();
  left_.resize(patches.size());
  for (std::size_t i = 0; i < patches.size(); ++i) {
    known_[i].estimate = estimates[i];
    known_[i].metric = unchanged_.metric;
    known_[i].probability = unchanged_.probability;
    left_[i] = i;
  }
  if (found_.replaced.empty()) found_.replaced.assign(patches.size(), false);
  if (strongestFirst(texts_.size(), patches.size())) {
    std::ranges::stable_sort(left_, std::greater(),
                             [&](std::size_t i) { return std::abs(estimates[i]); });
  }
  found_.asked.push_back(asked);
  patches_ = std::move(patches);
  base_ = base;
}

/// Begins the patched runs that are left.
void TextsSweep::beginRuns() {
  running_ = std::exchange(left_, {});
  std::ranges::sort(running_);
  std::vector<Patch> patches;
  for (const std::size_t i : running_) patches.push_back(patches_[i]);
  runs_.emplace(base_, std::move(patches), found_.asked.back(), execution_);
}

/// Takes over the effects of the patched runs; after the last ones the text is done.
void TextsSweep::endRuns() {
  for (std::size_t i = 0; i < running_.size(); ++i) {
    PatchEffect effect = runs_->effects()[i];
    PatchEffect& known = known_[running_[i]];
    effect.estimate = known.estimate;
    effect.looks = known.looks;
    effect.adds = known.adds;
    known = effect;
    if (running_[i] < found_.replaced.size()) found_.replaced[running_[i]] = true;
  }
  if (left_.empty()) {
    found_.effects.add(unchanged_, std::move(known_));
    base_.reset();
  }
  runs_.reset();
}

/// Runs the patches with the largest estimates to their end.
void TextsSweep::runStrongest() {
  std::vector<std::size_t> others(left_.begin() + kFirst, left_.end());
  left_.resize(kFirst);
  beginRuns();
  left_ = std::move(others);
  while (!runs_->runUnit()) continue;
  if (!execution_.stop()) endRuns();
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

std::optional<SweptTexts> TextsSweep::soFar() const {
  if (execution_.stop()) return std::nullopt;
  if (textsDone() > 0) return found_;
  if (base_ == nullptr) return std::nullopt;
  SweptTexts early = found_;
  early.effects.add(unchanged_, known_);
  return early;
}

}  // namespace headscope::model
