#include "app/lecture.h"

#include <fmt/format.h>

#include "app/ui/compat.h"
#include "app/ui/frame_context.h"
#include "app/ui/panel.h"
#include "app/ui/rich_text.h"
#include "core/base/translation.h"

namespace headscope {

bool Lecture::keys(const ui::PanelContext& panel, bool presented) {
  using ui::Key;
  using ui::keyPressed;
  if (!lesson_.open() && (!presented || !ownScenes())) return false;
  // on the timeline the arrows step through its moments
  const bool arrows = presented && !panel.selection.playTime && !ImGui::GetIO().KeyShift;
  const bool on = keyPressed(Key::pageDown, false) || (arrows && keyPressed(Key::right, false));
  const bool back = keyPressed(Key::pageUp, false) || (arrows && keyPressed(Key::left, false));
  const bool ends = presented && lesson_.open();
  if (ends && keyPressed(Key::home, false)) {
    lesson_.goTo(panel, 0);
    return true;
  }
  if (ends && keyPressed(Key::end, false)) {
    lesson_.goTo(panel, lesson_.lesson().scenes.size() - 1);
    return true;
  }
  if (!on && !back) return false;
  go(panel, on, presented);
  return true;
}

void Lecture::go(const ui::PanelContext& panel, bool forward, bool presented) {
  if (!lesson_.open()) {
    sessions_.recallNeighbour(forward ? 1 : -1);
  } else if (!forward) {
    lesson_.back(panel);
  } else {
    presented ? lesson_.continuePresented(panel) : lesson_.next(panel);
  }
}

ui::Presenter::Words Lecture::forTheRoom() const {
  ui::Presenter::Words words;
  words.problem = problem_;
  if (lesson_.open() || ownScenes()) words.keys = tr("F10 speaker's lines");
  if (lesson_.open()) {
    words.counter = trFormat("{} of {}", lesson_.place() + 1, lesson_.lesson().scenes.size());
    words.sentence = lesson_.forTheRoom();
  } else if (const formats::SavedScene* scene = sessions_.sceneShown()) {
    words.sentence.text = ui::asRichText(scene->words.sentence);
  }
  return words;
}

void Lecture::follow(double now, bool presented) {
  const std::string of = lesson_.open() ? lesson_.lesson().id : std::string();
  if (beganOf_ != of) began_.reset();
  beganOf_ = of;
  if (!began_ && (presented || speaker_)) began_ = now;
}

std::optional<ui::LessonRun::Slide> Lecture::takeNextSlide() {
  if (list_ == nullptr || !speaker_ || !lesson_.open()) {
    pictured_.clear();
    nextSlide_ = {};
    return std::nullopt;
  }
  std::string place =
      fmt::format("{}/{}/{}", lesson_.lesson().id, lesson_.place(), lesson_.nextInWords());
  if (place == pictured_) return std::nullopt;
  pictured_ = std::move(place);
  nextSlide_ = {};
  return lesson_.nextSlide();
}

void Lecture::drawSpeaker(const ui::FrameContext& look) const {
  if (list_ == nullptr || !speaker_) return;
  ui::beginOwnList(*list_, size_);
  ui::drawSpeakerNotes(*list_, look, forTheSpeaker(look.now), size_);
  look.changesIn(1.0);  // redraws the clock
}

ui::SpeakerNotes Lecture::forTheSpeaker(double now) const {
  ui::SpeakerNotes notes;
  notes.seconds = now - began_.value_or(now);
  if (lesson_.open()) {
    const lessons::Lesson& lesson = lesson_.lesson();
    const std::size_t place = lesson_.place();
    notes.heading = trFormat("{} · {} of {}", tr(lesson.title), place + 1, lesson.scenes.size());
    notes.minutes = lesson.minutes;
    notes.title = tr(lesson_.scene().title);
    notes.say = lesson_.shown().speaker;
    notes.next = lesson_.nextInWords();
    notes.nextSentence = lesson_.nextSentence();
    notes.nextSlide = nextSlide_;
    return notes;
  }
  const formats::SavedScene* scene = sessions_.sceneShown();
  const formats::SavedScene* next = sessions_.neighbouringScene(1);
  if (scene != nullptr) {
    notes.heading = trFormat("Scene {}", scene->number);
    notes.title = scene->words.title;
    notes.say = ui::asRichText(scene->words.speaker);
  } else if (next == nullptr) {
    notes.title = tr("No lecture is open");
    notes.say =
        tr("The page Learn has lessons to present, one of them made for an audience. You can also "
           "store scenes of your own with ctrl+1 to 9.");
  }
  if (next != nullptr) notes.next = next->words.title;
  return notes;
}

}  // namespace headscope
