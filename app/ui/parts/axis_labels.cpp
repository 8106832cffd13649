#include "app/ui/parts/axis_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/hover.h"
#include "app/ui/widgets.h"
#include "core/words/cells.h"

namespace headscope::ui {
namespace {

constexpr std::size_t kLookedAtForWidth = 512;  // labels; no more ever fit
constexpr std::size_t kMeasured = 16;           // the longest of those labels are measured
constexpr float kBetweenNames = 0.35F;          // the least gap between them, per height
constexpr float kTurnedShare = 0.72F;           // the height of a turned label, per length

/// Returns the step between drawn labels at which they stay `least` apart.
Index labelStride(float cell, float least) {
  return std::max<Index>(1, static_cast<Index>(std::ceil(least / std::max(cell, 1e-4F))));
}

/// A label that is shown wherever it stands; its neighbours give way.
struct KeptLabel {
  Index at;
  ImU32 color;
};

/// Returns the labels that are always shown, the first of them before all others.
std::vector<KeptLabel> keptLabels(const AxisLabels& labels) {
  const auto count = static_cast<Index>(labels.texts.size());
  std::vector<KeptLabel> kept;
  if (labels.lit >= 0 && labels.lit < count) kept.push_back({labels.lit, labels.litColor});
  if (labels.chosen >= 0 && labels.chosen < count && labels.chosen != labels.lit)
    kept.push_back({labels.chosen, labels.litColor});
  return kept;
}

/// Visits the labels that are drawn: those that are kept, and every n-th that stays clear of them.
template <typename Draw>
void eachShownLabel(const AxisLabels& labels, Index every, Draw&& draw) {
  std::vector<KeptLabel> kept = keptLabels(labels);
  if (kept.size() > 1 && std::abs(kept[0].at - kept[1].at) < every) kept.pop_back();
  const auto count = static_cast<Index>(labels.texts.size());
  for (Index i = 0; i < count; i += every) {
    const bool touches = std::any_of(kept.begin(), kept.end(), [&](const KeptLabel& label) {
      return std::abs(i - label.at) < every;
    });
    if (!touches) draw(i, labels.color);
  }
  for (const KeptLabel& label : kept) draw(label.at, label.color);
}

/// The text of each label: the token. Where a long axis repeats tokens, the place precedes it.
class LabelTexts {
 public:
  explicit LabelTexts(const AxisLabels& labels) : texts_(labels.texts), first_(labels.first) {
    if (texts_.size() <= kNumberedFrom) return;
    std::unordered_set<std::string_view> seen;
    for (const std::string& text : texts_.first(kLookedAt)) {
      numbered_ = numbered_ || !seen.insert(text).second;
    }
  }
  std::string at(Index i) const {
    const std::string_view token = shownToken(texts_[static_cast<std::size_t>(i)]);
    return numbered_ ? fmt::format("{} {}", first_ + i, token) : std::string(token);
  }

 private:
  static constexpr std::size_t kNumberedFrom = 32;  // a reader tells the tokens of a sentence apart
  static constexpr std::size_t kLookedAt = 32;      // texts of that length repeat some tokens

