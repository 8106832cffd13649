// Lesson run: the open lesson, its current scene, and the predictions and exercises done. Sets the
// documents and views that scenes require, and reads from the pass whether an exercise is done. The
// lesson panel shows it next to the page; the learn page lists the lessons and their progress.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/live_training.h"
#include "app/ui/frame_context.h"
#include "app/ui/learn/lesson_facts.h"
#include "app/ui/learn/lesson_pointer.h"
#include "app/ui/learn/lesson_seen.h"
#include "app/ui/sentence_strip.h"
#include "app/ui/view_state.h"
#include "core/document/fwd.h"
#include "core/lessons/lesson.h"

namespace headscope::ui {

struct PanelContext;

/// The path of lessons that are given before an audience.
inline constexpr std::string_view kLecturePath = "a lecture";

class LessonRun {
 public:
  /// The shown texts of the scene, with numbers read from the pass.
  struct Shown {
    std::string text, speaker;
    std::string question, reveal;
    std::vector<std::string> choices, means;
    std::string exercise, hint, done;
    std::string yet;       // the state of the exercise until it is done
    bool ready = false;    // the pass of the scene's document is computed
    bool checked = false;  // the exercise has been done
    bool holds = false;    // the exercise's conditions hold now
  };

  /// Requests a lesson for the next frame, at a scene. It begins from the user's own work, which
  /// the application sets aside before (app/own_work.h), and brings back once no lesson is open.
  void ask(std::shared_ptr<const lessons::Lesson> lesson, std::size_t scene = 0);
  void ask(const lessons::Lesson& lesson, std::size_t scene = 0);
  /// Requests a lesson that explains a question of the open quiz; its end leads back to the
  /// question.
  void lookAgain(const lessons::Lesson& lesson);
  /// Requests a lesson as a lecture, and then presenting.
  void present(const lessons::Lesson& lesson);
  bool asked() const { return asked_.lesson != nullptr; }
  /// Returns whether the requested lesson shows a model of its own on the page Model.
  bool asksForModel() const { return asked() && !asked_.lesson->model.empty(); }
  bool takePresenting() { return std::exchange(presenting_, false); }
  void leave();
  bool open() const { return lesson_ != nullptr; }

  const lessons::Lesson& lesson() const { return *lesson_; }
  const lessons::Scene& scene() const { return lesson_->scenes[scene_]; }
  std::size_t place() const { return scene_; }
  bool isLast() const { return scene_ + 1 == lesson_->scenes.size(); }
  /// Goes to a scene as the lesson's scenes up to it set the document and the view, whatever the
  /// reader has changed.
  void goTo(const PanelContext& panel, std::size_t scene);
  /// Asks a quiz's open question again, without the answers given before; next() then goes to the
  /// next open question.
  void askAgain(const PanelContext& panel, std::size_t question);
  /// next() goes to the next scene, or after the last one to the lesson's end, and from there to
  /// the list of lessons. back() goes to the previous scene: to the document it was left with, or,
  /// if it has an exercise, to the one it began with.
  void next(const PanelContext& panel);
  void back(const PanelContext& panel);
  /// Returns whether the end of the lesson is shown, after its last scene: what was seen, and of a
  /// quiz how many questions are answered.
  bool atEnd() const { return atEnd_; }
  /// Leaves the lesson for the list of lessons, which the application opens.
  void finish();
  /// Leaves the lesson and opens its present document in the user's own work.
  void keep(const PanelContext& panel);
  DocumentPtr takeKept() { return std::exchange(kept_, nullptr); }
  bool takeListAsked() { return std::exchange(listAsked_, false); }
  /// The index of the quiz question that opened this lesson, to return to; empty: none.
  std::optional<std::size_t> cameFrom() const;
  void returnToQuestion();
  /// Advances a presented lesson by one key: shows a scene's question, then its answer, then the
  /// next scene. The last scene stays.
  void continuePresented(const PanelContext& panel);
  /// The text of the scene for the audience.
  SentenceStrip forTheRoom() const;
  /// The sentence that the audience will read when the next key has been pressed; empty at the
  /// end. The numbers of another scene are not known yet: “…” stands for them.
  std::string nextSentence() const;
  /// The document and the view that the lesson sets for a scene.
  struct Slide {
    DocumentPtr document;
    ViewState view;
  };
  /// The next scene; empty at the end, and where the lesson shows a model of its own.
  std::optional<Slide> nextSlide();
  /// The next effect of continuePresented(): "the question", "the answer", the next scene's title;
  /// empty at the end.
  std::string nextInWords() const;

  /// A wrong answer leaves the question open.
  void answer(const PanelContext& panel, std::size_t choice);
  bool answered() const { return answered_ && shown_.ready; }
  bool tried(std::size_t choice) const;
  /// The wrong answer given last.
  std::optional<std::size_t> lastWrong() const;
  void showHint();
  bool hintShown() const { return hint_; }
  /// Carries out the scene's exercise; the scene then does not count as done.
  void showWay(const PanelContext& panel);
  bool wayShown() const { return wayShown_; }
  /// Returns whether the training run is still going to the step that the shown way needs, or the
  /// pointer to the control.
  bool solutionRuns() const { return pointer_.goes() || !toTrainStep_.empty(); }
  LessonPointer& pointer() { return pointer_; }

