#include "app/ui/model/image_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "app/ui/compat.h"
#include "app/ui/frame_state.h"
#include "app/ui/model/model_page.h"
#include "app/ui/model/model_view.h"
#include "app/ui/panel.h"
#include "app/ui/parts/computed.h"
#include "app/ui/parts/patch_map.h"
#include "app/ui/scene_commands.h"
#include "app/ui/widgets.h"
#include "core/analysis/head_metrics.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/images/shapes.h"
#include "core/model/image_embedding.h"
#include "core/model/rollout.h"

namespace headscope::ui {
namespace {

HeadOfLayer headIn(const ModelView& view, const model::ModelConfig& c) {
  return {std::clamp<Index>(view.layer, 0, c.layers - 1),
          std::clamp<Index>(view.head, 0, c.heads - 1)};
}

constexpr int kNumbersOfOthers = 60;  // the numbers of other moments than the page's are larger

/// The weights (T, T) of the chosen map.
std::optional<Tensor> mapOf(const model::ModelTrace& trace, ImageMap map, HeadOfLayer head,
                            const ExecutionContext& execution) {
  if (map == ImageMap::rollout) return attentionRollout(trace, head.layer, execution);
  if (map == ImageMap::meanOfHeads) return meanAttention(trace, head.layer);
  const Index tokens = trace.tokens();
  Tensor weights = Tensor::uninitialised({tokens, tokens});
  trace.layer(head.layer)
      ->tile(TensorId::weights, 0, head.head, 0, tokens, 0, tokens, weights.mutableData());
  return weights;
}

/// The weights, computed in the background; null: not yet.
const Tensor* requestMap(const PanelContext& panel, const ModelMoment& moment) {
  const ModelView& view = panel.modelView;
  const HeadOfLayer head = headIn(view, moment.config());
  const ImageMap map = view.imageMap;
  Fingerprint key("image map", moment.number, map, head.layer);
  if (map == ImageMap::head) key.add(head.head);
  const auto found =
      panel.computations.request<Tensor>("image map", key, Schedule::background, [&] {
        return [trace = moment.trace, map, head](const std::atomic<bool>& cancelled) {
          return mapOf(*trace, map, head, ExecutionContext{0, &cancelled});
        };
      });
  return found.current;
}

gl::PictureSource sourceOf(const ModelMoment& moment) {
  const auto& picture = moment.picture;
  // the pictures of two passes, side by side, have keys of their own
  const std::uint64_t ofPass = moment.number >> kNumbersOfOthers;
  return {Fingerprint("picture of the model", ofPass).value(),
          Fingerprint("", moment.number).value(),
          static_cast<int>(picture->width),
          static_cast<int>(picture->height),
          {picture, picture->rgb.data()}};
}

/// Draws the cuts between the patches.
void drawCuts(const FrameContext& look, const std::vector<Rect>& patches) {
  constexpr float kLeastSide = 5.0F;  // points: smaller patches would be lines alone
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (const Rect& patch : patches) {
    if (patch.width() < look.px(kLeastSide)) continue;
    list->AddRect(patch.a, {patch.b.x + look.space.hair, patch.b.y + look.space.hair},
                  withAlpha(look.theme.panel, 0.55F), 0.0F, 0, look.space.hair);
  }
}

/// Says where on the grid the chosen head looks, from all patches.
void drawMeasures(const PanelContext& panel, const ModelMoment& moment) {
  const FrameContext& look = panel.look;
  const HeadOfLayer head = headIn(panel.modelView, moment.config());
  using Measures = std::vector<HeadMetrics>;
  const auto found = panel.computations.request<Measures>(
      "patch measures", Fingerprint("patch measures", moment.number, head.layer),
      Schedule::background, [&] {
        return [trace = moment.trace,
                head](const std::atomic<bool>& cancelled) -> std::optional<Measures> {
          return headMetrics(*trace->layer(head.layer), 0, ExecutionContext{0, &cancelled});
        };
      });
  if (found.current == nullptr || found.current->empty()) return;
  const HeadMetrics& own = (*found.current)[static_cast<std::size_t>(head.head)];
  std::string words, about;
  for (const MetricInfo& m : allMetrics()) {
    if (m.needs != MetricNeeds::grid) continue;
    const MetricValue& value = own[m.metric];
    std::string title(tr(m.title));
    title.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(title.front())));
    words += fmt::format("{}{} {}", words.empty() ? "" : " · ", title,
                         value ? fmt::format("{:.2f}", *value) : std::string("–"));
    about += fmt::format("{}{}: {}", about.empty() ? "" : "\n", tr(m.title), tr(m.words));
  }
  wrappedLabel(
      look.fonts.small, look.theme.textMuted,
      trFormat("layer {}, head {} from all patches: {}", head.layer + 1, head.head + 1, words));
  tip(look, about);
}

