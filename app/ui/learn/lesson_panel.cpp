// The lesson panel: the text of the scene, a question to answer before its answer is shown, an
// exercise to do in the live window, and the buttons to the next scene.
#include <fmt/format.h>

#include <algorithm>

#include "app/ui/compat.h"
#include "app/ui/control_focus.h"
#include "app/ui/ids.h"
#include "app/ui/learn/lesson_picture.h"
#include "app/ui/learn/lesson_run.h"
#include "app/ui/learn/lesson_seen.h"
#include "app/ui/panel.h"
#include "app/ui/rich_text.h"
#include "app/ui/selection.h"
#include "app/ui/term_paragraph.h"
#include "app/ui/widgets.h"
#include "core/base/translation.h"
#include "core/formats/lesson_json.h"

namespace headscope::ui {
namespace {

constexpr const char* kAboutLeaving =
    trLater("Leaves the lesson, and returns to what you had before it");

class LessonPanel {
 public:
  LessonPanel(const PanelContext& panel, LessonRun& run)
      : panel_(panel), look_(panel.look), run_(run), width_(ImGui::GetContentRegionAvail().x) {}

  void draw() {
    if (run_.atEnd()) return end();
    head();
    const float foot = ImGui::GetFrameHeight() + look_.space.wide;
    const float room = ImGui::GetContentRegionAvail().y - foot;
    const ImGuiID lower = lowerId();  // an answer changes what is asked
    float& before = *ImGui::GetStateStorage()->GetFloatRef(ImGui::GetID("lower"), 1.0F);
    const float known = ImGui::GetStateStorage()->GetFloat(lower);
    // a part that was not drawn yet takes the room of the one before it for a frame
    const float low = before = std::min(known > 0.0F ? known : before, room * kMostOfLower);
    const std::string id = fmt::format("{}/{}", run_.lesson().id, run_.place() + 1);
    read(id, room - low);
    if (asks()) act(id + "/act", low, lower);
    buttons();
  }

 private:
  static constexpr float kMostOfLower = 0.66F;  // of the panel below its heading
  static constexpr float kStatusLines = 3.0F;   // reserved for the state of a task
  static constexpr float kFade = 22.0F;         // at scale 1; the height in which text fades out

  bool asks() const { return run_.scene().predict || run_.scene().check; }
  /// Returns whether the question is open, or nothing follows it: the task comes after the
  /// question.
  bool showsQuestion() const {
    return run_.scene().predict && !(run_.answered() && run_.scene().check);
  }

  /// Draws what is read: the text, and below it what answers, hints and results say. It scrolls,
  /// with a window per scene, so that each begins scrolled to its top.
  void read(const std::string& id, float height) {
    const Rect at = Rect::at(ImGui::GetCursorScreenPos(), {width_, height});
    ImGui::BeginChild(id.c_str(), {0.0F, height}, false);
    joinNavigation();
    keepScrolledPlace();
    if (ImGui::IsWindowAppearing()) ImGui::SetScrollY(0.0F);
    width_ = ImGui::GetContentRegionAvail().x;
    prose(look_.fonts.regular, look_.theme.text, run_.shown().text);
    verdict();
    result();
    scrollToNewParts();
    speaker();
    fadeEdges(at);
    ImGui::EndChild();
    width_ = ImGui::GetContentRegionAvail().x;
  }

  /// Draws what the reader does: the question's choices, then the task. It keeps its place and its
  /// height while answers are given; `lower`: where the height is kept.
  void act(const std::string& id, float height, ImGuiID lower) {
    const float known = ImGui::GetStateStorage()->GetFloat(lower);
    // without a scrollbar where all has room: the lines are as long as they will be
    const auto flags = known > height ? ImGuiWindowFlags_None : ImGuiWindowFlags_NoScrollbar;
    ImGui::BeginChild(id.c_str(), {0.0F, height}, false, flags);
    joinNavigation();
    width_ = ImGui::GetContentRegionAvail().x;
    showsQuestion() ? question() : exercise();
    const float needed = ImGui::GetCursorPosY();
    ImGui::EndChild();
    width_ = ImGui::GetContentRegionAvail().x;
    if (needed <= known) return;
    ImGui::GetStateStorage()->SetFloat(lower, needed);
    *look_.wantsFrame = true;
  }

  /// The key of the greatest height that the question or task of this scene has needed at this
  /// width.
  ImGuiID lowerId() const {
    const std::string key = fmt::format("{}/{}/{}/{}/{:.0f}", run_.lesson().id, run_.place(),
                                        showsQuestion(), run_.shown().checked, width_);
    return ImGui::GetID(key.c_str());
  }

