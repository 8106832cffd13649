#include "app/ui/learn/lesson_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/ui/panel.h"
#include "app/view_json.h"
#include "core/attention/config.h"
#include "core/attention/steps/step.h"
#include "core/base/json.h"
#include "core/training/study.h"

namespace headscope::ui {
namespace {

using Facts = lessons::NamedFacts;

/// Adds every field of the view that a session stores as a number, a word or a switch, under its
/// name in the session.
void addView(Facts& facts, const ViewState& view) {
  const Json json = parseJson(viewToJson(view));
  for (const auto& [name, value] : *json.fields()) {
    if (const std::string* text = value.text()) facts[name] = *text;
    if (const auto number = value.number()) facts[name] = *number;
    if (const bool* flag = value.flag()) facts[name] = *flag ? 1.0 : 0.0;
  }
}

/// Adds the facts of the shown moment of the training run; before the first evaluation, only its
/// settings and steps.
void addTraining(Facts& facts, const TrainingMoment& moment) {
  const auto number = [&](std::string name, auto value) {
    facts[std::move(name)] = static_cast<double>(value);
  };
  facts["train_task"] = std::string(moment.task->id);
  number("train_layers", moment.settings.model.layers);
  number("train_heads", moment.settings.model.heads);
  number("train_d_model", moment.settings.model.dModel);
  number("train_seed", moment.settings.seed);
  number("train_step", moment.step);
  number("train_steps_taken", moment.stepsTaken);
  facts["train_finished"] = moment.finished ? 1.0 : 0.0;
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

}  // namespace

lessons::FactSource factsOf(const PanelContext& panel, const LiveTraining& training) {
  lessons::FactSource source{panel.trace,
                             panel.selection.item,
                             panel.selection.head,
                             panel.selection.page,
                             std::string(step(panel.selection.step).text({}).id),
                             panel.selection.tool,
                             panel.selection.cell};
  addView(source.others, panel.view);
  if (const auto moment = training.moment()) addTraining(source.others, *moment);
  return source;
}

}  // namespace headscope::ui
