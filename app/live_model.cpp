#include "app/live_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/error.h"
#include "core/formats/model_directory.h"
#include "core/formats/shipped_model.h"
#include "core/formats/tokenizer_files.h"
#include "core/gemm.h"
#include "core/ledger.h"
#include "core/model/prediction.h"
#include "core/model/tokenized.h"

namespace headscope {
namespace {

using model::HeadOfLayer;

constexpr std::size_t kPredictionsKept = 10;
constexpr Index kFirstIds = 16;  // without a tokenizer, to have something to look at

/// What a pass is asked for with; copied to the thread.
struct Asked {
  std::filesystem::path folder;  // empty: the model of `before`
  std::shared_ptr<const ModelMoment> before;
  std::string text;
  bool cut = false;
  std::vector<HeadOfLayer> off;
  model::ModelDocumentPtr edits;
  Index budget = 0;
  std::uint64_t number = 0;
  BlockStorePtr memory = nullptr;
};

std::string firstText(const model::ModelConfig& config, bool hasTokenizer) {
  if (!config.example.empty()) return config.example;
  if (hasTokenizer) return "The cat, which was very fluffy, slept by the warm fire.";
  std::string ids;
  for (Index id = 0; id < std::min(kFirstIds, config.vocabulary); ++id) {
    ids += fmt::format("{}{}", ids.empty() ? "" : ", ", id);
  }
  return ids;
}

std::vector<Index> idsIn(const std::string& text) {
  std::vector<Index> ids;
  const char* at = text.data();
  const char* end = at + text.size();
  while (at != end) {
    if (*at == ' ' || *at == ',') {
      ++at;
      continue;
    }
    Index id = 0;
    const auto [rest, error] = std::from_chars(at, end, id);
    if (error != std::errc()) {
      throw UserError(
          "this folder has no tokenizer: give the ids of tokens, as 17, 4, 250; or put its "
          "tokenizer.json into the folder");
    }
    ids.push_back(id);
    at = rest;
  }
  return ids;
}

/// The start of the moment's text that the model takes.
void cutToFit(ModelMoment& moment, Index most) {
  if (moment.tokenizer != nullptr) {
    moment.text = std::string(model::firstTokens(moment.text, *moment.tokenizer, most));
    return;
  }
  std::vector<Index> ids = idsIn(moment.text);
  ids.resize(std::min(ids.size(), static_cast<std::size_t>(most)));
  moment.text = fmt::format("{}", fmt::join(ids, ", "));
}

model::ModelInput inputFor(const ModelMoment& moment, const std::string& text,
                           const model::ModelConfig& config) {
  if (moment.tokenizer == nullptr) return {idsIn(text), {}, {}};
  return inputOf(moment.tokenizer->encode(text), *moment.tokenizer, config);
}

/// Null where it was cancelled.
std::shared_ptr<const UneditedModel> uneditedOf(const ModelMoment& moment, const Asked& asked,
                                                const model::ModelDocumentPtr& plain,
                                                const Execution& execution) {
  model::ModelTracePtr previous;
  if (asked.before != nullptr) {
    const ModelMoment& before = *asked.before;
    previous = before.unedited != nullptr ? before.unedited->trace : before.trace;
  }
  UneditedModel unedited;
  // most is taken from the pass before; held beside the other one, it gets less room
  unedited.trace = runModel(plain, previous, execution, asked.budget / 4);
  if (unedited.trace == nullptr) return nullptr;
  unedited.sames.resize(moment.predictions.size());
  unedited.best.resize(moment.predictions.size());
  const auto each = [&](Index place, std::span<const float> logits) {
    const auto row = static_cast<std::size_t>(place);
    const model::RowProbabilities probabilities(logits);
    for (const model::Prediction& said : moment.predictions[row]) {
      unedited.sames[row].push_back(probabilities(said.id).probability);
    }
    unedited.best[row] = model::mostProbable(logits, 1).front();
  };
  unedited.trace->overLogits(0, std::ssize(moment.predictions), execution, each);
  if (execution.stop()) return nullptr;
  return std::make_shared<const UneditedModel>(std::move(unedited));
}

/// Gives the pass of a new text to `tell` before what the model says.
std::optional<LiveModel::Found> momentOf(const Asked& asked, const std::atomic<bool>& cancelled,
                                         const std::function<void(LiveModel::Found)>& tell) {
  const Execution execution{.cancelled = &cancelled};
  ModelMoment moment;
  moment.number = asked.number;
  model::ModelPtr of;
  if (asked.folder.empty()) {
    of = asked.before->trace->document().model;
    moment.folder = asked.before->folder;
    moment.tokenizer = asked.before->tokenizer;
    moment.tokenizerProblem = asked.before->tokenizerProblem;
  } else {
    moment.folder = asked.folder;
    of = formats::openModel(asked.folder, asked.budget / 2);
    if (formats::hasTokenizer(asked.folder)) {
      moment.tokenizerProblem =
          whyNot([&] { moment.tokenizer = formats::openTokenizer(asked.folder); });
    }
  }
  const model::ModelConfig& config = of->config();
  moment.text = asked.text.empty() ? firstText(config, moment.tokenizer != nullptr) : asked.text;
  model::ModelInput input = inputFor(moment, moment.text, config);
  if (const Index most = mostTokens(config); std::ssize(input.ids) > most) {
    if (!asked.cut) return LiveModel::Found{{}, std::ssize(input.ids), most, of->name()};
    moment.wholeTokens = std::ssize(input.ids);
    cutToFit(moment, most);
    input = inputFor(moment, moment.text, config);
  }
  const auto plain = makeModelDocument(of, input);
  const bool edited = asked.edits != nullptr && asked.edits->model == of;
  auto document = edited ? withInput(*asked.edits, std::move(input)) : plain;
  if (!asked.off.empty()) document = withoutHeads(*document, asked.off);
  prepareGemm();
  const ModelMoment* before = asked.folder.empty() ? asked.before.get() : nullptr;
  const bool newText = before == nullptr || before->trace->document().input != document->input;
  Execution inKeptMemory = execution;
  inKeptMemory.memory = asked.memory;
  moment.trace = runModel(document, before != nullptr ? before->trace : nullptr, inKeptMemory,
                          asked.budget / 2);
  if (moment.trace == nullptr) return std::nullopt;
  const auto found = [&] { return LiveModel::Found{std::move(moment), 0, 0, {}}; };
  if (!of->hasReadout()) return found();
  if (newText) tell({moment, 0, 0, {}});
  moment.predictions =
      moment.trace->predictions(0, moment.trace->tokens(), kPredictionsKept, execution);
  if (cancelled) return std::nullopt;
  if (document->edited.empty()) return found();
  moment.unedited = uneditedOf(moment, asked, plain, execution);
  if (moment.unedited == nullptr) return std::nullopt;
  return found();
}

}  // namespace

model::ModelInput inputOfText(const ModelMoment& moment, const std::string& text) {
  return inputFor(moment, text, moment.config());
}

std::string ModelMoment::nameOf(Index id) const {
  if (tokenizer == nullptr) return std::to_string(id);
  return tokenizer->inWords(static_cast<tokenizer::TokenId>(id));
}

std::vector<std::string> ModelMoment::tokenNames() const {
  std::vector<std::string> names;
  for (const Index id : trace->document().input.ids) names.push_back(nameOf(id));
  return names;
}

void LiveModel::open(const std::filesystem::path& folder, std::string text) {
  folder_ = formats::isShipped(folder) ? folder : std::filesystem::absolute(folder);
  text_ = std::move(text);
  cut_ = false;
  off_.clear();
  edits_ = nullptr;
  compute();
}

void LiveModel::setText(std::string text) {
  text_ = std::move(text);
  cut_ = false;
  compute();
}

void LiveModel::cutText() {
  cut_ = true;
  compute();
}

void LiveModel::switchHead(HeadOfLayer head) {
  if (isEdited(head.layer)) {
    switchInEdited(head);
    return compute();
  }
  const auto found = std::find(off_.begin(), off_.end(), head);
  if (found == off_.end()) {
    off_.push_back(head);
  } else {
    off_.erase(found);
  }
  compute();
}

bool LiveModel::isOff(HeadOfLayer head) const {
  if (isEdited(head.layer)) {
    const std::vector<float>& gains = edits_->edited.at(head.layer).config.headGains;
    return !gains.empty() && gains[static_cast<std::size_t>(head.head)] == 0.0F;
  }
  return std::find(off_.begin(), off_.end(), head) != off_.end();
}

/// The heads of an edited layer, each switched by its gain there.
void LiveModel::switchInEdited(HeadOfLayer head) {
  auto next = std::make_shared<model::ModelDocument>(*edits_);
  std::vector<float>& gains = next->edited.at(head.layer).config.headGains;
  gains.resize(static_cast<std::size_t>(next->model->config().heads), 1.0F);
  float& gain = gains[static_cast<std::size_t>(head.head)];
  gain = gain == 0.0F ? 1.0F : 0.0F;
  edits_ = std::move(next);
}

void LiveModel::undoChanges() {
  off_.clear();
  edits_ = nullptr;
  compute();
}

void LiveModel::openedInFlow(Index layer, const DocumentPtr& document) {
  layers_.opened({moment_->trace->documentPtr(), layer, document});
}

void LiveModel::followDocument(const DocumentPtr& newest) {
  const LayersInFlow::Opened* edited = layers_.changed(newest);
  const LayersInFlow::Opened* shown = layers_.layerOf(*newest);
  const bool ofThis = shown != nullptr && moment_ != nullptr &&
                      shown->of->model == moment_->trace->document().model;
  inFlow_ = ofThis ? shown : nullptr;
  if (edited == nullptr || !ofThis) return;
  const std::string problem = whyNot([&] {
    const auto on = edits_ != nullptr ? withInput(*edits_, shown->of->input)
                                      : makeModelDocument(shown->of->model, shown->of->input);
    const bool asItCame = newest == shown->document && !shown->of->edited.contains(shown->layer);
    edits_ = asItCame ? withoutEdits(*on, shown->layer) : withLayer(*on, shown->layer, *newest);
    std::erase_if(off_, [&](const HeadOfLayer& head) { return head.layer == shown->layer; });
  });
  if (problem.empty()) return compute();
  problem_ = problem;
  inFlow_ = nullptr;
}

void LiveModel::compute() {
  if (folder_.empty() && moment_ == nullptr) return;
  Asked asked{folder_, moment_, text_, cut_, off_, edits_, budget_, ++computed_, memory_};
  thread_.request([this, asked = std::move(asked)](const std::atomic<bool>& cancelled) {
    return momentOf(asked, cancelled,
                    [&](Found early) { thread_.tell(std::move(early), cancelled); });
  });
}

void LiveModel::follow() {
  auto outcome = thread_.take();
  if (!outcome) return;
  problem_ = outcome->error;
  tooLong_.reset();
  if (outcome->result && !outcome->result->moment) {
    const Found& found = *outcome->result;
    tooLong_ = found.most;
    problem_ = fmt::format("the text has {} tokens, and {} takes at most {}",
                           withThousands(found.tokens), found.model, withThousands(found.most));
    return;  // what was asked for stays so, to be cut
  }
  if (!outcome->result) {
    folder_.clear();
    if (moment_ != nullptr) text_ = moment_->text;
    return;
  }
  moment_ = std::make_shared<const ModelMoment>(std::move(*outcome->result->moment));
  if (edits_ != nullptr && edits_->model != moment_->trace->document().model) edits_ = nullptr;
  folder_.clear();
}

}  // namespace headscope
