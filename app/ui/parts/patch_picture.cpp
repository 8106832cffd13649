#include "app/ui/parts/patch_picture.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "app/ui/frame_state.h"
#include "app/ui/panel.h"
#include "app/ui/parts/matrix.h"
#include "app/ui/parts/token_pictures.h"
#include "app/ui/scene_commands.h"
#include "app/ui/selection.h"
#include "app/ui/tip_place.h"
#include "core/base/translation.h"
#include "core/document/document.h"

namespace headscope::ui {

std::optional<PatchPicture> PatchPicture::of(const Input& input, Index item) {
  const Readings& readings = input.readings;
  constexpr std::array kChannels{"red", "green", "blue"};
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
  picture.x_ = input.x;
  for (Index t = 0; t < readings.lengths[at]; ++t) {
    const float* values = readings.values.data() + (item * tokens + t) * channels;
    const auto value = [&](std::size_t channel) { return values[place[channel]]; };
    const auto patch =
        patchPlace(readings.channels, std::span(values, static_cast<std::size_t>(channels)));
    if (!patch) continue;
    const ImVec4 color(value(0), value(1), value(2), 1.0F);
    picture.patches_.push_back(
        {t, patch->row, patch->column, ImGui::ColorConvertFloat4ToU32(color)});
    picture.side_ = std::max(
        {picture.side_, picture.patches_.back().row + 1, picture.patches_.back().column + 1});
  }
  if (picture.patches_.empty()) return std::nullopt;
  return picture;
}

void PatchPicture::draw(const FrameContext& look, ImDrawList* list, const Rect& at, Index query,
                        Index key) const {
  const MatrixPlace place{at, side_, side_};
  if (look.pictures != nullptr && look.pictures->x.sameAs(x_)) {
    addPicture(list, look.scene, {look.pictures->picture, {{{at.a.x, at.a.y, at.b.x, at.b.y}}}});
  } else {
    for (const Patch& patch : patches_) {
      const Rect cell = place.cellAt(patch.row, patch.column);
      list->AddRectFilled(cell.a, cell.b, patch.color);
    }
  }
  list->AddRect(at.a, at.b, look.theme.panelBorder);
  for (const Patch& patch : patches_) {
    const Rect cell = place.cellAt(patch.row, patch.column);
    if (patch.token == key) drawFrame(look, list, cell, look.theme.keyText, 1.5F);
    if (patch.token == query) drawFrame(look, list, cell, look.theme.queryText, 1.5F);
  }
}

std::vector<Rect> PatchPicture::patches(const Rect& at, Index tokens) const {
  const MatrixPlace place{at, side_, side_};
  std::vector<Rect> all(static_cast<std::size_t>(tokens));
  for (const Patch& patch : patches_) {
    if (patch.token >= tokens) continue;
    all[static_cast<std::size_t>(patch.token)] = place.cellAt(patch.row, patch.column);
  }
  return all;
}

formats::Picture PatchPicture::inMeanColours() const {
  constexpr Index kPixels = 4;  // of a patch's side
  const Index side = side_ * kPixels;
  formats::Picture picture{
      side, side, std::vector<std::uint8_t>(static_cast<std::size_t>(3 * side * side), 255)};
  for (const Patch& patch : patches_) {
    for (Index pixel = 0; pixel < kPixels * kPixels; ++pixel) {
      const Index y = patch.row * kPixels + pixel / kPixels;
      const Index x = patch.column * kPixels + pixel % kPixels;
      std::uint8_t* rgb = picture.rgb.data() + 3 * (y * side + x);
      for (int c = 0; c < 3; ++c) rgb[c] = static_cast<std::uint8_t>(patch.color >> (8 * c));
    }
  }
  return picture;
}

std::vector<Rect> PatchPicture::places(const Rect& at, Index tokens) const {
  std::vector<Rect> all = patches(at, tokens);
  const ImVec2 size = MatrixPlace{at, side_, side_}.cell();
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
    ImGui::TextUnformatted(tr("The image whose patches are the tokens."));
    ImGui::EndTooltip();
  }
  return true;
}

}  // namespace headscope::ui
