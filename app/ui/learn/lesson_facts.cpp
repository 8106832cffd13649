#include "app/ui/learn/lesson_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/ui/panel.h"
#include "app/ui/train/language_run_view.h"
#include "app/view_json.h"
#include "core/attention/config.h"
#include "core/attention/steps/step.h"
#include "core/base/json.h"
#include "core/document/trace.h"
#include "core/formats/shipped_model.h"
#include "core/images/measured_shapes.h"
#include "core/images/shapes.h"
#include "core/language/measured_runs.h"
#include "core/training/study.h"
#include "core/words/head_place.h"

namespace headscope::ui {
namespace {

using Facts = lessons::NamedFacts;

/// Adds every field of the view that a session stores as a number, a word or a switch, under its
/// name in the session.
void addView(Facts& facts, const ViewState& view) {
  const Json json = viewFields(view);
  for (const auto& [name, value] : *json.fields()) {
    if (const std::string* text = value.text()) facts[name] = *text;
    if (const auto number = value.number()) facts[name] = *number;
    if (const bool* flag = value.flag()) facts[name] = *flag ? 1.0 : 0.0;
  }
}

/// Adds the settings and steps of the shown moment of a run.
template <typename Moment>
void addRun(Facts& facts, std::string_view task, const Moment& moment) {
  const auto number = [&](std::string name, auto value) {
    facts[std::move(name)] = static_cast<double>(value);
  };
  facts["train_task"] = std::string(task);
  number("train_layers", moment.settings.model.layers);
  number("train_heads", moment.settings.model.heads);
  number("train_d_model", moment.settings.model.dModel);
  number("train_seed", moment.settings.seed);
  number("train_step", moment.step);
  number("train_steps_taken", moment.stepsTaken);
  facts["train_finished"] = moment.finished ? 1.0 : 0.0;
}

/// Adds the facts of the shown moment of the training run; before the first evaluation, only its
/// settings and steps.
void addTraining(Facts& facts, const TrainingMoment& moment) {
  const auto number = [&](std::string name, auto value) {
    facts[std::move(name)] = static_cast<double>(value);
  };
  addRun(facts, moment.task->id, moment);
  const auto& questions = moment.task->questions;
  const auto& relations = moment.task->relations;
  const auto* now = moment.evaluation();
  if (now == nullptr) return;
  number("train_found", std::count_if(now->roles.relations.begin(), now->roles.relations.end(),
                                      [](const training::Role& role) { return role.found; }));
  number("train_twins", training::headsWithTwin(now->roles));
  number("train_loss", now->losses.loss);
  for (std::size_t q = 0; q < questions.size(); ++q) {
    number(fmt::format("train_right[{}]", questions[q].name), now->losses.questions[q].accuracy);
  }
  for (std::size_t r = 0; r < relations.size(); ++r) {
    const training::Role& role = now->roles.relations[r];
    const std::string_view name = relations[r].name;
    number(fmt::format("train_mass[{}]", name), role.mass);
    number(fmt::format("train_found[{}]", name), role.found);
    if (role.head) number(fmt::format("train_head[{}]", name), role.head->head + 1);
    if (const auto& at = moment.foundAt[r]) number(fmt::format("train_found_at[{}]", name), *at);
  }
}

/// Adds the facts of a run on stories under the names of a task's run: its questions stand in the
/// place of relations.
void addStories(Facts& facts, const LanguageMoment& moment) {
  const auto number = [&](std::string name, auto value) {
    facts[std::move(name)] = static_cast<double>(value);
  };
  addRun(facts, kStories, moment);
  const language::LanguageEvaluation* now = moment.evaluation();
  if (now == nullptr) return;
  number("train_loss", now->heldOutLoss);
  const auto& questions = language::storyQuestions();
  std::size_t found = 0;
  for (std::size_t q = 0; q < now->questions.size(); ++q) {
    const language::AnsweredQuestion& answered = now->questions[q];
    const std::string_view name = questions[q].name;
    number(fmt::format("train_right[{}]", name), answered.right);
    number(fmt::format("train_mass[{}]", name), answered.look);
    facts[fmt::format("train_head[{}]", name)] = shortName(answered.head);
    const auto& at = moment.answeredAt[q];
    const bool isFound = at && *at <= moment.step;
    number(fmt::format("train_found[{}]", name), isFound);
    if (at) number(fmt::format("train_found_at[{}]", name), *at);
    found += isFound ? 1 : 0;
  }
  number("train_found", found);
}

/// Adds what runs on stories with networks, measured beforehand, learned with seed 1: by layers and
/// heads, "[2x1, song]", and of six heads by layers alone.
void addMeasured(Facts& facts) {
  for (const language::MeasuredRun& run : language::measuredRuns()) {
    if (!run.networks || run.seed != 1) continue;
    for (std::size_t q = 0; q < language::kStoryQuestions; ++q) {
      const auto& question = run.questions[q];
      const auto add = [&](const std::string& model) {
        const std::string at = fmt::format("[{}, {}]", model, language::storyQuestions()[q].name);
        facts.try_emplace("measured_right" + at, question.right.back());
        facts.try_emplace("measured_head" + at, shortName(question.looks));
        facts.try_emplace("measured_mass" + at, question.look);
        facts.try_emplace("measured_without" + at, question.rightWithoutIt);
        if (question.mostMissed) {
          facts.try_emplace("measured_missed" + at, shortName(*question.mostMissed));
          facts.try_emplace("measured_without_missed" + at, question.rightWithoutMostMissed);
        }
        if (const auto found = run.answeredAt(q)) {
          facts.try_emplace("measured_found_at" + at, static_cast<double>(*found));
        }
      };
      add(fmt::format("{}x{}", run.layers, run.heads));
      if (run.heads == 6) add(std::to_string(run.layers));
    }
  }
}

/// The weights of a head from an image's class token to all tokens.
std::vector<float> classRow(const model::ModelTrace& trace, const HeadOfLayer& head) {
  std::vector<float> row(static_cast<std::size_t>(trace.tokens()));
  trace.layer(head.layer)
      ->tile(TensorId::weights, 0, head.head, 0, 1, 0, trace.tokens(), row.data());
  return row;
}

/// Adds what a model says of the picture on the page Model, which heads are off, and of a drawn
/// picture how much of each head's weights the class token puts on the shape.
void addImageModel(Facts& facts, const LiveModel& model) {
  const ModelMoment& moment = *model.moment();
  for (const model::TokenProbability& each : moment.predictions.front()) {
    facts.try_emplace("model_label", moment.nameOf(each.id));
    facts[fmt::format("model_p[{}]", moment.nameOf(each.id))] = each.probability;
  }
  facts["model_tokens"] = static_cast<double>(moment.trace->tokens());
  facts["model_patches"] =
      static_cast<double>(moment.trace->tokens() - moment.config().image.firstPatch());
  const auto touched = static_cast<double>(std::ranges::count(moment.shapePatches, true));
  facts["model_shape_patches"] = touched;
  facts["model_shape_share"] = touched / static_cast<double>(moment.trace->tokens());
  for (Index layer = 0; layer < moment.config().layers; ++layer) {
    for (Index head = 0; head < moment.config().heads; ++head) {
      const std::string at = fmt::format("[{}.{}]", layer + 1, head + 1);
      facts["model_off" + at] = model.isOff({layer, head}) ? 1.0 : 0.0;
      if (moment.shapePatches.empty()) continue;
      const std::vector<float> row = classRow(*moment.trace, {layer, head});
      facts["model_on_shape" + at] =
          images::weightOn(moment.shapePatches, row.data() + moment.config().image.firstPatch());
    }
  }
}

/// Adds what the model of shapes did on pictures that it had not seen, as measured beforehand.
void addMeasuredShapes(Facts& facts) {
  const images::MeasuredShapes& measured = images::measuredShapes();
  facts["measured_right"] = measured.right;
  facts["measured_touched"] = measured.touched;
  for (const images::MeasuredShapes::Head& head : measured.heads) {
    const std::string at = fmt::format("[{}.{}]", head.head.layer + 1, head.head.head + 1);
    facts["measured_on_shape" + at] = head.onShape;
    facts["measured_without" + at] = head.rightWithout;
  }
}

}  // namespace

std::string withoutFacts(const std::string& text) {
  std::string plain;
  bool fact = false;
  for (const char c : text) {
    if (c == '{' && !plain.ends_with('^') && !plain.ends_with('_')) {
      fact = true;
      plain += "…";
    } else if (fact) {
      fact = c != '}';
    } else {
      plain += c;
    }
  }
  return plain;
}

lessons::FactSource factsOf(const PanelContext& panel, const LessonRuns& runs) {
  lessons::FactSource source{panel.trace,
                             panel.selection.item,
                             panel.selection.head,
                             panel.selection.page,
                             std::string(step(panel.selection.step).text({}).id),
                             panel.selection.tool,
                             panel.selection.cell};
  addView(source.others, panel.view);
  if (runs.model.upToDate() && runs.model.moment()->ofImage()) {
    addImageModel(source.others, runs.model);
    if (runs.model.moment()->folder == formats::kShapesModel) addMeasuredShapes(source.others);
  }
  if (learnsStories(panel.trainView)) {
    addMeasured(source.others);
    if (const auto moment = runs.language.moment()) addStories(source.others, *moment);
  } else if (const auto moment = runs.training.moment()) {
    addTraining(source.others, *moment);
  }
  return source;
}

}  // namespace headscope::ui
