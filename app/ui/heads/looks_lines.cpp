#include "app/ui/heads/looks_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "app/ui/compat.h"
#include "app/ui/heads/head_swatches.h"
#include "app/ui/heads/line_drawing.h"
#include "app/ui/heads/looks_words.h"
#include "app/ui/heads/token_columns.h"
#include "app/ui/heads/wrapped_words.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

constexpr Index kAtOnce = 400'000;  // weights looked at without a thread of its own
constexpr float kLeastMass = 0.05F;
constexpr float kLinesPerPoint = 3.0F;  // of height: more are not told apart

/// The rows whose lines are drawn: those seen, or all where a key asks who looks at it.
LineQuestion questionOf(const Panel& panel, const TokenColumns& columns) {
  const ViewState& view = panel.view;
  LineQuestion q;
  q.item = view.item;
  q.heads = lineHeads(view.heads, view.head, panel.trace.config().numHeads);
  q.mass = static_cast<double>(view.heads.lineMass);
  const float height = (columns.queries.bottom - columns.queries.top) / panel.look.scale;
  q.most = std::clamp(static_cast<Index>(height * kLinesPerPoint), kMostLines / 8, kMostLines);
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

/// What is there of the answer; null while the first is under way.
const LineChoice* answer(const Panel& panel, LinesMemory& memory, const LineQuestion& q) {
  const auto number = [](Index n) { return static_cast<std::uint64_t>(n); };
  Reckoned<LineChoice>::Key key{panel.trace.revision(TensorId::weights),
                                number(q.item),
                                number(q.queries.first),
                                number(q.queries.count),
                                number(q.key),
                                number(q.most),
                                static_cast<std::uint64_t>(std::lround(q.mass * 1e6))};
  for (const Index head : q.heads) key.push_back(number(head));
  const bool little = workOf(q, panel.trace.config()) <= kAtOnce;
  memory.choice.want(key, little, [&] {
    return [trace = panel.trace, q](const std::atomic<bool>& cancelled) {
      LineChoice choice = chooseLines(trace, q, cancelled);
      return cancelled ? std::nullopt : std::optional(std::move(choice));
    };
  });
  return memory.choice.last();
}

void massSlider(const Panel& panel) {
  const Look& look = panel.look;
  HeadsView& heads = panel.view.heads;
  ImGui::SetNextItemWidth(look.px(62));
  float percent = heads.lineMass * 100.0F;
  if (ImGui::SliderFloat("##mass", &percent, kLeastMass * 100.0F, 100.0F, "%.0f %%",
                         ImGuiSliderFlags_AlwaysClamp)) {
    heads.lineMass = std::clamp(std::round(percent) / 100.0F, kLeastMass, 1.0F);
  }
  tip(look,
      "Of each query's weights the largest are drawn, until they make up this share of the row");
}

/// Below the words: swatches, which heads, and the threshold.
class Controls {
 public:
  Controls(const Panel& panel, ImVec2 room) : panel_(panel), look_(panel.look) {
    const Index heads = panel.trace.config().numHeads;
    const bool low = room.y < look_.px(170);  // the picture needs the height
    const float beside = room.x - look_.px(kControls);
    swatches_ = swatchesSize(look_, heads, low ? beside : room.x, low ? 1 : 2);
    beside_ = swatches_.x <= beside;
    row_ = fontSize(look_.fonts.small) + look_.px(6);
  }
  float height() const {
    return beside_ ? std::max(row_, swatches_.y) : swatches_.y + look_.px(3) + row_;
  }
  void draw(const std::vector<Index>& drawn) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    headSwatches(panel_, drawn, swatches_);
    ImGui::SetCursorScreenPos(beside_ ? ImVec2(at.x + swatches_.x + look_.px(10), at.y)
                                      : ImVec2(at.x, at.y + swatches_.y + look_.px(3)));
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(look_.px(6), look_.px(2.5F)));
    pushFont(look_.fonts.small);
    pills(drawn);
    ImGui::PopFont();
    ImGui::PopStyleVar();
  }

 private:
  static constexpr float kControls = 216.0F;  // what the pills and the slider take

  void pills(const std::vector<Index>& drawn) {
    HeadsView& heads = panel_.view.heads;
    const Index count = panel_.trace.config().numHeads;
    const float gap = look_.px(4);
    const bool all = static_cast<Index>(drawn.size()) == count;
    if (pill(look_, "all", all && count > 1)) pick(count);
    ImGui::SameLine(0.0F, gap);
    if (pill(look_, "none", drawn.empty())) pick(0);
    ImGui::SameLine(0.0F, gap);
    const bool following = !heads.linesPicked && heads.lineHeads.empty();
    if (pill(look_, fmt::format("head {}###this head", panel_.view.head + 1).c_str(), following)) {
      heads.lineHeads.clear();
      heads.linesPicked = false;
    }
    tip(look_, "The lines of the head that is chosen");
    ImGui::SameLine(0.0F, look_.px(8));
    massSlider(panel_);
  }
  void pick(Index heads) {
    panel_.view.heads.linesPicked = true;
    panel_.view.heads.lineHeads.clear();
    for (Index h = 0; h < heads; ++h) panel_.view.heads.lineHeads.push_back(h);
  }

  const Panel& panel_;
  const Look& look_;
  ImVec2 swatches_;
  bool beside_ = false;
  float row_ = 0.0F;
};