  std::span<const std::string> texts_;
  Index first_;
  bool numbered_ = false;
};

/// Draws row labels; `place` returns the x of a label's left end for its width.
template <typename Place>
void drawRows(ImDrawList* list, const AxisLabels& labels, const Rect& picture, Place&& place) {
  if (labels.empty()) return;
  const float cell = picture.height() / static_cast<float>(labels.texts.size());
  const LabelTexts texts(labels);
  eachShownLabel(labels, labelStride(cell, fontSize(labels.font) * 0.95F),
                 [&](Index i, ImU32 color) {
                   const std::string text = elided(labels.font, texts.at(i), labels.limit);
                   const ImVec2 size = textSize(labels.font, text);
                   const float y = picture.a.y + (static_cast<float>(i) + 0.5F) * cell;
                   drawText(list, labels.font, {place(size.x), y - size.y * 0.5F}, color, text);
                 });
}

/// The height of turned labels without their length.
float aroundTurned(const FrameContext& look, const AxisLabels& labels) {
  return look.space.tight + labels.curvesRoom() + fontSize(labels.font) * 0.7F;
}

void drawCurvesDown(ImDrawList* list, const AxisLabels& labels, const Rect& strip) {
  labels.curves.drawDown(list, strip, std::ssize(labels.texts), labels.lit);
}

}  // namespace

Index chosenAlong(Lane lane, const std::optional<CellRef>& chosen) {
  if (!chosen || (lane != Lane::query && lane != Lane::key)) return -1;
  const Axis axis = lane == Lane::query ? Axis::query : Axis::key;
  const TensorInfo& tensor = info(chosen->tensor);
  return tensor.rows == axis ? chosen->row : tensor.cols == axis ? chosen->col : -1;
}

const std::vector<std::string>& laneTokens(const Trace& trace, Lane lane, Index item) {
  const Axis axis = lane == Lane::query ? Axis::query : lane == Lane::key ? Axis::key : Axis::none;
  return tokensAlong(trace, axis, item);
}

float AxisLabels::namesWidth() const {
  if (measured) return *measured;
  std::array<Index, kLookedAtForWidth> longest{};
  std::size_t count = 0;
  const std::size_t step = texts.size() / kLookedAtForWidth + 1;
  for (std::size_t i = 0; i < texts.size(); i += step) longest[count++] = static_cast<Index>(i);
  const std::size_t measured = std::min(count, kMeasured);
  std::partial_sort(longest.begin(), longest.begin() + measured, longest.begin() + count,
                    [this](Index a, Index b) {
                      const auto bytes = [this](Index i) {
                        return texts[static_cast<std::size_t>(i)].size();
                      };
                      return bytes(a) != bytes(b) ? bytes(a) > bytes(b) : a > b;
                    });
  float widest = 0.0F;
  const LabelTexts shown(*this);
  for (std::size_t i = 0; i < measured && widest < limit; ++i) {
    widest = std::max(widest, textSize(font, shown.at(longest[i])).x);
  }
  return std::min(widest, limit);
}

void drawRowLabels(ImDrawList* list, const AxisLabels& labels, const Rect& picture, float gap) {
  const float curves = labels.curvesRoom();
  drawRows(list, labels, picture, [&](float width) { return picture.a.x - gap - curves - width; });
  if (curves == 0.0F) return;
  const float least = labels.curves.look->space.tight;
  drawCurvesDown(list, labels,
                 {{picture.a.x - curves, picture.a.y}, {picture.a.x - least, picture.b.y}});
}

void drawRowLabelsRight(ImDrawList* list, const AxisLabels& labels, const Rect& picture,
                        float gap) {
  const float curves = labels.curvesRoom();
  drawRows(list, labels, picture, [&](float) { return picture.b.x + gap + curves; });
  if (curves == 0.0F) return;
  const float least = labels.curves.look->space.tight;
  drawCurvesDown(list, labels,
                 {{picture.b.x + least, picture.a.y}, {picture.b.x + curves, picture.b.y}});
}

ColumnLabels::ColumnLabels(const FrameContext& look, const AxisLabels& labels, float width,
                           float most)
    : labels_(labels),
      cell_(width / static_cast<float>(std::max<std::size_t>(labels.texts.size(), 1))),
      room_(0.0F),
      gap_(look.space.tight),
      between_(3.0F * look.space.hair),
      turned_(false) {
  if (labels.empty()) return;
  const float line = fontSize(labels_.font);
  between_ = std::max(between_, line * kBetweenNames);
  widest_ = labels_.namesWidth();
  if (most > 0.0F && gap_ + labels_.curvesRoom() + line > most) labels_.curves = {};
  const float above = labels_.curvesRoom() + gap_;
  const float turned = turnedRoom(look, labels_);
  turned_ = widest_ > cell_ - between_ && cell_ > line * 0.5F && turned <= most;
  room_ = turned_ ? turned : above + line;
}

float ColumnLabels::longestTurned(const FrameContext& look, const AxisLabels& labels, float room) {
  // The room may be turnedRoom() of a name: rounding must not cut that name.
  constexpr float kRounded = 0.01F;
  return std::max(room - aroundTurned(look, labels), 0.0F) / kTurnedShare + kRounded;
}

float ColumnLabels::turnedRoom(const FrameContext& look, const AxisLabels& labels) {
  return aroundTurned(look, labels) + labels.namesWidth() * kTurnedShare;
}

Index ColumnLabels::every() const {
  if (turned_) return labelStride(cell_, fontSize(labels_.font) * 1.25F);
  const float widest = std::max(widest_, 1.0F);
  return labelStride(cell_, std::min(widest, cell_) + between_ > cell_ ? widest + between_ : 0.0F);
}

Index ColumnLabels::shown() const {
  const auto count = static_cast<Index>(labels_.texts.size());
  return count == 0 ? 0 : (count - 1) / every() + 1;
}

float ColumnLabels::end(const Rect& picture) const {
  // the last turned name begins in the middle of its column
  const float beyond =
      turned_ ? (fontSize(labels_.font) - cell_) * 0.5F : widest_ - picture.width();
  return picture.b.x + std::max(labels_.empty() ? 0.0F : beyond, 0.0F);
}

void ColumnLabels::draw(ImDrawList* list, const Rect& picture) const {
  if (labels_.empty()) return;
  ImFont* font = labels_.font;
  const float height = fontSize(font);
  const LabelTexts texts(labels_);
  const float curves = labels_.curvesRoom();
  const float y = picture.b.y + gap_ + curves;
  labels_.curves.drawAcross(list, {{picture.a.x, picture.b.y + gap_}, {picture.b.x, y - gap_}},
                            std::ssize(labels_.texts), labels_.lit);
  const auto middle = [&](Index i) { return picture.a.x + (static_cast<float>(i) + 0.5F) * cell_; };
  if (turned_) {
    eachShownLabel(labels_, every(), [&](Index i, ImU32 color) {
      const std::string text = elided(font, texts.at(i), labels_.limit);
      drawTurnedText(list, font, {middle(i) - height * 0.1F, y}, color, text, 45.0F);
    });
    return;
  }
  const float widest = std::max(widest_, 1.0F);
  struct Label {
    std::string text;
    float start, end;
  };
  // labels at the ends move inwards, towards their neighbours
  const auto label = [&](Index i) {
    std::string text = elided(font, texts.at(i), std::max(widest, cell_));
    const float width = textSize(font, text).x;
    const float last = std::max(picture.b.x - width, picture.a.x);
    const float start = std::clamp(middle(i) - width * 0.5F, picture.a.x, last);
    return Label{std::move(text), start, start + width};
  };
  const auto count = static_cast<Index>(labels_.texts.size());
  std::vector<std::pair<Label, ImU32>> own;
  const auto onOwn = [&](const Label& next) {
    return std::any_of(own.begin(), own.end(), [&](const auto& kept) {
      return next.start < kept.first.end + between_ && next.end + between_ > kept.first.start;
    });
  };
  for (const KeptLabel& kept : keptLabels(labels_)) {
    Label next = label(kept.at);
    if (!onOwn(next)) own.emplace_back(std::move(next), kept.color);
  }
  float free = picture.a.x - 1.0F;
  const Index step = every();
  for (Index i = 0; i < count; i += step) {
    const Label next = label(i);
    if (next.start < free || onOwn(next)) continue;
    drawText(list, font, {next.start, y}, labels_.color, next.text);
    free = next.end + between_;
  }
  for (const auto& [kept, color] : own) drawText(list, font, {kept.start, y}, color, kept.text);
}

void drawTurnedText(ImDrawList* list, ImFont* font, ImVec2 position, ImU32 color,
                    std::string_view text, float degrees) {
  const int first = list->VtxBuffer.Size;
  const ImVec2 at(std::round(position.x), std::round(position.y));
  // Dear ImGui leaves out letters that lie beyond the edge before they are turned
  const ImVec2 corner = list->GetClipRectMin();
  const ImVec2 inside(std::ceil(corner.x), std::ceil(corner.y));
  drawText(list, font, inside, color, text);
  const float radians = degrees * 3.14159265F / 180.0F;
  const float s = std::sin(radians);
  const float c = std::cos(radians);
  for (int i = first; i < list->VtxBuffer.Size; ++i) {
    ImVec2& p = list->VtxBuffer[i].pos;
    const ImVec2 d(p.x - inside.x, p.y - inside.y);
    p = {at.x + d.x * c - d.y * s, at.y + d.x * s + d.y * c};
  }
}

}  // namespace headscope::ui
