#include "app/ui/model/model_heads.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "app/ui/compat.h"
#include "app/ui/parts/axis_labels.h"
#include "app/ui/parts/head_label.h"
#include "app/ui/parts/matrix.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

using model::HeadOfLayer;

constexpr float kTitledFrom = 90.0F;  // points of a tile's place: what its head does stands above
constexpr float kNamedFrom = 230.0F;  // the tokens stand beside it
constexpr float kNames = 60.0F;       // their room

/// Labels that have a colour of their own; all others are muted.
constexpr std::array<std::string_view, 9> kColoredLabels{
    "previous_token", "induction", "duplicate_token", "first_token", "self",
    "next_token",     "local",     "uniform",         "far"};

std::vector<Index> within(std::vector<Index> tokens, Index count) {
  std::erase_if(tokens, [count](Index token) { return token >= count; });
  return tokens;
}

ShownHeads shownHeads(const Panel& panel, const ModelMoment& moment, When when) {
  const bool probe = panel.view.model.heads.probe;
  const auto found = probe ? probedHeads(panel, moment) : measuredHeads(panel, moment, when);
  const bool current = found.current != nullptr;
  const auto shown = [&](const FoundHeads& heads) {
    return ShownHeads{heads.heads.get(), std::ssize(heads.of->input.ids), current, found.problem};
  };
  if (current) return shown(*found.current);
  // those of the pass before stand in for a moment, where they are of the same text
  const model::ModelDocument& now = moment.trace->document();
  const bool standIn = !probe && found.last != nullptr && found.last->of->model == now.model &&
                       found.last->of->input == now.input;
  return standIn ? shown(*found.last) : ShownHeads{nullptr, 0, false, found.problem};
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

std::string shortName(const HeadOfLayer& head) {
  return fmt::format("{}·{}", head.layer + 1, head.head + 1);
}

WeightRange weightRange(const model::ModelDocument& document) {
  WeightRange range;
  for (const auto& [layer, edited] : document.edited) {
    range = range.with(headscope::weightRange(edited.config, edited.pins, 0, -1));
  }
  return range;
}

ModelHeads::ModelHeads(const Panel& panel, const ModelMoment& moment, Memory& memory)
    : panel_(panel), look_(panel.look), moment_(moment), view_(panel.view.model), memory_(memory) {
  remember();
  range_ = weightRange(moment.trace->document());
  const std::vector<bool> none(memory_.names.size(), false);
  rowsLeftOut_ = view_.heads.specialTokens ? none : memory_.special;
  columnsLeftOut_ = rowsLeftOut_;
  if (!view_.firstToken) columnsLeftOut_.front() = true;
  // both read all weights: first the pictures
  When measured = When::beside;
  if (pictures() && moment_.trace->tokens() > smallSide(moment_)) {
    const auto small = smallHeads(panel, moment, rowsLeftOut_, columnsLeftOut_);
    small_ = small.current != nullptr ? small.current : small.last;
    // those of the pass before stand in for a moment, where they are as many
    if (small_ != nullptr && !small_->areOf(moment)) small_ = nullptr;
    if (small.current == nullptr && small.problem.empty()) measured = When::notYet;
    if (view_.ownScale && small_ != nullptr) largest_ = &small_->largest;
  } else if (pictures() && view_.ownScale) {
    largest_ = largestWeights(panel, moment, rowsLeftOut_, columnsLeftOut_).current;
  }
  shown_ = shownHeads(panel, moment, measured);
  if (view_.metric == kTokensMap || view_.heads.order == kTokensMap) {
    onTokens_ = weightOnTokens(panel, moment, chosenQueries(view_.heads, moment),
                               chosenKeys(view_.heads, moment))
                    .current;
  }
  sortHeads();
}

void ModelHeads::remember() {
  if (memory_.of == moment_.number) return;
  memory_.of = moment_.number;
  memory_.names = moment_.tokenNames();
  memory_.special.clear();
  for (const Index id : moment_.trace->document().input.ids) {
    memory_.special.push_back(moment_.tokenizer != nullptr &&
                              moment_.tokenizer->isSpecial(static_cast<tokenizer::TokenId>(id)));
  }
}

void ModelHeads::sortHeads() {
  const std::string& by = view_.heads.order;
  const model::ModelConfig& c = moment_.config();
  const auto count = static_cast<std::size_t>(c.layers * c.heads);
  const Fingerprint key("order", moment_.number, by, reinterpret_cast<std::uintptr_t>(shown_.heads),
                        reinterpret_cast<std::uintptr_t>(onTokens_), view_.heads.queries.size(),
                        view_.heads.queries, view_.heads.keys);
  if (memory_.orderedBy == key.value() && memory_.order.size() == count) return;
  memory_.orderedBy = key.value();
  memory_.order.resize(count);
  std::iota(memory_.order.begin(), memory_.order.end(), std::size_t{0});
  // by group, then by number, the largest first; what has none comes last
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
  if (by == kTokensMap && onTokens_ != nullptr) {
    byNumber([&](std::size_t i) -> const Measured& { return (*onTokens_)[i]; });
  } else if (metric && shown_.heads != nullptr) {
    byNumber([&](std::size_t i) -> const Measured& { return shown_.heads->metrics[i][*metric]; });
  }
}

HeadOfLayer ModelHeads::headAt(std::size_t place) const {
  const auto head = static_cast<Index>(memory_.order[place]);
  return {head / moment_.config().heads, head % moment_.config().heads};
}

Rect ModelHeads::tileAt(std::size_t place) const {
  const float title = titled() ? 1.5F * fontSize(look_.fonts.tiny) : 0.0F;
  const float names = named() ? look_.px(kNames) : 0.0F;
  const auto columns = static_cast<std::size_t>(memory_.canvas.columns);
  const float gap = titled() ? 8.0F : narrower() < look_.px(20) ? 1.0F : 3.0F;
  return memory_.canvas.tile(static_cast<Index>(place / columns),
                             static_cast<Index>(place % columns), look_.px(gap), title, names);
}

Rect ModelHeads::tileOf(const HeadOfLayer& head) const {
  const std::size_t at = placeOf(head, moment_.config());
  if (inPlace()) return tileAt(at);
  const auto found = std::ranges::find(memory_.order, at);
  return tileAt(static_cast<std::size_t>(found - memory_.order.begin()));
}

float ModelHeads::narrower() const {
  const ImVec2 place = memory_.canvas.place();
  return std::min(place.x, place.y);
}
bool ModelHeads::titled() const { return narrower() >= look_.px(kTitledFrom); }
bool ModelHeads::named() const { return pictures() && narrower() >= look_.px(kNamedFrom); }

std::optional<HeadOfLayer> ModelHeads::draw() {
  ModelCanvas& canvas = memory_.canvas;
  Rect room = Rect::rest();
  const float row = fontSize(look_.fonts.tiny) + look_.space.small;
  Rect top = room.cutTop(row);
  Rect left = room.cutLeft(textSize(look_.fonts.tiny, "layer 00").x + look_.space.small);
  top.a.x = room.a.x;
  canvas.room = room;
  canvas.rows = moment_.config().layers;
  canvas.columns = moment_.config().heads;
  canvas.keepInSight();
  ImGui::InvisibleButton("model heads",
                         {std::max(1.0F, room.b.x - left.a.x), std::max(1.0F, room.b.y - top.a.y)});
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
    sides(top, left);
    groupBrackets(top);
  }
  ImGui::PushClipRect(room.a, room.b, true);
  const auto under = tiles(over);
  lines(ImGui::GetWindowDrawList());
  ImGui::PopClipRect();
  if (!under) return std::nullopt;
  tipNow(inWords(*under));
  if (ImGui::IsMouseReleased(0) && !ImGui::IsMouseDragging(0)) {
    view_.layer = under->head.layer;
    view_.head = under->head.head;
    if (under->cell) view_.token = under->cell->row;
  }
  return ImGui::IsMouseDoubleClicked(0) ? std::optional(under->head) : std::nullopt;
}

