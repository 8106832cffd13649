// Lecture: the scenes that the lecturer's keys step through, with the sentence for the audience and
// the speaker's notes of each. The scenes come from the open lesson, else from the session.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "app/sessions.h"
#include "app/ui/learn/lesson_run.h"
#include "app/ui/presenter.h"
#include "app/ui/speaker_notes.h"

namespace headscope {

class Lecture {
 public:
  /// The arguments must outlive this object.
  Lecture(ui::LessonRun& lesson, Sessions& sessions) : lesson_(lesson), sessions_(sessions) {}

  /// Handles page down and page up, which presentation remotes send; while presenting also → and ←.
  /// Returns whether one of these keys was pressed.
  bool keys(const ui::PanelContext& panel, bool presented);
  /// Shows the next scene or the one before.
  void go(const ui::PanelContext& panel, bool forward, bool presented);
  /// The words shown next to the presented card.
  ui::Presenter::Words forTheRoom() const;

  /// Returns whether the speaker's window is wanted; f10 toggles it.
  bool speakerWanted() const { return speaker_; }
  void toggleSpeaker() { speaker_ = !speaker_; }
  /// Call it once a frame, at `now` seconds. The clock starts when presenting starts or when the
  /// speaker's window appears.
  void follow(double now, bool presented);
  /// Resets the clock for a presentation from the start.
  void restartClock() { began_.reset(); }
  /// Sets the list into which drawSpeaker() draws, and the window's size. Null: there is no window.
  void setSpeakerWindow(ImDrawList* list, ImVec2 size) {
    list_ = list;
    size_ = size;
  }
  void drawSpeaker(const ui::FrameContext& look) const;
  /// Returns the next scene of an open lesson while there is a speaker's window, once for each
  /// scene that is shown.
  std::optional<ui::LessonRun::Slide> takeNextSlide();
  /// Sets the picture of it that the host has drawn.
  void setNextSlide(ui::SlidePicture picture) { nextSlide_ = picture; }
  /// The content of the speaker's window.
  ui::SpeakerNotes forTheSpeaker(double now) const;
  /// Reports that the speaker's window was closed, or, with `why`, that it could not be opened.
  void speakerGone(std::string why) {
    speaker_ = false;
    problem_ = std::move(why);
  }
  const std::string& problem() const { return problem_; }

 private:
  bool ownScenes() const { return !lesson_.open() && !sessions_.store().scenes().empty(); }

  ui::LessonRun& lesson_;
  Sessions& sessions_;
  bool speaker_ = false;
  ImDrawList* list_ = nullptr;  // of the speaker's window
  ImVec2 size_{0.0F, 0.0F};
  std::string problem_;  // why there is no speaker's window
  std::optional<double> began_;
  std::string beganOf_;   // the id of the lesson that the clock measures
  std::string pictured_;  // the lesson and the scene before the slide of the picture
  ui::SlidePicture nextSlide_;
};

}  // namespace headscope
