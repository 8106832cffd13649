#include "core/formats/language_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/asset_json.h"
#include "core/base/assets.h"
#include "core/base/error.h"
#include "core/formats/corpora.h"
#include "core/formats/model_run_state.h"
#include "core/tensor/safetensors.h"

namespace headscope::formats {
namespace {

namespace fs = std::filesystem;
using namespace headscope::language;

Json languageSettingsJson(const LanguageSettings& s) {
  Json json{{"layers", s.model.layers},   {"d_model", s.model.dModel},
            {"heads", s.model.heads},     {"kv_heads", s.model.kvHeads},
            {"context", s.model.context}, {"networks", s.model.networks},
            {"norms", s.model.norms},     {"rotary", s.model.rotary}};
  addSchedule(json, s);
  return json;
}

LanguageSettings languageSettingsFrom(const JsonField& field) {
  LanguageSettings s;
  s.model.layers = field.at("layers").whole();
  s.model.dModel = field.at("d_model").whole();
  s.model.heads = field.at("heads").whole();
  s.model.kvHeads = field.at("kv_heads").whole();
  s.model.context = field.at("context").whole();
  s.model.networks = field.at("networks").flag();
  s.model.norms = field.at("norms").flag();
  s.model.rotary = field.at("rotary").flag();
  readSchedule(field, s);
  return s;
}

Json evaluationJson(const LanguageEvaluation& evaluation) {
  Json questions = Json::emptyList();
  for (const AnsweredQuestion& q : evaluation.questions) {
    questions.push_back({{"right", q.right}, {"looks", q.looks}});
  }
  return {{"step", evaluation.step},
          {"held_out_loss", evaluation.heldOutLoss},
          {"questions", std::move(questions)}};
}

LanguageEvaluation languageEvaluationFrom(const JsonField& field, const LanguageModelSettings& s,
                                          bool stories) {
  LanguageEvaluation evaluation;
  evaluation.step = field.at("step").whole();
  evaluation.heldOutLoss = field.at("held_out_loss").number();
  for (const JsonField& q : itemsOf(field.at("questions"), stories ? kStoryQuestions : 0)) {
    const auto heads = static_cast<std::size_t>(s.layers * s.heads);
    evaluation.questions.push_back(
        answeredWith(q.at("right").number(), numbersFrom(q.at("looks"), heads), s.heads));
  }
  return evaluation;
}

/// The corpus of a run. Throws UserError where it is not the one that the run learned from.
CorpusPtr corpusFrom(const JsonField& file) {
  const JsonField from = file.at("corpus");
  const std::string task = file.at("task").text();
  if (!isLanguageTask(task)) file.at("task").fail("must be stories or text");
  const Index tokens = task == "stories" ? from.at("tokens").whole() : 0;
  if (tokens < 0) from.at("tokens").fail("must be 0 or more");
  CorpusPtr corpus =
      task == "stories"
          ? storyCorpus(from.at("seed").seed(), tokens)
          : textCorpus(from.at("file").text(), textTokensFromString(from.at("cut_into").text()),
                       from.at("vocabulary").whole());
  if (hashOf(*corpus) == from.at("hash").text()) return corpus;
  throw UserError(fmt::format(
      "{} was learned from other tokens than {} gives now, so the run cannot continue exactly: "
      "put back the text, or train a new run",
      file.file(), corpus->title));
}

std::unique_ptr<LanguageTrainer> languageRunFrom(const JsonField& file, const fs::path& folder,
                                                 Index memoryBudgetBytes) {
  auto run = std::make_unique<LanguageTrainer>(
      corpusFrom(file), languageSettingsFrom(file.at("settings")), memoryBudgetBytes);
  LanguageTrainer::State state;
  readSteps(file, state);
  for (const JsonField& evaluation : file.at("evaluations").items()) {
    state.evaluations.push_back(
        languageEvaluationFrom(evaluation, run->settings().model, run->corpus()->stories));
  }
  const bool moments = state.stepsTaken > 0;
  run->resume(std::move(state));
  readParameters(stateOf(file.at("tensors"), folder), run->parameters(), moments);
  return run;
}

}  // namespace

bool isLanguageTask(std::string_view task) { return task == "stories" || task == "text"; }

void saveRun(const fs::path& folder, const LanguageTrainer& run) {
  const LanguageTrainer::State state = run.state();
  Json evaluations = Json::emptyList();
  for (const LanguageEvaluation& e : state.evaluations) evaluations.push_back(evaluationJson(e));
  Json json = Json::objectOf(runFields(run.corpus()->id));
  json["corpus"] = run.corpus()->source;
  json["corpus"]["hash"] = hashOf(*run.corpus());
  json["settings"] = languageSettingsJson(run.settings());
  addSteps(json, state);
  json["evaluations"] = std::move(evaluations);
  writeRun(folder, std::move(json), tensorsOf(run.model().parameters()));
}

std::unique_ptr<LanguageTrainer> loadLanguageRun(const fs::path& folder, Index memoryBudgetBytes) {
  return readRun(folder, [&](const JsonField& file) {
    return languageRunFrom(file, folder, memoryBudgetBytes);
  });
}

namespace {

constexpr const char* kAttentions = "attentions";
constexpr const char* kShippedRun = "models/stories_run/run.safetensors";

Json keptMomentJson(const KeptMoment& moment) {
  Json next = Json::emptyList();
  for (const model::TokenProbability& each : moment.next) {
    next.push_back(Json::List{each.id, each.logit, each.probability});
  }
  return {{"evaluation", evaluationJson(moment.evaluation)},
          {"loss", moment.loss},
          {"written", moment.written},
          {"next", std::move(next)},
          {"without", moment.without}};
}

KeptMoment keptMomentFrom(const JsonField& field, const LanguageModelSettings& model) {
  KeptMoment moment;
  moment.evaluation = languageEvaluationFrom(field.at("evaluation"), model, true);
  moment.loss = field.at("loss").number();
  moment.written = field.at("written").text();
  for (const JsonField& each : field.at("next").items()) {
    const std::vector<double> numbers = numbersFrom(each, 3);
    moment.next.push_back({static_cast<Index>(numbers[0]), numbers[1], numbers[2]});
  }
  moment.without = numbersFrom(field.at("without"), kStoryQuestions);
  return moment;
}

}  // namespace

void saveKeptRun(const fs::path& path, const KeptRun& run) {
  const Shape& one = run.moments.front().attentions.shape();
  Tensor all = Tensor::uninitialised({std::ssize(run.moments), one[0], one[1], one[2], one[3]});
  float* to = all.mutableData();
  Json moments = Json::emptyList(), answered = Json::emptyList();
  for (const KeptMoment& moment : run.moments) {
    to = std::copy_n(moment.attentions.data(), moment.attentions.size(), to);
    moments.push_back(keptMomentJson(moment));
  }
  for (const auto& at : run.answeredAt) answered.push_back(at ? Json(*at) : Json());
  const Json json{{"settings", languageSettingsJson(run.settings)},
                  {"sentence", run.sentence},
                  {"tokens", run.tokens},
                  {"answered_at", std::move(answered)},
                  {"moments", std::move(moments)}};
  writeSafetensors(path, {{kAttentions, std::move(all)}}, {{"run", json.dump()}}, FileFloat::f16);
}

KeptRun readKeptRun(const std::string& name, std::string_view bytes) {
  const SafetensorsFile file(name, bytes);
  const auto found = file.metadata().find("run");
  if (found == file.metadata().end() || !file.has(kAttentions)) {
    throw UserError(
        fmt::format("{} is no kept run: make one with 'train --task stories --keep'", name));
  }
  return readAsset<UserError>(found->second, name, [&](const JsonField& field) {
    KeptRun run;
    run.settings = languageSettingsFrom(field.at("settings"));
    run.sentence = field.at("sentence").text();
    for (const JsonField& token : field.at("tokens").items()) run.tokens.push_back(token.text());
    for (const JsonField& at : itemsOf(field.at("answered_at"), kStoryQuestions)) {
      run.answeredAt.push_back(at.value().isNull() ? std::nullopt : std::optional(at.whole()));
    }
    const JsonField moments = field.at("moments");
    for (const JsonField& moment : moments.items()) {
      run.moments.push_back(keptMomentFrom(moment, run.settings.model));
    }
    const Index tokens = std::ssize(run.tokens);
    const Shape one{run.settings.model.layers, run.settings.model.heads, tokens, tokens};
    const Shape all{std::ssize(run.moments), one[0], one[1], one[2], one[3]};
    if (run.moments.empty() || file.shape(kAttentions) != all) {
      moments.fail(fmt::format("needs attentions of the shape {}", toString(all)));
    }
    const Tensor attentions = file.read(kAttentions);
    for (std::size_t i = 0; i < run.moments.size(); ++i) {
      const auto at = static_cast<Index>(i);
      run.moments[i].attentions = attentions.slice(0, at, at + 1).clone().reshaped(one);
    }
    return run;
  });
}

std::shared_ptr<const KeptRun> shippedRun() {
  static const auto run =
      std::make_shared<const KeptRun>(readKeptRun(kShippedRun, asset(kShippedRun)));
  return run;
}

}  // namespace headscope::formats
