#include "app/host/font_loading.h"

namespace headscope::host {

std::future<LoadedFonts> loadFontsAside(float scale) {
  return std::async(std::launch::async, [scale] {
    LoadedFonts loaded;
#if IMGUI_VERSION_NUM < 19200  // since then letters are drawn when they are first shown
    loaded.atlas = std::make_unique<ImFontAtlas>();
    loaded.fonts = ui::loadFonts(*loaded.atlas, scale);
    loaded.atlas->Build();
    loaded.atlas->ClearInputData();  // ImGui's copies of the typefaces
    loaded.scale = scale;
#else
    (void)scale;
#endif
    return loaded;
  });
}

}  // namespace headscope::host