/// What a page is of the way from the first token to the last.
float pageOf(const TokenColumns& columns) {
  const TokenColumn& c =
      columns.queries.range.count > columns.keys.range.count ? columns.queries : columns.keys;
  const float hidden = static_cast<float>(c.range.count) - c.shown();
  return hidden > 0.0F ? std::min(1.0F, 0.9F * c.shown() / hidden) : 1.0F;
}

/// Between the columns' headings: the pages of long inputs, and choosing no token.
void pages(const Panel& panel, LinesMemory& memory, const TokenColumns& columns, float top) {
  const Look& look = panel.look;
  HeadsView& heads = panel.view.heads;
  const float page = pageOf(columns);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(look.px(6), 0.0F));
  pushFont(look.fonts.small);
  ImGui::SetCursorScreenPos({columns.left + look.px(10), top - look.px(1)});
  if (columns.scrolls()) {
    if (pill(look, "↑", false, memory.scrolled > 0.0F)) memory.scrolled -= page;
    tip(look, "Earlier tokens (the wheel scrolls)");
    ImGui::SameLine(0.0F, look.px(4));
    if (pill(look, "↓", false, memory.scrolled < 1.0F)) memory.scrolled += page;
    tip(look, "Later tokens (the wheel scrolls)");
    ImGui::SameLine(0.0F, look.px(10));
    memory.scrolled = std::clamp(memory.scrolled, 0.0F, 1.0F);
  }
  if ((heads.query >= 0 || heads.key >= 0) && pill(look, "all tokens")) {
    heads.query = heads.key = -1;
  }
  ImGui::PopFont();
  ImGui::PopStyleVar();
}

/// The wheel, and bringing into view what was chosen since.
void scroll(const Panel& panel, LinesMemory& memory, const TokenColumns& columns, ImVec2 a,
            ImVec2 b) {
  const LooksAt chosen{panel.view.heads.query, panel.view.heads.key};
  if (!columns.scrolls()) {
    memory.scrolledTo = chosen;
    return;
  }
  if (memory.scrolledTo != chosen) {
    memory.scrolledTo = chosen;
    const bool byQuery = chosen.query >= 0;
    const TokenColumn& column = byQuery ? columns.queries : columns.keys;
    const Index token = byQuery ? chosen.query : chosen.key;
    const TokenRange seen = column.visible();
    if (token >= 0 && (token < seen.first || token >= seen.first + seen.count)) {
      memory.scrolled = scrolledTo(column, token);
      *panel.look.wantsFrame = true;
    }
  }
  const float wheel = ImGui::GetIO().MouseWheel;
  if (wheel == 0.0F || !ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows)) return;
  if (!ImGui::IsMouseHoveringRect(a, b)) return;
  const TokenColumn& c =
      columns.queries.range.count > columns.keys.range.count ? columns.queries : columns.keys;
  const float hidden = std::max(1.0F, static_cast<float>(c.range.count) - c.shown());
  memory.scrolled =
      std::clamp(memory.scrolled - wheel * std::max(1.0F, c.shown() * 0.12F) / hidden, 0.0F, 1.0F);
  *panel.look.wantsFrame = true;
}

/// Below the picture: what is drawn, or what the token looked at looks at.
std::string words(const Panel& panel, const LinesMemory& memory, const LineQuestion& q,
                  const TokenColumns& columns, Index drawn) {
  if (!memory.choice.error().empty()) return memory.choice.error();
  const LineChoice* choice = memory.choice.current();
  if (choice == nullptr) return "choosing the largest weights …";
  if (columns.at.any() && !q.heads.empty()) {
    return looksInWords(panel.trace.document(), *choice, q, columns.at);
  }
  std::string text = linesInWords(*choice, q, drawn);
  if (columns.scrolls()) {
    const TokenRange seen = columns.queries.visible();
    text = fmt::format("queries {} to {} of {} · ", seen.first, seen.first + seen.count - 1,
                       panel.trace.config().seqLen) +
           text;
  }
  return text;
}

}  // namespace

void looksLines(const Panel& panel, LinesMemory& memory) {
  const Look& look = panel.look;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  Controls controls(panel, room);
  const float line = fontSize(look.fonts.small) + look.px(1);
  const int rows = room.y > look.px(190) ? 2 : 1;
  const float text = line * static_cast<float>(rows) + look.px(3);
  const ImVec2 end(at.x + room.x, at.y + room.y - controls.height() - text - look.px(4));

  const LooksAt looked = lookedAt(panel.view, panel.trace.config());
  const TokenColumns columns = tokenColumns(panel, at, end, memory.scrolled, looked);
  if (columns.chosen) {
    panel.view.heads.query = columns.chosen->query;
    panel.view.heads.key = columns.chosen->key;
    memory.scrolledTo = *columns.chosen;  // it is in view
  }
  pages(panel, memory, columns, at.y);
  scroll(panel, memory, columns, at, end);
  const LineQuestion question = questionOf(panel, columns);
  const LineChoice* choice = answer(panel, memory, question);
  Index drawn = 0;
  if (choice != nullptr) {
    drawn = drawLines(panel, columns, *choice);
    if (memory.choice.current() != nullptr) drawWeights(panel, columns, *choice);
  }

  const float below = end.y + look.px(4);
  drawWrapped(look, {at.x, below}, room.x, rows, look.theme.textMuted,
              words(panel, memory, question, columns, drawn));
  ImGui::SetCursorScreenPos({at.x, below + text});
  controls.draw(question.heads);
}

}  // namespace headscope::ui
