#include "app/ui/learn/lesson_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <span>
#include <utility>
#include <variant>

#include "app/ui/frame_commands.h"
#include "app/ui/learn/lesson_facts.h"
#include "app/ui/panel.h"
#include "app/ui/rich_text.h"
#include "app/view_json.h"
#include "core/base/error.h"
#include "core/base/memory_budget.h"
#include "core/document/trace.h"
#include "core/editing/history.h"

namespace headscope::ui {
namespace {

std::string sceneKey(const lessons::Lesson& lesson, std::size_t scene) {
  return fmt::format("{}/{}", lesson.id, scene + 1);
}

/// Replaces the present document by the one that these states describe, applied in order.
void setStates(const PanelContext& panel, std::span<const lessons::SceneState> states,
               const std::string& name) {
  try {
    DocumentPtr made;
    for (const lessons::SceneState& state : states) {
      if (state.changesNothing()) continue;
      const Document& before = made != nullptr ? *made : panel.document;
      made = lessons::documentOf(state, before, defaultMemoryBudget());
    }
    if (made != nullptr) panel.commands.add(OpenDocument{std::move(made), "lesson: " + name});
  } catch (const UserError& error) {
    panel.commands.say(error.what(), true);
  }
}

/// Returns the first paragraph of a text, or its first sentence where that is too long to read at a
/// glance.
std::string inBrief(std::string_view text) {
  constexpr std::size_t kReadAtAGlance = 170;  // bytes
  text = text.substr(0, text.find("\n\n"));
  if (text.size() <= kReadAtAGlance) return std::string(text);
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i + 1] == ' ' && std::string_view(".?!").find(text[i]) != std::string_view::npos) {
      return std::string(text.substr(0, i + 1));
    }
  }
  return std::string(text);
}

/// The text of a scene that is not shown yet, with “…” for each of its facts.
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

}  // namespace

void LessonRun::begin(const PanelContext& panel, std::shared_ptr<const lessons::Lesson> lesson,
                      std::size_t scene) {
  lesson_ = std::move(lesson);
  began_.assign(lesson_->scenes.size(), nullptr);
  left_ = began_;
  scene = std::min(scene, lesson_->scenes.size() - 1);
  for (std::size_t s = 0; s < scene; ++s) look(panel, lesson_->scenes[s].view, {});
  enter(panel, scene);
  setStatesUpTo(panel, scene);
}

/// Sets the document to the result of all scenes up to this one, for a lesson that begins later.
void LessonRun::setStatesUpTo(const PanelContext& panel, std::size_t scene) const {
  std::vector<lessons::SceneState> states;
  for (std::size_t s = 0; s <= scene; ++s) states.push_back(lesson_->scenes[s].state);
  setStates(panel, states, lesson_->scenes[scene].title);
}

void LessonRun::ask(lessons::Lesson lesson) {
  if (open() && lesson_->isQuiz) {
    quiz_ = lesson_;
    question_ = scene_;
  }
  asked_ = std::make_shared<const lessons::Lesson>(std::move(lesson));
}

void LessonRun::present(const PanelContext& panel, std::shared_ptr<const lessons::Lesson> lesson) {
  begin(panel, std::move(lesson));
  presenting_ = true;
}

void LessonRun::leave() {
  if (open()) noteDone();
  lesson_.reset();
  quiz_.reset();
  atEnd_ = false;
  shown_ = {};
  read_ = {};
}

void LessonRun::goTo(const PanelContext& panel, std::size_t scene) {
  enter(panel, scene);
  setStates(panel, {&this->scene().state, 1}, this->scene().title);
}

void LessonRun::enter(const PanelContext& panel, std::size_t scene) {
  scene_ = scene;
  atEnd_ = false;
  questionPut_ = false;
  answer_.reset();
  hint_ = wayShown_ = false;
  shown_ = {};
  read_ = {};
  haltsRun_ = !toTrainStep_.empty();
  toTrainStep_.clear();
  const lessons::Scene& now = this->scene();
  newRun_ = now.newRun;
  panel.selection.gradients = false;  // unless a scene shows them
  panel.headsView.meanShown = false;
  panel.selection.presented.clear();
  look(panel, now.view, now.choose);
  if (panel.selection.page == kLearnPage) panel.selection.page = kFlowPage;
  panel.frame.inSight = now.card;
}

