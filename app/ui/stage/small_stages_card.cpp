// The card of all heads as small stages (see stage_page.h): each with its name, where that holds in
// the sentence shown, and its strongest links. Alone, each has the words of the sentence.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/head_purposes.h"
#include "app/ui/panel.h"
#include "app/ui/selection.h"
#include "app/ui/stage/head_stage.h"
#include "app/ui/stage/sentence_drawing.h"
#include "app/ui/stage/sentence_layout.h"
#include "app/ui/stage/stage_page.h"
#include "app/ui/stage/stage_view.h"
#include "app/ui/widgets.h"
#include "core/attention/config.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/words/cells.h"

namespace headscope::ui {
namespace {

constexpr float kTitled = 120.0F;        // least width of a small stage with its title, in points
constexpr float kTitledHeight = 104.0F;  // of a row with titles

class SmallStagesCard final : public Card {
 public:
  SmallStagesCard()
      : Card({.id = kSmallStagesCard,
              .title = tr("Heads"),
              .about = tr("The same sentence in every head"),
              .framed = false}) {}

  void draw(const PanelContext& panel) override {
    const FrameContext& look = panel.look;
    const auto* stories = storiesOf(panel);
    const Index heads = panel.trace.config().numHeads;
    Rect room = Rect::rest();
    Rect title;
    if (panel.alone) {
      title = room.cutTop(look.px(46), look.px(8));
      drawLettersCentred(look, ImGui::GetWindowDrawList(), title.centre(), room.width(),
                         look.px(36), true, look.theme.text, slideTitle(panel, heads));
    } else {
      title = room.cutTop(look.px(24), look.px(2));
    }
    if (stories == nullptr) return;
    ImGui::SetCursorScreenPos(room.a);
    beginPart("small stages", room.size(), ImGuiWindowFlags_NoBackground);
    room = Rect::at(ImGui::GetCursorScreenPos(), room.size());
    const float gap = look.px(10);
    const int columns = columnsFor(panel, heads, room);
    const int rows = (static_cast<int>(heads) + columns - 1) / columns;
    named_ = panel.selection.head;
    for (Index h = 0; h < heads; ++h) {
      const Rect row = room.row(static_cast<int>(h) / columns, rows, gap);
      stage(panel, h, (*stories)[static_cast<std::size_t>(h)],
            row.column(static_cast<int>(h) % columns, columns, gap));
    }
    ImGui::EndChild();
    if (!panel.alone) titleLine(panel, *stories, title, room.width() / static_cast<float>(columns));
  }

 private:
  /// Draws what a head is; where the small stages have no room for names, the name of the head
  /// under the mouse or of the chosen one; and why heads could not be checked in this sentence.
  void titleLine(const PanelContext& panel, std::span<const HeadStory> stories, const Rect& line,
                 float columnWidth) const {
    const FrameContext& look = panel.look;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const char* text = stories.size() == 1 ? tr("One head: one way of looking.")
                                           : tr("A head is one way of looking. Click one.");
    ImFont* font = look.fonts.semibold;
    drawText(list, font, line.a, look.theme.textMuted, text);
    if (columnWidth < look.px(kTitled)) {
      const float x = line.a.x + textSize(font, text).x + look.px(24);
      drawText(list, font, {x, line.a.y}, headColor(look.theme, static_cast<std::size_t>(named_)),
               elided(font, namedHead(panel.purposes, named_), line.b.x - x));
      return;
    }
    whyUnchecked(panel, stories, line);
  }

  /// Draws, at the right of the title, why heads could not be checked in this sentence.
  static void whyUnchecked(const PanelContext& panel, std::span<const HeadStory> stories,
                           const Rect& line) {
    const auto unchecked =
        std::ranges::find_if(stories, [](const HeadStory& each) { return !each.why.empty(); });
    if (unchecked == stories.end()) return;
    const FrameContext& look = panel.look;
    ImFont* font = look.fonts.regular;
    const std::string text =
        elided(font, trFormat("Not checked: {}.", unchecked->why), line.width() * 0.6F);
    drawText(ImGui::GetWindowDrawList(), font, {line.b.x - textSize(font, text).x, line.a.y},
             look.theme.textMuted, text);
  }

