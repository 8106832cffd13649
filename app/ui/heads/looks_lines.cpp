// The tab of the lines (see looks.h), with the controls of its heads and of the share of weights
// drawn.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/control_focus.h"
#include "app/ui/head_purposes.h"
#include "app/ui/heads/heads_view.h"
#include "app/ui/heads/looks.h"
#include "app/ui/panel.h"
#include "app/ui/parts/computed.h"
#include "app/ui/selection.h"
#include "app/ui/widgets.h"
#include "core/analysis/weight_readings.h"
#include "core/attention/config.h"
#include "core/base/translation.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

constexpr Index kMostChosenLines = 2000;  // at any height of the card
constexpr Index kLookedAtOnce = 400'000;  // the most weights read within a frame
constexpr float kLeastMass = 0.05F;
constexpr float kLinesPerPoint = 3.0F;  // per point of height; more lines are indistinct

/// Returns the question of the lines to draw: the row of the query looked at; all rows for a key
/// looked at; else the visible rows.
LineQuestion questionOf(const PanelContext& panel, const TokenColumns& columns) {
  LineQuestion q;
  q.item = panel.selection.item;
  q.heads = lineHeads(panel.headsView, panel.selection.head, panel.trace.config().numHeads);
  q.mass = static_cast<double>(panel.headsView.lineMass);
  const float height = (columns.queries.bottom - columns.queries.top) / panel.look.scale;
  q.most = std::clamp(static_cast<Index>(height * kLinesPerPoint), kMostChosenLines / 8,
                      kMostChosenLines);
  if (columns.at.query >= 0) {
    q.queries = {columns.at.query, 1};
  } else if (columns.at.key >= 0) {
    q.queries = columns.queries.range;
    q.key = columns.at.key;
  } else {
    q.queries = columns.queries.visible();
  }
  return q;
}

Computed<LineChoice> wantLines(const PanelContext& panel, const LineQuestion& q) {
  const Fingerprint key("chosen lines", panel.trace.revision(TensorId::weights), q.item,
                        q.queries.first, q.queries.count, q.key, q.most, q.mass, q.heads);
  const bool little = workOf(q, panel.trace.config()) <= kLookedAtOnce;
  return panel.computations.request<LineChoice>(
      "chosen lines", key, little ? Schedule::now : Schedule::background, [&] {
        return [trace = panel.traceHeld, q](const std::atomic<bool>& cancelled) {
          LineChoice choice = chooseLines(*trace, q, cancelled);
          return cancelled ? std::nullopt : std::optional(std::move(choice));
        };
      });
}

/// Draws small text in this many lines, wrapped at spaces. Where a line is cut, a tooltip shows the
/// whole text.
void drawInLines(const FrameContext& look, const Rect& room, int lines, const std::string& text) {
  ImFont* font = look.fonts.small;
  const std::vector<std::string> shown = titleLines(font, text, room.width(), lines);
  ImVec2 at = room.a;
  for (const std::string& line : shown) {
    drawText(ImGui::GetWindowDrawList(), font, at, look.theme.textMuted, line);
    at.y += fontSize(font) + look.space.hair;
  }
  if (text.ends_with(shown.back())) return;
  ImGui::SetCursorScreenPos(room.a);
  pictureArea("words", room.size());
  tip(look, text);
}

/// Small numbered buttons, one per head in its colour, that switch the head's lines on and off.
class HeadSwatches {
 public:
  /// The buttons take at most `mostRows` rows; more rows scroll.
  HeadSwatches(const PanelContext& panel, float width, Index mostRows)
      : panel_(panel),
        look_(panel.look),
        heads_(panel.trace.config().numHeads),
        gap_(look_.px(3)),
        one_(look_.space.wide, look_.px(18)) {
    const Index inRow = inARow(width);
    const Index rows = std::min((heads_ + inRow - 1) / inRow, mostRows);
    oneRow_ = heads_ <= inRow;
    row_ = oneRow_ ? heads_ : inARow(width - ImGui::GetStyle().ScrollbarSize);
    size = oneRow_ ? ImVec2(static_cast<float>(heads_) * (one_.x + gap_) - gap_,
                            one_.y + look_.space.thin)
                   : ImVec2(width, static_cast<float>(rows) * (one_.y + gap_));
  }

