#include "app/ui/parts/signed_bar.h"

#include "app/ui/compat.h"

namespace headscope::ui {

void drawSignedBar(const FrameContext& look, ImDrawList* list, const Rect& room,
                   const BarRange& range, double value, ImU32 color) {
  const auto at = [&](double of) { return room.a.x + range.shareOf(of) * room.width(); };
  const float zero = at(0.0), hair = look.space.hair;
  float from = std::min(zero, at(value)), to = std::max(zero, at(value));
  if (value < 0.0) from = std::min(from, zero - hair);
  if (value > 0.0) to = std::max(to, zero + hair);
  list->AddRectFilled({from, room.a.y}, {to, room.b.y}, color, look.space.thin);
  if (range.low == 0.0 || range.high == 0.0) return;
  list->AddRectFilled({zero - 0.5F * hair, room.a.y - hair}, {zero + 0.5F * hair, room.b.y + hair},
                      look.theme.textMuted);
}

}  // namespace headscope::ui
