// Bare look: a frame's context without a program, for tests of parts that measure or place.
#pragma once

#include "app/gl/scene.h"
#include "app/ui/color_maps.h"
#include "app/ui/frame_context.h"
#include "app/ui/text_field.h"

namespace headscope::ui {

/// At scale 1 in the light theme. Its fonts are null: who draws texts gives a font.
struct BareLook {
  Fonts fonts;
  ColorMaps maps;
  gl::Scene scene;
  TypedText typed;
  bool wantsFrame = false;
  FrameContext look{
      theme(ThemeKind::light), fonts, maps, scene, typed, 0.0, 1.0F, 0.0, false, &wantsFrame};
};

}  // namespace headscope::ui
