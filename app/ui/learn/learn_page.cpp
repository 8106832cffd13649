#include "app/ui/learn/learn_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/ids.h"
#include "app/ui/learn/lesson_picture.h"
#include "app/ui/panel.h"
#include "app/ui/rich_text.h"
#include "app/ui/widgets.h"
#include "core/base/translation.h"
#include "core/formats/lesson_json.h"

namespace headscope::ui {
namespace {

constexpr const char* kLessonsCard = "lessons";
constexpr const char* kAboutPresenting = trLater(
    "For an audience: each scene fills the screen, with one sentence; page down and page up, or → "
    "and ←, go forward and back");

constexpr float kEntryHeight = 136.0F;  // of a lesson, in points
constexpr float kPathHeight = 34.0F;    // of a path's heading
constexpr float kEntryGap = 10.0F;
constexpr float kPictureWidth = 84.0F;
constexpr float kLearnMargin = 14.0F;

/// A way through some of the lessons; each continues the one before.
struct LearningPath {
  std::string_view id;  // Lesson::path
  const char* title;
  const char* about;
};
constexpr LearningPath kPaths[] = {
    {"ten minutes", trLater("Ten minutes"),
     trLater("what attention is, and why it has several heads")},
    {"an hour", trLater("An hour"), trLater("each step, and how heads come to do what they do")},
    {"a course", trLater("A course"), trLater("decoders, code, other data, and twelve questions")},
    {kLecturePath, trLater("A lecture"),
     trLater("given before an audience, with notes for the speaker")}};

/// A lesson with its number in the list.
struct Numbered {
  const lessons::Lesson* lesson;
  int number;
};

std::vector<Numbered> lessonsOf(const LearningPath& path) {
  std::vector<Numbered> found;
  int number = 0;
  for (const lessons::Lesson& lesson : formats::shippedLessons()) {
    ++number;
    if (lesson.path == path.id) found.push_back({&lesson, number});
  }
  return found;
}

int columnsIn(const FrameContext& look, float width) {
  return std::clamp(static_cast<int>(width / look.px(370)), 1, 4);
}

/// The height of all paths in this width.
float heightIn(const FrameContext& look, float width) {
  float height = 0.0F;
  for (const LearningPath& path : kPaths) {
    const auto count = static_cast<int>(lessonsOf(path).size());
    const int columns = columnsIn(look, width);
    const auto rows = static_cast<float>((count + columns - 1) / columns);
    height += look.px(kPathHeight) + rows * look.px(kEntryHeight + kEntryGap);
  }
  return height;
}

class LessonsCard final : public Card {
 public:
  explicit LessonsCard(LessonRun& run)
      : Card({kLessonsCard, tr("Lessons"),
              tr("Each runs in the live window, with something to do")}),
        run_(run) {}

  void draw(const PanelContext& panel) override {
    const FrameContext& look = panel.look;
    const ImVec2 top = ImGui::GetCursorPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const float room = width - lectureButton(panel, {top.x, top.y - look.space.tight}, width) -
                       textSize(look.fonts.semibold, text().title).x - look.px(24);
    heading(look, text().title,
            room > look.px(60) ? elided(look.fonts.small, text().about, room).c_str() : nullptr);
    const ImVec2 size = ImGui::GetContentRegionAvail();
    beginPart("paths", size, ImGuiWindowFlags_NoBackground);  // on a phone it scrolls
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    Rect rest = Rect::at(corner, {ImGui::GetContentRegionAvail().x, heightIn(look, size.x)});
    for (const LearningPath& path : kPaths) drawPath(panel, path, rest);
    ImGui::EndChild();
  }