void ModelHeads::sides(const Rect& top, const Rect& left) const {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ModelCanvas& c = memory_.canvas;
  float last = -1e9F;
  ImGui::PushClipRect(top.a, top.b, true);
  for (Index head = 0; head < c.columns; ++head) {
    const Rect at = tileOf({0, head});
    const std::string name = fmt::format("head {}", head + 1);
    const float width = textSize(look_.fonts.tiny, name).x;
    if (at.centre().x - width * 0.5F < last + look_.space.small) continue;
    last = at.centre().x + width * 0.5F;
    drawTextCentred(list, look_.fonts.tiny, {at.centre().x, top.centre().y}, look_.theme.textMuted,
                    name);
  }
  ImGui::PopClipRect();
  last = -1e9F;
  ImGui::PushClipRect(left.a, left.b, true);
  for (Index layer = 0; layer < c.rows; ++layer) {
    const float y = tileOf({layer, 0}).centre().y - fontSize(look_.fonts.tiny) * 0.5F;
    if (y < last + fontSize(look_.fonts.tiny)) continue;
    last = y;
    drawText(list, look_.fonts.tiny, {left.a.x, y}, look_.theme.textMuted,
             fmt::format("layer {}", layer + 1));
  }
  ImGui::PopClipRect();
}

/// Over the heads that share a key/value head.
void ModelHeads::groupBrackets(const Rect& top) const {
  const model::ModelConfig& c = moment_.config();
  if (c.kvHeads == c.heads) return;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Index each = c.heads / c.kvHeads;
  const float y = top.b.y - look_.space.thin, foot = look_.space.tight;
  ImGui::PushClipRect(top.a, {top.b.x, top.b.y + foot}, true);
  for (Index group = 0; group < c.kvHeads; ++group) {
    const float a = tileOf({0, group * each}).a.x, b = tileOf({0, group * each + each - 1}).b.x;
    const ImU32 color = look_.theme.keyText;
    list->AddLine({a, y}, {b, y}, color, look_.space.hair);
    list->AddLine({a, y}, {a, y + foot}, color, look_.space.hair);
    list->AddLine({b, y}, {b, y + foot}, color, look_.space.hair);
  }
  ImGui::PopClipRect();
}

