#include "app/ui/heads/arrow_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "app/ui/compat.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

void arrow(const Look& look, ImVec2 from, ImVec2 to, ImU32 color) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 d(to.x - from.x, to.y - from.y);
  const float length = std::sqrt(d.x * d.x + d.y * d.y);
  if (length < 0.5F) {
    list->AddCircleFilled(from, look.px(3), color);
    return;
  }
  const ImVec2 along(d.x / length, d.y / length);
  const float head = std::min(look.px(10), length * 0.5F);
  const ImVec2 neck(to.x - along.x * head, to.y - along.y * head);
  const ImVec2 side(-along.y * head * 0.42F, along.x * head * 0.42F);
  list->AddLine(from, neck, color, look.px(2.5F));
  list->AddTriangleFilled(to, {neck.x + side.x, neck.y + side.y},
                          {neck.x - side.x, neck.y - side.y}, color);
}

}  // namespace

void arrowPicture(const Look& look, const QueryKeyProduct& product, ImVec2 at, ImVec2 size) {
  const Theme& t = look.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = look.fonts.small;
  const float line = fontSize(font) + look.px(4);
  // room for the names above and below, and beside the tips
  const ImVec2 corner(at.x + look.px(10), at.y + line);
  const ImVec2 box(std::max(size.x - look.px(20), 10.0F), std::max(size.y - 2 * line, 10.0F));
  const Arrows a = arrowsIn(product, static_cast<double>(box.x), static_cast<double>(box.y));
  const auto place = [&](double x, double y) {
    return ImVec2(corner.x + static_cast<float>(x), corner.y + static_cast<float>(y));
  };
  const ImVec2 origin = place(a.originX, a.originY);
  const ImVec2 q = place(a.queryX, a.queryY);
  const ImVec2 k = place(a.keyX, a.keyY);
  if (product.cosine) {
    const auto angle = static_cast<float>(std::acos(std::clamp(*product.cosine, -1.0, 1.0)));
    const float shorter =
        static_cast<float>(std::min(product.queryLength, product.keyLength) * a.scale);
    const float radius = std::min(look.px(30), shorter * 0.45F);
    list->PathArcTo(origin, radius, -angle, 0.0F, 24);
    list->PathStroke(t.textMuted, 0, look.px(1));
    // the part of k along q: its length times that of q is the product
    list->AddLine(k, {k.x, origin.y}, withAlpha(t.key, 0.55F), look.px(1));
    list->AddLine(origin, {k.x, origin.y}, withAlpha(t.key, 0.55F), look.px(6));
  }
  arrow(look, origin, q, t.query);
  arrow(look, origin, k, t.key);
  const auto write = [&](ImVec2 point, ImU32 color, const std::string& text) {
    const float width = textSize(font, text).x;
    point.x = std::clamp(point.x, at.x, std::max(at.x, at.x + size.x - width));
    drawText(list, font, point, color, text);
  };
  const auto middleOf = [&](ImVec2 tip, const std::string& text) {
    return (origin.x + tip.x - textSize(font, text).x) * 0.5F;
  };
  const std::string query = fmt::format("‖q‖ {}", number(product.queryLength, 3));
  write({middleOf(q, query), origin.y + look.px(5)}, t.queryText, query);
  const std::string key = fmt::format("‖k‖ {}", number(product.keyLength, 3));
  write({k.x - textSize(font, key).x * 0.5F, k.y - line}, t.keyText, key);
  if (product.cosine) {
    const std::string degrees = fmt::format("{:.0f}°", *product.degrees());
    const float half = 0.5F * static_cast<float>(std::acos(std::clamp(*product.cosine, -1.0, 1.0)));
    const float reach = look.px(38);
    write({origin.x + std::cos(half) * reach, origin.y - std::sin(half) * reach - line * 0.6F},
          t.textMuted, degrees);
  }
}

}  // namespace headscope::ui