/// Says how much of the chosen token's row lies on the shape of a drawn picture.
void drawShareOnShape(const FrameContext& look, const ModelMoment& moment, const float* row) {
  if (moment.shapePatches.empty() || row == nullptr) return;
  const auto touched = std::ranges::count(moment.shapePatches, true);
  const double share =
      images::weightOn(moment.shapePatches, row + moment.config().image.firstPatch());
  wrappedLabel(
      look.fonts.small, look.theme.textMuted,
      trFormat("on the shape: {:.0f} % of this row; its {} patches are {:.0f} % of the "
               "{} tokens",
               100.0 * share, touched,
               100.0 * static_cast<double>(touched) / static_cast<double>(moment.trace->tokens()),
               withThousands(moment.trace->tokens())));
}

/// The tokens that are no patches, as buttons with their weights.
void specialTokens(const PanelContext& panel, const ModelMoment& moment, Index chosen,
                   const float* row) {
  const FrameContext& look = panel.look;
  for (Index i = 0; i < moment.config().image.firstPatch(); ++i) {
    const std::string text =
        fmt::format("{}{}##special {}", moment.tokenName(i),
                    row != nullptr ? fmt::format(" {:.3f}", row[i]) : std::string(), i);
    if (i > 0) flowOn(look, buttonWidth(look, text), 3.0F);
    if (pill(look, text.c_str(), i == chosen)) panel.modelView.token = i;
    tip(look,
        tr("A token that is no patch, and the weight that the chosen token puts on it; a click "
           "shows its own row"));
  }
}

/// The row of the chosen token in the shown map; null while it is computed.
const float* rowOver(const PanelContext& panel, const ModelMoment& moment) {
  const Tensor* map = requestMap(panel, moment);
  const Index chosen = chosenToken(panel.modelView, moment);
  const bool there =
      map != nullptr && map->dim(0) == moment.trace->tokens() && chosen < map->dim(0);
  return there ? map->data() + chosen * map->dim(1) : nullptr;
}

}  // namespace

std::vector<Rect> patchRects(const ModelMoment& moment, const Rect& at) {
  return patchRects(moment.config().image, model::extentOf(*moment.trace->document().input.pixels),
                    at);
}

std::vector<Rect> patchRects(const model::ImageInput& image, const model::Extent& size,
                             const Rect& at) {
  const model::Extent grid = image.gridOf(size);
  const float right = at.width() / static_cast<float>(size.width);
  const float down = at.height() / static_cast<float>(size.height);
  std::vector<Rect> rects(static_cast<std::size_t>(image.tokensOf(size)));
  for (Index i = 0; i < grid.area(); ++i) {
    const auto left = static_cast<float>(i % grid.width * image.patch.width);
    const auto top = static_cast<float>(i / grid.width * image.patch.height);
    rects[static_cast<std::size_t>(image.firstPatch() + i)] =
        Rect::at({at.a.x + left * right, at.a.y + top * down},
                 {static_cast<float>(image.patch.width) * right,
                  static_cast<float>(image.patch.height) * down});
  }
  return rects;
}

TokenPictures tokenPictures(const ModelMoment& moment) {
  return {{}, sourceOf(moment), patchRects(moment, Rect::at({0.0F, 0.0F}, {1.0F, 1.0F}))};
}

std::optional<TokenPictures> picturesInFlow(const LiveModel& model) {
  const LayersInFlow::Opened* shown = model.layerInFlow();
  const auto moment = model.moment();
  if (shown == nullptr || moment == nullptr || !moment->ofImage()) return std::nullopt;
  if (shown->of->input.pixels != moment->trace->document().input.pixels) return std::nullopt;
  TokenPictures pictures = tokenPictures(*moment);
  pictures.x = shown->document->input->x;
  return pictures;
}

std::string mapInWords(const ModelView& view, const ModelMoment& moment) {
  const HeadOfLayer head = headIn(view, moment.config());
  const std::string token = moment.tokenName(chosenToken(view, moment));
  switch (view.imageMap) {
    case ImageMap::head:
      return trFormat("layer {}, head {}: where “{}” looks", head.layer + 1, head.head + 1, token);
    case ImageMap::meanOfHeads:
      return trFormat("layer {}, mean of its heads: where “{}” looks", head.layer + 1, token);
    case ImageMap::rollout:
      break;
  }
  if (head.layer == 0) return trFormat("layer 1, rollout: what reaches “{}”", token);
  return trFormat("layers 1 to {}, rollout: what reaches “{}”", head.layer + 1, token);
}

