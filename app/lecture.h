// Lecture: what the keys for the next scene and the one before go through, and what stands with a
// scene: the sentence for the room, and the speaker's lines. It is the lesson that is open, else
// the session's own scenes.
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
  /// What it is given must outlive it.
  Lecture(ui::LessonRun& lesson, Sessions& sessions) : lesson_(lesson), sessions_(sessions) {}

  /// Page down and page up, as clickers send them; before a room → and ← as well. True where one
  /// was pressed.
  bool keys(const ui::PanelContext& panel, bool presented);
  /// Beside the card that is presented.
  ui::Presenter::Words forTheRoom() const;

  /// Whether the speaker's window is wanted; f10.
  bool speakerWanted() const { return speaker_; }
  void toggleSpeaker() { speaker_ = !speaker_; }
  /// Once a frame, at `now` seconds: its clock runs from when it is first presented, or the
  /// speaker's window is there.
  void follow(double now, bool presented);
  /// It is presented from its start.
  void beginAnew() { began_.reset(); }
  /// What the speaker's window shows.
  ui::SpeakerNotes forTheSpeaker(double now) const;
  /// It was closed; or it could not be opened, for this reason.
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
  std::string problem_;  // why there is no speaker's window
  std::optional<double> began_;
  std::string beganOf_;  // the lesson's id that the clock runs for
};

}  // namespace headscope
