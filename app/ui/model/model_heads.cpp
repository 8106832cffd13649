#include "app/ui/model/model_heads.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "app/gl/scene.h"
#include "app/ui/compat.h"
#include "app/ui/frame_state.h"
#include "app/ui/model/compared_model.h"
#include "app/ui/model/compositions_view.h"
#include "app/ui/model/head_maps.h"
#include "app/ui/model/prediction_views.h"
#include "app/ui/panel.h"
#include "app/ui/parts/axis_labels.h"
#include "app/ui/parts/computed.h"
#include "app/ui/parts/head_label.h"
#include "app/ui/parts/matrix.h"
#include "app/ui/view_state.h"
#include "app/ui/widgets.h"
#include "core/formats/attention_file.h"
#include "core/model/edited_layer.h"
#include "core/words/head_place.h"

namespace headscope::ui {
namespace {

constexpr float kTitledFrom = 90.0F;  // points: larger places show the head's label above the tile
constexpr float kNamedFrom = 230.0F;  // points: larger places show token names next to the tile

std::vector<Index> within(std::vector<Index> tokens, Index count) {
  std::erase_if(tokens, [count](Index token) { return token >= count; });
  return tokens;
}

/// Returns the measured heads on the text. Until they are computed, those of the previous pass are
/// shown if it had the same text.
ShownHeads headsOnText(const PanelContext& panel, const ModelMoment& moment, Schedule when) {
  const auto found = measuredHeads(panel, moment, when);
  const bool current = found.current != nullptr;
  const auto shown = [&](const FoundHeads& heads) {
    return ShownHeads{heads.heads.get(), std::ssize(heads.of->input.ids), current, found.problem};
  };
  if (current) return shown(*found.current);
  const model::ModelDocument& now = moment.trace->document();
  const bool standIn = found.last != nullptr && found.last->of->model == now.model &&
                       found.last->of->input == now.input;
  return standIn ? shown(*found.last) : ShownHeads{nullptr, 0, false, found.problem};
}

/// The point where the line from a tile's centre to `point` leaves the tile.
ImVec2 edgeTowards(const Rect& tile, ImVec2 point) {
  const ImVec2 from = tile.centre();
  const ImVec2 way(point.x - from.x, point.y - from.y);
  const float times =
      std::max(std::abs(way.x) / (tile.width() * 0.5F), std::abs(way.y) / (tile.height() * 0.5F));
  return times <= 1.0F ? point : ImVec2(from.x + way.x / times, from.y + way.y / times);
}

/// Returns whether pictures of all heads show less than every weight.
bool reduces(const ModelMoment& moment) {
  return std::max(moment.trace->tokens(), memoryTokens(moment)) > smallSide(moment);
}

/// The layers that a choice of attention shows.
std::vector<Index> shownLayers(const model::ModelConfig& config, AttentionShown shown) {
  std::vector<Index> layers;
  for (Index layer = 0; layer < config.layers; ++layer) {
    const bool cross = config.readsMemory(layer);
    if (!config.crossAttention || cross == (shown == AttentionShown::cross))
      layers.push_back(layer);
  }
  return layers;
}

}  // namespace

std::vector<Index> chosenQueries(const ModelHeadsView& view, const ModelMoment& moment) {
  return within(view.queries, moment.trace->tokens());
}

std::vector<Index> chosenKeys(const ModelHeadsView& view, const ModelMoment& moment) {
  auto keys = within(view.keys, moment.trace->tokens());
  if (keys.empty()) keys.push_back(0);
  return keys;
}

std::string shortName(const HeadOfLayer& head, const model::ModelConfig& config) {
  const char* kind = !config.crossAttention           ? ""
                     : config.readsMemory(head.layer) ? "cross "
                                                      : "self ";
  return kind + shortName(HeadOfLayer{config.depthOf(head.layer), head.head});
}

model::Stack stackOf(const LiveModel& live, const ModelMoment& shown) {
  const auto whole = live.moment();
  const bool encoder = whole->source != nullptr && !shown.config().crossAttention;
  return encoder ? model::Stack::encoder : model::Stack::decoder;
}

WeightRange weightRange(const model::ModelDocument& document) {
  WeightRange range;
  for (const auto& [layer, edited] : document.edited) {
    range = range.with(headscope::weightRange(edited->config, edited->pins, 0, -1));
  }
  return range;
}

ModelHeads::ModelHeads(const PanelContext& panel, const LiveModel& live,
                       const ShownWeights& weights, Memory& memory,
                       const std::optional<ShownHeads>& measuredThere)
    : panel_(panel),
      look_(panel.look),
      live_(live),
      weights_(weights),
      moment_(*weights_.of),
      stack_(stackOf(live, moment_)),
      view_(panel.modelView),
      memory_(memory) {
  remember();
  const ModelMoment& moment = moment_;
  layers_ = shownLayers(moment.config(), view_.attention);
  range_ = weightRange(moment.trace->document());
  const auto leftOut = [&](const std::vector<bool>& special) {
    return view_.heads.specialTokens ? std::vector<bool>(special.size(), false) : special;
  };
  leftOut_ = {leftOut(memory_.special), leftOut(memory_.special), leftOut(memory_.sourceSpecial)};
  if (!view_.firstToken) {
    leftOut_.columns.front() = true;
    if (!leftOut_.memory.empty()) leftOut_.memory.front() = true;
  }
  // both computations read all weights: pictures come first
  Schedule measured = Schedule::background;
  if (pictures() && reduces(moment_)) {
    const auto small = smallHeads(panel, weights_, leftOut_);
    small_ = small.current != nullptr ? small.current : small.last;
    // weights of the previous pass are shown meanwhile if their sizes match
    if (small_ != nullptr && !small_->areOf(moment)) small_ = nullptr;
    if (small.current == nullptr && small.problem.empty()) measured = Schedule::never;
    if (scaled() && small_ != nullptr) largest_ = &small_->largest;
  } else if (pictures() && scaled()) {
    largest_ = largestWeights(panel, weights_, leftOut_).current;
  }
  shown_ = measuredThere ? *measuredThere : headsOnText(panel, moment, measured);
  if (view_.metric == kTokensMap || view_.heads.order == kTokensMap) {
    onTokens_ = weightOnTokens(panel, moment, chosenQueries(view_.heads, moment),
                               chosenKeys(view_.heads, moment))
                    .current;
  }
  const bool asked = view_.metric == kGradientMap || view_.heads.order == kGradientMap;
  const ModelMoment& predicts = predictedBy(live_, moment_);
  if (const auto word = asked ? chosenWord(view_, predicts) : std::nullopt) {
    gradients_ = gradientsOfHeads(panel, predicts, stack_, *word).current;
  }
  if (view_.metric == kCopyingMap || view_.heads.order == kCopyingMap) {
    copying_ = copyingOfHeads(panel, moment).current;
  }
  if (view_.metric == kPositionMap || view_.heads.order == kPositionMap) {
    byPosition_ = sharesOfPositions(panel, moment).current;
  }
  const bool drawn = !moment.shapePatches.empty();
  if (drawn && (view_.metric == kShapeMap || view_.heads.order == kShapeMap)) {
    onShape_ = weightsOnShape(panel, moment).current;
  }
  const bool adapted = moment.trace->document().model->adapter() != nullptr;
  if (adapted && (view_.metric == kAdapterMap || view_.heads.order == kAdapterMap)) {
    byAdapter_ = changesByAdapter(panel, moment).current;
  }
  if (view_.metric == kDistanceMap || view_.heads.order == kDistanceMap) {
    const ComparedPass compared = comparedPass(panel, live);
    if (compared.subtracts()) {
      distances_ = distancesOfHeads(panel, moment, compared).current;
    }
  }
  if (view_.heads.lines) {
    const auto compositions = modelCompositions(panel_, *live_.moment()).current;
    if (compositions != nullptr) {
      joined_ = joinedPairs(*compositions, *view_.heads.lines, stack_, layers_);
    }
  }
  sortHeads();
}

void ModelHeads::remember() {
  if (memory_.of == moment_.number) return;
  memory_.of = moment_.number;
  const auto specials = [](const ModelMoment& of) {
    std::vector<bool> special;
    for (const Index id : of.trace->document().input.ids) {
      special.push_back(of.tokenizer != nullptr && !of.ofImage() &&
                        of.tokenizer->isSpecial(static_cast<tokenizer::TokenId>(id)));
    }
    return special;
  };
  memory_.names = moment_.tokenNames();
  memory_.special = specials(moment_);
  memory_.sourceNames.clear();
  memory_.sourceSpecial.clear();
  if (moment_.source == nullptr) return;
  memory_.sourceNames = moment_.source->tokenNames();
  memory_.sourceSpecial = specials(*moment_.source);
}

Index ModelHeads::rowOf(Index layer) const {
  return std::ranges::find(layers_, layer) - layers_.begin();
}

const std::vector<std::string>& ModelHeads::keyNames(Index layer) const {
  return moment_.config().readsMemory(layer) ? memory_.sourceNames : memory_.names;
}

void ModelHeads::sortHeads() {
  const std::string& by = view_.heads.order;
  const model::ModelConfig& c = moment_.config();
  const auto count = layers_.size() * static_cast<std::size_t>(c.heads);
  const ChosenWord word = chosenWord(view_, moment_).value_or(ChosenWord{});
  const Fingerprint key("order", moment_.number, static_cast<int>(view_.attention), by,
                        reinterpret_cast<std::uintptr_t>(shown_.heads),
                        reinterpret_cast<std::uintptr_t>(valuesOn(by)), view_.heads.queries.size(),
                        view_.heads.queries, view_.heads.keys, word.row, word.word,
                        word.other.value_or(-1));
  if (memory_.orderedBy == key.value() && memory_.order.size() == count) return;
  memory_.orderedBy = key.value();
  memory_.order.clear();
  for (const Index layer : layers_) {
    for (Index head = 0; head < c.heads; ++head) memory_.order.push_back(placeOf({layer, head}, c));
  }
  // sorts by group, then by number, the largest first; heads without a number come last
  const auto sort = [&](auto&& group, auto&& number) {
    std::stable_sort(memory_.order.begin(), memory_.order.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(group(a), -number(a)) < std::pair(group(b), -number(b));
    });
  };
  if (by == kLabelMap && shown_.heads != nullptr) {
    sort(
        [&](std::size_t i) {
          return std::ranges::find(kColoredLabels, shown_.heads->labels[i].key) -
                 kColoredLabels.begin();
        },
        [&](std::size_t i) { return shown_.heads->labels[i].score.value_or(0.0); });
    return;
  }
  const auto byNumber = [&](auto&& measured) {
    sort([](std::size_t) { return 0; },
         [&](std::size_t i) { return measured(i).value.value_or(-1.0); });
  };
  const auto metric = metricFromKey(by);
  if (const auto* values = valuesOn(by)) {
    byNumber([&](std::size_t i) -> const MetricValue& { return (*values)[i]; });
  } else if (metric && shown_.heads != nullptr) {
    byNumber(
        [&](std::size_t i) -> const MetricValue& { return shown_.heads->metrics[i][*metric]; });
  }
}