std::optional<ModelHeads::Under> ModelHeads::tiles(bool over) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ModelCanvas& c = memory_.canvas;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  Heatmaps heatmaps(look_);
  std::optional<Under> under;
  const Index tokens = moment_.trace->tokens();
  if (inPlace()) groups(list);
  for (std::size_t place = 0; place < memory_.order.size(); ++place) {
    const Rect at = tileAt(place);
    if (!at.overlaps(c.room)) continue;
    const HeadOfLayer head = headAt(place);
    const bool isUnder = over && at.contains(mouse);
    if (isUnder) under = Under{head, {}};
    if (!pictures()) {
      mapCell(list, head, at);
    } else if (!moment_.trace->held(head.layer)) {
      heatmaps.addHatched(at);
    } else {
      picture(heatmaps, head, at);
      if (isUnder) under->cell = MatrixPlace{at, tokens, tokens}.nearest(mouse);
    }
  }
  heatmaps.draw(list);
  for (std::size_t place = 0; place < memory_.order.size(); ++place) {
    const Rect at = tileAt(place);
    if (at.overlaps(c.room)) frame(list, headAt(place), at);
  }
  const bool large = under && tileOf(under->head).width() >= look_.px(16);
  memory_.litQuery = large && under->cell ? under->cell->row : -1;
  return under;
}

void ModelHeads::picture(Heatmaps& heatmaps, const HeadOfLayer& head, const Rect& at) const {
  const CellRows rows = cells(head, at);
  if (rows.rows == 0) return;  // being made small
  heatmaps.add(Fingerprint("model head", head.layer, head.head),
               Fingerprint("model", moment_.number, view_.firstToken, view_.heads.specialTokens,
                           rows.rows, small_ != nullptr ? small_->key : 0),
               rows, scaleOf(head), at);
  if (memory_.litQuery < 0) return;
  heatmaps.lightRow((static_cast<double>(memory_.litQuery) + 0.5) /
                    static_cast<double>(moment_.trace->tokens()));
}

/// No more of them than the picture has pixels. A large one is made as fine as whole halvings
/// allow, so that the wheel does not have it read anew at each turn.
CellRows ModelHeads::cells(const HeadOfLayer& head, const Rect& at) const {
  const auto whole = [&] { return drawnWeights(moment_, head, rowsLeftOut_, columnsLeftOut_); };
  const Index tokens = moment_.trace->tokens(), side = smallSide(moment_);
  if (tokens <= side) return whole();
  const auto pixels =
      static_cast<Index>(std::min(at.width(), at.height()) * look_.scene.pixelsPerPoint);
  if (pixels >= tokens) return whole();
  Index fine = side;
  while (2 * fine <= pixels) fine *= 2;
  if (fine > side) return reduced(whole(), fine, fine);
  return small_ != nullptr ? small_->of(placeOf(head, moment_.config())) : CellRows{};
}