  /// Fades the text out where more of it lies beyond the window's edge.
  void fadeEdges(const Rect& at) const {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float high = look_.px(kFade);
    const ImU32 full = look_.theme.panel, none = withAlpha(full, 0.0F);
    if (ImGui::GetScrollY() > 0.0F) {
      list->AddRectFilledMultiColor(at.a, {at.a.x + width_, at.a.y + high}, full, full, none, none);
    }
    if (ImGui::GetScrollY() < ImGui::GetScrollMaxY()) {
      list->AddRectFilledMultiColor({at.a.x, at.b.y - high}, {at.a.x + width_, at.b.y}, none, none,
                                    full, full);
    }
  }

  std::size_t wrongAnswers() const {
    std::size_t count = 0;
    const std::size_t all = run_.scene().predict ? run_.scene().predict->choices.size() : 0;
    for (std::size_t i = 0; i < all; ++i) count += run_.tried(i) ? 1 : 0;
    return count;
  }

  /// Scrolls so that what has just been answered, hinted at or done is not hidden below the end of
  /// the text.
  void scrollToNewParts() {
    const std::size_t now = (run_.shown().ready ? 1 : 0) + wrongAnswers() +
                            (run_.answered() ? 1 : 0) + (run_.shown().checked ? 1 : 0) +
                            (run_.hintShown() ? 1 : 0);
    int& before = *ImGui::GetStateStorage()->GetIntRef(ImGui::GetID("parts"), 0);
    // in four frames: the task below grows, then a scrollbar appears, and the lines are shorter
    int& frames = *ImGui::GetStateStorage()->GetIntRef(ImGui::GetID("frames"), 0);
    if (before != 0 && static_cast<int>(now) > before) frames = 4;
    before = static_cast<int>(now);
    if (frames == 0) return;
    --frames;
    *look_.wantsFrame = true;
    const bool ofTask = run_.shown().checked || run_.hintShown();
    const float room = ImGui::GetWindowHeight();
    const float end = std::min(ImGui::GetCursorPosY() + look_.px(kFade),
                               (ofTask ? resultAt_ : verdictAt_) + room);
    if (end > ImGui::GetScrollY() + room) ImGui::SetScrollY(end - room);
  }

  void gap() { ImGui::Dummy({0.0F, look_.space.small}); }
  void words(ImFont* font, ImU32 color, const std::string& text) {
    richParagraph(look_.fonts, font, color, text, width_, look_.px(3));
  }
  /// Draws a text of the lesson, whose terms are explained.
  void prose(ImFont* font, ImU32 color, const std::string& text) {
    termParagraph(look_, font, color, text, width_, look_.px(3));
  }

  void head() {
    const lessons::Lesson& lesson = run_.lesson();
    const bool doneNow = run_.shown().checked && !run_.wayShown();
    const bool before = run_.isDone(run_.place()) && !doneNow;
    words(look_.fonts.small, look_.theme.textMuted,
          trFormat("{} · {} of {}{}", tr(lesson.title), run_.place() + 1, lesson.scenes.size(),
                   !before         ? ""
                   : lesson.isQuiz ? tr(" · answered before")
                                   : tr(" · done before")));
    words(look_.fonts.title, look_.theme.text, std::string(tr(run_.scene().title)));
    gap();
  }

  void question() {
    const lessons::Prediction& p = *run_.scene().predict;
    const std::vector<std::string>& choices = run_.shown().choices;
    if (choices.size() != p.choices.size()) return;  // its pass is not computed yet
    gap();
    prose(look_.fonts.semibold, look_.theme.text, run_.shown().question);
    for (std::size_t i = 0; i < choices.size(); ++i) choice(i);
  }

  /// Draws what the last answer means, below the answer itself.
  void verdict() {
    if (!run_.scene().predict || (!run_.answered() && !run_.lastWrong())) return;
    gap();
    verdictAt_ = ImGui::GetCursorPosY();
    const std::size_t given = run_.answered() ? run_.scene().predict->right : *run_.lastWrong();
    words(look_.fonts.small, look_.theme.textMuted,
          fmt::format("“{}”", run_.shown().choices[given]));
    if (!run_.answered()) {
      wrappedLabel(look_.fonts.regular, look_.theme.bad, tr("Not quite."));
      prose(look_.fonts.regular, look_.theme.text, run_.shown().means[given]);
      return;
    }
    wrappedLabel(look_.fonts.regular, look_.theme.good, tr("Yes."));
    prose(look_.fonts.regular, look_.theme.text, run_.shown().reveal);
    if (run_.lesson().isQuiz && run_.lastWrong() && !run_.isDone(run_.place())) {
      wrappedLabel(
          look_.fonts.small, look_.theme.textMuted,
          tr("A question counts where its first choice was right: the end asks it again."));
    }
  }