  static std::string slideTitle(const PanelContext& panel, Index heads) {
    constexpr const char* kNumbers[] = {"",
                                        trLater("One"),
                                        trLater("Two"),
                                        trLater("Three"),
                                        trLater("Four"),
                                        trLater("Five"),
                                        trLater("Six"),
                                        trLater("Seven"),
                                        trLater("Eight")};
    if (heads == 1) return tr("One head, one question");
    const std::string count = heads <= 8 ? tr(kNumbers[heads]) : std::to_string(heads);
    return trFormat("{} heads, one question each, the same {}", count,
                    tokenNoun(panel.trace.document()).whole);
  }

  static int columnsFor(const PanelContext& panel, Index heads, const Rect& room) {
    const float scale = panel.look.scale;
    if (panel.alone && heads <= 12) return heads < 3 ? 1 : 2;
    // as in layoutStage: titles where they fit on two rows, or a phone is high enough
    const auto titled = static_cast<Index>(room.width() / (148.0F * scale));
    const auto narrow = static_cast<Index>(room.width() / (66.0F * scale));
    const Index columns = std::max<Index>(1, titled), rows = (heads + columns - 1) / columns;
    const bool tall = static_cast<float>(rows) * kTitledHeight * scale <= room.height();
    const bool small = rows > 2 && !tall;
    const Index most = std::max<Index>(1, std::min(heads, small ? narrow : titled));
    const Index used = (heads + most - 1) / most;
    return static_cast<int>((heads + used - 1) / used);  // rows of one length
  }

  void stage(const PanelContext& panel, Index head, const HeadStory& story, Rect at) {
    const FrameContext& look = panel.look;
    const Theme& t = look.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const bool chosen = head == panel.selection.head && !panel.alone;
    ImGui::SetCursorScreenPos(at.a);
    ImGui::PushID(static_cast<int>(head));
    if (ImGui::InvisibleButton("head", at.size())) chooseHead(panel, head);
    noteControl(look, trFormat("Head {}", head + 1));
    const bool hovered = ImGui::IsItemHovered();
    ImGui::PopID();
    const std::string title = purposeTitle(panel.purposes, head);
    const std::string note = noteOf(story, tokenNoun(panel.trace.document()));
    const std::string explanation = purposeExplanation(panel, head);
    std::string about = explanation.empty() ? trFormat("Head {}", head + 1) : explanation;
    if (const std::string more = noteExplained(panel.trace, panel.selection.item, story);
        !more.empty()) {
      about += "\n" + more;
    }
    tip(look, about);
    if (hovered) named_ = head;
    const ImU32 color = headColor(t, static_cast<std::size_t>(head));
    const bool off = panel.trace.config().gain(head) == 0.0F;
    if (!panel.alone) {
      list->AddRectFilled(at.a, at.b,
                          chosen    ? t.accentSoft
                          : hovered ? t.fieldHover
                                    : t.panel,
                          look.px(10));
      list->AddRect(at.a, at.b, chosen ? color : t.panelBorder, look.px(10), 0,
                    look.px(chosen ? 2.5F : 1.0F));
    }
    Rect room = at.inset({look.px(12), look.px(panel.alone ? 1 : 9)});
    const bool titled = room.width() >= look.px(kTitled) - look.px(24);
    if (!titled && !panel.alone) return compact(panel, head, story, at, color);
    const bool picture = panel.trace.document().input->patches.on();
    const bool sideBySide = picture && !panel.alone && room.width() >= 1.8F * room.height();
    Rect pictureAt;  // at the left of the title, where it is larger than below it
    if (sideBySide) pictureAt = room.cutLeft(room.height(), look.px(10));
    ImFont* font = panel.alone ? look.fonts.title : look.fonts.semibold;
    const Rect top = room.cutTop(fontSize(font), look.px(2));
    drawText(list, font, top.a, color, std::to_string(head + 1));
    const float left = textSize(font, std::to_string(head + 1)).x + look.px(10);
    if (titled && !title.empty()) {
      // below the title a picture takes the second line
      const int most = sideBySide ? 3 : panel.alone || picture ? 1 : 2;
      ImFont* plain = panel.alone ? look.fonts.title : look.fonts.regular;
      auto lines = titleLines(plain, title, top.width() - left, most);
      for (ImFont* smaller : {look.fonts.small, look.fonts.tiny}) {
        if (panel.alone || !lines.back().ends_with("…")) break;
        plain = smaller;
        lines = titleLines(plain, title, top.width() - left, most);
      }
      ImVec2 corner{top.a.x + left, top.a.y + (fontSize(font) - fontSize(plain)) * 0.5F};
      for (const std::string& line : lines) {
        drawText(list, plain, corner, note.empty() ? t.text : t.textMuted, line);
        corner.y += fontSize(plain);
      }
      if (!panel.alone && !picture) {
        room.cutTop(fontSize(plain) * static_cast<float>(lines.size() - 1));
      }
    }
    if (panel.alone) example(panel, head, story, top, color);
    const std::string below = off ? tr("switched off") : note;
    const bool hasNote = !below.empty() && titled;
    if (hasNote) {
      const Rect foot = room.cutBottom(fontSize(look.fonts.regular));
      ImFont* noted = look.fonts.regular;
      for (ImFont* smaller : {look.fonts.small, look.fonts.tiny}) {
        if (textSize(noted, below).x > foot.width()) noted = smaller;
      }
      drawText(list, noted, foot.a, t.textMuted, elided(noted, below, foot.width()));
    } else if (titled && !panel.alone) {
      room.cutBottom(look.px(4));
    }
    const HeadStage shown{head, &story, sideBySide ? pictureAt : room};
    panel.alone ? drawHeadWithWords(panel, shown) : drawHeadWithDots(panel, shown);
  }