 private:
  /// Draws at the right end of the heading the button of the shipped lecture. Returns its width.
  float lectureButton(const PanelContext& panel, ImVec2 at, float width) {
    const auto& all = formats::shippedLessons();
    const auto lecture = std::find_if(all.begin(), all.end(), [](const lessons::Lesson& lesson) {
      return lesson.path == kLecturePath;
    });
    if (lecture == all.end()) return 0.0F;
    const ImVec2 below = ImGui::GetCursorPos();
    const std::string whole = trFormat("In a classroom: “{}”", tr(lecture->title));
    const std::string text =
        buttonWidth(panel.look, whole) < width * 0.7F ? whole : tr("In a classroom");
    const float own = buttonWidth(panel.look, text);
    ImGui::SetCursorPos({at.x + width - own, at.y});
    if (pill(panel.look, text.c_str(), true)) run_.present(*lecture);
    tip(panel.look, tr(kAboutPresenting));
    ImGui::SetCursorPos(below);
    return own;
  }

  void drawPath(const PanelContext& panel, const LearningPath& path, Rect& room) {
    const FrameContext& look = panel.look;
    const std::vector<Numbered> of = lessonsOf(path);
    pathHeading(look, path, of, room.cutTop(look.px(kPathHeight)));
    const int columns = columnsIn(look, room.width());
    const float gap = look.px(kEntryGap);
    const auto rows = (static_cast<int>(of.size()) + columns - 1) / columns;
    for (int row = 0; row < rows; ++row) {
      const Rect line = room.cutTop(look.px(kEntryHeight), gap);
      for (int column = 0; column < columns; ++column) {
        const auto place = static_cast<std::size_t>(row * columns + column);
        if (place < of.size()) entry(panel, of[place], line.column(column, columns, gap));
      }
    }
  }

  /// Draws a path's name and how much of it is done, in words and as a bar.
  void pathHeading(const FrameContext& look, const LearningPath& path,
                   const std::vector<Numbered>& of, const Rect& at) const {
    std::size_t done = 0, all = 0;
    for (const Numbered& each : of) {
      done += run_.doneOf(*each.lesson);
      all += each.lesson->scenes.size();
    }
    ImDrawList* list = ImGui::GetWindowDrawList();
    ImFont* font = look.fonts.semibold;
    const float y = at.a.y + look.px(8);
    drawText(list, font, {at.a.x, y}, look.theme.accentText, tr(path.title));
    const float left = at.a.x + textSize(font, tr(path.title)).x + look.space.medium;
    const std::string so = trFormat("{} of {}", done, all);
    const float bar = look.px(90);
    const float right = at.b.x - bar - look.space.medium;
    const float count = textSize(look.fonts.small, so).x;
    const float low = y + fontSize(font) - fontSize(look.fonts.small) - look.space.hair;
    drawText(list, look.fonts.small, {left, low}, look.theme.textMuted,
             elided(look.fonts.small, tr(path.about), right - count - look.space.large - left));
    drawText(list, look.fonts.small, {right - count, low}, look.theme.textMuted, so);
    const float thick = look.px(5);
    const ImVec2 from{at.b.x - bar, y + (fontSize(font) - thick) * 0.5F};
    list->AddRectFilled(from, {at.b.x, from.y + thick}, look.theme.field, thick);
    const float share = all > 0 ? static_cast<float>(done) / static_cast<float>(all) : 0.0F;
    if (done > 0) {
      list->AddRectFilled(from, {from.x + bar * share, from.y + thick}, look.theme.accent, thick);
    }
  }

