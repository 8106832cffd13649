#include "app/ui/learn/lesson_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>
#include <variant>

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
  hint_ = wayShown_ = false;
  shown_ = {};
  read_ = {};
  toTrainStep_.clear();
  const lessons::Scene& now = this->scene();
  setState(panel, now.state, now.title);
  panel.view.gradients = false;  // but where a scene asks for them
  look(panel, now.view, now.choose);
  if (panel.view.page == kLearnPage) panel.view.page = kFlowPage;
  panel.view.inSight = now.card;
}

void LessonRun::look(const Panel& panel, const std::string& view, const std::string& choose) {
  if (!view.empty()) panel.view = viewFromJson(view, panel.view);
  panel.view.playing = false;
  toChoose_ = choose;
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
  if (!scene().check) return;
  const lessons::Way& way = scene().check->way;
  wayShown_ = true;
  setState(panel, way.state, scene().title);
  look(panel, way.view, way.choose);
  toTrainStep_ = way.trainStep;
}

/// At the pace that is set; a step that is behind is looked back at.
void LessonRun::trainAsShown(const Panel& panel, const lessons::FactSource& facts,
                             LiveTraining& training) {
  const auto moment = training.moment();
  if (toTrainStep_.empty() || moment == nullptr) return;
  const TrainView& asked = panel.view.train;  // another run begins with the page's next frame
  if (moment->settings.seed != asked.seed || moment->task->id() != asked.task) return;
  if (asked.heads > 0 && moment->settings.model.heads != asked.heads) return;
  Index step = 0;
  const char* end = toTrainStep_.data() + toTrainStep_.size();
  const bool isNumber = std::from_chars(toTrainStep_.data(), end, step).ptr == end;
  const auto fact = isNumber ? std::nullopt : lessons::factOf(toTrainStep_, facts);
  const double* found = fact ? std::get_if<double>(&*fact) : nullptr;  // null: not yet
  if (found != nullptr) step = static_cast<Index>(*found);
  const bool there = (isNumber || found != nullptr) && moment->stepsTaken >= step;
  if (there && step < moment->stepsTaken) {
    const Index every = moment->snapshotEvery;  // not before what is meant
    training.lookAt((step + every - 1) / every * every);
  }
  if (there || moment->finished) {
    training.play(false);
    toTrainStep_.clear();
  } else if (!training.playing()) {
    training.play(true);
  }
}

/// A scene counts once its task is done and its question answered rightly; without either, once it
/// was read.
void LessonRun::noteDone() {
  const lessons::Scene& now = scene();
  const bool task = !now.check || (shown_.checked && !wayShown_);
  const bool question = !now.predict || answer_ == now.predict->right;
  if (task && question) done_.insert(sceneKey(*lesson_, scene_));
}

void LessonRun::follow(const Panel& panel, LiveTraining& training) {
  if (asked_ != nullptr) begin(panel, std::move(asked_));
  if (!open()) return;
  ViewState& view = panel.view;
  const bool computed = &panel.trace.document() == &panel.document && !panel.edits.open;
  if (computed && !toChoose_.empty()) {
    view.selected = lessons::cellOf(toChoose_, factsOf(panel, training));
    toChoose_.clear();
    if (view.selected && view.selected->head >= 0) view.head = view.selected->head;
  }
  const lessons::FactSource facts = factsOf(panel, training);
  trainAsShown(panel, facts, training);
  for (const std::string& name : scene().lit) {
    if (const auto cell = lessons::cellOf(name, facts)) view.pointed.push_back(*cell);
  }
  const Read now{&panel.trace, view.head, view.selected, facts.others};
  if (!computed || (shown_.ready && now == read_)) return;
  read_ = now;
  read(facts);
}

void LessonRun::read(const lessons::FactSource& facts) {
  const auto filled = [&](const std::string& text) { return lessons::filledIn(text, facts); };
  const lessons::Scene& now = scene();
  shown_.ready = true;
  shown_.text = filled(now.text);
  shown_.speaker = filled(now.speaker);
  if (now.predict) {
    shown_.question = filled(now.predict->ask);
    shown_.reveal = filled(now.predict->reveal);
    shown_.choices.clear();
    for (const std::string& choice : now.predict->choices) {
      shown_.choices.push_back(filled(choice));
    }
  }
  if (!now.check || shown_.checked) return;
  shown_.task = filled(now.check->ask);
  shown_.hint = filled(now.check->hint);
  shown_.checked =
      std::all_of(now.check->that.begin(), now.check->that.end(),
                  [&](const lessons::Condition& condition) { return holds(condition, facts); });
  if (!shown_.checked) return;
  shown_.done = filled(now.check->done);
  noteDone();
}

std::size_t LessonRun::doneOf(const lessons::Lesson& lesson) const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < lesson.scenes.size(); ++i) {
    if (done_.contains(sceneKey(lesson, i))) ++count;
  }
  return count;
}

std::size_t LessonRun::firstUndoneOf(const lessons::Lesson& lesson) const {
  for (std::size_t i = 0; i < lesson.scenes.size(); ++i) {
    if (!done_.contains(sceneKey(lesson, i))) return i;
  }
  return 0;
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
