// Axis labels: tokens along the rows and columns of a matrix, thinned out where they would touch.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/ui/panel.h"
#include "app/ui/parts/axis_labels.h"

namespace headscope::ui {

/// Room rows of labels take: the widest of them, at most `limit`.
float labelWidth(ImFont* font, const std::vector<std::string>& tokens, float limit);

struct LabelStyle {
  ImFont* font;
  ImU32 color;
  ImU32 litColor;
  Index lit = -1;
};

/// Right-aligned to x, each at the middle of its row; `cell` is a row's height.
void drawRowLabels(ImDrawList* list, const std::vector<std::string>& tokens, ImVec2 corner,
                   float cell, float width, const LabelStyle& style);

/// Below y, each at the middle of its column; turned by 45° where they are wider than a column.
void drawColumnLabels(ImDrawList* list, const std::vector<std::string>& tokens, ImVec2 corner,
                      float cell, float room, const LabelStyle& style);

}  // namespace headscope::ui
