// Font loading: the letters of an interface scale drawn on a thread of their own, while a window
// opens.
#pragma once

#include <imgui.h>

#include <future>
#include <memory>

#include "app/ui/fonts.h"

namespace headscope::host {

struct LoadedFonts {
  std::unique_ptr<ImFontAtlas> atlas;  // null: loaded when the first frame asks for them
  ui::Fonts fonts;
  float scale = 0.0F;
};

/// To be taken before a Dear ImGui context is made: no context may come or go meanwhile.
std::future<LoadedFonts> loadFontsAside(float scale);

}  // namespace headscope::host