void LessonRun::look(const PanelContext& panel, const std::string& view,
                     const std::string& choose) {
  if (!view.empty()) panel.view = viewFromJson(view, panel.view);
  panel.frame.playing = false;
  toItem_ = panel.selection.item;
  toChoose_ = choose;
}

void LessonRun::next(const PanelContext& panel) {
  noteDone();
  left_[scene_] = panel.history->current();
  if (!isLast()) return goTo(panel, scene_ + 1);
  if (cameFrom()) return returnToQuestion(panel);
  if (!lesson_->isQuiz) return finish(panel);
  atEnd_ = true;
}

void LessonRun::finish(const PanelContext& panel) {
  panel.selection.page = kLearnPage;
  leave();
}

std::optional<std::size_t> LessonRun::cameFrom() const {
  const bool elsewhere = quiz_ != nullptr && open() && !lesson_->isQuiz;
  return elsewhere ? std::optional(question_) : std::nullopt;
}

void LessonRun::returnToQuestion(const PanelContext& panel) {
  begin(panel, std::move(quiz_), question_);
}

void LessonRun::back(const PanelContext& panel) {
  if (std::exchange(atEnd_, false) || scene_ == 0) return;
  noteDone();
  left_[scene_] = panel.history->current();
  enter(panel, scene_ - 1);
  const DocumentPtr& then = scene().check ? began_[scene_] : left_[scene_];
  if (then == nullptr) {
    setStatesUpTo(panel, scene_);  // the lesson began after this scene
  } else if (then != panel.history->current()) {
    panel.commands.add(OpenDocument{then, "lesson: " + scene().title});
  }
}

void LessonRun::continuePresented(const PanelContext& panel) {
  if (scene().predict && !answer_) {
    questionPut_ ? answer(scene().predict->right) : void(questionPut_ = true);
  } else if (!isLast()) {
    next(panel);
  }
}

SentenceStrip LessonRun::forTheRoom() const {
  if (!shown_.ready) return {asRichText(scene().title)};
  if (scene().predict && (answer_ || questionPut_)) {
    if (!answer_) return {shown_.question, shown_.choices};
    return {inBrief(shown_.reveal), shown_.choices, scene().predict->right};
  }
  return {inBrief(shown_.checked ? shown_.done : shown_.text)};
}

std::string LessonRun::nextInWords() const {
  if (scene().predict && !answer_) return questionPut_ ? "the answer" : "the question";
  return isLast() ? std::string() : lesson_->scenes[scene_ + 1].title;
}

std::string LessonRun::nextSentence() const {
  if (scene().predict && !answer_) return questionPut_ ? inBrief(shown_.reveal) : shown_.question;
  return isLast() ? std::string() : withoutFacts(inBrief(lesson_->scenes[scene_ + 1].text));
}

void LessonRun::answer(std::size_t choice) {
  if (!answer_) answer_ = choice;
}

void LessonRun::showWay(const PanelContext& panel) {
  if (!scene().check) return;
  const lessons::Way& way = scene().check->way;
  wayShown_ = true;
  look(panel, scene().view, {});  // back to the view of the exercise
  setStates(panel, {&way.state, 1}, scene().title);
  look(panel, way.view, way.choose);
  toTrainStep_ = way.trainStep;
}