HeadOfLayer ModelHeads::headAt(std::size_t order) const {
  const auto head = static_cast<Index>(memory_.order[order]);
  return {head / moment_.config().heads, head % moment_.config().heads};
}

Rect ModelHeads::tile(Index row, Index column) const {
  const float title = titled() ? 1.5F * fontSize(look_.fonts.tiny) : 0.0F;
  const float names = named() ? look_.px(kNamesRoom) : 0.0F;
  const float gap = titled() ? 8.0F : narrower() < look_.px(20) ? 1.0F : 3.0F;
  return memory_.canvas.tile(row, column, look_.px(gap), title, names, !pictures());
}

Rect ModelHeads::tileAt(std::size_t order) const {
  if (inPlace()) return tileOf(headAt(order));
  const auto columns = static_cast<std::size_t>(memory_.canvas.grid.columns);
  return tile(static_cast<Index>(order / columns), static_cast<Index>(order % columns));
}

Rect ModelHeads::tileOf(const HeadOfLayer& head) const {
  if (inPlace()) {
    const Index rows = memory_.canvas.grid.rows;
    const Index row = rowOf(head.layer);
    return tile(row % rows, row / rows * moment_.config().heads + head.head);
  }
  const auto found = std::ranges::find(memory_.order, placeOf(head, moment_.config()));
  return tileAt(static_cast<std::size_t>(found - memory_.order.begin()));
}

