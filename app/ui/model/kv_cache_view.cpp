// The KV cache: the keys and values of each layer and key/value head, their growth, and the cost of
// a new token with and without the cache.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "app/ui/compat.h"
#include "app/ui/model/layer_grid.h"
#include "app/ui/model/prediction_views.h"
#include "app/ui/panel.h"
#include "app/ui/parts/chart.h"
#include "app/ui/widgets.h"
#include "core/analysis/rows.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/model/generation.h"

namespace headscope::ui {
namespace {

ImU32 colorOfText(const FrameContext& look) { return withAlpha(look.theme.textMuted, 0.65F); }
ImU32 colorOfRoom(const FrameContext& look) { return withAlpha(look.theme.textMuted, 0.22F); }

/// "head 3", or for a group "heads 5 to 8".
std::string headsOfGroup(const model::ModelConfig& c, Index group) {
  const Index each = c.heads / c.kvHeads;
  if (each == 1) return trFormat("head {}", group + 1);
  return trFormat("heads {} to {}", group * each + 1, (group + 1) * each);
}

std::string sizeInWords(const model::ModelConfig& c, const CacheShown& cache) {
  const Index tokens = cache.text + cache.made;
  const Index layer = layerCacheBytes(c, tokens);
  const std::string latent =
      c.latent.on() ? trFormat(
                          " K and V follow from the {} numbers of a token's latent and its "
                          "shared key, which would be enough to keep.",
                          c.latent.keys + c.latent.rotated)
                    : std::string();
  return trFormat(
      "Cached in each layer: K and V, ({}, {}, {}) each, as (heads, tokens, d_k){}: {}; in all {} "
      "layers {}, {} more with each token.{}",
      c.kvHeads, tokens, c.headDim,
      c.kvHeads < c.heads ? trFormat(", each for {} heads", c.heads / c.kvHeads) : std::string(),
      bytesInWords(layer), c.layers, bytesInWords(c.layers * layer),
      bytesInWords(c.layers * layerCacheBytes(c, 1)), latent);
}

std::string workInWords(const model::ModelConfig& c, const CacheShown& cache) {
  const Index tokens = cache.text + cache.made;
  std::string text = trFormat(
      "Computed for each new token: its own row in each layer (q, k, v, its scores over the cached "
      "keys{}). Without the cache: all rows, now {}.",
      c.attentionOnly ? "" : ", FFN", tokens);
  if (cache.made == 0) return text;
  return text + trFormat(" The newest took {} ms.", millisecondsInWords(cache.ms));
}

/// Draws the cache: each cell has K above V, with lengths proportional to the number of tokens.
void cachePicture(const FrameContext& look, const model::ModelConfig& c, const CacheShown& cache,
                  Rect room) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const LayerGrid grid(look, room, c.layers, c.kvHeads, look.px(34));
  grid.drawNames(list, [&](Index group, float width) {
    return width > look.px(84) ? headsOfGroup(c, group) : std::to_string(group + 1);
  });
  const Index all = cache.text + cache.made;
  for (Index layer = 0; layer < c.layers; ++layer) {
    for (Index group = 0; group < c.kvHeads; ++group) {
      const Rect whole = grid.cell(layer, group);
      const Rect at = whole.inset({std::min(look.space.thin, whole.width() * 0.1F),
                                   std::min(look.space.thin, whole.height() * 0.15F)});
      for (int which = 0; which < 2; ++which) {
        const Rect bar = at.row(which, 2, look.space.hair);
        const auto upTo = [&](Index tokens) {
          return bar.a.x +
                 bar.width() * static_cast<float>(tokens) / static_cast<float>(cache.room);
        };
        list->AddRectFilled(bar.a, bar.b, colorOfRoom(look));
        list->AddRectFilled(bar.a, {upTo(cache.text), bar.b.y}, colorOfText(look));
        if (cache.made == 0) continue;
        list->AddRectFilled({upTo(cache.text), bar.a.y}, {upTo(all), bar.b.y}, look.theme.accent);
      }
    }
  }
  if (!ImGui::IsWindowHovered()) return;
  const auto at = grid.at(ImGui::GetIO().MousePos);
  if (!at) return;
  showTooltip(trFormat("layer {}, {}\nK ({}, {}) above V ({}, {})", at->first + 1,
                       headsOfGroup(c, at->second), all, c.headDim, all, c.headDim));
}

}  // namespace

void drawKvCache(const PanelContext& panel, const ModelMoment& moment, const CacheShown& cache) {
  const FrameContext& look = panel.look;
  const model::ModelConfig& c = moment.config();
  wrappedLabel(look.fonts.small, look.theme.textMuted, sizeInWords(c, cache));
  if (Rect::rest().height() > look.px(120)) {
    wrappedLabel(look.fonts.small, look.theme.textMuted, workInWords(c, cache));
  } else {
    tip(look, workInWords(c, cache));
  }
  Rect room = Rect::rest();
  drawChartTitle(look, room, tr("cached rows, K above V"),
                 {{trFormat("the text's {}", cache.text), colorOfText(look)},
                  {trFormat("new {}", cache.made), look.theme.accent},
                  {trFormat("room for {}", cache.room), colorOfRoom(look)}});
  cachePicture(look, c, cache, room);
}

}  // namespace headscope::ui
