#include "app/ui/flow/flow_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "core/attention/config.h"
#include "core/attention/steps/step.h"
#include "core/attention/switches.h"
#include "core/attention/tensor_id.h"
#include "core/base/translation.h"

namespace headscope::ui {
namespace {

// The wordings of the labels.

/// "(6, 512)", or "(2, 6, 512)" where there is a batch.
std::string shapeWithoutBatch(TensorId id, const AttentionConfig& config) {
  Shape shape = shapeOf(id, config);
  if (shape.size() == 3 && shape.front() == 1) shape = shape.last(2);
  return toString(shape);
}

/// "(6, 64)": one head's matrix.
std::string shapeOfHead(TensorId id, const AttentionConfig& config) {
  return toString(shapeOf(id, config).last(2));
}

/// "8 × " for 8 heads, or "2 × 8 × " with a batch of 2.
std::string headsTimes(TensorId id, const AttentionConfig& config) {
  const Shape shape = shapeOf(id, config);
  return shape[0] > 1 ? fmt::format("{} × {} × ", shape[0], shape[1])
                      : fmt::format("{} × ", shape[1]);
}

std::vector<FlowPhrase> plainPhrase(std::string text) { return {{std::move(text), std::nullopt}}; }

std::string flowTextOf(StepId id, const AttentionConfig& config) {
  return step(id).text(config).flow;
}

/// softmax(Q Kᵀ/√64 + mask), each piece with the step it stands for.
std::vector<FlowPhrase> softmaxFormula(const AttentionConfig& config) {
  std::vector<FlowPhrase> phrases = {{flowTextOf(StepId::softmax, config) + "(", StepId::softmax}};
  for (const StepId id : {StepId::score, StepId::scale, StepId::mask}) {
    std::string piece = flowTextOf(id, config);
    if (!piece.empty()) phrases.push_back({std::move(piece), id});
  }
  phrases.push_back({")", StepId::softmax});
  return phrases;
}

/// q, k, v, with the operations on q and k before their product.
std::vector<FlowPhrase> headPhrases(const AttentionConfig& config) {
  std::vector<FlowPhrase> phrases = plainPhrase(flowTextOf(StepId::split, config));
  for (const Step* step : stepsOf(config)) {
    const bool between = step->id() > StepId::split && step->id() < StepId::score;
    if (between) phrases.push_back({" · " + step->text(config).flow, step->id()});
  }
  return phrases;
}

/// A V, and the gate that it passes.
std::vector<FlowPhrase> weighPhrases(const AttentionConfig& config) {
  std::vector<FlowPhrase> phrases{{flowTextOf(StepId::weigh, config), StepId::weigh}};
  if (config.switches->gate)
    phrases.push_back({" " + flowTextOf(StepId::gate, config), StepId::gate});
  return phrases;
}

/// Returns the long names with `shapes`, then the shorter names, then names without shapes, then
/// nothing.
std::vector<FlowWording> wordings(std::vector<std::vector<FlowPhrase>> names,
                                  const std::vector<std::vector<std::string>>& shapes) {
  std::vector<FlowWording> result;
  for (const auto& name : names) result.push_back({name, shapes.front()});
  for (std::size_t i = 1; i < shapes.size(); ++i) result.push_back({names.back(), shapes[i]});
  result.push_back({names.back(), {}});
  result.push_back({});
  return result;
}

// The places of the columns.

using Widths = std::array<float, kFlowColumns>;
using Distances = std::array<float, kFlowColumns - 1>;  // between the centres of adjacent columns

// Points at scale 1. The heatmaps' column is as wide as the heatmaps.
constexpr Widths kBlockWidths = {24, 30, 14, 0, 14, 24, 78, 24};
// The shares of the width between columns where labels leave a choice.
constexpr Distances kShares = {1.15F, 1.3F, 1.1F, 1.0F, 1.1F, 1.15F, 1.3F};
constexpr float kMargin = 10;  // at the left and right of the area
// The shortest lengths of ribbons; the number of a head takes room between q and the weights.
constexpr Distances kMinRibbons = {14, 18, 36, 14, 14, 10, 18};
constexpr float kLabelGap = 14;     // between two labels
constexpr float kFullWidth = 900;   // from this width on, blocks have their width at scale 1 …
constexpr float kMaxGrowth = 1.5F;  // … and grow with the area up to this factor

std::string joinedLines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : " · ") + line;
  return text;
}