float ModelHeads::narrower() const {
  const ImVec2 place = memory_.canvas.place();
  return std::min(place.x, place.y);
}
bool ModelHeads::titled() const { return narrower() >= look_.px(kTitledFrom); }
bool ModelHeads::named() const { return pictures() && narrower() >= look_.px(kNamedFrom); }

/// Chooses the grid that gives the largest tiles in a room.
void ModelHeads::arrange(const Rect& room) {
  ModelCanvas& canvas = memory_.canvas;
  const model::ModelConfig& c = moment_.config();
  const float margin = textSize(look_.fonts.tiny, "layer 00*").x + look_.space.large;
  canvas.room = room;
  canvas.margin = inPlace() ? margin : 0.0F;
  const Index layers = std::ssize(layers_);
  canvas.grid = inPlace() ? TileBlocks::ofLayers(room.size(), layers, c.heads, margin)
                          : TileBlocks::ofRow(room.size(), layers * c.heads);
  canvas.keepInSight();
}

std::optional<HeadOfLayer> ModelHeads::draw() {
  ModelCanvas& canvas = memory_.canvas;
  const Rect whole = Rect::rest();
  Rect room = whole;
  const float row = fontSize(look_.fonts.tiny) + look_.space.small;
  Rect top, left;
  if (inPlace()) {
    top = room.cutTop(row);
    left = room.cutLeft(textSize(look_.fonts.tiny, "layer 00*").x + look_.space.small);
    top.a.x = room.a.x;
  }
  arrange(room);
  ImGui::InvisibleButton("model heads",
                         {std::max(1.0F, whole.width()), std::max(1.0F, whole.height())});
  const bool over = ImGui::IsItemHovered();
  memory_.takesWheel = over;
  const float wheel = ImGui::GetIO().MouseWheel;
  if (over && wheel != 0.0F) {
    canvas.zoomAt(ImGui::GetIO().MousePos, std::pow(1.25F, wheel));
    *look_.wantsFrame = true;
  }
  if (ImGui::IsItemActive() && ImGui::IsMouseDragging(0)) {
    canvas.moveBy(ImGui::GetIO().MouseDelta);
  }
  if (inPlace()) {
    headNames(top);
    layerNames(left);
    groupBrackets(top);
  }
  ImGui::PushClipRect(room.a, room.b, true);
  const auto under = tiles(over);
  ImGui::PopClipRect();
  noteHovered(under);
  if (!under) return std::nullopt;
  if (ImGui::IsMouseReleased(0) && !ImGui::IsMouseDragging(0)) {
    view_.layer = under->head.layer;
    view_.head = under->head.head;
  }
  // only the weights of such a model are real, and Flow would show all its numbers
  const bool opens = moment_.config().modelType != formats::kAttentionsAlone;
  return opens && ImGui::IsMouseDoubleClicked(0) ? std::optional(under->head) : std::nullopt;
}