ColorScale ModelHeads::scaleOf(const HeadOfLayer& head) const {
  if (largest_ == nullptr) return weightScale(look_, panel_.view, range_);
  const float high = std::max(1e-6F, (*largest_)[placeOf(head, moment_.config())]);
  return weightScale(look_, panel_.view, {range_.low < 0.0F ? -high : 0.0F, high});
}

void ModelHeads::mapCell(ImDrawList* list, const HeadOfLayer& head, const Rect& at) const {
  const std::size_t i = placeOf(head, moment_.config());
  if (view_.metric == kTokensMap) return numberCell(list, onTokens(head), 1.0F, at);
  if (shown_.heads == nullptr) return;
  if (view_.metric == kLabelMap) return labelCell(list, shown_.heads->labels[i], at);
  const auto metric = metricFromKey(view_.metric);
  if (!metric) return;
  const float most = *metric == Metric::entropy
                         ? std::max(1.0F, std::log2(static_cast<float>(shown_.tokens)))
                         : 1.0F;
  numberCell(list, shown_.heads->metrics[i][*metric], most, at);
}

void ModelHeads::numberCell(ImDrawList* list, const Measured& value, float most,
                            const Rect& at) const {
  if (!value) return;
  const ColorScale scale = sequentialScale(look_, panel_.view, 0.0F, most);
  const ImU32 fill = scale.color(look_.maps, static_cast<float>(*value));
  list->AddRectFilled(at.a, at.b, fill);
  const std::string words = fmt::format("{:.2f}", *value);
  if (textSize(look_.fonts.tiny, words).x > at.width() - look_.space.tight) return;
  drawTextCentred(list, look_.fonts.tiny, at.centre(), legibleOn(fill), words);
}

ImU32 ModelHeads::labelColor(const HeadLabel& label) const {
  const auto found = std::ranges::find(kColoredLabels, label.key);
  if (found == kColoredLabels.end()) return look_.theme.field;
  return headColor(look_.theme, static_cast<std::size_t>(found - kColoredLabels.begin()));
}

void ModelHeads::labelCell(ImDrawList* list, const HeadLabel& found, const Rect& at) const {
  const ImU32 fill = labelColor(found);
  list->AddRectFilled(at.a, at.b, fill);
  const float room = at.width() - look_.space.tight;
  const auto fits = [&](const std::string& words) {
    const ImVec2 size = textSize(look_.fonts.tiny, words);
    return size.x <= room && size.y <= at.height();
  };
  std::string words = wrapped(look_.fonts.tiny, labelWithScore(found), room);
  if (!fits(words)) words = wrapped(look_.fonts.tiny, found.title, room);
  if (!fits(words)) return;
  float y = at.centre().y - textSize(look_.fonts.tiny, words).y * 0.5F;
  for (std::size_t begin = 0; begin <= words.size();) {
    const std::size_t end = std::min(words.find('\n', begin), words.size());
    y += fontSize(look_.fonts.tiny) * 0.5F;
    drawTextCentred(list, look_.fonts.tiny, {at.centre().x, y}, legibleOn(fill),
                    std::string_view(words).substr(begin, end - begin));
    y += fontSize(look_.fonts.tiny) * 0.5F;
    begin = end + 1;
  }
}

void ModelHeads::frame(ImDrawList* list, const HeadOfLayer& head, const Rect& at) const {
  if (head.layer == view_.layer && head.head == view_.head) {
    drawFrame(look_, list, at, look_.theme.accent);
  } else if (at.height() > look_.px(12)) {
    list->AddRect(at.a, at.b, look_.theme.panelBorder);
  }
  if (named()) tokenNames(list, at);
  const HeadLabel* found =
      shown_.heads != nullptr ? &shown_.heads->labels[placeOf(head, moment_.config())] : nullptr;
  const bool labelled = found != nullptr && found->defined() && found->key != "mixed";
  if (pictures() && labelled && at.height() > look_.px(12)) {
    // what it does, as a coloured foot of its picture
    list->AddRectFilled({at.a.x, at.b.y}, {at.b.x, at.b.y + look_.space.thin}, labelColor(*found));
  }
  if (!titled()) return;
  std::string words = found != nullptr ? labelWithScore(*found) : std::string();
  if (!inPlace()) words = fmt::format("{}  {}", shortName(head), words);
  drawText(list, look_.fonts.tiny, {at.a.x, at.a.y - fontSize(look_.fonts.tiny) - look_.space.thin},
           labelled ? look_.theme.text : look_.theme.textMuted,
           elided(look_.fonts.tiny, words, at.width()));
}

