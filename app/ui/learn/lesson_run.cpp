#include "app/ui/learn/lesson_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/ui/dimension_fields.h"
#include "app/ui/frame_commands.h"
#include "app/ui/learn/lesson_facts.h"
#include "app/ui/panel.h"
#include "app/ui/preferences.h"
#include "app/ui/rich_text.h"
#include "app/view_json.h"
#include "core/base/error.h"
#include "core/base/memory_budget.h"
#include "core/base/translation.h"
#include "core/document/trace.h"
#include "core/editing/history.h"

namespace headscope::ui {
namespace {

std::string sceneKey(const lessons::Lesson& lesson, std::size_t scene) {
  return fmt::format("{}/{}", lesson.id, scene + 1);
}

/// Adds what a scene changes to a view. Gradients, the mean of the heads and a presented card are
/// shown only by scenes that name them.
ViewState withView(ViewState view, const std::string& change) {
  view.selection.gradients = false;
  view.heads.meanShown = false;
  view.selection.presented.clear();
  return change.empty() ? view : viewFromJson(change, std::move(view));
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

/// Says what the reader has made of an exercise so far, and what that means. Empty where the lesson
/// has no words for it.
std::string soFar(const lessons::Check& check, const lessons::FactSource& facts) {
  for (const lessons::Attempt& attempt : check.yet) {
    if (!lessons::allHold(attempt.that, facts)) continue;
    std::string said = lessons::filledInIfKnown(tr(attempt.says), facts);
    if (!said.empty()) return said;
  }
  return {};
}

}  // namespace

void LessonRun::ask(std::shared_ptr<const lessons::Lesson> lesson, std::size_t scene) {
  quiz_.reset();
  asked_ = {std::move(lesson), scene};
}

void LessonRun::ask(const lessons::Lesson& lesson, std::size_t scene) {
  ask(std::make_shared<const lessons::Lesson>(lesson), scene);
}

void LessonRun::lookAgain(const lessons::Lesson& lesson) {
  const auto quiz = open() && lesson_->isQuiz ? lesson_ : quiz_;
  if (quiz == lesson_) question_ = scene_;
  ask(lesson);
  quiz_ = quiz;
}

void LessonRun::present(const lessons::Lesson& lesson) {
  ask(lesson);
  asked_.presented = true;
}

void LessonRun::begin(const PanelContext& panel, Asked asked) {
  lesson_ = std::move(asked.lesson);
  presenting_ = asked.presented;
  base_ = lessonView(panel.view);
  if (!lesson_->model.empty()) {
    base_.model = {};
    base_.model.place.folder = lesson_->model;
  }
  start_ = panel.history->current();
  starts_.assign(lesson_->scenes.size(), nullptr);
  began_ = left_ = starts_;
  answers_.clear();
  answered_ = asksAgain_ = false;
  wrong_.clear();
  goTo(panel, std::min(asked.scene, lesson_->scenes.size() - 1));
}

/// The document that the scenes up to this one set.
DocumentPtr LessonRun::startOf(std::size_t scene) {
  if (starts_[scene] != nullptr) return starts_[scene];
  const lessons::SceneState& state = lesson_->scenes[scene].state;
  const bool first = scene == 0 || state.opens();
  const DocumentPtr before = first ? start_ : startOf(scene - 1);
  starts_[scene] =
      state.changesNothing() ? before : lessons::documentOf(state, *before, defaultMemoryBudget());
  return starts_[scene];
}

/// The view that the scenes up to this one set.
ViewState LessonRun::viewOf(std::size_t scene) const {
  ViewState view = base_;
  for (std::size_t s = 0; s <= scene; ++s) view = withView(view, lesson_->scenes[s].view);
  return view;
}

/// Opens the document that `document` makes, or says why it cannot be.
void LessonRun::open(const PanelContext& panel,
                     const std::function<DocumentPtr()>& document) const {
  try {
    panel.commands.add(OpenDocument{document(), "lesson: " + scene().title});
  } catch (const UserError& error) {
    panel.commands.say(error.what(), true);
  }
}

void LessonRun::leave() {
  if (open()) noteDone();
  lesson_.reset();
  quiz_.reset();
  start_.reset();
  starts_.clear();
  began_.clear();
  left_.clear();
  moments_ = {};
  toHeadsOff_.reset();
  pointer_.stop();
  atEnd_ = false;
  shown_ = {};
  read_ = {};
}

void LessonRun::goTo(const PanelContext& panel, std::size_t scene) {
  enter(panel, scene);
  show(panel, viewOf(scene), this->scene().choose);
  open(panel, [&] { return startOf(scene); });
}

void LessonRun::askAgain(const PanelContext& panel, std::size_t question) {
  answers_.resize(lesson_->scenes.size());
  for (std::size_t i = 0; i < answers_.size(); ++i) {
    if (!isDone(i)) answers_[i] = {};
  }
  if (!isDone(scene_)) {  // entering another question would keep them
    answered_ = false;
    wrong_.clear();
  }
  asksAgain_ = true;
  goTo(panel, question);
}

/// Goes to the next question that is still open, or to the end.
void LessonRun::nextOpen(const PanelContext& panel) {
  for (std::size_t i = scene_ + 1; i < lesson_->scenes.size(); ++i) {
    if (!isDone(i)) return goTo(panel, i);
  }
  atEnd_ = true;
}

void LessonRun::enter(const PanelContext& panel, std::size_t scene) {
  answers_.resize(lesson_->scenes.size());
  if (scene_ < answers_.size()) answers_[scene_] = {answered_, std::move(wrong_)};
  scene_ = scene;
  atEnd_ = false;
  questionPut_ = false;
  answered_ = answers_[scene].right;
  wrong_ = answers_[scene].wrong;
  hint_ = wayShown_ = false;
  shown_ = {};
  read_ = {};
  pointer_.stop();
  haltsRun_ = !toTrainStep_.empty();
  toTrainStep_.clear();
  newRun_ = this->scene().newRun;
  if (!this->scene().continues) toHeadsOff_ = this->scene().modelHeadsOff;
  panel.frame.inSight = cards().empty() ? std::string() : cards().front();
}

/// The cards that are lit, those that the scene speaks of. “Show me” lights the card that it opens,
/// if any, in their place; once the exercise is done, that card as well. None: all are.
std::vector<std::string> LessonRun::cards() const {
  const lessons::Scene& now = scene();
  const std::string opened = now.check ? now.check->way.card : std::string();
  if (opened.empty()) return shown_.checked ? std::vector<std::string>() : now.cards;
  if (!shown_.checked) return wayShown_ ? std::vector{opened} : now.cards;
  std::vector<std::string> lit{opened};
  lit.insert(lit.end(), now.cards.begin(), now.cards.end());
  return lit;
}

/// Shows a view of the lesson with the user's preferences, and what its pass is needed for once
/// that is computed.
void LessonRun::show(const PanelContext& panel, ViewState view, const std::string& choose) {
  const FrameState frame = panel.frame;
  const ModelView model = lesson_->model.empty() ? panel.view.model : view.model;
  panel.view = withPreferencesOf(std::move(view), panel.view);
  panel.view.model = model;
  panel.frame = frame;
  panel.frame.playing = panel.frame.stagePlaying = panel.frame.decodePlaying = false;
  panel.frame.fromStage = false;
  toPlace_ =
      Place{panel.selection.item, panel.selection.head, std::exchange(panel.stageView.word, -1)};
  toChoose_ = choose;
}

void LessonRun::next(const PanelContext& panel) {
  noteDone();
  left_[scene_] = panel.history->current();
  if (isLast()) {
    if (cameFrom()) return returnToQuestion();
    if (std::exchange(atEnd_, true)) finish();
    return;
  }
  if (asksAgain_) return nextOpen(panel);
  if (!lesson_->scenes[scene_ + 1].continues) return goTo(panel, scene_ + 1);
  enter(panel, scene_ + 1);
  show(panel, withView(panel.view, scene().view), scene().choose);
  open(panel, [&] {
    return lessons::documentOf(scene().state, *panel.history->current(), defaultMemoryBudget());
  });
}

void LessonRun::finish() {
  listAsked_ = true;
  leave();
}

void LessonRun::keep(const PanelContext& panel) {
  kept_ = panel.history->current();
  leave();
}

std::optional<std::size_t> LessonRun::cameFrom() const {
  const bool elsewhere = quiz_ != nullptr && open() && !lesson_->isQuiz;
  return elsewhere ? std::optional(question_) : std::nullopt;
}

void LessonRun::returnToQuestion() { ask(std::exchange(quiz_, nullptr), question_); }

void LessonRun::back(const PanelContext& panel) {
  if (std::exchange(atEnd_, false) || scene_ == 0) return;
  noteDone();
  left_[scene_] = panel.history->current();
  enter(panel, scene_ - 1);
  show(panel, viewOf(scene_), scene().choose);
  open(panel, [&] {
    const DocumentPtr& then = scene().check ? began_[scene_] : left_[scene_];
    return then != nullptr ? then : startOf(scene_);  // null: the lesson began after this scene
  });
}

void LessonRun::continuePresented(const PanelContext& panel) {
  if (scene().predict && !answered_) {
    questionPut_ ? answer(panel, scene().predict->right) : void(questionPut_ = true);
  } else if (!isLast()) {
    next(panel);
  }
}

SentenceStrip LessonRun::forTheRoom() const {
  if (!shown_.ready) return {asRichText(tr(scene().title))};
  if (scene().predict && (answered_ || questionPut_)) {
    if (!answered_) return {shown_.question, shown_.choices};
    return {inBrief(shown_.reveal), shown_.choices, scene().predict->right};
  }
  return {inBrief(shown_.checked ? shown_.done : shown_.text)};
}

std::string LessonRun::nextInWords() const {
  if (scene().predict && !answered_) return questionPut_ ? tr("the answer") : tr("the question");
  return isLast() ? std::string() : lesson_->scenes[scene_ + 1].title;
}

std::string LessonRun::nextSentence() const {
  if (scene().predict && !answered_) return questionPut_ ? inBrief(shown_.reveal) : shown_.question;
  return isLast() ? std::string() : withoutFacts(inBrief(lesson_->scenes[scene_ + 1].text));
}

void LessonRun::answer(const PanelContext& panel, std::size_t choice) {
  if (answered_ || tried(choice) || !scene().predict) return;
  answered_ = choice == scene().predict->right;
  if (!answered_) return wrong_.push_back(choice);
  if (const std::string& view = scene().predict->view; !view.empty()) {
    show(panel, viewFromJson(view, panel.view), scene().choose);
  }
}

bool LessonRun::tried(std::size_t choice) const {
  return std::find(wrong_.begin(), wrong_.end(), choice) != wrong_.end();
}

std::optional<std::size_t> LessonRun::lastWrong() const {
  return wrong_.empty() || !shown_.ready ? std::nullopt : std::optional(wrong_.back());
}

void LessonRun::showHint() {
  hint_ = true;
  if (scene().check) pointer_.mark(scene().check->way.control);
}

void LessonRun::showWay(const PanelContext& panel) {
  if (!scene().check || solutionRuns()) return;
  wayShown_ = true;
  const lessons::Way& way = scene().check->way;
  const std::string control =
      way.control.empty() && !way.choose.empty() ? std::string(kSoughtCell) : way.control;
  if (control.empty() || !panel.preferences.animate) return takeWay(panel);
  pointer_.go(control, ImGui::GetIO().MousePos, panel.look.now);
}

/// Does what the exercise asks, once the pointer has shown where.
void LessonRun::takeWay(const PanelContext& panel) {
  const lessons::Way& way = scene().check->way;
  // from the exercise as it began, whatever the reader has tried
  ViewState view = scene().continues ? withView(panel.view, scene().view) : viewOf(scene_);
  if (!way.view.empty()) view = viewFromJson(way.view, std::move(view));
  const bool keepsCell = way.choose.empty() && way.view.empty();
  show(panel, std::move(view), keepsCell ? scene().choose : way.choose);
  open(panel, [&] {
    const DocumentPtr& begun = began_[scene_] != nullptr ? began_[scene_] : startOf(scene_);
    return lessons::documentOf(way.state, *begun, defaultMemoryBudget());
  });
  toTrainStep_ = way.trainStep;
  if (way.modelHeadsOff) toHeadsOff_ = way.modelHeadsOff;
  if (!cards().empty()) panel.frame.inSight = cards().front();
}

/// Returns whether the lesson's model shows what the scene asks for; switches its heads off once it
/// is open.
bool LessonRun::modelReady(const PanelContext& panel, LiveModel& model) {
  if (lesson_->model.empty()) return true;
  const ModelPlace& asked = panel.modelView.place;
  const auto moment = model.moment();
  if (!model.upToDate() || moment->folder != asked.folder || moment->given() != asked.text) {
    return false;
  }
  if (!toHeadsOff_) return true;
  model.setHeadsOff(*std::exchange(toHeadsOff_, std::nullopt));
  return !model.busy();
}

/// Marks the scene as done once its exercise is done and its question answered rightly; without
/// either, once it was read.
void LessonRun::noteDone() {
  const lessons::Scene& now = scene();
  const bool exercise = !now.check || (shown_.checked && !wayShown_);
  const bool question = !now.predict || (answered_ && (wrong_.empty() || !lesson_->isQuiz));
  if (exercise && question) done_.insert(sceneKey(*lesson_, scene_));
}

void LessonRun::follow(const PanelContext& panel, const LessonRuns& runs) {
  if (asked()) begin(panel, std::exchange(asked_, {}));
  if (std::exchange(haltsRun_, false)) {
    runs.training.play(false);
    runs.language.play(false);
  }
  if (std::exchange(newRun_, false)) runs.training.forget();
  panel.frame.hidesMistakes = open() && scene().hidesMistake && !shown_.checked;
  panel.frame.spotlight = open() && !atEnd_ ? cards() : std::vector<std::string>();
  if (!open()) return;
  if (!atEnd_ && !shown_.checked) {
    for (const std::string& field : scene().fields) {
      panel.frame.spotlight.push_back(litField(field));
    }
  }
  moments_ = {runs.training.moment(), runs.language.moment(), runs.scale.moment(),
              runs.model.moment()};
  if (pointer_.takeArrival(panel.look.now)) takeWay(panel);
  const bool computed = &panel.trace.document() == &panel.document &&
                        !panel.commands.has<OpenDocument>() && modelReady(panel, runs.model);
  if (computed && toPlace_) {
    panel.selection.item = toPlace_->item;
    panel.selection.head = toPlace_->head;
    panel.stageView.word = toPlace_->word;
    toPlace_.reset();
  }
  if (computed && !toChoose_.empty()) {
    panel.selection.cell = lessons::cellOf(toChoose_, factsOf(panel, runs));
    toChoose_.clear();
    if (panel.selection.cell && panel.selection.cell->head >= 0)
      panel.selection.head = panel.selection.cell->head;
  }
  const lessons::FactSource facts = factsOf(panel, runs);
  trainAsShown(panel, facts, runs);
  panel.frame.soughtCell.reset();
  if (pointer_.goes() && scene().check && !scene().check->way.choose.empty()) {
    panel.frame.soughtCell = lessons::cellOf(scene().check->way.choose, facts);
  }
  for (const std::string& name : scene().lit) {
    if (const auto cell = lessons::cellOf(name, facts)) panel.frame.pointed.push_back(*cell);
  }
  const Read now{&panel.trace, panel.selection.head, panel.selection.cell, panel.frame.typesText,
                 answered_,    facts.others};
  if (!computed || (shown_.ready && now == read_)) return;
  if (!shown_.ready) {
    began_[scene_] = panel.history->current();
    // a card of the shown page
    panel.frame.inSight = cards().empty() ? std::string() : cards().front();
  }
  read_ = now;
  read(facts, panel.frame.typesText);
}

/// Fills in the scene's texts. If it has an exercise, the text describes the state before it and
/// the confirmation the state after; until its question is answered it follows what the reader
/// changes. A sentence that is still being typed is not checked.
void LessonRun::read(const lessons::FactSource& facts, bool typed) {
  const auto filled = [&](std::string_view text) { return lessons::filledIn(text, facts); };
  const lessons::Scene& now = scene();
  const bool first = !std::exchange(shown_.ready, true);
  const bool asks = now.predict && !answered_;
  if (first || !now.check || asks) {
    shown_.text = filled(tr(now.text));
    shown_.speaker = filled(tr(now.speaker));
    if (now.predict) {
      shown_.question = filled(tr(now.predict->ask));
      shown_.reveal = filled(tr(now.predict->reveal));
      shown_.choices.clear();
      shown_.means.clear();
      for (const lessons::Choice& choice : now.predict->choices) {
        shown_.choices.push_back(filled(tr(choice.text)));
        shown_.means.push_back(filled(tr(choice.means)));
      }
    }
  }
  if (!now.check) return;
  if (first) {
    shown_.exercise = filled(tr(now.check->ask));
    shown_.hint = filled(tr(now.check->hint));
    whenDone_ = lessons::filledInBefore(tr(now.check->done), facts);
  }
  if (asks) return;  // the result would give the answer away
  const bool holdsNow = lessons::allHold(now.check->that, facts);
  if (typed && holdsNow && !shown_.checked) {
    shown_.yet = tr("Press Enter when the sentence is complete.");
    return;
  }
  shown_.holds = holdsNow;
  if (!holdsNow && !shown_.checked) shown_.yet = soFar(*now.check, facts);
  if (!holdsNow) return;
  pointer_.mark({});
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
