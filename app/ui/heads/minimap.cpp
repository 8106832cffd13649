#include "app/ui/heads/minimap.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/ui/compat.h"
#include "app/ui/control_focus.h"
#include "app/ui/heads/token_zoom.h"
#include "app/ui/scene_commands.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kSide = 112.0F;  // points
constexpr double kStep = 0.5;    // of what is shown, by an arrow

void overview(const Panel& panel, const HeadPictures::Drawn& drawn, const ColorScale& scale,
              ImVec2 a, ImVec2 b) {
  const PictureSet& set = drawn.parts->overview;
  const auto at = set.find({Picture::Of::head, panel.view.head, 0});
  if (!at) return;
  const AttentionConfig& c = panel.trace.config();
  gl::HeatmapSource source;
  source.rows = static_cast<int>(set.spec.blocks.down());
  source.cols = static_cast<int>(set.spec.blocks.across());
  source.key = ImGui::GetID("minimap picture");
  source.revision = set.serial * 1024 + static_cast<std::uint64_t>(panel.view.head);
  source.fill = [parts = drawn.parts, at = *at](float* out) {
    const auto& cells = parts->overview.cells[at];
    std::copy(cells.begin(), cells.end(), out);
  };
  gl::HeatmapBatch batch;
  addSource(batch, panel.look, std::move(source), scale, a, b);
  gl::HeatmapQuad& quad = batch.quads.back();
  quad.row1 = static_cast<float>(c.seqLen) / static_cast<float>(set.spec.blocks.rowStep);
  quad.col1 = static_cast<float>(c.keys()) / static_cast<float>(set.spec.blocks.colStep);
  addHeatmaps(ImGui::GetWindowDrawList(), panel.look.scene, std::move(batch));
}

/// Puts the middle of what is shown at a share of all tokens.
void centreOn(TokenRange& range, Index n, float share) {
  const TokenRange now = shownOf(range, n);
  const auto middle = static_cast<Index>(share * static_cast<float>(n));
  range = moved(range, n, middle - now.count / 2 - now.first);
}

std::string rangeWords(const char* name, const TokenRange& range, Index n) {
  if (range.count == n) return fmt::format("{}: all {}", name, n);
  return fmt::format("{} {} – {}", name, range.first + 1, range.first + range.count);
}

std::string stepWords(const CellSteps& steps) {
  if (steps.queries * steps.keys == 1) return "each cell is one pair";
  return fmt::format("a cell covers {} × {}", steps.queries, steps.keys);
}

/// The same by keyboard.
void arrows(const Panel& panel, const TokensShown& shown) {
  HeadsView& view = panel.view.heads;
  const AttentionConfig& c = panel.trace.config();
  const auto stepOf = [](const TokenRange& range) {
    return std::max<Index>(1, static_cast<Index>(static_cast<double>(range.count) * kStep));
  };
  const auto press = [&](const char* text, TokenRange& range, Index n, Index by) {
    if (pill(panel.look, text, false, !isWhole(range, n))) range = moved(range, n, by);
  };
  const float gap = panel.look.px(3);
  const Index queries = stepOf(shown.queries);
  const Index keys = stepOf(shown.keys);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                      ImVec2(panel.look.px(6), ImGui::GetStyle().FramePadding.y));
  press("◀##keys", view.keys, c.keys(), -keys);
  ImGui::SameLine(0.0F, gap);
  press("▶##keys", view.keys, c.keys(), keys);
  ImGui::SameLine(0.0F, gap);
  press("▲##queries", view.queries, c.seqLen, -queries);
  ImGui::SameLine(0.0F, gap);
  press("▼##queries", view.queries, c.seqLen, queries);
  ImGui::PopStyleVar();
}

}  // namespace

float minimapWidth(const Panel& panel) {
  const AttentionConfig& c = panel.trace.config();
  const HeadsView& view = panel.view.heads;
  const bool whole = isWhole(view.queries, c.seqLen) && isWhole(view.keys, c.keys());
  if (whole && std::max(c.seqLen, c.keys()) <= kShortInput) return 0.0F;
  return panel.look.px(kSide + 14.0F);
}

void minimap(const Panel& panel, const HeadPictures::Drawn* drawn, const TokensShown& shown,
             const ColorScale& scale, const CellSteps& steps, ImVec2 at) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  const AttentionConfig& c = panel.trace.config();
  HeadsView& view = panel.view.heads;
  const float line = fontSize(look.fonts.small) + look.px(4);
  ImDrawList* list = ImGui::GetWindowDrawList();
  drawText(list, look.fonts.small, at, t.text, fmt::format("Head {}, whole", panel.view.head + 1));
  const float side = look.px(kSide);
  const auto ratio = static_cast<float>(c.keys()) / static_cast<float>(c.seqLen);
  const ImVec2 a(at.x, at.y + line);
  const ImVec2 size(std::max(side * std::min(ratio, 1.0F), look.px(20)),
                    std::max(side / std::max(ratio, 1.0F), look.px(20)));
  const ImVec2 b(a.x + size.x, a.y + size.y);
  if (drawn != nullptr) overview(panel, *drawn, scale, a, b);
  list->AddRect(a, b, t.panelBorder);
  const auto x = [&](Index key) {
    return a.x + size.x * static_cast<float>(key) / static_cast<float>(c.keys());
  };
  const auto y = [&](Index query) {
    return a.y + size.y * static_cast<float>(query) / static_cast<float>(c.seqLen);
  };
  const float least = look.px(4);
  const ImVec2 from(x(shown.keys.first), y(shown.queries.first));
  const ImVec2 to(std::max(x(shown.keys.first + shown.keys.count), from.x + least),
                  std::max(y(shown.queries.first + shown.queries.count), from.y + least));
  const bool whole = shown.queries.count == c.seqLen && shown.keys.count == c.keys();
  if (!whole) list->AddRectFilled(from, to, withAlpha(t.accent, 0.15F));
  list->AddRect(from, to, t.accent, 0, 0, look.px(1.5F));

  ImGui::SetCursorScreenPos(a);
  pictureArea("minimap", size);
  if (ImGui::IsItemActive()) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    centreOn(view.queries, c.seqLen, (mouse.y - a.y) / size.y);
    centreOn(view.keys, c.keys(), (mouse.x - a.x) / size.x);
  }
  float below = a.y + size.y + look.px(4);
  for (const std::string& words : {rangeWords("queries", shown.queries, c.seqLen),
                                   rangeWords("keys", shown.keys, c.keys()), stepWords(steps)}) {
    drawText(list, look.fonts.small, {a.x, below}, t.textMuted, words);
    below += line;
  }
  ImGui::SetCursorScreenPos({a.x, below + look.px(2)});
  ImGui::BeginGroup();
  arrows(panel, shown);
  ImGui::EndGroup();
}

}  // namespace headscope::ui