/// Draws a bracket over heads that share a key/value head.
void ModelHeads::groupBrackets(const Rect& top) const {
  const model::ModelConfig& c = moment_.config();
  if (c.kvHeads == c.heads || c.modelType == formats::kAttentionsAlone) return;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Index each = c.heads / c.kvHeads;
  const float y = top.b.y - look_.space.thin, foot = look_.space.tight;
  ImGui::PushClipRect(top.a, {top.b.x, top.b.y + foot}, true);
  for (Index first = 0; first < memory_.canvas.grid.columns; first += each) {
    const float a = tile(0, first).a.x, b = tile(0, first + each - 1).b.x;
    const ImU32 color = look_.theme.keyText;
    list->AddLine({a, y}, {b, y}, color, look_.space.hair);
    list->AddLine({a, y}, {a, y + foot}, color, look_.space.hair);
    list->AddLine({b, y}, {b, y + foot}, color, look_.space.hair);
  }
  ImGui::PopClipRect();
}

/// Draws pictures and fills first, then lines, then texts, so that no line covers a text.
std::optional<ModelHeads::Under> ModelHeads::tiles(bool over) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  Heatmaps heatmaps(look_);
  std::optional<Under> under;
  const Index tokens = moment_.trace->tokens();
  if (inPlace()) groups(list);
  const auto each = [&](auto&& call) {
    for (std::size_t order = 0; order < memory_.order.size(); ++order) {
      const Rect at = tileAt(order);
      if (at.overlaps(memory_.canvas.room)) call(headAt(order), at);
    }
  };
  each([&](const HeadOfLayer& head, const Rect& at) {
    const bool isUnder = over && at.contains(mouse);
    if (isUnder) under = Under{head, {}};
    if (!pictures()) {
      if (const auto cell = mapCell(head)) list->AddRectFilled(at.a, at.b, cell->fill);
    } else if (!weights_.held(head.layer)) {
      heatmaps.addHatched(at);
    } else {
      picture(heatmaps, head, at);
      if (isUnder) {
        under->cell = MatrixPlace{at, tokens, std::ssize(keyNames(head.layer))}.nearest(mouse);
      }
    }
  });
  heatmaps.draw(list);
  each([&](const HeadOfLayer& head, const Rect& at) { frame(list, head, at); });
  lines(list);
  each([&](const HeadOfLayer& head, const Rect& at) { words(list, head, at); });
  each([&](const HeadOfLayer& head, const Rect& at) {
    noteControl(look_, "head " + shortName(head), at);
  });
  const bool large = under && tileOf(under->head).width() >= look_.px(16);
  memory_.litQuery = large && under->cell ? under->cell->row : -1;
  memory_.litKey = large && under->cell ? under->cell->col : -1;
  return under;
}