  ImVec2 size;

  /// Draws the buttons. A click toggles a head's lines; ctrl+click draws only them.
  void draw(const std::vector<Index>& drawn) const {
    const Theme& t = look_.theme;
    beginPart("swatches", size, oneRow_ ? ImGuiWindowFlags_NoScrollbar : 0);
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImVec2 origin = ImGui::GetCursorScreenPos();
    const Index chosen = panel_.selection.head;
    for (Index h = 0; h < heads_; ++h) {
      const Rect at = Rect::at({origin.x + static_cast<float>(h % row_) * (one_.x + gap_),
                                origin.y + static_cast<float>(h / row_) * (one_.y + gap_)},
                               one_);
      const bool on = std::binary_search(drawn.begin(), drawn.end(), h);
      const ImU32 color = headColor(t, static_cast<std::size_t>(h));
      ImGui::SetCursorScreenPos(at.a);
      ImGui::PushID(static_cast<int>(h));
      if (ImGui::InvisibleButton("swatch", one_)) {
        toggleLines(panel_.headsView, chosen, h, heads_, ImGui::GetIO().KeyCtrl);
      }
      const bool hovered = ImGui::IsItemHovered();
      tip(look_, trFormat("Head {}: {} its lines; with ctrl only its", h + 1,
                          on ? tr("take away") : tr("draw")));
      ImGui::PopID();
      const float round = look_.space.tight;
      list->AddRectFilled(at.a, at.b, on ? color : hovered ? t.fieldHover : t.field, round);
      if (h == chosen) list->AddRect(at.a, at.b, on ? t.text : color, round, 0, look_.space.hair);
      drawTextCentred(list, look_.fonts.tiny, at.centre(), on ? legibleOn(color) : t.textMuted,
                      std::to_string(h + 1));
    }
    ImGui::EndChild();
  }

 private:
  Index inARow(float width) const {
    return std::max<Index>(1, static_cast<Index>((width + gap_) / (one_.x + gap_)));
  }

  const PanelContext& panel_;
  const FrameContext& look_;
  Index heads_;
  float gap_;
  ImVec2 one_;
  Index row_ = 1;  // buttons per row
  bool oneRow_ = true;
};

/// The controls below the words: the heads' buttons, the pills for sets of heads, and the
/// threshold.
class LineControls {
 public:
  LineControls(const PanelContext& panel, const Rect& room)
      : panel_(panel),
        look_(panel.look),
        low_(room.height() < look_.px(170)),  // small rooms keep height for the picture
        swatchRoom_(room.width() - look_.px(kPillsWidth)),
        swatches_(panel, low_ ? swatchRoom_ : room.width(), low_ ? 1 : 2),
        oneLine_(swatches_.size.x <= swatchRoom_),
        line_(fontSize(look_.fonts.small) + look_.space.small) {}

  float height() const {
    return oneLine_ ? std::max(line_, swatches_.size.y)
                    : swatches_.size.y + look_.space.thin + line_;
  }

