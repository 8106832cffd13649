#include "app/ui/parts/token_pictures.h"

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

}  // namespace headscope::ui