void ModelHeads::picture(Heatmaps& heatmaps, const HeadOfLayer& head, const Rect& at) const {
  const CellRows rows = cells(head, at);
  if (rows.rows == 0) return;  // still being reduced
  heatmaps.add(
      Fingerprint("model head", head.layer, head.head),
      Fingerprint("model", moment_.number, weights_.numberAgainst(), view_.firstToken,
                  view_.heads.specialTokens, rows.rows, small_ != nullptr ? small_->key : 0),
      rows, scaleOf(head), at);
  if (memory_.litQuery < 0) return;
  heatmaps.lightRow((static_cast<double>(memory_.litQuery) + 0.5) /
                    static_cast<double>(moment_.trace->tokens()));
}

/// Returns the cells of a head's picture, not more than it has pixels. Large pictures are reduced
/// by powers of two, so that zooming does not read the weights at every step.
CellRows ModelHeads::cells(const HeadOfLayer& head, const Rect& at) const {
  const auto whole = [&] { return drawnWeights(weights_, head, leftOut_); };
  const Index side = smallSide(moment_);
  const Index tokens = std::max<Index>(moment_.trace->tokens(), std::ssize(keyNames(head.layer)));
  if (!reduces(moment_)) return whole();
  const auto pixels =
      static_cast<Index>(std::min(at.width(), at.height()) * look_.scene.pixelsPerPoint);
  if (pixels >= tokens) return whole();
  Index fine = side;
  while (2 * fine <= pixels) fine *= 2;
  if (fine > side) return reduced(whole(), fine, fine);
  return small_ != nullptr ? small_->of(placeOf(head, moment_.config())) : CellRows{};
}

