#include "app/ui/parts/token_pictures.h"

#include <algorithm>
#include <cmath>

#include "app/ui/frame_context.h"
#include "app/ui/parts/table.h"
#include "app/ui/scene_commands.h"

namespace headscope::ui {

void TokenPictures::draw(const FrameContext& look, ImDrawList* list,
                         const std::vector<std::pair<Index, Rect>>& tokens) const {
  gl::PictureBatch batch{picture, {}};
  for (const auto& [token, at] : tokens) {
    if (!has(token)) continue;
    const Rect& part = parts[static_cast<std::size_t>(token)];
    batch.quads.push_back(
        {{at.a.x, at.a.y, at.b.x, at.b.y}, {part.a.x, part.a.y, part.b.x, part.b.y}});
  }
  if (batch.quads.empty()) return;
  addPicture(list, look.scene, std::move(batch));
  // a patch as light as the ground still has an edge
  for (const auto& [token, at] : tokens) {
    if (has(token)) list->AddRect(at.a, at.b, look.theme.panelBorder, 0.0F, 0, look.space.hair);
  }
}

void TokenPictures::drawAlong(const FrameContext& look, ImDrawList* list, const Rect& strip,
                              Index count, bool down) const {
  constexpr float kLeast = 2.0F / 3.0F;  // of the strip's width
  const float most = down ? strip.width() : strip.height();
  const float each =
      std::max(0.01F, (down ? strip.height() : strip.width()) / static_cast<float>(count));
  const auto every = std::max<Index>(1, static_cast<Index>(std::ceil(kLeast * most / each)));
  const float side = std::min(most, each * static_cast<float>(every) - look.space.hair);
  std::vector<std::pair<Index, Rect>> drawn;
  for (Index i = 0; i < count; i += has(i) ? every : 1) {
    const float along = each * static_cast<float>(i) + 0.5F * std::max(0.0F, each - side);
    const ImVec2 at =
        down ? ImVec2(strip.b.x - side, strip.a.y + along) : ImVec2(strip.a.x + along, strip.a.y);
    drawn.emplace_back(i, Rect::at(at, {side, side}));
  }
  draw(look, list, drawn);
}

void patchAtStart(const FrameContext& look, ImDrawList* list, const Tensor& x, Index token,
                  Rect& line) {
  if (look.pictures == nullptr || !look.pictures->x.sameAs(x)) return;
  const float side = std::min(line.height() - look.space.thin, look.px(16));
  const Rect room = line.cutLeft(side, look.space.tight);
  look.pictures->draw(look, list,
                      {{token, Rect::at({room.a.x, room.centre().y - 0.5F * side}, {side, side})}});
}

void patchInCell(const FrameContext& look, Table& table, const TokenPictures* pictures,
                 Index token) {
  if (pictures == nullptr || !pictures->has(token)) return;
  pictures->draw(look, ImGui::GetWindowDrawList(), {{token, table.picture()}});
}

void patchInLine(const FrameContext& look, const Tensor& x, Index token) {
  if (look.pictures == nullptr || !look.pictures->x.sameAs(x)) return;
  const float side = ImGui::GetTextLineHeight();
  const Rect at = Rect::at(ImGui::GetCursorScreenPos(), {side, side});
  look.pictures->draw(look, ImGui::GetWindowDrawList(), {{token, at}});
  ImGui::Dummy(at.size());
  ImGui::SameLine(0.0F, look.space.tight);
}

void patchesInTip(const FrameContext& look, const TokenPictures& pictures,
                  std::initializer_list<Index> tokens) {
  const float side = 2.0F * ImGui::GetTextLineHeight();
  bool first = true;
  for (const Index token : tokens) {
    if (!pictures.has(token)) continue;
    ImGui::BeginTooltip();
    if (!std::exchange(first, false)) ImGui::SameLine(0.0F, look.space.small);
    const Rect at = Rect::at(ImGui::GetCursorScreenPos(), {side, side});
    pictures.draw(look, ImGui::GetWindowDrawList(), {{token, at}});
    ImGui::Dummy(at.size());
    ImGui::EndTooltip();
  }
}

void patchBeforeButton(const FrameContext& look, const TokenPictures* pictures, Index token) {
  if (look.still || pictures == nullptr || !pictures->has(token)) return;
  const float side = ImGui::GetTextLineHeight(), height = ImGui::GetFrameHeight();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  pictures->draw(look, ImGui::GetWindowDrawList(),
                 {{token, Rect::at({at.x, at.y + 0.5F * (height - side)}, {side, side})}});
  ImGui::Dummy({side, height});
  ImGui::SameLine(0.0F, look.space.tight);
}

}  // namespace headscope::ui