  void draw(Rect room, const std::vector<Index>& drawn) const {
    ImGui::SetCursorScreenPos(room.a);
    swatches_.draw(drawn);
    if (oneLine_) {
      room.cutLeft(swatches_.size.x, look_.space.medium);
    } else {
      room.cutTop(swatches_.size.y, look_.space.thin);
    }
    ImGui::SetCursorScreenPos(room.a);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(look_.space.small, look_.px(2.5F)));
    pushFont(look_.fonts.small);
    pills(drawn);
    ImGui::PopFont();
    ImGui::PopStyleVar();
  }

 private:
  static constexpr float kPillsWidth = 216.0F;  // the width of pills and slider

  void pills(const std::vector<Index>& drawn) const {
    HeadsView& heads = panel_.headsView;
    const Index count = panel_.trace.config().numHeads;
    const bool all = static_cast<Index>(drawn.size()) == count;
    if (pill(look_, tr("all"), all && count > 1)) pick(count);
    ImGui::SameLine(0.0F, look_.space.tight);
    if (pill(look_, tr("none"), drawn.empty())) pick(0);
    ImGui::SameLine(0.0F, look_.space.tight);
    const bool following = !heads.linesPicked && heads.lineHeads.empty();
    if (pill(look_, trFormat("head {}###this head", panel_.selection.head + 1).c_str(),
             following)) {
      heads.lineHeads.clear();
      heads.linesPicked = false;
    }
    tip(look_, tr("The lines of the chosen head"));
    ImGui::SameLine(0.0F, look_.space.medium);
    ImGui::SetNextItemWidth(look_.px(62));
    float percent = heads.lineMass * 100.0F;
    if (ImGui::SliderFloat("##mass", &percent, kLeastMass * 100.0F, 100.0F, "",
                           ImGuiSliderFlags_AlwaysClamp)) {
      heads.lineMass = std::clamp(std::round(percent) / 100.0F, kLeastMass, 1.0F);
    }
    tip(look_, tr("Draws each query's largest weights up to this share of the row"));
    ImGui::SameLine(0.0F, look_.space.tight);
    inlineLabel(look_, look_.fonts.monoSmall, look_.theme.textMuted,
                fmt::format("{:.0f} %", heads.lineMass * 100.0F));
  }

  void pick(Index heads) const {
    panel_.headsView.linesPicked = true;
    panel_.headsView.lineHeads.clear();
    for (Index h = 0; h < heads; ++h) panel_.headsView.lineHeads.push_back(h);
  }

  const PanelContext& panel_;
  const FrameContext& look_;
  bool low_;
  float swatchRoom_;
  HeadSwatches swatches_;
  bool oneLine_;
  float line_;
};

class LinesTab final : public Card {
 public:
  LinesTab()
      : Card({"lines", tr("Columns"),
              tr("A line for each of the largest weights, from query to key"), 0, true,
              tr("query to key, thickness = weight")}) {}
  void draw(const PanelContext& panel) override {
    const FrameContext& look = panel.look;
    Rect room = Rect::rest();
    const LineControls controls(panel, room);
    const int lines = room.height() > look.px(190) ? 2 : 1;
    const Rect below = room.cutBottom(controls.height());
    const Rect words = room.cutBottom(
        (fontSize(look.fonts.small) + look.space.hair) * static_cast<float>(lines) + look.px(3),
        look.space.tight);
    const LooksAt looked = lookedAt(panel.view, panel.trace.config());
    const TokenColumns columns = tokenColumns(panel, room, scrolled_, looked);
    if (columns.chosen) {
      panel.headsView.query = columns.chosen->query;
      panel.headsView.key = columns.chosen->key;
      scrolledTo_ = *columns.chosen;  // a clicked token is already in view
    }
    pages(panel, columns, room.a.y);
    scroll(panel, columns, room);
    const LineQuestion question = questionOf(panel, columns);
    const auto choice = wantLines(panel, question);
    Index drawn = 0;
    if (choice.last != nullptr) drawn = drawLines(panel, columns, *choice.last);
    if (choice.current != nullptr) drawWeights(panel, columns, *choice.current);
    drawInLines(look, words, lines, inWords(panel, choice, question, columns, drawn));
    controls.draw(below, question.heads);
  }

 private:
  static const TokenColumn& longer(const TokenColumns& columns) {
    return columns.queries.range.count > columns.keys.range.count ? columns.queries : columns.keys;
  }
  static float hiddenOf(const TokenColumn& column) {
    return static_cast<float>(column.range.count) - column.shown();
  }

