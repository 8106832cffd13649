#include "app/ui/learn/lesson_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/ui/compat.h"
#include "app/ui/learn/lesson_facts.h"
#include "app/view_json.h"
#include "core/error.h"
#include "core/ledger.h"

namespace headscope::ui {
namespace {

std::string sceneKey(const lessons::Lesson& lesson, std::size_t scene) {
  return fmt::format("{}/{}", lesson.id, scene + 1);
}

/// The document that a scene asks for takes the place of the present one.
void setState(const Panel& panel, const lessons::SceneState& state, const std::string& name) {
  if (state.changesNothing()) return;
  try {
    panel.edits.open = OpenedDocument{
        lessons::documentOf(state, panel.document, defaultMemoryBudget()), "lesson: " + name};
  } catch (const UserError& error) {
    panel.edits.say(error.what(), true);
  }
}

}  // namespace

void LessonRun::begin(const Panel& panel, std::shared_ptr<const lessons::Lesson> lesson,
                      std::size_t scene) {
  lesson_ = std::move(lesson);
  goTo(panel, std::min(scene, lesson_->scenes.size() - 1));
}

void LessonRun::ask(lessons::Lesson lesson) {
  asked_ = std::make_shared<const lessons::Lesson>(std::move(lesson));
}

void LessonRun::leave() {
  lesson_.reset();
  shown_ = {};
  read_ = {};
}

void LessonRun::goTo(const Panel& panel, std::size_t scene) {
  scene_ = scene;
  answer_.reset();
  hint_ = false;
  shown_ = {};
  read_ = {};
  const lessons::Scene& now = this->scene();
  setState(panel, now.state, now.title);
  ViewState& view = panel.view;
  if (!now.view.empty()) view = viewFromJson(now.view, view);
  if (now.view.empty() && view.page == kLearnPage) view.page = kFlowPage;
  view.playing = false;
  toChoose_ = !now.choose.empty();
}

void LessonRun::next(const Panel& panel) {
  noteDone();
  if (isLast()) {
    panel.view.page = kLearnPage;
    leave();
  } else {
    goTo(panel, scene_ + 1);
  }
}

void LessonRun::back(const Panel& panel) {
  if (scene_ > 0) goTo(panel, scene_ - 1);
}

void LessonRun::answer(std::size_t choice) {
  if (!answer_) answer_ = choice;
}

void LessonRun::showWay(const Panel& panel) {
  if (scene().check) setState(panel, scene().check->way, scene().title);
}

/// A scene counts once its task is done or its question answered rightly; without either, once it
/// was read.
void LessonRun::noteDone() {
  const lessons::Scene& now = scene();
  const bool task = !now.check || shown_.checked;
  const bool question = !now.predict || answer_ == now.predict->right;
  if (task && question) done_.insert(sceneKey(*lesson_, scene_));
}

void LessonRun::follow(const Panel& panel, const LiveTraining& training) {
  if (asked_ != nullptr) begin(panel, std::move(asked_));
  if (!open()) return;
  ViewState& view = panel.view;
  const bool computed = &panel.trace.document() == &panel.document && !panel.edits.open;
  if (computed && toChoose_) {
    toChoose_ = false;
    view.selected = lessons::cellOf(scene().choose, factsOf(panel, training));
    if (view.selected && view.selected->head >= 0) view.head = view.selected->head;
  }
  const lessons::FactSource facts = factsOf(panel, training);
  for (const std::string& name : scene().lit) {
    if (const auto cell = lessons::cellOf(name, facts)) view.pointed.push_back(*cell);
  }
  const Read now{&panel.trace, view.head, view.selected, facts.others};
  if (!computed || (shown_.ready && now == read_)) return;
  read_ = now;
  const lessons::Scene& scene = this->scene();
  shown_.ready = true;
  shown_.text = lessons::filledIn(scene.text, facts);
  shown_.speaker = lessons::filledIn(scene.speaker, facts);
  if (scene.predict) shown_.reveal = lessons::filledIn(scene.predict->reveal, facts);
  if (!scene.check || shown_.checked) return;
  shown_.checked =
      std::all_of(scene.check->that.begin(), scene.check->that.end(),
                  [&](const lessons::Condition& condition) { return holds(condition, facts); });
  if (!shown_.checked) return;
  shown_.done = lessons::filledIn(scene.check->done, facts);
  noteDone();
}

std::size_t LessonRun::doneOf(const lessons::Lesson& lesson) const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < lesson.scenes.size(); ++i) {
    if (done_.contains(sceneKey(lesson, i))) ++count;
  }
  return count;
}

bool lessonKeys(const Panel& panel, LessonRun& run) {
  if (!run.open()) return false;
  if (keyPressed(Key::pageDown, false)) {
    run.next(panel);
    return true;
  }
  if (!keyPressed(Key::pageUp, false)) return false;
  run.back(panel);
  return true;
}

}  // namespace headscope::ui