  /// Called once a frame, with the page's panel. Chooses and lights the cells that the scene names
  /// once its pass is computed, runs the training that a shown way needs, and checks whether the
  /// exercise is done.
  void follow(const PanelContext& panel, const LessonRuns& runs);
  const Shown& shown() const { return shown_; }
  /// The newest moments of the runs and the model.
  const LessonMoments& moments() const { return moments_; }

  /// The keys ("03_by_hand/3") of scenes whose exercise was done without showWay() and whose
  /// question was answered rightly (in a quiz: at the first try), and of scenes without either that
  /// were read.
  const std::set<std::string>& done() const { return done_; }
  void setDone(std::set<std::string> done) { done_ = std::move(done); }
  bool isDone(std::size_t scene) const;
  std::size_t doneOf(const lessons::Lesson& lesson) const;
  /// The first scene that is not done; 0 where all are.
  std::size_t firstUndoneOf(const lessons::Lesson& lesson) const;

 private:
  struct Asked {
    std::shared_ptr<const lessons::Lesson> lesson;  // null: none
    std::size_t scene = 0;
    bool presented = false;
  };
  void noteDone();
  void takeWay(const PanelContext& panel);
  void begin(const PanelContext& panel, Asked asked);
  DocumentPtr startOf(std::size_t scene);
  ViewState viewOf(std::size_t scene) const;
  void show(const PanelContext& panel, ViewState view, const std::string& choose);
  void open(const PanelContext& panel, const std::function<DocumentPtr()>& document) const;
  void trainAsShown(const PanelContext& panel, const lessons::FactSource& facts,
                    const LessonRuns& runs);
  bool modelReady(const PanelContext& panel, LiveModel& model);
  template <typename Run>
  void trainTo(const lessons::FactSource& facts, Run& run, Index stepsTaken, Index every,
               bool finished);
  void read(const lessons::FactSource& facts, bool typed);
  void enter(const PanelContext& panel, std::size_t scene);
  void nextOpen(const PanelContext& panel);
  std::vector<std::string> cards() const;

  std::shared_ptr<const lessons::Lesson> lesson_;  // null: no lesson is open
  Asked asked_;
  std::size_t scene_ = 0;
  bool atEnd_ = false, listAsked_ = false;
  bool asksAgain_ = false;                       // only the questions that are still open
  std::shared_ptr<const lessons::Lesson> quiz_;  // the quiz from which the lesson was opened
  std::size_t question_ = 0;
  ViewState base_;                         // the view from which the first scene begins,
  DocumentPtr start_;                      // and its document
  std::vector<DocumentPtr> starts_;        // by scene: the documents that the lesson's scenes set
  std::vector<DocumentPtr> began_, left_;  // by scene: the documents when it began and was left
  bool presenting_ = false;
  bool questionPut_ = false;
  bool answered_ = false;
  std::vector<std::size_t> wrong_;  // the wrong answers given to the question
  /// The answers to each scene's question, kept while one goes back and forth in the lesson.
  struct Answers {
    bool right = false;
    std::vector<std::size_t> wrong;
  };
  std::vector<Answers> answers_;
  bool hint_ = false, wayShown_ = false;
  LessonPointer pointer_;
  DocumentPtr kept_;
  LessonMoments moments_;
  std::string whenDone_;  // the confirmation, with the facts from before filled in
  /// The place to show once the pass is computed; the previous pass may have fewer heads or items.
  struct Place {
    Index item = 0, head = 0, word = -1;
  };
  std::optional<Place> toPlace_;
  std::string toChoose_;     // the cell to choose once its pass is computed
  std::string toTrainStep_;  // the training step that the shown way needs, until reached
  /// The heads of the lesson's model to be switched off once it is open.
  std::optional<std::vector<HeadOfLayer>> toHeadsOff_;
  bool haltsRun_ = false;  // the scene was left while its training ran
  bool newRun_ = false;    // the entered scene starts a new run
  Shown shown_;
  struct Read {  // the sources of `shown_`
    const Trace* trace = nullptr;
    Index head = -1;
    std::optional<CellRef> chosen;
    bool typed = false;
    bool answered = false;
    lessons::NamedFacts others;
    bool operator==(const Read&) const = default;
  } read_;
  std::set<std::string> done_;
};

/// Draws the panel next to the page while a lesson is open.
void lessonPanel(const PanelContext& panel, LessonRun& run);
/// Handles the digits that answer the question of the panel. Returns whether one did.
bool lessonKeys(const PanelContext& panel, LessonRun& run);
/// Draws the start panel in the lesson panel's place at the first start, until it is closed.
void startPanel(const PanelContext& panel, LessonRun& run);
/// The width of the lesson panel next to a page, out of `room`.
float lessonWidth(const FrameContext& look, float room);

}  // namespace headscope::ui