ColorScale ModelHeads::scaleOf(const HeadOfLayer& head) const {
  const bool differences = weights_.against != nullptr;
  if (largest_ == nullptr) {
    return differences ? divergingScale(look_, 1.0F) : weightScale(look_, range_);
  }
  const float own = (*largest_)[placeOf(head, moment_.config())];
  const float high = std::max(1e-6F, view_.ownScale ? own : std::ranges::max(*largest_));
  if (differences) return divergingScale(look_, high);
  return weightScale(look_, {range_.low < 0.0F ? -high : 0.0F, high});
}

void ModelHeads::frame(ImDrawList* list, const HeadOfLayer& head, const Rect& at) const {
  if (head.layer == view_.layer && head.head == view_.head) {
    drawFrame(look_, list, at, look_.theme.accent);
  } else if (at.height() > look_.px(12)) {
    list->AddRect(at.a, at.b, look_.theme.panelBorder);
  }
  const HeadLabel* found = labelOf(head);
  const bool labelled = found != nullptr && found->defined() && found->key != "mixed";
  if (pictures() && labelled && at.height() > look_.px(12)) {
    // the label's colour as a strip below the picture
    list->AddRectFilled({at.a.x, at.b.y}, {at.b.x, at.b.y + look_.space.thin}, labelColor(*found));
  }
}

/// Draws a background behind the heads of a layer that share a key/value head.
void ModelHeads::groups(ImDrawList* list) const {
  const model::ModelConfig& c = moment_.config();
  const bool alone = c.modelType == formats::kAttentionsAlone;  // it has no keys and values
  if (alone || c.kvHeads == c.heads || narrower() < look_.px(16)) return;
  const Index each = c.heads / c.kvHeads;
  for (const Index layer : layers_) {
    for (Index group = 0; group < c.kvHeads; ++group) {
      const Rect first = tileOf({layer, group * each}),
                 last = tileOf({layer, group * each + each - 1});
      const Rect all = Rect{first.a, last.b}.outset(look_.space.tight);
      if (all.overlaps(memory_.canvas.room)) {
        list->AddRectFilled(all.a, all.b, look_.theme.field, look_.space.tight);
      }
    }
  }
}

/// Draws lines between the edges of paired tiles.
void ModelHeads::lines(ImDrawList* list) const {
  if (joined_.empty()) return;
  const double most = std::max(1e-9, joined_.front().score);
  const double least = joined_.back().score;
  for (const model::ComposedHeads& pair : joined_) {
    const Rect from = tileOf(pair.from), into = tileOf(pair.into);
    const ImVec2 a = edgeTowards(from, into.centre()), b = edgeTowards(into, from.centre());
    const auto strength = static_cast<float>((pair.score - least) / std::max(1e-9, most - least));
    const float width = look_.px(1.0F + 2.0F * strength);
    list->AddLine(a, b, withAlpha(look_.theme.panel, 0.7F), width + look_.px(2));
    list->AddLine(a, b, withAlpha(look_.theme.accent, 0.5F + 0.5F * strength), width);
    list->AddCircleFilled(b, width + look_.space.thin, look_.theme.accent);
    list->AddCircleFilled(a, width, look_.theme.accent);
  }
}

}  // namespace headscope::ui
