// Looks card: where each token looks, as lines; the mix of values; q·k as lengths and angle.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "app/ui/compat.h"
#include "app/ui/heads/heads_view.h"
#include "app/ui/heads/looks.h"
#include "app/ui/hover.h"
#include "app/ui/panel.h"
#include "app/ui/parts/token_pictures.h"
#include "app/ui/selection.h"
#include "app/ui/view_state.h"
#include "app/ui/widgets.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

class LooksCard final : public Card {
 public:
  LooksCard()
      : Card({"looks", tr("Looks"), tr("where each token looks, and what it takes from there")}) {}
  void draw(const PanelContext& panel) override {
    followSelection(panel.view, selected_);
    const auto chosen = static_cast<std::size_t>(panel.headsView.looksTab);
    panel.headsView.looksTab = static_cast<LooksTab>(tabs_.tabs(panel, "looks tabs", chosen));
    tabs_.at(chosen).draw(panel);
  }
  void viewOpened(const ViewState& view) override { selected_ = view.selection.cell; }
  std::vector<CardTab> tabs(const PanelContext& /*panel*/) const override {
    return tabs_.asTabs([](const PanelContext& panel, std::size_t place) {
      panel.headsView.looksTab = static_cast<LooksTab>(place);
    });
  }

 private:
  std::optional<CellRef> selected_;  // the selected cell whose tokens were chosen last
  Cards tabs_ = Cards::of(makeSentenceTab(), makeLinesTab(), makeValuesTab(), makeLengthsTab());
};

}  // namespace

void OneQueryTab::draw(const PanelContext& panel) {
  const FrameContext& look = panel.look;
  const AttentionConfig& c = panel.trace.config();
  const RowRef row{panel.selection.item, panel.selection.head, queryOr(lookedAt(panel.view, c), c)};
  Rect room = Rect::rest();
  const float width = room.width();
  const Rect queries =
      room.cutLeft(std::clamp(width * 0.16F, look.px(56), look.px(105)), look.space.medium);
  const Rect words =
      room.cutRight(std::clamp(width * words_.share, look.px(words_.least), look.px(words_.most)),
                    look.space.medium);
  if (const auto clicked = queryList(panel, row.query, queries)) panel.headsView.query = *clicked;
  drawRow(panel, row, room, words);
}

std::optional<Index> OneQueryTab::queryList(const PanelContext& panel, Index chosen, Rect room) {
  const FrameContext& look = panel.look;
  const Theme& t = look.theme;
  std::optional<Index> clicked;
  const Rect title = room.cutTop(fontSize(look.fonts.small) + look.px(3));
  drawText(ImGui::GetWindowDrawList(), look.fonts.small, title.a, t.queryText, tr("query"));
  ImGui::SetCursorScreenPos(room.a);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  beginPart("queries", {room.width(), std::max(room.height(), look.space.wide)});
  const float row = fontSize(look.fonts.small) + look.space.tight;
  if (shown_ != chosen) {
    const float y = static_cast<float>(chosen) * row;
    const float top = ImGui::GetScrollY();
    const float height = ImGui::GetWindowSize().y;
    if (y < top || y + row > top + height) ImGui::SetScrollY(std::max(0.0F, y - height * 0.5F));
    shown_ = chosen;
  }
  const float width = ImGui::GetContentRegionAvail().x;
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(panel.trace.queries()), row);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const std::string name = tokenName(headsState(panel), Lane::query, i);
      const bool lit = i == chosen;
      const ImVec2 corner = ImGui::GetCursorScreenPos();
      ImGui::PushID(i);
      if (ImGui::Selectable("##query", lit, 0, {width, row}) && !lit) {
        clicked = i;
        shown_ = i;  // a clicked query is already in view
      }
      ImGui::PopID();
      Rect line = Rect::at({corner.x + look.space.tight, corner.y}, {width, row});
      patchAtStart(look, list, panel.trace.document().input->x, i, line);
      drawText(list, look.fonts.small, {line.a.x, corner.y + look.space.thin},
               lit ? t.queryText : t.text,
               elided(look.fonts.small, name, line.width() - look.space.medium));
    }
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
  return clicked;
}

std::unique_ptr<Card> makeLooksCard() { return std::make_unique<LooksCard>(); }

}  // namespace headscope::ui
