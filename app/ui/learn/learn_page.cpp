#include "app/ui/learn/learn_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/ui/ids.h"
#include "app/ui/panel.h"
#include "app/ui/rich_text.h"
#include "app/ui/widgets.h"
#include "core/formats/lesson_json.h"

namespace headscope::ui {
namespace {

constexpr const char* kLessonsCard = "lessons";
constexpr const char* kAboutPresenting =
    "For an audience: each scene fills the screen, with one sentence; page down and page up, or → "
    "and ←, go forward and back";

constexpr float kEntryHeight = 96.0F;  // height of a lesson in the list
constexpr float kLearnMargin = 14.0F;

int columnsIn(const FrameContext& look, float width) {
  return std::clamp(static_cast<int>(width / look.px(400)), 1, 3);
}

class LessonsCard final : public Card {
 public:
  explicit LessonsCard(LessonRun& run)
      : Card({kLessonsCard, "Lessons", "Each runs in the live window, with something to do"}),
        run_(run) {}

  void draw(const PanelContext& panel) override {
    const FrameContext& look = panel.look;
    const ImVec2 top = ImGui::GetCursorPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const float room = width - lectureButton(panel, {top.x, top.y - look.space.tight}, width) -
                       textSize(look.fonts.semibold, text().title).x - look.px(24);
    heading(look, text().title,
            room > look.px(60) ? elided(look.fonts.small, text().about, room).c_str() : nullptr);
    const int columns = columnsIn(look, width);
    const float gap = look.space.wide;
    const float each =
        (width - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns);
    const float height = look.px(kEntryHeight);
    const ImVec2 from = ImGui::GetCursorPos();
    int place = 0;
    for (const lessons::Lesson& lesson : formats::shippedLessons()) {
      const auto column = static_cast<float>(place % columns);
      const auto row = static_cast<float>(place / columns);
      ImGui::SetCursorPos(
          {from.x + column * (each + gap), from.y + row * (height + look.space.medium)});
      ImGui::PushID(place++);
      ImGui::BeginChild("lesson", {each, height}, false, ImGuiWindowFlags_NoScrollbar);
      entry(panel, lesson, place, each);
      ImGui::EndChild();
      ImGui::PopID();
    }
  }

 private:
  /// Draws at the right end of the heading the button of the shipped lecture. Returns its width.
  float lectureButton(const PanelContext& panel, ImVec2 at, float width) {
    const auto& all = formats::shippedLessons();
    const auto lecture = std::find_if(all.begin(), all.end(), [](const lessons::Lesson& lesson) {
      return lesson.id.ends_with("_lecture");
    });
    if (lecture == all.end()) return 0.0F;
    const ImVec2 below = ImGui::GetCursorPos();
    const std::string whole = fmt::format("In a classroom: “{}”", lecture->title);
    const std::string text =
        buttonWidth(panel.look, whole) < width * 0.7F ? whole : "In a classroom";
    const float own = buttonWidth(panel.look, text);
    ImGui::SetCursorPos({at.x + width - own, at.y});
    if (pill(panel.look, text.c_str())) run_.present(*lecture);
    tip(panel.look, kAboutPresenting);
    ImGui::SetCursorPos(below);
    return own;
  }

  void entry(const PanelContext& panel, const lessons::Lesson& lesson, int number, float width) {
    const FrameContext& look = panel.look;
    richParagraph(look.fonts, look.fonts.semibold, look.theme.text,
                  fmt::format("{}  {}", number, lesson.title), width);
    richParagraph(look.fonts, look.fonts.small, look.theme.textMuted, lesson.about, width);
    const std::size_t done = run_.doneOf(lesson);
    const std::size_t all = lesson.scenes.size();
    const char* scenes = lesson.isQuiz ? "questions" : "scenes";
    const bool goesOn = done > 0 && done < all;
    if (pill(look, goesOn ? "Go on" : done == all ? "Again" : "Start", done == 0)) {
      run_.ask(lesson, run_.firstUndoneOf(lesson));
    }
    ImGui::SameLine();
    if (pill(look, "Present")) run_.present(lesson);
    tip(look, kAboutPresenting);
    ImGui::SameLine();
    inlineLabel(look, look.fonts.small, done == all ? look.theme.good : look.theme.textMuted,
                done > 0 ? fmt::format("{} of {} {} {}", done, all, scenes,
                                       lesson.isQuiz ? "answered" : "done")
                         : fmt::format("{} {}, {} minutes", all, scenes, lesson.minutes));
  }

  LessonRun& run_;
};

class LearnPage final : public Page {
 public:
  explicit LearnPage(LessonRun& run)
      : Page({kLearnPage, "Learn", "Lessons in the live window", kLessonsCard, kLessonsCard},
             Cards::of(std::unique_ptr<Card>(std::make_unique<LessonsCard>(run)))) {}

  bool showsDocument(const ViewState& /*view*/) const override { return false; }
  std::string figuresInWords(const PanelContext& /*panel*/) const override { return {}; }

  ImVec2 content(const PanelContext& panel, ImVec2 body) const override {
    const FrameContext& look = panel.look;
    const int columns = columnsIn(look, body.x - look.px(4 * kLearnMargin));
    const int count = static_cast<int>(formats::shippedLessons().size());
    const auto rows = static_cast<float>((count + columns - 1) / columns);
    return {body.x,
            std::max(body.y, look.px(80) + rows * (look.px(kEntryHeight) + look.space.medium))};
  }
  std::vector<Rect> layout(const PanelContext& panel, ImVec2 content) const override {
    const float margin = panel.look.px(kLearnMargin);
    return {Rect{{margin, margin}, {content.x - margin, content.y - margin}}};
  }
  std::string placeInWords(const PanelContext& /*panel*/,
                           std::string_view /*card*/) const override {
    return "Lessons";
  }
  std::string keysInWords(const ViewState& /*view*/) const override { return {}; }
};

}  // namespace

std::unique_ptr<Page> makeLearnPage(LessonRun& run) { return std::make_unique<LearnPage>(run); }

}  // namespace headscope::ui