  void moveBy(float share) { scrolled_ = std::clamp(scrolled_ + share, 0.0F, 1.0F); }

  /// Draws the buttons between the columns' headings: paging of long inputs, and clearing the
  /// chosen token.
  void pages(const PanelContext& panel, const TokenColumns& columns, float top) {
    const FrameContext& look = panel.look;
    HeadsView& heads = panel.headsView;
    const TokenColumn& column = longer(columns);
    const float hidden = hiddenOf(column);
    const float page = hidden > 0.0F ? std::min(1.0F, 0.9F * column.shown() / hidden) : 1.0F;
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(look.space.small, 0.0F));
    pushFont(look.fonts.small);
    ImGui::SetCursorScreenPos({columns.left + look.space.medium, top - look.space.hair});
    if (columns.scrolls()) {
      if (pill(look, "↑", false, scrolled_ > 0.0F)) moveBy(-page);
      tip(look, tr("Earlier tokens (the wheel scrolls)"));
      ImGui::SameLine(0.0F, look.space.tight);
      if (pill(look, "↓", false, scrolled_ < 1.0F)) moveBy(page);
      tip(look, tr("Later tokens (the wheel scrolls)"));
      ImGui::SameLine(0.0F, look.space.medium);
    }
    if ((heads.query >= 0 || heads.key >= 0) && pill(look, tr("all tokens"))) {
      heads.query = heads.key = -1;
    }
    ImGui::PopFont();
    ImGui::PopStyleVar();
  }

  /// Scrolls by the wheel, and scrolls a newly chosen token into view.
  void scroll(const PanelContext& panel, const TokenColumns& columns, const Rect& room) {
    const LooksAt chosen{panel.headsView.query, panel.headsView.key};
    const bool changed = scrolledTo_ != chosen;
    scrolledTo_ = chosen;
    if (!columns.scrolls()) return;
    if (changed) {
      const bool byQuery = chosen.query >= 0;
      const TokenColumn& column = byQuery ? columns.queries : columns.keys;
      const Index token = byQuery ? chosen.query : chosen.key;
      const TokenRange seen = column.visible();
      if (token >= 0 && (token < seen.first || token >= seen.first + seen.count)) {
        scrolled_ = scrolledTo(column, token);
        *panel.look.wantsFrame = true;
      }
    }
    const float wheel = ImGui::GetIO().MouseWheel;
    if (wheel == 0.0F || !ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows)) return;
    if (!ImGui::IsMouseHoveringRect(room.a, room.b)) return;
    const TokenColumn& column = longer(columns);
    moveBy(-wheel * std::max(1.0F, column.shown() * 0.12F) / std::max(1.0F, hiddenOf(column)));
    *panel.look.wantsFrame = true;
  }

  /// Returns the words below the picture: about the lines drawn, or the weights of the token looked
  /// at.
  static std::string inWords(const PanelContext& panel, const Computed<LineChoice>& choice,
                             const LineQuestion& question, const TokenColumns& columns,
                             Index drawn) {
    if (!choice.problem.empty()) return std::string(choice.problem);
    if (choice.current == nullptr) return tr("choosing the largest weights …");
    if (columns.at.any() && !question.heads.empty()) {
      return looksInWords(panel.trace.document(), *choice.current, question, columns.at);
    }
    std::string text = linesInWords(*choice.current, question, drawn);
    if (!columns.scrolls()) return text;
    const TokenRange seen = columns.queries.visible();
    return trFormat("queries {} to {} of {} · {}", seen.first, seen.first + seen.count - 1,
                    panel.trace.config().seqLen, text);
  }

  float scrolled_ = 0.0F;  // 0 … 1, where the tokens do not all fit
  LooksAt scrolledTo_;     // the tokens scrolled to last
};

}  // namespace

std::unique_ptr<Card> makeLinesTab() { return std::make_unique<LinesTab>(); }

}  // namespace headscope::ui