/// Runs the training at the set pace up to the step; looks back at a step already passed.
void LessonRun::trainAsShown(const PanelContext& panel, const lessons::FactSource& facts,
                             LiveTraining& training) {
  const auto moment = training.moment();
  if (toTrainStep_.empty() || moment == nullptr) return;
  const TrainView& asked = panel.trainView;  // a different run begins with the page's next frame
  if (moment->settings.seed != asked.seed || moment->task->id != asked.task) return;
  if (asked.heads > 0 && moment->settings.model.heads != asked.heads) return;
  Index step = 0;
  const char* end = toTrainStep_.data() + toTrainStep_.size();
  const bool isNumber = std::from_chars(toTrainStep_.data(), end, step).ptr == end;
  const auto fact = isNumber ? std::nullopt : lessons::factOf(toTrainStep_, facts);
  const double* found = fact ? std::get_if<double>(&*fact) : nullptr;  // null: not known yet
  if (found != nullptr) step = static_cast<Index>(*found);
  const bool there = (isNumber || found != nullptr) && moment->stepsTaken >= step;
  if (there && step < moment->stepsTaken) {
    const Index every = moment->snapshotEvery;  // the snapshot at or after the step
    training.lookAt((step + every - 1) / every * every);
  }
  if (there || moment->finished) {
    training.play(false);
    toTrainStep_.clear();
  } else if (!training.playing()) {
    training.play(true);
  }
}

/// Marks the scene as done once its exercise is done and its question answered rightly; without
/// either, once it was read.
void LessonRun::noteDone() {
  const lessons::Scene& now = scene();
  const bool exercise = !now.check || (shown_.checked && !wayShown_);
  const bool question = !now.predict || answer_ == now.predict->right;
  if (exercise && question) done_.insert(sceneKey(*lesson_, scene_));
}

void LessonRun::follow(const PanelContext& panel, LiveTraining& training) {
  if (asked_ != nullptr) begin(panel, std::move(asked_));
  if (std::exchange(haltsRun_, false)) training.play(false);
  if (std::exchange(newRun_, false)) training.forget();
  panel.frame.hidesMistakes = open() && scene().hidesMistake && !shown_.checked;
  if (!open()) return;
  const bool computed =
      &panel.trace.document() == &panel.document && !panel.commands.has<OpenDocument>();
  if (computed && toItem_) panel.selection.item = *std::exchange(toItem_, std::nullopt);
  if (computed && !toChoose_.empty()) {
    panel.selection.cell = lessons::cellOf(toChoose_, factsOf(panel, training));
    toChoose_.clear();
    if (panel.selection.cell && panel.selection.cell->head >= 0)
      panel.selection.head = panel.selection.cell->head;
  }
  const lessons::FactSource facts = factsOf(panel, training);
  trainAsShown(panel, facts, training);
  for (const std::string& name : scene().lit) {
    if (const auto cell = lessons::cellOf(name, facts)) panel.frame.pointed.push_back(*cell);
  }
  const Read now{&panel.trace, panel.selection.head, panel.selection.cell, panel.frame.typesText,
                 facts.others};
  if (!computed || (shown_.ready && now == read_)) return;
  if (!shown_.ready) {
    began_[scene_] = panel.history->current();
    panel.frame.inSight = scene().card;  // card of the shown page
  }
  read_ = now;
  read(facts, panel.frame.typesText);
}

/// Fills in the scene's texts. If it has an exercise, the text describes the state before it and
/// the confirmation the state after. A sentence that is still being typed is not checked.
void LessonRun::read(const lessons::FactSource& facts, bool typed) {
  const auto filled = [&](const std::string& text) { return lessons::filledIn(text, facts); };
  const lessons::Scene& now = scene();
  const bool first = !std::exchange(shown_.ready, true);
  if (first || !now.check) {
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
  }
  if (!now.check) return;
  if (first) {
    shown_.exercise = filled(now.check->ask);
    shown_.hint = filled(now.check->hint);
    whenDone_ = lessons::filledInBefore(now.check->done, facts);
  }
  const bool holdsNow =
      std::all_of(now.check->that.begin(), now.check->that.end(),
                  [&](const lessons::Condition& condition) { return holds(condition, facts); });
  if (typed && holdsNow && !shown_.checked) {
    shown_.yet = "Press Enter when the sentence is complete.";
    return;
  }
  shown_.holds = holdsNow;
  if (!holdsNow && !shown_.checked) {
    shown_.yet = lessons::filledInIfKnown(now.check->yet, facts);
  }
  if (!holdsNow) return;
  shown_.checked = true;
  shown_.done = filled(whenDone_);
  noteDone();
}

bool LessonRun::isDone(std::size_t scene) const {
  return done_.contains(sceneKey(*lesson_, scene));
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

}  // namespace headscope::ui