FlowLabel makeLabel(const FlowWording& wording, std::size_t maxShapeLines,
                    const FlowMetrics& metrics) {
  FlowLabel label;
  label.name = wording.name;
  if (wording.shapes.size() <= maxShapeLines) {
    label.shapes = wording.shapes;
  } else if (maxShapeLines > 0) {
    label.shapes = {joinedLines(wording.shapes)};
  }
  float nameWidth = 0;
  for (const FlowPhrase& phrase : label.name) nameWidth += metrics.nameWidth(phrase.text);
  label.width = nameWidth;
  for (const std::string& shape : label.shapes) {
    label.width = std::max(label.width, metrics.shapeWidth(shape));
  }
  return label;
}

/// The part that a column's label belongs to, which gives its tooltip, colour and click.
constexpr std::array<FlowPart, kFlowColumns> kLabelParts = {
    FlowPart::input,      FlowPart::query,  FlowPart::headQuery,     FlowPart::weights,
    FlowPart::headOutput, FlowPart::concat, FlowPart::outputWeights, FlowPart::output};

/// Returns the smallest distances at which neither blocks nor labels touch.
Distances minDistances(const Widths& blocks, const std::array<FlowLabel, kFlowColumns>& labels,
                       float unit, float labelGap) {
  Distances distances{};
  for (std::size_t i = 0; i + 1 < kFlowColumns; ++i) {
    const bool bothNamed = labels[i].width > 0 && labels[i + 1].width > 0;
    distances[i] =
        std::max((blocks[i] + blocks[i + 1]) / 2 + kMinRibbons[i] * unit,
                 (labels[i].width + labels[i + 1].width) / 2 + (bothNamed ? labelGap : 0));
  }
  return distances;
}

float sumOf(const Distances& distances) {
  return std::accumulate(distances.begin(), distances.end(), 0.0F);
}

/// Returns max(λ · share, minimum), with the λ that fills `room`; scaled down where the minima
/// exceed it.
Distances shareOut(const Distances& minima, float room) {
  const auto at = [&](float lambda) {
    Distances distances = minima;
    for (std::size_t i = 0; i < distances.size(); ++i) {
      distances[i] = std::max(distances[i], lambda * kShares[i]);
    }
    return distances;
  };
  float low = 0, high = std::max(room, 1.0F);
  for (int i = 0; i < 30; ++i) {
    const float middle = (low + high) / 2;
    (sumOf(at(middle)) > room ? high : low) = middle;
  }
  Distances distances = at(low);
  const float total = sumOf(distances);
  if (total > room && total > 0) {
    for (float& distance : distances) distance *= std::max(room, 0.0F) / total;
  }
  return distances;
}

// The choice of heads that have a lane.

// Points at scale 1. From kNumberedPitch up, the number of a head is legible. Where all heads fit
// only at a lower pitch, down to kMinPitch, they are shown without numbers.
constexpr float kNumberedPitch = 12;
constexpr float kMinPitch = 7;
constexpr float kPitchGap = 0.16F;  // the gap between two lanes, as a share of the pitch

/// The number of rows of the shown heads and of the runs of hidden heads between them.
Index rowsTaken(const std::set<Index>& shown, Index heads) {
  Index rows = static_cast<Index>(shown.size());
  Index next = 0;
  for (const Index head : shown) {
    if (head > next) ++rows;
    next = head + 1;
  }
  return next < heads ? rows + 1 : rows;
}

