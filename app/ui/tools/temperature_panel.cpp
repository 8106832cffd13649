#include "app/ui/tools/temperature_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "app/ui/number_field.h"
#include "app/ui/tools/mask_words.h"
#include "app/ui/tools/temperature_charts.h"
#include "app/ui/tools/tool_row.h"
#include "app/ui/widgets.h"
#include "core/dropout.h"

namespace headscope::ui {
namespace {

constexpr float kGap = 14.0F;  // between controls
constexpr int kCurvePoints = 81;
constexpr std::uint64_t kDrawSeed = 1;

/// The query of the cell looked at, in the chosen head.
RowRef shownRow(const Panel& panel) {
  const AttentionConfig& c = panel.trace.config();
  RowRef row{panel.view.item, panel.view.head, 0};
  const auto& cell =
      panel.view.hovered ? std::optional(panel.view.hovered->cell) : panel.view.selected;
  if (cell && info(cell->tensor).rows == Axis::query) {
    row.query = std::clamp<Index>(cell->row, 0, c.seqLen - 1);
  }
  return row;
}

void compute(RowFigures& f, const Trace& trace, const RowRef& row) {
  f.pass = trace.pass();
  f.row = row;
  f.now = sharpnessOf(trace.config());
  f.weights = rowWeights(trace, row, f.now);
  f.sharper = rowWeights(trace, row, {f.now.scale, f.now.temperature / 4});
  f.flatter = rowWeights(trace, row, {f.now.scale, f.now.temperature * 4});
  f.otherway = rowWeights(trace, row, {!f.now.scale, f.now.temperature});
  f.scaledEntropy = entropyCurve(trace, row, true, entropyTemperatures());
  f.plainEntropy = entropyCurve(trace, row, false, entropyTemperatures());
  f.spread = spreadOf(f.weights);
  f.keys = keysTakingPart(trace.config(), row);
}

void measureVariance(TemperatureMemory& memory, const Trace& trace, const RowRef& row) {
  if (auto outcome = memory.measuring.take()) memory.variance = outcome->result;
  const VarianceSubject subject{row.item, row.head, trace.revision(TensorId::rawScores),
                                trace.revision(TensorId::scores)};
  if (memory.asked == subject) return;
  if (!memory.asked || memory.asked->item != row.item || memory.asked->head != row.head) {
    memory.variance.reset();
  }
  memory.asked = subject;
  memory.measuring.request(
      [trace, row](const std::atomic<bool>& cancelled) -> std::optional<MeasuredVariance> {
        return MeasuredVariance{headVariance(trace, row.item, row.head, &cancelled),
                                trace.config().dK(), sharpnessOf(trace.config())};
      });
}

void update(const Panel& panel, TemperatureMemory& memory) {
  const Trace& trace = panel.trace;
  const RowRef row = shownRow(panel);
  if (memory.figures.weights.empty() || memory.figures.pass != trace.pass() ||
      memory.figures.row != row) {
    compute(memory.figures, trace, row);
  }
  measureVariance(memory, trace, row);
  if (memory.drawn.empty()) memory.drawn = drawnVariances(kDrawSeed);
}

void dropoutFields(const Panel& panel, TemperatureMemory& memory) {
  const Look& look = panel.look;
  const Dropout& dropout = panel.document.config.dropout;
  flowOn(look, look.px(150), kGap);
  bool on = dropout.on();
  if (toggle(look, "training: dropout", &on)) {
    panel.edits.push(SetDropout{{on ? memory.lastRate : 0.0, dropout.seed}});
    memory.rate = {};
  }
  tip(look,
      "Off: as in eval(). On: each weight becomes 0 with this probability and the others are "
      "divided by 1 − rate, as nn.MultiheadAttention does in training.");
  if (!dropout.on()) return;
  memory.lastRate = dropout.rate;
  flowOn(look, look.px(90), kGap);
  rowCaption(look, "rate");
  const auto rate =
      realField(look, "rate", 56, dropout.rate, memory.rate, "give one above 0 and below 1");
  if (rate && *rate > 0.0 && *rate < 1.0) {
    memory.rate.problem.clear();
    panel.edits.push(SetDropout{{*rate, dropout.seed}}, "dropout rate");
  } else if (rate) {
    memory.rate.problem = fmt::format(
        "rate is {:g}: it must be above 0 and below 1; the switch turns dropout off", *rate);
  }
  flowOn(look, look.px(120), kGap);
  rowCaption(look, "seed");
  const auto seed = wholeNumberField(look,
                                     {"dropout seed", static_cast<Index>(dropout.seed),
                                      std::numeric_limits<Index>::max(), "give 0 or more"},
                                     memory.seed, [](Index n) {
                                       return n >= 0 ? std::string()
                                                     : fmt::format("seed is {}: give 0 or more", n);
                                     });
  if (seed) {
    panel.edits.push(SetDropout{{dropout.rate, static_cast<std::uint64_t>(*seed)}}, "dropout seed");
  }
}

void controls(const Panel& panel, TemperatureMemory& memory) {
  const Look& look = panel.look;
  rowCaption(look, "temperature");
  temperatureFields(panel, memory.temperature, 130);
  tip(look, "Scores are divided by it, from 0.05 (sharp) to 20 (even); the box takes any number");
  flowOn(look, look.px(70), kGap);
  bool scale = panel.document.config.scale;
  if (toggle(look, "÷√d_k", &scale)) panel.edits.push(SetScale{scale});
  tip(look, "Scores are divided by √d_k, so that their spread does not grow with the head's width");
  dropoutFields(panel, memory);
  for (const NumberDraft* draft : {&memory.temperature, &memory.rate, &memory.seed}) {
    problemBelow(look, *draft);
  }
}

/// What comes after the softmax, hence is not in the picture.
std::string afterSoftmax(const Trace& trace, const RowRef& row) {
  const AttentionConfig& c = trace.config();
  std::string text;
  if (c.dropout.on()) {
    const DroppedCells dropped(c);
    Index count = 0;
    for (Index j = 0; j < c.keys(); ++j) count += dropped(row.item, row.head, row.query, j) ? 1 : 0;
    text += fmt::format(" · then dropout takes {} of {} (×), the others × {:.3g}", count, c.keys(),
                        dropped.factor());
  }
  const auto pins = trace.document().pins.of(TensorId::weights, row.item, row.head, row.query);
  if (!pins.empty()) {
    text +=
        fmt::format(" · {} pinned weight{} not in it", pins.size(), pins.size() == 1 ? "" : "s");
  }
  if (c.mistakes.softmaxOverQueries) text += " · over keys, though a mistake takes it over queries";
  return text;
}

std::string inWords(const MeasuredVariance& v) {
  std::string divided =
      v.sharpness.scale ? fmt::format("after ÷√{}", v.dK) : std::string("not divided by √d_k");
  const double temperature = v.sharpness.temperature;
  if (temperature != 1.0) divided += fmt::format(" and ÷{:.3g}", temperature);
  return fmt::format("variance {} at d_k {}; {}: {}", number(v.of.raw, 3), v.dK, divided,
                     number(v.of.scores, 3));
}

void findings(const Panel& panel, const TemperatureMemory& memory) {
  const Look& look = panel.look;
  const RowFigures& f = memory.figures;
  const Document& d = panel.trace.document();
  if (f.keys == 0) {
    sentence(look, look.theme.bad, fullyMaskedSentence(d, f.row.item, {f.row.query}));
  } else {
    sentence(
        look, look.theme.text,
        fmt::format("{}: entropy {:.2f} of {:.2f} bits · {:.1f} effective keys of {} · largest "
                    "{} on {}{}",
                    queryName(d, f.row.item, f.row.query), f.spread.entropy,
                    std::log2(static_cast<double>(f.keys)), f.spread.effectiveKeys, f.keys,
                    number(f.spread.largest, 3), keyName(d, f.row.item, f.spread.largestKey),
                    afterSoftmax(panel.trace, f.row)));
  }
  const std::string whose = fmt::format("raw scores of head {}: ", f.row.head + 1);
  sentence(look, look.theme.textMuted,
           whose + (memory.variance ? inWords(*memory.variance) : "measuring …"));
}

}  // namespace

const std::vector<double>& entropyTemperatures() {
  static const std::vector<double> kTemperatures =
      temperatures(kLowestTemperature, kHighestTemperature, kCurvePoints);
  return kTemperatures;
}

void temperaturePanel(const Panel& panel, TemperatureMemory& memory) {
  update(panel, memory);
  controls(panel, memory);
  findings(panel, memory);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float gap = panel.look.px(14);
  const float narrow = (room.x - 2 * gap) * 0.26F;
  const ImVec2 size(narrow, room.y);
  const float wide = room.x - 2 * gap - 2 * narrow;
  distributionChart(panel, memory.figures, at, {wide, room.y});
  entropyChart(panel, memory.figures, {at.x + wide + gap, at.y}, size);
  varianceChart(panel, memory, {at.x + wide + 2 * gap + narrow, at.y}, size);
}

}  // namespace headscope::ui