  /// Draws a small stage without a title: the number, and below it or next to it the links.
  static void compact(const PanelContext& panel, Index head, const HeadStory& story, const Rect& at,
                      ImU32 color) {
    const FrameContext& look = panel.look;
    ImFont* font = look.fonts.small;
    Rect room = at.inset({look.px(6), look.px(4)});
    const std::string number = std::to_string(head + 1);
    drawText(ImGui::GetWindowDrawList(), font, room.a, color, number);
    const bool below = room.height() >= 2.2F * fontSize(font);
    below ? room.cutTop(fontSize(font)) : room.cutLeft(textSize(font, "000").x);
    drawHeadWithDots(panel, {head, &story, room});
  }

  /// Draws the pair of words that shows the head best, at the right of its title: "slept → cat".
  static void example(const PanelContext& panel, Index head, const HeadStory& story,
                      const Rect& line, ImU32 color) {
    const StageSubject subject{panel.selection.item, head, story.best};
    const std::vector<Link> links = linksOf(panel.trace, subject);
    if (links.empty() || story.kind == HeadStory::Kind::absent) return;
    const auto name = [&](Axis axis, Index at) {
      return std::string(stageWord(placeName(panel.trace, axis, subject.item, at)));
    };
    const std::string text = fmt::format("{} → {}", name(Axis::query, links.front().query),
                                         name(Axis::key, links.front().key));
    ImFont* font = panel.look.fonts.title;
    drawText(ImGui::GetWindowDrawList(), font, {line.b.x - textSize(font, text).x, line.a.y}, color,
             text);
  }

  Index named_ = 0;  // the head under the mouse, or the chosen one
};

}  // namespace

std::unique_ptr<Card> makeSmallStagesCard() { return std::make_unique<SmallStagesCard>(); }

}  // namespace headscope::ui