void drawImageChoice(const PanelContext& panel, const ModelMoment& moment) {
  const FrameContext& look = panel.look;
  ModelView& view = panel.modelView;
  std::vector<const char*> maps{tr("this head"), tr("mean of heads"), "rollout"};
  if (choicesWidth(look, maps) > ImGui::GetContentRegionAvail().x) {
    maps = {"head", "mean", "rollout"};
  }
  const int clicked = choices(look, "image map", maps, static_cast<int>(view.imageMap));
  if (clicked >= 0) view.imageMap = static_cast<ImageMap>(clicked);
  tip(look, tr("A row of weights over the picture: of the chosen head, of the mean over the "
               "layer's heads, or of the rollout. The rollout is the product of ½ mean of heads + "
               "½ identity over all layers up to this one (Abnar & Zuidema 2020)"));
  wrappedLabel(look.fonts.small, look.theme.textMuted, mapInWords(view, moment));
}

void drawImage(const PanelContext& panel, const ModelMoment& moment, const ImVec2& room) {
  const FrameContext& look = panel.look;
  ModelView& view = panel.modelView;
  const Index chosen = chosenToken(view, moment);
  const float* row = rowOver(panel, moment);
  const auto& picture = *moment.picture;
  const float aspect = static_cast<float>(picture.height) / static_cast<float>(picture.width);
  const float width = std::min(room.x, room.y / aspect);
  const Rect at = Rect::at(ImGui::GetCursorScreenPos(), {width, width * aspect});
  addPicture(ImGui::GetWindowDrawList(), look.scene,
             {sourceOf(moment), {{{at.a.x, at.a.y, at.b.x, at.b.y}}}});
  ImGui::GetWindowDrawList()->AddRect(at.a, at.b, look.theme.panelBorder);
  const std::vector<Rect> patches = patchRects(moment, at);
  if (row != nullptr) {
    drawPatchMap(look, ImGui::GetWindowDrawList(), patches, row, look.theme.accent,
                 largestOnPatch(patches, row));
  }
  drawCuts(look, patches);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const auto outline = [&](Index token, ImU32 color) {
    const Rect& patch = patches[static_cast<std::size_t>(token)];
    if (!patch.empty()) list->AddRect(patch.a, patch.b, color, 0.0F, 0, look.space.thin);
  };
  outline(chosen, look.theme.text);
  if (const auto& tokens = panel.frame.hoveredTokens) {  // on the heads
    const Index count = moment.trace->tokens();
    if (tokens->first < count) outline(tokens->first, look.theme.queryText);
    if (tokens->second < count) outline(tokens->second, look.theme.keyText);
  }
  ImGui::InvisibleButton("image", at.size());
  if (ImGui::IsItemHovered()) {
    const auto hovered = std::ranges::find_if(
        patches, [](const Rect& patch) { return patch.contains(ImGui::GetMousePos()); });
    if (hovered != patches.end()) {
      const Index token = hovered - patches.begin();
      outline(token, look.theme.accent);
      showTooltip(row != nullptr
                      ? trFormat("{}\nweight {:.4f}", moment.tokenName(token), row[token])
                      : moment.tokenName(token),
                  *hovered);
      if (ImGui::IsItemClicked()) view.token = token;
    }
  }
}

void drawRowOnImage(const FrameContext& look, const ModelMoment& moment, const HeadOfLayer& head,
                    Index token, const Rect& room) {
  std::vector<float> row(static_cast<std::size_t>(moment.trace->tokens()));
  moment.trace->layer(head.layer)
      ->tile(TensorId::weights, 0, head.head, token, 1, 0, std::ssize(row), row.data());
  const auto& picture = *moment.picture;
  const float aspect = static_cast<float>(picture.height) / static_cast<float>(picture.width);
  const float width = std::min(room.width(), room.height() / aspect);
  const Rect at = Rect::at(room.a, {width, width * aspect});
  ImDrawList* list = ImGui::GetWindowDrawList();
  addPicture(list, look.scene, {sourceOf(moment), {{{at.a.x, at.a.y, at.b.x, at.b.y}}}});
  list->AddRect(at.a, at.b, look.theme.panelBorder);
  const std::vector<Rect> patches = patchRects(moment, at);
  drawPatchMap(look, list, patches, row.data(), look.theme.accent, fullWeight(row));
  const Rect& own = patches[static_cast<std::size_t>(token)];
  if (!own.empty()) list->AddRect(own.a, own.b, look.theme.text, 0.0F, 0, look.space.thin);
}

void drawImageWords(const PanelContext& panel, const ModelMoment& moment) {
  const float* row = rowOver(panel, moment);
  if (row != nullptr) {
    patchMapLegend(panel.look, largestOnPatch(patchRects(moment, Rect::at({}, {1.0F, 1.0F})), row));
  }
  specialTokens(panel, moment, chosenToken(panel.modelView, moment), row);
  drawShareOnShape(panel.look, moment, row);
  if (!panel.alone) drawMeasures(panel, moment);  // a room needs none
}

}  // namespace headscope::ui