/// Behind the heads of a layer that share a key/value head.
void ModelHeads::groups(ImDrawList* list) const {
  const model::ModelConfig& c = moment_.config();
  if (c.kvHeads == c.heads || narrower() < look_.px(16)) return;
  const Index each = c.heads / c.kvHeads;
  for (Index layer = 0; layer < c.layers; ++layer) {
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

void ModelHeads::lines(ImDrawList* list) const {
  if (!view_.heads.lines) return;
  const auto compositions = modelCompositions(panel_, moment_).current;
  if (compositions == nullptr) return;
  const auto& strongest = compositions->standOut[static_cast<std::size_t>(*view_.heads.lines)];
  if (strongest.empty()) return;
  const double most = std::max(1e-9, strongest.front().score);
  const double least = strongest.back().score;
  for (const model::ComposedHeads& pair : strongest) {
    const ImVec2 a = tileOf(pair.from).centre(), b = tileOf(pair.into).centre();
    const auto strength = static_cast<float>((pair.score - least) / std::max(1e-9, most - least));
    const float width = look_.px(1.0F + 2.0F * strength);
    list->AddLine(a, b, withAlpha(look_.theme.panel, 0.7F), width + look_.px(2));
    list->AddLine(a, b, withAlpha(look_.theme.accent, 0.5F + 0.5F * strength), width);
    list->AddCircleFilled(b, width + look_.space.thin, look_.theme.accent);
    list->AddCircleFilled(a, width, look_.theme.accent);
  }
}

void ModelHeads::tokenNames(ImDrawList* list, const Rect& at) const {
  AxisLabels labels{memory_.names,    look_.fonts.tiny, look_.theme.textMuted,
                    look_.theme.text, memory_.litQuery, look_.px(kNames - 10.0F)};
  drawRowLabels(list, labels, at, look_.space.tight);
  labels.lit = -1;
  ColumnLabels(look_, labels, at.width(), look_.px(kNames)).draw(list, at);
}

Measured ModelHeads::onTokens(const HeadOfLayer& head) const {
  return onTokens_ != nullptr ? (*onTokens_)[placeOf(head, moment_.config())]
                              : Measured::undefined("being added up");
}

std::string ModelHeads::inWords(const Under& under) const {
  const auto& [layer, head] = under.head;
  std::string text = fmt::format("Layer {}, head {}", layer + 1, head + 1);
  const std::size_t i = placeOf(under.head, moment_.config());
  const char* on = view_.heads.probe ? "on repeated random tokens" : "on this text";
  if (shown_.heads != nullptr) {
    const HeadLabel& label = shown_.heads->labels[i];
    text += ": " + (label.defined() ? labelWithScore(label) : labelWithRule(label));
  }
  const auto metric = metricFromKey(view_.metric);
  if (view_.metric == kTokensMap) {
    const Measured weight = onTokens(under.head);
    text +=
        weight ? fmt::format("\nweight on the chosen tokens: {:.3f}", *weight) : "\n" + weight.why;
  } else if (metric && shown_.heads != nullptr) {
    const Measured& value = shown_.heads->metrics[i][*metric];
    const MetricInfo& about = info(*metric);
    text += value ? fmt::format("\n{} {}: {:.3f}{}{}", about.title, on, *value,
                                about.unit.empty() ? "" : " ", about.unit)
                  : fmt::format("\n{} {}: {}", about.title, on, value.why);
  }
  const model::ModelConfig& c = moment_.config();
  if (c.kvHeads != c.heads) {
    text +=
        fmt::format("\nreads key/value head {} of {}", head / (c.heads / c.kvHeads) + 1, c.kvHeads);
  }
  if (under.cell) {
    const CellRef cell{TensorId::weights, 0, head, under.cell->row, under.cell->col};
    text += fmt::format("\n{} looks at {}: {:.3f}",
                        memory_.names[static_cast<std::size_t>(under.cell->row)],
                        memory_.names[static_cast<std::size_t>(under.cell->col)],
                        static_cast<double>(moment_.trace->layer(layer)->value(cell)));
  }
  return text + "\ndouble click: open in Flow";
}

}  // namespace headscope::ui
