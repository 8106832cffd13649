#include <algorithm>

#include "app/ui/flow/flow_layout.h"

namespace headscope::ui {
namespace {

bool inside(const FlowBlock& block, float x, float y) {
  // A thin block can still be pointed at.
  const float slack = std::max(0.0F, 3 - (block.rect.y1 - block.rect.y0) / 2);
  return x >= block.rect.x0 && x < block.rect.x1 && y >= block.rect.y0 - slack &&
         y < block.rect.y1 + slack;
}

bool inside(const FlowRibbon& ribbon, float x, float y) {
  const FlowEdge &from = ribbon.from, &to = ribbon.to;
  if (x < from.x || x >= to.x) return false;
  const float t = (x - from.x) / (to.x - from.x);
  const float eased = t * t * (3 - 2 * t);  // as ribbons are drawn
  const float top = from.top + (to.top - from.top) * eased;
  const float bottom = from.bottom + (to.bottom - from.bottom) * eased;
  return y >= top && y < bottom;
}

template <typename Items>
const FlowId* lastHit(const Items& items, float x, float y) {
  const auto hit = std::find_if(items.rbegin(), items.rend(), [&](const auto& item) {
    return item.opacity >= 1 && inside(item, x, y);
  });
  return hit == items.rend() ? nullptr : &hit->id;
}

}  // namespace

std::optional<FlowId> hitTest(const FlowLayout& layout, float x, float y) {
  if (const FlowId* block = lastHit(layout.blocks, x, y)) return *block;
  for (const FlowBadge& badge : layout.badges) {
    if (x >= badge.rect.x0 && x < badge.rect.x1 && y >= badge.rect.y0 && y < badge.rect.y1) {
      return badge.id;
    }
  }
  if (const FlowId* ribbon = lastHit(layout.ribbons, x, y)) return *ribbon;
  for (const FlowLabel& label : layout.labels) {
    if (y >= label.y && x >= label.x - label.width / 2 && x < label.x + label.width / 2) {
      return label.id;
    }
  }
  return std::nullopt;
}

}  // namespace headscope::ui