  /// Draws a choice as a button of the panel's width, with the digit that gives it.
  void choice(std::size_t i) {
    const bool given = run_.answered() && i == run_.scene().predict->right;
    const bool open = !run_.answered() && !run_.tried(i);
    ImGui::PushID(static_cast<int>(i));
    if (formulaButton("choice", run_.shown().choices[i],
                      {.chosen = given, .open = open, .digit = std::to_string(i + 1)})) {
      run_.answer(panel_, i);
    }
    ImGui::PopID();
  }

  struct ButtonLook {
    bool chosen = false;
    bool open = true;        // can be clicked
    bool wide = true;        // as wide as the panel, however short its text
    std::string digit = {};  // the key that does the same, before the text
  };
  /// Draws a button whose text is wrapped and written as formulas are. Returns whether it was
  /// clicked.
  bool formulaButton(const char* id, std::string_view text, const ButtonLook& as) {
    const Theme& t = look_.theme;
    const ImVec2 pad = ImGui::GetStyle().FramePadding;
    const float aside = as.digit.empty() ? 0.0F : look_.px(18);
    const auto paragraph = [&](ImDrawList* list, ImVec2 at, ImU32 color) {
      return drawRichParagraph(list, look_.fonts, look_.fonts.regular, {at.x + aside, at.y}, color,
                               text, width_ - aside - 2.0F * pad.x);
    };
    const ImVec2 size = paragraph(nullptr, {0.0F, 0.0F}, 0);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::BeginDisabled(!as.open);
    const bool clicked = ImGui::InvisibleButton(
        id, {as.wide ? width_ : size.x + 2.0F * pad.x, size.y + 2.0F * pad.y});
    ImGui::EndDisabled();
    const bool hovered = as.open && ImGui::IsItemHovered();
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(at, ImGui::GetItemRectMax(),
                        as.chosen ? t.accentSoft
                        : hovered ? t.fieldHover
                                  : t.field,
                        ImGui::GetStyle().FrameRounding);
    drawText(list, look_.fonts.small, {at.x + pad.x, at.y + pad.y + look_.px(1)}, t.textMuted,
             as.digit);
    paragraph(list, {at.x + pad.x, at.y + pad.y},
              as.chosen ? t.accentText
              : as.open ? t.text
                        : t.textMuted);
    return clicked;
  }

  /// Draws the hint that was asked for, and what follows from the task once it is done.
  void result() {
    if (!run_.scene().check || (!run_.hintShown() && !run_.shown().checked)) return;
    gap();
    resultAt_ = ImGui::GetCursorPosY();
    if (run_.hintShown() && !run_.shown().checked) {
      prose(look_.fonts.regular, look_.theme.text, run_.shown().hint);
    }
    if (!run_.shown().checked) return;
    const bool holds = run_.shown().holds;
    prose(look_.fonts.regular, holds ? look_.theme.good : look_.theme.textMuted,
          (holds ? "" : tr("That is no longer the case; it was: ")) + run_.shown().done);
  }

  void exercise() {
    if (!run_.shown().ready) return;
    const lessons::Check& check = *run_.scene().check;
    gap();
    prose(look_.fonts.semibold, look_.theme.text, run_.shown().exercise);
    if (run_.shown().checked) {
      wrappedLabel(look_.fonts.regular,
                   run_.shown().holds ? look_.theme.good : look_.theme.textMuted,
                   run_.wayShown() ? tr("Shown.") : tr("Done."));
      if (run_.wayShown() && !run_.isDone(run_.place())) {
        wrappedLabel(look_.fonts.small, look_.theme.textMuted,
                     tr("A scene counts once it is done without being shown: come back to it, and "
                        "it is asked again."));
      }
      again(check.again);
      return;
    }
    if (run_.solutionRuns()) {
      words(look_.fonts.small, look_.theme.textMuted,
            run_.pointer().goes() ? tr("Watch the pointer.")
                                  : tr("Watch: the run continues to this point."));
      return;
    }
    if (!check.hint.empty()) {
      if (pill(look_, "A hint", false, !run_.hintShown())) run_.showHint();
      ImGui::SameLine();
    }
    if (!check.way.isNone()) {
      if (pill(look_, tr("Show me"))) run_.showWay(panel_);
      tip(look_, tr("Does it for you; the scene then does not count as done"));
    }
    const float top = ImGui::GetCursorPosY();
    words(look_.fonts.small, look_.theme.textMuted,
          run_.shown().yet.empty() ? tr("Not yet. The program notices as soon as it is done.")
                                   : tr("Not yet. ") + run_.shown().yet);
    // room for longer words, so that the buttons above keep their place
    const float least = kStatusLines * (fontSize(look_.fonts.small) + look_.px(3));
    const float left = least - (ImGui::GetCursorPosY() - top);
    if (left > 0.0F) ImGui::Dummy({0.0F, left});
  }

