#include "core/formats/language_run.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/error.h"
#include "core/formats/corpora.h"
#include "core/formats/model_run_state.h"

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

}  // namespace headscope::formats
