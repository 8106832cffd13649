#include <map>

#include "app/ui/flow/flow_layout.h"

namespace headscope::ui {
namespace {

float mix(float a, float b, float t) { return a + (b - a) * t; }

gl::Rect mix(const gl::Rect& a, const gl::Rect& b, float t) {
  return {mix(a.x0, b.x0, t), mix(a.y0, b.y0, t), mix(a.x1, b.x1, t), mix(a.y1, b.y1, t)};
}

FlowEdge mix(const FlowEdge& a, const FlowEdge& b, float t) {
  return {mix(a.x, b.x, t), mix(a.top, b.top, t), mix(a.bottom, b.bottom, t)};
}

void move(FlowBlock& item, const FlowBlock& from, float t) {
  item.rect = mix(from.rect, item.rect, t);
}
void move(FlowBadge& item, const FlowBadge& from, float t) {
  item.rect = mix(from.rect, item.rect, t);
}
void move(FlowRibbon& item, const FlowRibbon& from, float t) {
  item.from = mix(from.from, item.from, t);
  item.to = mix(from.to, item.to, t);
}
template <typename Text>  // a label or a note
void move(Text& item, const Text& from, float t) {
  item.x = mix(from.x, item.x, t);
  item.y = mix(from.y, item.y, t);
}

enum class Gone { fades, vanishes };

template <typename Item>
std::vector<Item> blendItems(const std::vector<Item>& from, const std::vector<Item>& to, float t,
                             Gone gone) {
  std::map<FlowId, const Item*> before;
  for (const Item& item : from) before.emplace(item.id, &item);
  std::vector<Item> result;
  for (Item item : to) {
    const auto found = before.find(item.id);
    if (found == before.end()) {
      item.opacity *= t;
    } else {
      move(item, *found->second, t);
      item.opacity = mix(found->second->opacity, item.opacity, t);
      before.erase(found);
    }
    result.push_back(std::move(item));
  }
  if (gone == Gone::vanishes) return result;
  for (const auto& [id, item] : before) {
    result.push_back(*item);
    result.back().opacity *= 1 - t;
  }
  return result;
}

}  // namespace

FlowLayout blend(const FlowLayout& from, const FlowLayout& to, float t) {
  FlowLayout result;
  result.featureHeight = mix(from.featureHeight, to.featureHeight, t);
  result.headFeatureHeight = mix(from.headFeatureHeight, to.headFeatureHeight, t);
  result.stripeWidth = mix(from.stripeWidth, to.stripeWidth, t);
  result.blocks = blendItems(from.blocks, to.blocks, t, Gone::fades);
  result.ribbons = blendItems(from.ribbons, to.ribbons, t, Gone::fades);
  result.badges = blendItems(from.badges, to.badges, t, Gone::vanishes);
  result.labels = blendItems(from.labels, to.labels, t, Gone::vanishes);
  result.notes = blendItems(from.notes, to.notes, t, Gone::vanishes);
  return result;
}

}  // namespace headscope::ui