  /// Draws the teacher's notes, closed at first; a learner need not read them.
  void speaker() {
    if (run_.shown().speaker.empty()) return;
    gap();
    ImGui::PushStyleColor(ImGuiCol_Text, look_.theme.textMuted);
    bool& open = *ImGui::GetStateStorage()->GetBoolRef(ImGui::GetID("speaker"), false);
    if (pill(look_, tr("For teachers"), open)) open = !open;
    ImGui::PopStyleColor();
    if (open) prose(look_.fonts.small, look_.theme.textMuted, run_.shown().speaker);
  }

  /// Draws what the lesson's last scene shows, of a quiz how it stands, the scenes, and the ways
  /// on.
  void end() {
    const lessons::Lesson& lesson = run_.lesson();
    const std::size_t all = lesson.scenes.size();
    const std::size_t done = run_.doneOf(lesson);
    const bool asksAgain = lesson.isQuiz && done < all;
    words(look_.fonts.small, look_.theme.textMuted, std::string(tr(lesson.title)));
    words(look_.fonts.title, look_.theme.text,
          lesson.isQuiz ? trFormat("{} of {} done", done, all) : tr("What you saw"));
    gap();
    const lessons::Lesson* next = nextLesson();
    const float rows = 1.0F + (asksAgain ? 1.0F : 0.0F) + (next != nullptr ? 1.0F : 0.0F);
    const float foot = rows * (ImGui::GetFrameHeight() + look_.space.medium) + look_.space.wide;
    ImGui::BeginChild("seen", {0.0F, ImGui::GetContentRegionAvail().y - foot}, false);
    joinNavigation();
    width_ = ImGui::GetContentRegionAvail().x;
    if (lesson.isQuiz) {
      words(look_.fonts.regular, look_.theme.text, inWords(done, all));
      gap();
    }
    seen();
    const bool ofLayer = panel_.selection.page != kModelPage && panel_.selection.page != kTrainPage;
    const bool keeps = ofLayer && pill(look_, tr("Keep this layer"));
    if (ofLayer) {
      tip(look_, tr("Opens the layer shown here in your own work; undo reverts it"));
    }
    gap();
    if (!lesson.isQuiz) {
      words(look_.fonts.semibold, look_.theme.text, trFormat("{} of {} scenes done", done, all));
    }
    for (std::size_t i = 0; i < all; ++i) {
      ImGui::PushID(static_cast<int>(i));
      question(lesson.scenes[i], i);
      ImGui::PopID();
    }
    ImGui::EndChild();
    if (keeps) return run_.keep(panel_);
    ImGui::Dummy({0.0F, look_.space.tight});
    if (asksAgain && pill(look_, tr("Ask those left"), true)) {
      return run_.askAgain(panel_, run_.firstUndoneOf(lesson));
    }
    if (next != nullptr && formulaButton("next", tr("Next: ") + std::string(tr(next->title)),
                                         {.chosen = !asksAgain, .wide = false})) {
      run_.ask(*next, run_.firstUndoneOf(*next));
    }
    if (pill(look_, tr("All lessons"), !asksAgain && next == nullptr)) return run_.finish();
    ImGui::SameLine(ImGui::GetContentRegionMax().x - buttonWidth(look_, tr("Leave")));
    if (pill(look_, tr("Leave"))) run_.leave();
    tip(look_, tr(kAboutLeaving));
  }

