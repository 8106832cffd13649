#include "app/ui/parts/token_pictures.h"

#include <algorithm>

#include "app/ui/frame_context.h"
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
  if (!batch.quads.empty()) addPicture(list, look.scene, std::move(batch));
}

void patchAtStart(const FrameContext& look, ImDrawList* list, const Tensor& x, Index token,
                  Rect& line) {
  if (look.pictures == nullptr || !look.pictures->x.sameAs(x)) return;
  const float side = std::min(line.height() - look.space.thin, look.px(16));
  const Rect room = line.cutLeft(side, look.space.tight);
  look.pictures->draw(look, list,
                      {{token, Rect::at({room.a.x, room.centre().y - 0.5F * side}, {side, side})}});
}

void patchInLine(const FrameContext& look, const Tensor& x, Index token) {
  if (look.pictures == nullptr || !look.pictures->x.sameAs(x)) return;
  const float side = ImGui::GetTextLineHeight();
  const Rect at = Rect::at(ImGui::GetCursorScreenPos(), {side, side});
  look.pictures->draw(look, ImGui::GetWindowDrawList(), {{token, at}});
  ImGui::Dummy(at.size());
  ImGui::SameLine(0.0F, look.space.tight);
}

}  // namespace headscope::ui
