// Temperature: the effect of temperature and ÷√d_k on one query's weights and their entropy, the
// reason why scores are divided by √d_k, and dropout as in training.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/cells/cell_focus.h"
#include "app/ui/compat.h"
#include "app/ui/frame_commands.h"
#include "app/ui/number_field.h"
#include "app/ui/panel.h"
#include "app/ui/parts/computed.h"
#include "app/ui/rich_text.h"
#include "app/ui/tools/temperature_charts.h"
#include "app/ui/tools/tools.h"
#include "app/ui/widgets.h"
#include "core/attention/config.h"
#include "core/attention/dropped_cells.h"
#include "core/attention/switches.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/words/mask.h"

namespace headscope::ui {
namespace {

constexpr float kControlGap = 14.0F;
constexpr std::uint64_t kDrawnSeed = 1;

/// Returns the measured variance of the row's head: the last one while it is measured again; null
/// while there is none.
const MeasuredVariance* varianceOf(const PanelContext& panel, const RowRef& row) {
  const Trace& trace = panel.trace;
  const Fingerprint key("variance", row.item, row.head, trace.revision(TensorId::rawScores),
                        trace.revision(TensorId::scores));
  const auto variance = panel.computations.request<MeasuredVariance>(
      "variance of scores", key, Schedule::background, [&] {
        return [held = panel.traceHeld,
                row](const std::atomic<bool>& cancelled) -> std::optional<MeasuredVariance> {
          const HeadVariance of = headVariance(*held, row.item, row.head, &cancelled);
          if (cancelled) return std::nullopt;
          return MeasuredVariance{row.item, row.head, of, held->config().dK(),
                                  sharpnessOf(held->config())};
        };
      });
  const MeasuredVariance* last = variance.last;
  return last != nullptr && last->item == row.item && last->head == row.head ? last : nullptr;
}

/// Returns a text on dropout and pins, which follow the softmax and are not in the picture.
std::string afterSoftmax(const Trace& trace, const RowRef& row) {
  const AttentionConfig& c = trace.config();
  std::string text;
  if (c.dropout.on()) {
    const DroppedCells dropped(c);
    Index count = 0;
    for (Index j = 0; j < c.keys(); ++j) count += dropped(row.item, row.head, row.query, j) ? 1 : 0;
    text += trFormat(" · then dropout removes {} of {} (×) and scales the others × {:.3g}", count,
                     c.keys(), dropped.factor());
  }
  const auto pins = trace.document().pins.of(TensorId::weights, row.item, row.head, row.query);
  if (!pins.empty()) {
    text += " · " + counted(std::ssize(pins), tr("without {} pinned weight"),
                            tr("without {} pinned weights"));
  }
  if (c.mistakes.softmaxOverQueries)
    text += tr(" · over keys, although a mistake takes it over queries");
  return text;
}

std::string varianceInWords(const MeasuredVariance& v) {
  std::string divided =
      v.sharpness.scale ? fmt::format("after ÷√{}", v.dK) : std::string(tr("not divided by √d_k"));
  const double temperature = v.sharpness.temperature;
  if (temperature != 1.0) divided += fmt::format(" and ÷{:.3g}", temperature);
  return trFormat("variance {} at d_k {}; {}: {}", number(v.of.raw, 3), v.dK, divided,
                  number(v.of.scores, 3));
}

constexpr float kRoomForCharts = 140.0F;  // points of height for the charts and the line above

void writeFindings(const PanelContext& panel, const RowFigures& f,
                   const MeasuredVariance* variance) {
  const FrameContext& look = panel.look;
  const Document& d = panel.trace.document();
  if (f.keys == 0) {
    wrappedLabel(look.fonts.small, look.theme.bad,
                 fullyMaskedSentence(d, f.row.item, {f.row.query}));
  } else {
    wrappedLabel(
        look.fonts.small, look.theme.text,
        trFormat("{}: entropy {:.2f} of {:.2f} bits · {:.1f} effective keys of {} · largest "
                 "{} on {}{}",
                 queryName(d, f.row.item, f.row.query), f.spread.entropy,
                 std::log2(static_cast<double>(f.keys)), f.spread.effectiveKeys, f.keys,
                 number(f.spread.largest, 3), keyName(d, f.row.item, f.spread.largestKey),
                 afterSoftmax(panel.trace, f.row)));
    tip(look, termText("effective keys"));
  }
  // with little height, only the variance chart shows it
  if (ImGui::GetContentRegionAvail().y < look.px(kRoomForCharts)) return;
  const std::string whose = trFormat("raw scores of head {}: ", f.row.head + 1);
  richParagraph(look.fonts, look.fonts.small, look.theme.textMuted,
                whose + (variance != nullptr ? varianceInWords(*variance) : "measuring …"),
                ImGui::GetContentRegionAvail().x);
}

class TemperatureTool final : public Card {
 public:
  TemperatureTool()
      : Card({"temperature", tr("Temperature"),
              tr("how temperature and ÷√d change a query's weights · drag the dot"), 'S'}) {}