/// Returns the heads in the order in which they get a row: the chosen one, then from both ends, two
/// from the front for each one from the back.
std::vector<Index> byPriority(Index heads, Index chosen, Index count) {
  std::vector<Index> order = {chosen};
  Index first = 0, last = heads - 1;
  while (first <= last && static_cast<Index>(order.size()) <= count) {
    order.push_back(first++);
    if (first <= last) order.push_back(last--);
    if (first <= last) order.push_back(first++);
  }
  return order;
}

}  // namespace

FlowWordings flowWordings(const AttentionConfig& config) {
  const std::string x = shapeWithoutBatch(TensorId::x, config);
  const std::string q = shapeWithoutBatch(TensorId::qProj, config);
  const std::string k = shapeWithoutBatch(TensorId::kProj, config);
  const std::string headQ = shapeOfHead(TensorId::q, config);
  const std::string headK = shapeOfHead(TensorId::k, config);
  const std::string timesQ = headsTimes(TensorId::q, config);
  const std::string timesK = headsTimes(TensorId::k, config);
  const bool alike = q == k && timesQ == timesK;

  const auto weights =
      headsTimes(TensorId::weights, config) + shapeOfHead(TensorId::weights, config);
  using Lines = std::vector<std::vector<std::string>>;
  const Lines inputShapes =
      config.crossAttention()
          ? Lines{{"X " + x, "memory " + shapeWithoutBatch(TensorId::memory, config)}}
          : Lines{{x}};
  const Lines projectedShapes = alike ? Lines{{"3 × " + q}, {q}} : Lines{{"Q " + q, "K, V " + k}};
  const Lines headShapes = alike ? Lines{{timesQ + "3 × " + headQ}, {headQ}}
                                 : Lines{{"q " + timesQ + headQ, "k, v " + timesK + headK}};
  const auto inputName = config.crossAttention() ? tr("X and memory") : "X";

  return {
      wordings({plainPhrase(inputName), plainPhrase(config.crossAttention() ? tr("X, mem.") : "X")},
               inputShapes),
      wordings({plainPhrase(flowTextOf(StepId::project, config)),
                plainPhrase(step(StepId::project).text(config).formula), plainPhrase("Q, K, V")},
               projectedShapes),
      wordings({headPhrases(config), plainPhrase("q, k, v")}, headShapes),
      wordings({softmaxFormula(config), plainPhrase(flowTextOf(StepId::softmax, config)),
                plainPhrase("A")},
               {{weights}, {shapeOfHead(TensorId::weights, config)}}),
      wordings({weighPhrases(config), plainPhrase(flowTextOf(StepId::weigh, config))},
               {{headsTimes(TensorId::heads, config) + headQ}, {headQ}}),
      wordings({plainPhrase(flowTextOf(StepId::concat, config)), plainPhrase("C")},
               {{shapeWithoutBatch(TensorId::concat, config)}}),
      wordings({plainPhrase(flowTextOf(StepId::output, config)), plainPhrase("W^O")},
               {{toString(shapeOf(TensorId::wO, config))}}),
      wordings({plainPhrase("output")}, {{shapeWithoutBatch(TensorId::output, config)}})};
}

std::size_t shapeLines(const FlowWordings& all) {
  std::size_t lines = 0;
  for (const auto& column : all) lines = std::max(lines, column.front().shapes.size());
  return lines;
}

