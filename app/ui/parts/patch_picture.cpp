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
namespace {

/// A part of a picture drawn at `at`; `part`: 0 … 1 across the picture.
Rect partOf(const Rect& at, const Rect& part) {
  return {{at.a.x + part.a.x * at.width(), at.a.y + part.a.y * at.height()},
          {at.a.x + part.b.x * at.width(), at.a.y + part.b.y * at.height()}};
}

}  // namespace

std::optional<PatchPicture> PatchPicture::of(const Input& input, Index item) {
  PatchPicture picture;
  picture.x_ = input.x;
  const Readings& readings = input.readings;
  if (isImage(readings.channels)) {
    picture.patches_ = patchesOf(readings, item);
  } else {
    for (Index i = 0; i < input.patches.count(); ++i) {
      picture.patches_.push_back(
          {input.patches.first + i, i / input.patches.columns, i % input.patches.columns, 0, {}});
    }
  }
  if (picture.patches_.empty()) return std::nullopt;
  for (const Patch& patch : picture.patches_) {
    picture.rows_ = std::max(picture.rows_, patch.row + 1);
    picture.columns_ = std::max(picture.columns_, patch.column + 1);
  }
  picture.layOut();
  return picture;
}

std::vector<PatchPicture::Patch> PatchPicture::patchesOf(const Readings& readings, Index item) {
  constexpr std::array kChannels{"red", "green", "blue"};
  std::array<Index, kChannels.size()> place{};
  for (std::size_t i = 0; i < kChannels.size(); ++i) {
    const auto found = std::find(readings.channels.begin(), readings.channels.end(), kChannels[i]);
    if (found == readings.channels.end()) return {};
    place[i] = found - readings.channels.begin();
  }
  const Index channels = std::ssize(readings.channels);
  const Index tokens = readings.values.shape()[1];
  const auto at = static_cast<std::size_t>(item);
  if (at >= readings.lengths.size()) return {};
  std::vector<Patch> patches;
  for (Index t = 0; t < readings.lengths[at]; ++t) {
    const float* values = readings.values.data() + (item * tokens + t) * channels;
    const auto value = [&](std::size_t channel) { return values[place[channel]]; };
    const auto patch =
        patchPlace(readings.channels, std::span(values, static_cast<std::size_t>(channels)));
    if (!patch) continue;
    const ImVec4 color(value(0), value(1), value(2), 1.0F);
    patches.push_back({t, patch->row, patch->column, ImGui::ColorConvertFloat4ToU32(color), {}});
  }
  return patches;
}

void PatchPicture::layOut() {
  aspect_ = static_cast<float>(rows_) / static_cast<float>(columns_);
  const MatrixPlace place{Rect::at({0.0F, 0.0F}, {1.0F, 1.0F}), rows_, columns_};
  for (Patch& patch : patches_) patch.part = place.cellAt(patch.row, patch.column);
}

std::optional<PatchPicture> PatchPicture::shown(const FrameContext& look, const Input& input,
                                                Index item) {
  std::optional<PatchPicture> picture = of(input, item);
  const TokenPictures* known = look.pictures;
  if (!picture || known == nullptr || !known->x.sameAs(input.x)) return picture;
  picture->aspect_ =
      static_cast<float>(known->picture.height) / static_cast<float>(known->picture.width);
  for (Patch& patch : picture->patches_) {
    if (known->has(patch.token)) patch.part = known->parts[static_cast<std::size_t>(patch.token)];
  }
  return picture;
}

Rect PatchPicture::within(const Rect& room, float down) const {
  const float width = std::min(room.width(), room.height() / aspect_);
  return room.placed({width, width * aspect_}, 0.5F, down);
}

void PatchPicture::draw(const FrameContext& look, ImDrawList* list, const Rect& at, Index query,
                        Index key) const {
  if (look.pictures != nullptr && look.pictures->x.sameAs(x_)) {
    addPicture(list, look.scene, {look.pictures->picture, {{{at.a.x, at.a.y, at.b.x, at.b.y}}}});
  } else {
    for (const Patch& patch : patches_) {
      const Rect cell = partOf(at, patch.part);
      const bool known = patch.color != 0;
      list->AddRectFilled(cell.a, cell.b, known ? patch.color : look.theme.field);
      if (!known) list->AddRect(cell.a, cell.b, look.theme.panelBorder);
    }
  }
  list->AddRect(at.a, at.b, look.theme.panelBorder);
  for (const Patch& patch : patches_) {
    const Rect cell = partOf(at, patch.part);
    if (patch.token == key) drawFrame(look, list, cell, look.theme.keyText, 1.5F);
    if (patch.token == query) drawFrame(look, list, cell, look.theme.queryText, 1.5F);
  }
}

std::vector<Rect> PatchPicture::patches(const Rect& at, Index tokens) const {
  std::vector<Rect> all(static_cast<std::size_t>(tokens));
  for (const Patch& patch : patches_) {
    if (patch.token < tokens) all[static_cast<std::size_t>(patch.token)] = partOf(at, patch.part);
  }
  return all;
}

formats::Picture PatchPicture::inMeanColours() const {
  constexpr Index kPixels = 4;  // of a patch's side
  const Index width = columns_ * kPixels, height = rows_ * kPixels;
  formats::Picture picture{
      width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(3 * width * height), 255)};
  for (const Patch& patch : patches_) {
    for (Index pixel = 0; pixel < kPixels * kPixels; ++pixel) {
      const Index y = patch.row * kPixels + pixel / kPixels;
      const Index x = patch.column * kPixels + pixel % kPixels;
      std::uint8_t* rgb = picture.rgb.data() + 3 * (y * width + x);
      for (int c = 0; c < 3; ++c) rgb[c] = static_cast<std::uint8_t>(patch.color >> (8 * c));
    }
  }
  return picture;
}

std::vector<Rect> PatchPicture::places(const Rect& at, Index tokens) const {
  std::vector<Rect> all = patches(at, tokens);
  const ImVec2 size = partOf(at, patches_.front().part).size();
  float y = at.a.y;
  for (Rect& each : all) {
    if (!each.empty()) continue;
    each = Rect::at({at.a.x - 2.0F * size.x, y}, size);
    y += size.y * 1.5F;
  }
  return all;
}

bool patchPictureHere(const PanelContext& panel, float side) {
  const auto picture = PatchPicture::shown(panel.look, *panel.document.input, panel.selection.item);
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
  picture->draw(look, ImGui::GetWindowDrawList(), picture->within(Rect::at(corner, {side, side})),
                query, key);
  if (ImGui::IsItemHovered()) {
    const float large = look.px(224);
    placeTooltipNextTo(Rect::at(corner, {side, side}), {large + look.px(28), large + look.px(48)},
                       look.space.small);
    ImGui::BeginTooltip();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::Dummy({large, large});
    picture->draw(look, ImGui::GetWindowDrawList(), picture->within(Rect::at(at, {large, large})),
                  query, key);
    ImGui::TextUnformatted(tr("The image whose patches are the tokens."));
    ImGui::EndTooltip();
  }
  return true;
}

}  // namespace headscope::ui
