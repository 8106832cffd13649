#include "app/ui/heads/output_shares.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/heads/effect_picture.h"
#include "app/ui/heads/switch_off.h"
#include "app/ui/rich_text.h"
#include "app/ui/tools/tool_row.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

void formula(const Look& look, ImU32 color, const char* text) {
  drawRichText(ImGui::GetWindowDrawList(), look.fonts, look.fonts.small,
               ImGui::GetCursorScreenPos(), color, text);
  ImGui::Dummy({richTextSize(look.fonts, look.fonts.small, text).x,
                fontSize(look.fonts.small) + look.px(4)});
}

/// "1  0.213": every head's share and the bias's, in as many columns as fit.
void shareList(const Panel& panel, const std::vector<double>& shares) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float cell = look.px(80);
  const float line = fontSize(look.fonts.small) + look.px(3);
  const auto columns =
      std::max<std::size_t>(1, static_cast<std::size_t>(ImGui::GetContentRegionAvail().x / cell));
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const bool bias = i + 1 == shares.size();
    const ImVec2 place(at.x + static_cast<float>(i % columns) * cell,
                       at.y + static_cast<float>(i / columns) * line);
    if (!bias && static_cast<Index>(i) == panel.view.head) {
      list->AddRectFilled({place.x - look.px(3), place.y - look.px(1)},
                          {place.x + cell - look.px(8), place.y + line - look.px(1)}, t.accentSoft,
                          look.px(3));
    }
    const std::string name = bias ? "b_O" : std::to_string(i + 1);
    drawRichText(list, look.fonts, look.fonts.small, place, bias ? t.textMuted : headColor(t, i),
                 name);
    drawText(list, look.fonts.monoSmall, {place.x + look.px(28), place.y + look.px(1)}, t.text,
             fmt::format("{}", cellNumber(shares[i], 3)));
  }
  const std::size_t rows = (shares.size() + columns - 1) / columns;
  ImGui::Dummy({1, static_cast<float>(rows) * line});
}

void words(const Panel& panel, const HeadEffects* effects) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  const AttentionConfig& c = panel.trace.config();
  formula(look, t.text, "output = Σ_h head_h · W^O_h + b_O");
  formula(look, t.textMuted, "share_h = (head_h W^O_h) · output / ‖output‖^2");
  if (effects == nullptr) return;
  const Index token = chosenToken(panel);
  const std::vector<double> shares = sharesOf(*effects, token);
  if (shares.empty()) {
    sentence(look, t.bad,
             fmt::format("Not defined for {}: its output is 0.", tokenInQuotes(panel, token)));
    return;
  }
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  const double against =
      std::accumulate(shares.begin(), shares.end(), 0.0,
                      [](double all, double s) { return all + std::min(s, 0.0); });
  std::string text = fmt::format("{}: {}{}, Σ = {:.3f}", tokenInQuotes(panel, token),
                                 c.numHeads == 1 ? "1 head" : fmt::format("{} heads", c.numHeads),
                                 c.bias ? " and the bias" : ", no bias", sum);
  if (against < 0.0) text += fmt::format("; {} of it against the output", cellNumber(against, 3));
  sentence(look, t.text, text);
  shareList(panel, shares);
}

}  // namespace

void outputSharesTab(const Panel& panel, OutputSharesMemory& memory, const Figures* figures,
                     FiguresMemory& measuring, Magnitudes& magnitudes) {
  const Look& look = panel.look;
  const AttentionConfig& c = panel.trace.config();
  const HeadEffects* effects = figures == nullptr ? nullptr : &figures->effects;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float gap = look.px(22);
  const float left = std::min(look.px(340), room.x * 0.36F);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(look.px(8), look.px(2)));
  beginPart("share words", {left, room.y});
  words(panel, effects);
  ImGui::EndChild();
  ImGui::PopStyleVar();

  auto& norms = memory.norms;
  const std::uint64_t revision = panel.trace.revision(TensorId::wO);
  if (norms.revision != revision || static_cast<Index>(norms.values.size()) != c.numHeads) {
    norms = {revision, outputBlockNorms(panel.trace)};
  }
  const float blocks = (room.x - left - 2 * gap) * 0.44F;
  ImGui::SetCursorScreenPos({at.x + left + gap, at.y});
  outputBlocks(panel, norms.values, magnitudes, {blocks, room.y});

  const float x = at.x + left + blocks + 2 * gap;
  const float width = at.x + room.x - x;
  ImGui::SetCursorScreenPos({x, at.y});
  if (effects == nullptr) {
    noFigures(panel, measuring);
    return;
  }
  auto& shares = memory.shares;
  const TokenBars tokens(effects->tokens(), mostShareBars(look, width, effects->heads()));
  if (shares.version != versionOf(measuring) || shares.tokens != tokens) {
    shares = {versionOf(measuring), tokens, ShareBars(*effects, tokens)};
  }
  shareBars(panel, {shares.tokens, shares.bars}, {width, room.y});
}

}  // namespace headscope::ui
