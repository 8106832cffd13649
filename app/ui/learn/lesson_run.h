// Lesson run: the lesson that is open, the scene it stands at, what was predicted and done. It sets
// documents and views as scenes ask for, and reads from the pass whether a task is done; the lesson
// panel shows it beside the page, the learn page lists lessons and what was done of them.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/live_training.h"
#include "app/ui/panel.h"
#include "app/ui/sentence_strip.h"
#include "core/lessons/lesson.h"

namespace headscope::ui {

class LessonRun {
 public:
  /// What is shown of the scene, its numbers read from the pass.
  struct Shown {
    std::string text, speaker;
    std::string question, reveal;
    std::vector<std::string> choices;
    std::string task, hint, done;
    std::string yet;       // how it stands while the task is not done
    bool ready = false;    // of the scene's own document: its pass is there
    bool checked = false;  // what was to be done is done
    bool holds = false;    // and stands now as it then did
  };

  /// Opens it at a scene. The document it found comes back when it is left by undo alone: scenes
  /// are entries of the history.
  void begin(const PanelContext& panel, std::shared_ptr<const lessons::Lesson> lesson,
             std::size_t scene = 0);
  /// The same in the next frame; from a quiz one comes back to the question.
  void ask(lessons::Lesson lesson);
  /// Begins it as a lecture: it is to be presented from then on.
  void present(const PanelContext& panel, std::shared_ptr<const lessons::Lesson> lesson);
  bool takePresenting() { return std::exchange(presenting_, false); }
  void leave();
  bool open() const { return lesson_ != nullptr; }

  const lessons::Lesson& lesson() const { return *lesson_; }
  const lessons::Scene& scene() const { return lesson_->scenes[scene_]; }
  std::size_t place() const { return scene_; }
  bool isLast() const { return scene_ + 1 == lesson_->scenes.size(); }
  void goTo(const PanelContext& panel, std::size_t scene);
  /// To the next scene, after the last one out of the lesson (of a quiz, to its end); and back: to
  /// what a scene was left with, or, where there is something to do, to where it began.
  void next(const PanelContext& panel);
  void back(const PanelContext& panel);
  /// What has been answered of a quiz is shown, after its last question.
  bool atEnd() const { return atEnd_; }
  /// Out of it, to the list of lessons.
  void finish(const PanelContext& panel);
  /// A question from which this lesson was asked for, to come back to: its place; empty: none.
  std::optional<std::size_t> cameFrom() const;
  void returnToQuestion(const PanelContext& panel);
  /// Before a room one key does it all: a scene's question is put, then answered, then the next
  /// scene comes; the last one stays.
  void continuePresented(const PanelContext& panel);
  /// What the room reads of the scene.
  SentenceStrip forTheRoom() const;
  /// What that key does now: "the question", "the answer", the next scene's title; empty at the
  /// end.
  std::string nextInWords() const;

  void answer(std::size_t choice);
  std::optional<std::size_t> answered() const { return answer_; }
  void showHint() { hint_ = true; }
  bool hintShown() const { return hint_; }
  /// Does what the scene asks for; it does not count then.
  void showWay(const PanelContext& panel);
  bool wayShown() const { return wayShown_; }
  /// The training run is on its way.
  bool wayGoesOn() const { return !toTrainStep_.empty(); }

  /// Once a frame, with the page's panel: chooses and lights what the scene names once its pass is
  /// there, takes the training run where the way is shown that leads through it, and sees whether
  /// the task is done.
  void follow(const PanelContext& panel, LiveTraining& training);
  const Shown& shown() const { return shown_; }

  /// "02_by_hand/3": scenes whose task was done without being shown, or that were read where they
  /// have none.
  const std::set<std::string>& done() const { return done_; }
  void setDone(std::set<std::string> done) { done_ = std::move(done); }
  bool isDone(std::size_t scene) const;
  std::size_t doneOf(const lessons::Lesson& lesson) const;
  /// The first one that is not; the first where all are.
  std::size_t firstUndoneOf(const lessons::Lesson& lesson) const;

 private:
  void noteDone();
  void setStatesUpTo(const PanelContext& panel, std::size_t scene) const;
  void look(const PanelContext& panel, const std::string& view, const std::string& choose);
  void trainAsShown(const PanelContext& panel, const lessons::FactSource& facts,
                    LiveTraining& training);
  void read(const lessons::FactSource& facts, bool typed);
  void enter(const PanelContext& panel, std::size_t scene);

  std::shared_ptr<const lessons::Lesson> lesson_;  // null: none is open
  std::shared_ptr<const lessons::Lesson> asked_;
  std::size_t scene_ = 0;
  bool atEnd_ = false;
  std::shared_ptr<const lessons::Lesson> quiz_;  // it was asked for from there
  std::size_t question_ = 0;
  std::vector<DocumentPtr> began_, left_;  // by scene: the document as it began and was left
  bool presenting_ = false;
  bool questionPut_ = false;
  std::optional<std::size_t> answer_;
  bool hint_ = false, wayShown_ = false;
  std::string whenDone_;  // what is said then, with what held before in it
  /// Of the batch, once its pass is there: the one before may have fewer.
  std::optional<Index> toItem_;
  std::string toChoose_;     // a cell, once its pass is there
  std::string toTrainStep_;  // the way's, until the run is there
  bool haltsRun_ = false;    // the scene was left while its way was shown
  bool newRun_ = false;      // the scene was entered, and has one
  Shown shown_;
  struct Read {  // what `shown_` was read from
    const Trace* trace = nullptr;
    Index head = -1;
    std::optional<CellRef> chosen;
    bool typed = false;
    lessons::NamedFacts others;
    bool operator==(const Read&) const = default;
  } read_;
  std::set<std::string> done_;
};

/// The panel beside the page while a lesson is open.
void lessonPanel(const PanelContext& panel, LessonRun& run);
/// Where to begin, in its place at the first start, until it is closed.
void startPanel(const PanelContext& panel, LessonRun& run, bool& closed);
/// How wide it is beside a page, of so much room.
float lessonWidth(const FrameContext& look, float room);

}  // namespace headscope::ui
