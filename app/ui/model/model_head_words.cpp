// The texts of heads: the names of rows and columns, and those in a tile, above it, next to it, and
// at the mouse.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "app/ui/color_maps.h"
#include "app/ui/compat.h"
#include "app/ui/frame_state.h"
#include "app/ui/head_switch.h"
#include "app/ui/model/head_maps.h"
#include "app/ui/model/image_view.h"
#include "app/ui/model/model_heads.h"
#include "app/ui/panel.h"
#include "app/ui/parts/axis_labels.h"
#include "app/ui/parts/head_label.h"
#include "app/ui/parts/token_pictures.h"
#include "app/ui/view_state.h"
#include "app/ui/widgets.h"
#include "core/base/translation.h"
#include "core/document/trace.h"
#include "core/formats/attention_file.h"
#include "core/model/text_alignment.h"

namespace headscope::ui {
namespace {

constexpr float kMostThumbnail = 22.0F;  // points

}  // namespace

/// Draws the names of heads above the columns of each block.
void ModelHeads::headNames(const Rect& top) const {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const TileBlocks& grid = memory_.canvas.grid;
  const std::string longest = trFormat("head {}", grid.perBlock());
  const bool whole =
      textSize(look_.fonts.tiny, longest).x + look_.space.small < memory_.canvas.place().x;
  float last = -1e9F;
  ImGui::PushClipRect(top.a, top.b, true);
  for (Index column = 0; column < grid.columns; ++column) {
    const float centre = tile(0, column).centre().x;
    const std::string name =
        fmt::format("{}{}", whole ? "head " : "", column % grid.perBlock() + 1);
    const float half = textSize(look_.fonts.tiny, name).x * 0.5F;
    if (centre - half < last + look_.space.small) continue;
    last = centre + half;
    drawTextCentred(list, look_.fonts.tiny, {centre, top.centre().y}, look_.theme.textMuted, name);
  }
  ImGui::PopClipRect();
}

/// Draws the names of layers left of the rows: those of the first block stay visible, those of
/// others stand next to their block.
void ModelHeads::layerNames(const Rect& names) const {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ModelCanvas& canvas = memory_.canvas;
  const float height = fontSize(look_.fonts.tiny);
  // the names next to the canvas are those of the block at its left edge
  Index atEdge = 0;
  for (Index block = 1; block < canvas.grid.blocks; ++block) {
    if (tile(0, block * canvas.grid.perBlock()).a.x <= canvas.room.a.x) atEdge = block;
  }
  for (Index block = atEdge; block < canvas.grid.blocks; ++block) {
    const Rect clip = block == atEdge ? names : canvas.room;
    ImGui::PushClipRect(clip.a, clip.b, true);
    float last = -1e9F;
    for (Index row = 0; row < canvas.grid.rows; ++row) {
      const Index place = block * canvas.grid.rows + row;
      if (place >= std::ssize(layers_)) break;
      const Index layer = layers_[static_cast<std::size_t>(place)];
      const Rect first = tile(row, block * canvas.grid.perBlock());
      const float y = first.centre().y - height * 0.5F;
      if (y < last + height) continue;
      last = y;
      const bool differs = live_.differs(layer, stack_);
      const std::string name =
          trFormat("layer {}{}", moment_.config().depthOf(layer) + 1, differs ? "*" : "");
      const float left = canvas.placeAt(row, block * canvas.grid.perBlock()).a.x;
      const float width = textSize(look_.fonts.tiny, name).x;
      const float x = block == atEdge ? names.a.x : left - width - look_.space.small;
      drawText(list, look_.fonts.tiny, {x, y},
               differs ? look_.theme.accentText : look_.theme.textMuted, name);
    }
    ImGui::PopClipRect();
  }
}

const HeadLabel* ModelHeads::labelOf(const HeadOfLayer& head) const {
  return shown_.heads == nullptr ? nullptr : &shown_.heads->labels[placeOf(head, moment_.config())];
}

ImU32 ModelHeads::labelColor(const HeadLabel& label) const {
  const auto found = std::ranges::find(kColoredLabels, label.key);
  if (found == kColoredLabels.end()) return look_.theme.field;
  return headColor(look_.theme, static_cast<std::size_t>(found - kColoredLabels.begin()));
}

/// Returns the head's cell in the shown map; nothing where the head has no value, or none yet.
std::optional<ModelHeads::MapCell> ModelHeads::mapCell(const HeadOfLayer& head) const {
  if (view_.metric == kTokensMap || view_.metric == kGradientMap || view_.metric == kAdapterMap ||
      view_.metric == kCopyingMap || view_.metric == kDistanceMap || view_.metric == kPositionMap ||
      view_.metric == kShapeMap) {
    const MetricValue value = onMap(head);
    if (!value) return std::nullopt;
    if (view_.metric == kTokensMap || view_.metric == kPositionMap || view_.metric == kShapeMap) {
      return numberCell(value, 1.0F);
    }
    if (view_.metric == kCopyingMap) return signedCell(value);
    const MetricValue& most = std::ranges::max(*valuesOn(view_.metric), {}, &MetricValue::value);
    MapCell cell = numberCell(value, std::max(1e-30F, static_cast<float>(*most)));
    if (view_.metric == kGradientMap) cell.words = fmt::format("{:.3g}", *value);
    if (view_.metric == kDistanceMap) cell.words = fmt::format("{:.1f} %", 100.0 * *value);
    return cell;
  }
  if (shown_.heads == nullptr) return std::nullopt;
  if (view_.metric == kLabelMap) {
    const HeadLabel& label = *labelOf(head);
    return MapCell{labelColor(label), labelWithScore(label), label.title};
  }
  const auto metric = metricFromKey(view_.metric);
  if (!metric) return std::nullopt;
  const MetricValue& value = shown_.heads->metrics[placeOf(head, moment_.config())][*metric];
  if (!value) return std::nullopt;
  return numberCell(value, mostOf(*metric));
}

/// The value of a metric that has the darkest colour: of shares 1, of others that of uniform
/// attention or of the head with the largest.
float ModelHeads::mostOf(Metric metric) const {
  if (metric == Metric::entropy) {
    return std::max(1.0F, std::log2(static_cast<float>(shown_.tokens)));
  }
  if (info(metric).unit.empty() && metric != Metric::ablation) return 1.0F;
  double most = 1e-30;
  for (const HeadMetrics& head : shown_.heads->metrics) {
    if (head[metric]) most = std::max(most, *head[metric]);
  }
  return static_cast<float>(most);
}

ModelHeads::MapCell ModelHeads::numberCell(const MetricValue& value, float most) const {
  const ColorScale scale = sequentialScale(look_, 0.0F, most);
  return {scale.color(look_.maps, static_cast<float>(*value)), fmt::format("{:.2f}", *value), {}};
}

ModelHeads::MapCell ModelHeads::signedCell(const MetricValue& value) const {
  return {divergingScale(look_, 1.0F).color(look_.maps, static_cast<float>(*value)),
          fmt::format("{:+.2f}", *value),
          {}};
}

/// Draws all texts in and around a tile.
void ModelHeads::words(ImDrawList* list, const HeadOfLayer& head, const Rect& at) const {
  if (live_.isOff(head, stack_)) {
    drawOff(look_, list, at.a, at.b);
  } else if (!pictures()) {
    if (const auto cell = mapCell(head)) wordsInCell(list, *cell, at);
  }
  if (named()) tokenNames(list, head.layer, at);
  if (titled()) title(list, head, at);
}

/// Draws the text of a cell, broken at spaces where needed, or omits it where it does not fit.
/// Where lines are drawn, the text has its own background.
void ModelHeads::wordsInCell(ImDrawList* list, const MapCell& cell, const Rect& at) const {
  ImFont* font = look_.fonts.tiny;
  const float room = at.width() - look_.space.tight;
  std::string lines = wrapped(font, cell.words, room);
  ImVec2 size = textSize(font, lines);
  const auto fits = [&] { return size.x <= room && size.y <= at.height(); };
  if (!fits()) {
    lines = wrapped(font, cell.shorter, room);
    size = textSize(font, lines);
  }
  if (lines.empty() || !fits()) return;
  if (!joined_.empty()) {
    const Rect ground = at.placed({size.x + look_.space.tight, size.y});
    list->AddRectFilled(ground.a, ground.b, cell.fill, look_.space.thin);
  }
  float y = at.centre().y - size.y * 0.5F;
  for (std::size_t begin = 0; begin <= lines.size();) {
    const std::size_t end = std::min(lines.find('\n', begin), lines.size());
    y += fontSize(font) * 0.5F;
    drawTextCentred(list, font, {at.centre().x, y}, legibleOn(cell.fill),
                    std::string_view(lines).substr(begin, end - begin));
    y += fontSize(font) * 0.5F;
    begin = end + 1;
  }
}

/// Draws the head's label above its tile, with the head's name where the layout does not show it.
void ModelHeads::title(ImDrawList* list, const HeadOfLayer& head, const Rect& at) const {
  const HeadLabel* found = labelOf(head);
  std::string words = found != nullptr ? labelWithScore(*found) : std::string();
  if (live_.isOff(head, stack_)) words = "off";
  const bool nameless = !inPlace() || (memory_.canvas.grid.blocks > 1 && memory_.canvas.zoom > 1);
  if (nameless) words = fmt::format("{}  {}", shortName(head, moment_.config()), words);
  const bool muted = found == nullptr || !found->defined() || found->key == "mixed";
  const ImVec2 from(at.a.x, at.a.y - fontSize(look_.fonts.tiny) - look_.space.thin);
  // the score gives way to the name, which is left out where it does not fit either
  words = wholeParts(look_.fonts.tiny, words, at.width());
  if (words.ends_with("…")) words = found != nullptr ? found->title : std::string();
  if (textSize(look_.fonts.tiny, words).x > at.width()) words.clear();
  if (!joined_.empty()) {
    const Rect ground = Rect::at(from, textSize(look_.fonts.tiny, words));
    list->AddRectFilled(ground.a, ground.b, look_.theme.panel, look_.space.thin);
  }
  drawText(list, look_.fonts.tiny, from, muted ? look_.theme.textMuted : look_.theme.text, words);
}

/// Says what is under the mouse. The picture of an image frames its tokens in the next frame.
void ModelHeads::noteHovered(const std::optional<Under>& under) const {
  if (under) showTooltip(inWords(*under));
  std::optional<std::pair<Index, Index>> tokens;
  if (under && under->cell && moment_.ofImage()) {
    tokens = {under->cell->row, under->cell->col};
    patchesInTip(look_, tokenPictures(moment_), {tokens->first, tokens->second});
  }
  if (panel_.frame.hoveredTokens == tokens) return;
  panel_.frame.hoveredTokens = tokens;
  *look_.wantsFrame = true;
}

/// Draws the patches of an image next to their rows and below their columns: as many as fit.
void ModelHeads::patchNames(ImDrawList* list, const Rect& at) const {
  const TokenPictures pictures = tokenPictures(moment_);
  const Index count = moment_.trace->tokens();
  const float most = look_.px(kMostThumbnail), gap = look_.space.tight;
  const Rect below = Rect::at({at.a.x, at.b.y + gap}, {at.width(), most});
  const Rect before = Rect::at({at.a.x - gap - most, at.a.y}, {most, at.height()});
  pictures.drawAlong(look_, list, below, count, false);
  pictures.drawAlong(look_, list, before, count, true);
}

void ModelHeads::tokenNames(ImDrawList* list, Index layer, const Rect& at) const {
  if (moment_.ofImage()) return patchNames(list, at);
  AxisLabels labels{memory_.names,    look_.fonts.tiny, look_.theme.textMuted,
                    look_.theme.text, memory_.litQuery, look_.px(kNamesRoom - 10.0F)};
  labels.first = 1;  // positions are counted from 1 here
  drawRowLabels(list, labels, at, look_.space.tight);
  AxisLabels keys{keyNames(layer),  look_.fonts.tiny, look_.theme.textMuted,
                  look_.theme.text, memory_.litKey,   look_.px(kNamesRoom - 10.0F)};
  keys.first = 1;
  ColumnLabels(look_, keys, at.width(), look_.px(kNamesRoom)).draw(list, at);
}

const std::vector<MetricValue>* ModelHeads::valuesOn(std::string_view map) const {
  if (map == kTokensMap) return onTokens_;
  if (map == kAdapterMap) return byAdapter_;
  if (map == kCopyingMap) return copying_;
  if (map == kPositionMap) return byPosition_;
  if (map == kDistanceMap) return distances_;
  if (map == kShapeMap) return onShape_;
  return map == kGradientMap ? gradients_ : nullptr;
}

MetricValue ModelHeads::onMap(const HeadOfLayer& head) const {
  const auto* values = valuesOn(view_.metric);
  return values != nullptr ? (*values)[placeOf(head, moment_.config())]
                           : MetricValue::undefined(tr("not computed yet"));
}

/// "; in the other pass 0.123": the weight of the cell's partner.
std::string ModelHeads::inOtherPass(const Under& under) const {
  const auto& [layer, head] = under.head;
  const model::PassPairs& pairs = *weights_.pairs;
  if (!pairs.has(under.head)) return tr("; the other pass has no such head");
  const auto& keys = pairs.keysOf(moment_.config(), layer);
  const Index row = pairs.tokens[static_cast<std::size_t>(under.cell->row)];
  const Index key = keys[static_cast<std::size_t>(under.cell->col)];
  if (row == model::kNoPartner || key == model::kNoPartner) {
    return tr("; no partner in the other pass");
  }
  const CellRef cell{TensorId::weights, 0, head, row, key};
  return trFormat("; in the other pass {:.3f}",
                  static_cast<double>(weights_.against->trace->layer(layer)->value(cell)));
}

std::string ModelHeads::inWords(const Under& under) const {
  const auto& [layer, head] = under.head;
  std::string text = trFormat("{}, head {}", moment_.config().layerInWords(layer, true), head + 1);
  const std::size_t i = placeOf(under.head, moment_.config());
  const char* on = moment_.ofImage()                     ? tr("on this image")
                   : view_.heads.on == MeasuredOn::probe ? tr("on repeated random tokens")
                   : view_.heads.on == MeasuredOn::set   ? tr("on average over the set")
                                                         : tr("on this text");
  if (live_.isOff(under.head, stack_)) {
    text += ": off";
  } else if (shown_.heads != nullptr) {
    const HeadLabel& label = shown_.heads->labels[i];
    text += ": " + (label.defined() ? labelWithScore(label) : labelWithRule(label));
  }
  const auto metric = metricFromKey(view_.metric);
  if (view_.metric == kTokensMap) {
    const MetricValue weight = onMap(under.head);
    text += weight ? trFormat("\nweight on the chosen tokens: {:.3f}", *weight) : "\n" + weight.why;
  } else if (view_.metric == kShapeMap) {
    const MetricValue share = onMap(under.head);
    text +=
        share ? trFormat("\n{:.1f} % of the class token's weights lie on the shape", 100.0 * *share)
              : "\n" + share.why;
  } else if (view_.metric == kGradientMap) {
    const MetricValue length = onMap(under.head);
    text += length ? trFormat("\nlength of the gradient: {:.3g}", *length) : "\n" + length.why;
  } else if (view_.metric == kCopyingMap) {
    const MetricValue score = onMap(under.head);
    text += score ? trFormat("\ncopying score: {:+.3f}", *score) : "\n" + score.why;
  } else if (view_.metric == kPositionMap) {
    const MetricValue share = onMap(under.head);
    text += share ? trFormat("\n{:.1f} % of its attention is by position alone", 100.0 * *share)
                  : "\n" + share.why;
  } else if (view_.metric == kAdapterMap) {
    const MetricValue change = onMap(under.head);
    text += change
                ? trFormat("\nthe adapter changes its weights by {:.2g} of their length", *change)
                : "\n" + change.why;
  } else if (view_.metric == kDistanceMap) {
    const MetricValue distance = onMap(under.head);
    text += distance ? trFormat("\n{:.1f} % of its attention lies elsewhere in the other pass",
                                100.0 * *distance)
                     : "\n" + distance.why;
  } else if (metric && shown_.heads != nullptr) {
    const MetricValue& value = shown_.heads->metrics[i][*metric];
    const MetricInfo& about = info(*metric);
    text += value ? fmt::format("\n{} {}: {:.3f}{}{}", about.title, on, *value,
                                about.unit.empty() ? "" : " ", about.unit)
                  : fmt::format("\n{} {}: {}", about.title, on, value.why);
  }
  const model::ModelConfig& c = moment_.config();
  const bool alone = c.modelType == formats::kAttentionsAlone;
  if (c.kvHeads != c.heads && !alone) {
    text +=
        trFormat("\nreads key/value head {} of {}", head / (c.heads / c.kvHeads) + 1, c.kvHeads);
  }
  if (under.cell) {
    const CellRef cell{TensorId::weights, 0, head, under.cell->row, under.cell->col};
    text += trFormat("\n“{}” looks at “{}”: {:.3f}",
                     memory_.names[static_cast<std::size_t>(under.cell->row)],
                     keyNames(layer)[static_cast<std::size_t>(under.cell->col)],
                     static_cast<double>(moment_.trace->layer(layer)->value(cell)));
    if (weights_.against != nullptr) text += inOtherPass(under);
  }
  if (alone) return text;
  return text + (view_.heads.on == MeasuredOn::probe
                     ? tr("\ndouble click: open in Flow, on your text")
                     : tr("\ndouble click: open in Flow"));
}

}  // namespace headscope::ui
