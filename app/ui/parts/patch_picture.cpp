#include "app/ui/parts/patch_picture.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/ui/frame_state.h"
#include "app/ui/panel.h"
#include "app/ui/parts/matrix.h"
#include "app/ui/selection.h"
#include "app/ui/tip_place.h"
#include "core/document/document.h"

namespace headscope::ui {

std::optional<PatchPicture> PatchPicture::of(const Input& input, Index item) {
  const Readings& readings = input.readings;
  constexpr std::array kChannels{"red", "green", "blue", "row", "column"};
  std::array<Index, kChannels.size()> place{};
  for (std::size_t i = 0; i < kChannels.size(); ++i) {
    const auto found = std::find(readings.channels.begin(), readings.channels.end(), kChannels[i]);
    if (found == readings.channels.end()) return std::nullopt;
    place[i] = found - readings.channels.begin();
  }
  const Index channels = std::ssize(readings.channels);
  const Index tokens = readings.values.shape()[1];
  const auto at = static_cast<std::size_t>(item);
  if (at >= readings.lengths.size()) return std::nullopt;
  PatchPicture picture;
  for (Index t = 0; t < readings.lengths[at]; ++t) {
    const float* values = readings.values.data() + (item * tokens + t) * channels;
    const auto value = [&](std::size_t channel) { return values[place[channel]]; };
    const float row = value(3);
    const float column = value(4);
    constexpr float kMostSide = 256.0F;
    const auto isPlace = [](float v) { return v >= 0.0F && v < kMostSide && v == std::floor(v); };
    if (!isPlace(row) || !isPlace(column)) continue;
    const ImVec4 color(value(0), value(1), value(2), 1.0F);
    picture.patches_.push_back({t, static_cast<Index>(row), static_cast<Index>(column),
                                ImGui::ColorConvertFloat4ToU32(color)});
    picture.side_ = std::max(
        {picture.side_, picture.patches_.back().row + 1, picture.patches_.back().column + 1});
  }
  if (picture.patches_.empty()) return std::nullopt;
  return picture;
}

void PatchPicture::draw(const FrameContext& look, ImDrawList* list, const Rect& at, Index query,
                        Index key) const {
  const MatrixPlace place{at, side_, side_};
  for (const Patch& patch : patches_) {
    const Rect cell = place.cellAt(patch.row, patch.column);
    list->AddRectFilled(cell.a, cell.b, patch.color);
  }
  list->AddRect(at.a, at.b, look.theme.panelBorder);
  for (const Patch& patch : patches_) {
    const Rect cell = place.cellAt(patch.row, patch.column);
    if (patch.token == key) drawFrame(look, list, cell, look.theme.keyText, 1.5F);
    if (patch.token == query) drawFrame(look, list, cell, look.theme.queryText, 1.5F);
  }
}

std::vector<Rect> PatchPicture::places(const Rect& at, Index tokens) const {
  const MatrixPlace place{at, side_, side_};
  std::vector<Rect> all(static_cast<std::size_t>(tokens));
  for (const Patch& patch : patches_) {
    if (patch.token < tokens) {
      all[static_cast<std::size_t>(patch.token)] = place.cellAt(patch.row, patch.column);
    }
  }
  const ImVec2 size = place.cell();
  float y = at.a.y;
  for (Rect& each : all) {
    if (!each.empty()) continue;
    each = Rect::at({at.a.x - 2.0F * size.x, y}, size);
    y += size.y * 1.5F;
  }
  return all;
}

bool patchPictureHere(const PanelContext& panel, float side) {
  const auto picture = PatchPicture::of(*panel.document.input, panel.selection.item);
  if (!picture) return false;
  const FrameContext& look = panel.look;
  Index query = -1;
  Index key = -1;
  const auto note = [&](Lane lane, Index at) {
    if (lane == Lane::query) query = at;
    if (lane == Lane::key) key = at;
  };
  if (panel.frame.hovered) {
    note(panel.frame.hovered->rowLane, panel.frame.hovered->row);
    note(panel.frame.hovered->colLane, panel.frame.hovered->col);
  } else if (panel.selection.cell) {
    if (info(panel.selection.cell->tensor).rows == Axis::query) query = panel.selection.cell->row;
    if (info(panel.selection.cell->tensor).cols == Axis::key) key = panel.selection.cell->col;
  }
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  ImGui::Dummy({side, side});
  picture->draw(look, ImGui::GetWindowDrawList(), Rect::at(corner, {side, side}), query, key);
  if (ImGui::IsItemHovered()) {
    const float large = look.px(224);
    placeNextBeside(Rect::at(corner, {side, side}), {large + look.px(28), large + look.px(48)},
                    look.space.small);
    ImGui::BeginTooltip();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::Dummy({large, large});
    picture->draw(look, ImGui::GetWindowDrawList(), Rect::at(at, {large, large}), query, key);
    ImGui::TextUnformatted("The image, a square for each patch in its mean colour.");
    ImGui::EndTooltip();
  }
  return true;
}

}  // namespace headscope::ui