  /// Draws the picture of what the last scene shows, else the lesson's own.
  void seen() {
    const Rect at = Rect::at(ImGui::GetCursorScreenPos(), {width_, width_ * 0.45F});
    std::string shown = drawSeen(panel_, run_.moments(), at);
    if (shown.empty()) {
      drawLessonPicture(look_, ImGui::GetWindowDrawList(), run_.lesson().picture, at);
      shown = tr(run_.lesson().about);
    }
    ImGui::SetCursorScreenPos({at.a.x, at.b.y + look_.space.small});
    words(look_.fonts.small, look_.theme.textMuted, asRichText(shown));
    gap();
  }

  /// How a quiz stands, in words.
  static const char* inWords(std::size_t done, std::size_t all) {
    return done == all ? tr("You did all of them yourself.")
                       : tr("The open questions are asked again. A question counts where the first "
                            "choice was right and its task was done without “Show me”; a task may "
                            "be tried as often as you like.");
  }

  /// The shipped lesson after this one, else the questions on all lessons; null: none. A lecture
  /// is given, not gone on to.
  const lessons::Lesson* nextLesson() const {
    const auto& all = formats::shippedLessons();
    const auto here = std::ranges::find(all, run_.lesson().id, &lessons::Lesson::id);
    if (here == all.end()) return nullptr;
    const auto next = here + 1;
    if (next != all.end() && next->path != kLecturePath) return &*next;
    const auto quiz = std::ranges::find_if(all, &lessons::Lesson::isQuiz);
    const bool open = quiz != all.end() && run_.doneOf(*quiz) < quiz->scenes.size();
    return open ? &*quiz : nullptr;
  }

  /// Draws a scene of the list at the end. An open question has a button to the lesson that
  /// explains it.
  void question(const lessons::Scene& scene, std::size_t place) {
    if (run_.isDone(place)) {
      words(look_.fonts.regular, look_.theme.good, tr("Done: ") + std::string(tr(scene.title)));
      gap();
      return;
    }
    if (formulaButton("scene", tr(scene.title), {.wide = false})) {
      run_.lesson().isQuiz ? run_.askAgain(panel_, place) : run_.goTo(panel_, place);
    }
    if (scene.check) again(scene.check->again);
    gap();
  }

  /// Draws the button that opens the lesson with this id, for review.
  void again(const std::string& id) {
    const auto& all = formats::shippedLessons();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const lessons::Lesson& each) { return each.id == id; });
    if (found == all.end()) return;
    if (pill(look_, trFormat("Look again: lesson {}", found - all.begin() + 1).c_str())) {
      run_.lookAgain(*found);
    }
    tip(look_, tr("You can continue the open lesson later where you left it"));
  }

  void buttons() {
    ImGui::Dummy({0.0F, look_.space.tight});
    if (pill(look_, tr("Back"), false, run_.place() > 0)) run_.back(panel_);
    tip(look_, tr("Page up"));
    ImGui::SameLine();
    const bool last = run_.isLast();
    const std::optional<std::size_t> from = run_.cameFrom();
    const bool skips = run_.lesson().isQuiz && run_.scene().check && !run_.shown().checked;
    if (pill(look_,
             skips          ? tr("Skip")
             : from && last ? tr("Back to the quiz")
                            : tr("Next"),
             true)) {
      run_.next(panel_);
    }
    tip(look_, tr("Page down"));
    if (!run_.open()) return;
    if (from && !last) {
      ImGui::SameLine();
      if (pill(look_, trFormat("To question {}", *from + 1).c_str())) {
        return run_.returnToQuestion();
      }
    }
    ImGui::SameLine(ImGui::GetContentRegionMax().x - buttonWidth(look_, tr("Leave")));
    if (pill(look_, tr("Leave"))) run_.leave();
    tip(look_, tr(kAboutLeaving));
  }

  const PanelContext& panel_;
  const FrameContext& look_;
  LessonRun& run_;
  float width_;
  float verdictAt_ = 0.0F, resultAt_ = 0.0F;  // their upper edges
};

}  // namespace

float lessonWidth(const FrameContext& look, float room) {
  return std::clamp(room * 0.234F, look.px(290), look.px(350));
}

void lessonPanel(const PanelContext& panel, LessonRun& run) { LessonPanel(panel, run).draw(); }

bool lessonKeys(const PanelContext& panel, LessonRun& run) {
  if (!run.open() || run.atEnd()) return false;
  for (std::size_t i = 0; i < run.shown().choices.size(); ++i) {
    if (!charTyped(static_cast<ImWchar>('1' + i))) continue;
    run.answer(panel, i);  // nothing once it is answered: the digit is the question's all the same
    return true;
  }
  return false;
}

}  // namespace headscope::ui