  void entry(const PanelContext& panel, const Numbered& of, const Rect& at) {
    const FrameContext& look = panel.look;
    const lessons::Lesson& lesson = *of.lesson;
    ImGui::SetCursorScreenPos(at.a);
    ImGui::PushID(of.number);
    beginPart("lesson", at.size(),
              ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRect(at.a, {at.b.x - look.space.hair, at.b.y - look.space.hair},
                  look.theme.panelBorder, look.px(8));
    Rect room = at.inset(look.px(11));
    Rect picture = room.cutLeft(look.px(kPictureWidth), look.space.large);
    drawLessonPicture(look, list, lesson.picture, picture.inset({0.0F, look.px(18)}));
    ImGui::SetCursorScreenPos(room.a);
    richParagraph(look.fonts, look.fonts.semibold, look.theme.text,
                  lesson.path == kLecturePath ? std::string(tr(lesson.title))
                                              : fmt::format("{}  {}", of.number, tr(lesson.title)),
                  room.width());
    ImGui::SetCursorScreenPos({room.a.x, ImGui::GetCursorScreenPos().y});
    const ImVec2 below = ImGui::GetCursorScreenPos();
    const float foot = room.b.y - ImGui::GetFrameHeight();
    ImGui::PushClipRect(below, {room.b.x, foot - look.space.tight}, true);
    richParagraph(look.fonts, look.fonts.small, look.theme.textMuted, std::string(tr(lesson.about)),
                  room.width());
    ImGui::PopClipRect();
    ImGui::SetCursorScreenPos({room.a.x, foot});
    buttons(look, lesson);
    ImGui::EndChild();
    ImGui::PopID();
  }

  void buttons(const FrameContext& look, const lessons::Lesson& lesson) {
    const std::size_t done = run_.doneOf(lesson);
    const std::size_t all = lesson.scenes.size();
    const bool isBegun = done > 0 && done < all;
    const bool isLecture = lesson.path == kLecturePath;
    if (pill(look,
             isBegun       ? tr("Go on")
             : done == all ? tr("Again")
                           : tr("Start"),
             done == 0 && !isLecture)) {
      run_.ask(lesson, run_.firstUndoneOf(lesson));
    }
    ImGui::SameLine();
    if (pill(look, tr("Present"), isLecture)) run_.present(lesson);
    tip(look, tr(kAboutPresenting));
    ImGui::SameLine();
    std::string text =
        done == 0 ? trFormat("{} {}, {} min", all, lesson.isQuiz ? tr("questions") : tr("scenes"),
                             lesson.minutes)
        : lesson.isQuiz ? trFormat("{} of {} done", done, all)
                        : trFormat("{} of {} done", done, all);
    const bool fits = textSize(look.fonts.small, text).x <= ImGui::GetContentRegionAvail().x;
    if (done == 0 && !fits) text = trFormat("{} min", lesson.minutes);
    inlineLabel(look, look.fonts.small, done == all ? look.theme.good : look.theme.textMuted, text);
  }

  LessonRun& run_;
};

class LearnPage final : public Page {
 public:
  explicit LearnPage(LessonRun& run)
      : Page(
            {kLearnPage, tr("Learn"), tr("Lessons in the live window"), kLessonsCard, kLessonsCard},
            Cards::of(std::unique_ptr<Card>(std::make_unique<LessonsCard>(run)))) {}

  bool showsDocument(const ViewState& /*view*/) const override { return false; }
  bool editsLayer() const override { return false; }
  std::string figuresInWords(const PanelContext& /*panel*/) const override { return {}; }

  ImVec2 content(const PanelContext& panel, ImVec2 body) const override {
    const FrameContext& look = panel.look;
    const float width = body.x - look.px(4 * kLearnMargin);
    return {body.x, std::max(body.y, look.px(80) + heightIn(look, width))};
  }
  std::vector<Rect> layout(const PanelContext& panel, ImVec2 content) const override {
    const float margin = panel.look.px(kLearnMargin);
    return {Rect{{margin, margin}, {content.x - margin, content.y - margin}}};
  }
  std::string placeInWords(const PanelContext& /*panel*/,
                           std::string_view /*card*/) const override {
    return tr("Lessons");
  }
  std::string keysInWords(const ViewState& /*view*/) const override { return {}; }
};

}  // namespace

std::unique_ptr<Page> makeLearnPage(LessonRun& run) { return std::make_unique<LearnPage>(run); }

}  // namespace headscope::ui