  void draw(const PanelContext& panel) override {
    const RowRef row = rowLookedAt(panel.view, panel.trace.config());
    const Fingerprint key("row", panel.trace.pass(), row.item, row.head, row.query);
    const auto* figures = panel.computations.computeNow<RowFigures>(
        "row figures", key, [&] { return rowFigures(panel.trace, row); });
    if (figures == nullptr) return;
    const MeasuredVariance* variance = varianceOf(panel, row);
    if (drawn_.empty()) drawn_ = drawnVariances(kDrawnSeed);
    controls(panel);
    writeFindings(panel, *figures, variance);
    Rect room = Rect::rest();
    const float gap = panel.look.space.large;
    const float narrow = (room.width() - 2 * gap) * 0.26F;
    varianceChart(panel, row.head, variance, drawn_, room.cutRight(narrow, gap));
    entropyChart(panel, *figures, room.cutRight(narrow, gap));
    distributionChart(panel, *figures, room);
  }

  std::vector<Shortcut> shortcuts() const override {
    return {{"alt+−  alt+=", tr("lower, higher")},
            {"alt+r", tr("÷√d_k on, off")},
            {"alt+o", tr("dropout on, off")}};
  }

  /// The keys − and = change the temperature, R switches ÷√d_k, O switches dropout.
  bool editKeys(const PanelContext& panel) override {
    const AttentionConfig& c = panel.document.config;
    const auto set = [&](double factor) {
      const double value =
          std::clamp(c.switches->temperature * factor, kLowestTemperature, kHighestTemperature);
      // the way back meets 1 exactly, whatever the rounding
      panel.commands.push(
          SetSwitch{&Switches::temperature, std::abs(value - 1.0) < 1e-6 ? 1.0 : value});
      return true;
    };
    const double step = std::sqrt(std::sqrt(2.0));
    if (altPressed(Key::minus)) return set(1.0 / step);
    if (altPressed(Key::equal)) return set(step);
    if (altPressed(Key{'R'}, false)) {
      panel.commands.push(SetSwitch{&Switches::scale, !c.switches->scale});
      return true;
    }
    if (!altPressed(Key{'O'}, false)) return false;
    Dropout dropout = c.dropout;
    dropout.rate = dropout.on() ? 0.0 : 0.1;
    panel.commands.push(SetDropout{dropout});
    return true;
  }

 private:
  void controls(const PanelContext& panel) {
    const FrameContext& look = panel.look;
    rowCaption(look, tr("temperature"));
    temperatureFields(panel, temperature_, 130);
    tip(look,
        tr("Scores are divided by it, from 0.05 (sharp) to 20 (even); the box takes any number"));
    flowOn(look, look.px(70), kControlGap);
    bool scale = panel.document.config.switches->scale;
    if (toggle(look, "÷√d_k", &scale)) panel.commands.push(SetSwitch{&Switches::scale, scale});
    richTip(
        look,
        tr("Scores are divided by √d_k, so that their spread does not grow with the head's width"));
    dropoutFields(panel);
    for (const NumberDraft* draft : {&temperature_, &rate_, &seed_}) problemBelow(look, *draft);
  }

  void dropoutFields(const PanelContext& panel) {
    const FrameContext& look = panel.look;
    const Dropout& dropout = panel.document.config.dropout;
    flowOn(look, look.px(150), kControlGap);
    bool on = dropout.on();
    if (toggle(look, tr("training: dropout"), &on)) {
      panel.commands.push(SetDropout{{on ? lastRate_ : 0.0, dropout.seed}});
      rate_ = {};
    }
    tip(look,
        tr("Off: as in eval(). On: each weight becomes 0 with this probability, and the others are "
           "divided by 1 − rate, as in nn.MultiheadAttention during training."));
    if (!dropout.on()) return;
    lastRate_ = dropout.rate;
    flowOn(look, look.px(90), kControlGap);
    rowCaption(look, tr("rate"));
    const auto rate =
        realField(look, "rate", 56, dropout.rate, rate_, tr("give a number above 0 and below 1"));
    if (rate && *rate > 0.0 && *rate < 1.0) {
      rate_.problem.clear();
      panel.commands.push(SetDropout{{*rate, dropout.seed}}, "dropout rate");
    } else if (rate) {
      rate_.problem = trFormat(
          "rate is {:g}: it must be above 0 and below 1; the switch turns dropout off", *rate);
    }
    flowOn(look, look.px(120), kControlGap);
    rowCaption(look, tr("seed"));
    const auto refuse = [](Index n) {
      return n >= 0 ? std::string() : trFormat("seed is {}: give 0 or more", n);
    };
    const auto seed = wholeNumberField(look,
                                       {tr("dropout seed"), static_cast<Index>(dropout.seed),
                                        std::numeric_limits<Index>::max(), tr("give 0 or more")},
                                       seed_, refuse);
    if (!seed) return;
    panel.commands.push(SetDropout{{dropout.rate, static_cast<std::uint64_t>(*seed)}},
                        "dropout seed");
  }

  NumberDraft temperature_, rate_, seed_;
  double lastRate_ = 0.1;  // the last nonzero rate of dropout
  std::vector<DrawnVariance> drawn_;
};

}  // namespace

std::unique_ptr<Card> makeTemperatureTool() { return std::make_unique<TemperatureTool>(); }

}  // namespace headscope::ui