FlowColumns layOutColumns(const FlowWordings& wordings, float width, float heatmapWidth,
                          std::size_t maxShapeLines, const FlowMetrics& metrics) {
  FlowColumns columns;
  const float scale = metrics.scale;
  columns.unit = scale * std::min(width / (kFullWidth * scale), kMaxGrowth);
  Widths blocks = kBlockWidths;
  for (float& block : blocks) block *= columns.unit;
  blocks[static_cast<std::size_t>(FlowColumn::weights)] = heatmapWidth;

  std::array<std::size_t, kFlowColumns> chosen{};  // wording of each column
  std::array<FlowLabel, kFlowColumns> labels;
  const auto word = [&](std::size_t i) {
    labels[i] = makeLabel(wordings[i][chosen[i]], maxShapeLines, metrics);
  };
  for (std::size_t i = 0; i < kFlowColumns; ++i) word(i);

  Distances minima{};
  float left = 0, room = 0;
  while (true) {
    left = kMargin * columns.unit + std::max(blocks.front(), labels.front().width) / 2;
    const float right = kMargin * columns.unit + std::max(blocks.back(), labels.back().width) / 2;
    room = width - left - right;
    minima = minDistances(blocks, labels, columns.unit, kLabelGap * scale);
    if (sumOf(minima) <= room) break;
    // The labels are too wide: shorten the widest one that has a shorter wording.
    std::size_t widest = kFlowColumns;
    for (std::size_t i = 0; i < kFlowColumns; ++i) {
      if (chosen[i] + 1 == wordings[i].size()) continue;
      if (widest == kFlowColumns || labels[i].width > labels[widest].width) widest = i;
    }
    if (widest == kFlowColumns) break;
    ++chosen[widest];
    word(widest);
  }

  const Distances distances = shareOut(minima, room);
  float center = left, taken = 0;
  for (std::size_t i = 0; i < kFlowColumns; ++i) {
    columns.places[i] = {center, blocks[i]};
    // Where not even the shortest wordings fit, a label is left out.
    const float half = labels[i].width / 2;
    if (!labels[i].name.empty() && center - half >= taken && center + half <= width) {
      taken = center + half + kLabelGap / 2 * scale;
      labels[i].id = {kLabelParts[i], -1};
      labels[i].x = center;
      columns.labels.push_back(std::move(labels[i]));
    }
    if (i + 1 < kFlowColumns) center += distances[i];
  }
  return columns;
}

std::vector<Index> shownHeads(Index heads, Index chosen, Index rows) {
  std::set<Index> shown;
  if (heads <= rows) {
    for (Index head = 0; head < heads; ++head) shown.insert(head);
    return {shown.begin(), shown.end()};
  }
  for (const Index head : byPriority(heads, chosen, rows + 2)) {
    const bool fresh = shown.insert(head).second;
    if (fresh && shown.size() > 1 && rowsTaken(shown, heads) > rows) shown.erase(head);
  }
  // A run of one hidden head would take a row anyway: show the head itself.
  std::vector<Index> filled;
  Index next = 0;
  for (const Index head : shown) {
    if (head == next + 1) filled.push_back(next);
    filled.push_back(head);
    next = head + 1;
  }
  if (next == heads - 1) filled.push_back(next);
  return filled;
}

FlowLanes layOutLanes(const AttentionConfig& config, Index chosen, float top, float height,
                      float scale) {
  const auto rowsOf = [&](float pitch) { return static_cast<Index>(height / (pitch * scale)); };
  const bool allFit = config.numHeads <= rowsOf(kMinPitch);
  const Index fitting = allFit ? config.numHeads : std::max<Index>(1, rowsOf(kNumberedPitch));
  const std::vector<Index> shown = shownHeads(config.numHeads, chosen, fitting);
  const Index rows = rowsTaken({shown.begin(), shown.end()}, config.numHeads);

  FlowLanes result;
  result.pitch = height / static_cast<float>(rows);
  const float laneGap = rows == 1 ? 0 : kPitchGap * result.pitch;
  result.blockGap = std::min(scale, 0.08F * result.pitch);
  result.block = (result.pitch - laneGap - 2 * result.blockGap) / 3;

  float y = top;
  Index next = 0;
  const auto addHidden = [&](Index end) {
    if (end <= next) return;
    result.hidden.push_back({next, end - next, y});
    y += result.pitch;
  };
  for (const Index head : shown) {
    addHidden(head);
    result.lanes.push_back({head, y + laneGap / 2});
    y += result.pitch;
    next = head + 1;
  }
  addHidden(config.numHeads);
  return result;
}

}  // namespace headscope::ui
