#include "app/ui/heads/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "app/ui/compat.h"
#include "app/ui/heads/effects.h"
#include "app/ui/heads/heads_choice.h"
#include "app/ui/heads/heads_view.h"
#include "app/ui/panel.h"
#include "app/ui/parts/computed.h"
#include "app/ui/rich_text.h"
#include "app/ui/selection.h"
#include "app/ui/widgets.h"
#include "core/attention/ledger.h"
#include "core/heads/designed_heads.h"
#include "core/training/relations.h"

namespace headscope::ui {
namespace {

constexpr Index kMostClustered = 256;  // clustering is cubic in the number of heads
constexpr std::string_view kMeasuring = "measuring …";

/// Measures the heads of a pass. Returns none where cancelled.
std::optional<Figures> measureFigures(const Trace& trace, Index item, ItemChoice averaged,
                                      std::uint64_t revision, const std::atomic<bool>& cancelled) {
  const ExecutionContext execution{.cancelled = &cancelled};
  auto report = headReport(trace, averaged, declaredRelations(trace.document()), execution);
  if (!report) return std::nullopt;
  auto effects = headEffects(trace, item, execution);
  if (!effects) return std::nullopt;
  Figures figures;
  figures.revision = revision;
  figures.report = std::move(*report);
  figures.effects = std::move(*effects);
  HeadSimilarity& similarity = figures.report.similarity;
  if (similarity.heads > kMostClustered) {
    similarity.values.clear();
    similarity.why = fmt::format("similarity is computed for at most {} heads", kMostClustered);
  }
  if (similarity.defined()) figures.tree = clusterHeads(similarity);
  figures.largestEffect = largestPercent(figures.effects);
  return figures;
}

/// The work from which a pass counts as long: about 5 ms on two cores. Counted, not timed, so that
/// the screen never depends on the load of the machine.
constexpr Index kLongPassFlops = 2'000'000'000;

bool figuresFit(const Figures& figures, const AttentionConfig& c) {
  return static_cast<Index>(figures.report.metrics.size()) == c.numHeads &&
         figures.effects.tokens() == c.seqLen;
}

// Texts.

constexpr double kLeastFigure = 0.0005;
constexpr double kFigureRounding = 1e-12;  // for sums of weights that should be 0

std::string withSmallInitial(std::string_view title) {
  std::string text(title);
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') {
    text[0] = static_cast<char>(text[0] - 'A' + 'a');
  }
  return text;
}
/// Returns the caveat that belongs next to a metric's number; may be empty.
std::string_view metricCaution(Metric metric) {
  return metric == Metric::induction
             ? " One layer alone has no true induction heads: those take two."
             : std::string_view();
}

std::string metricWords(const MetricInfo& m) {
  return fmt::format("{}: {}.{}", m.title, m.words, metricCaution(m.metric));
}

std::string metricRange(const MetricInfo& m) {
  return fmt::format("{}{}{}. {}.", m.range, m.unit.empty() ? "" : ", in ", m.unit, m.source);
}

}  // namespace

MeasuredHeads measuredHeads(const PanelContext& panel) {
  const Trace& trace = panel.trace;
  const Index item = panel.selection.item;
  const bool average = panel.headsView.averageItems;
  // the output depends on everything but the token names
  const Fingerprint key("figures of heads", trace.revision(TensorId::weights),
                        trace.revision(TensorId::output), trace.revision(TensorId::x), item,
                        average);
  // On a long pass, figures wait until edits pause: the passes of a drag need both cores.
  const bool isLong = ledger(trace.config()).flops > kLongPassFlops;
  const Schedule when = isLong ? Schedule::whenIdle : Schedule::background;
  const auto found = panel.computations.request<Figures>("figures of heads", key, when, [&] {
    const auto averaged = average ? ItemChoice() : ItemChoice(item);
    return [trace = panel.traceHeld, item, averaged,
            revision = key.value()](const std::atomic<bool>& cancelled) {
      return measureFigures(*trace, item, averaged, revision, cancelled);
    };
  });
  MeasuredHeads heads{found.last, found.current != nullptr, found.problem};
  if (heads.figures != nullptr && !figuresFit(*heads.figures, trace.config()))
    heads.figures = nullptr;
  return heads;
}

void drawWaiting(const FrameContext& look, const Rect& room, std::string_view problem,
                 std::string_view doing) {
  const bool failed = !problem.empty();
  drawTextCentred(ImGui::GetWindowDrawList(), look.fonts.regular, room.centre(),
                  failed ? look.theme.bad : look.theme.textMuted, failed ? problem : doing);
}

void noFigures(const PanelContext& panel, const MeasuredHeads& heads) {
  drawWaiting(panel.look, Rect::rest(), heads.problem, kMeasuring);
}

void measuringNote(const PanelContext& panel, const MeasuredHeads& heads) {
  if (heads.current) return;
  const bool failed = !heads.problem.empty();
  label(panel.look.fonts.small, failed ? panel.look.theme.bad : panel.look.theme.textMuted,
        failed ? heads.problem : kMeasuring);
}

std::string figureText(double value) {
  const double magnitude = std::abs(value);
  if (magnitude < kLeastFigure) return magnitude < kFigureRounding ? "0.000" : "<0.001";
  return fmt::format("{:.{}f}", value, magnitude < 100.0 ? 3 : 1);
}

std::string figureWithUnit(const MetricValue& measured, Metric metric) {
  if (!measured) return "–";
  const std::string value = number(std::abs(*measured) < kFigureRounding ? 0.0 : *measured, 3);
  const std::string_view unit = info(metric).unit;
  return unit.empty() ? value : fmt::format("{} {}", value, unit);
}

std::string titleWithUnit(Metric metric) {
  const MetricInfo& m = info(metric);
  return m.unit.empty() ? std::string(m.title) : fmt::format("{} ({})", m.title, m.unit);
}

std::string numbersInWords(const std::vector<Index>& heads) {
  std::string text;
  for (std::size_t i = 0; i < heads.size();) {
    std::size_t end = i + 1;
    while (end < heads.size() && heads[end] == heads[end - 1] + 1) ++end;
    if (i > 0) text += ", ";
    text += std::to_string(heads[i] + 1);
    if (end - i > 1) text += (end - i == 2 ? ", " : "–") + std::to_string(heads[end - 1] + 1);
    i = end;
  }
  return text;
}

std::string headsInWords(const std::vector<Index>& heads, Index of) {
  if (heads.size() == 1) return fmt::format("head {}", heads.front() + 1);
  if (static_cast<Index>(heads.size()) == of) return fmt::format("all {} heads", of);
  return "heads " + numbersInWords(heads);
}

std::string headInWords(const HeadReport& report, Index head, std::span<const Metric> metrics) {
  std::string text = fmt::format("head {}: ", head + 1);
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    if (i > 0 && metrics[i] == metrics[i - 1]) continue;
    const MetricValue& measured = report.metrics[static_cast<std::size_t>(head)][metrics[i]];
    if (i > 0) text += ", ";
    text += withSmallInitial(info(metrics[i]).title) + " ";
    text += measured ? figureWithUnit(measured, metrics[i]) : "not defined";
  }
  return text;
}

std::vector<std::string> undefinedInWords(const HeadReport& report, Metric metric) {
  std::vector<std::pair<std::string, std::vector<Index>>> reasons;
  for (std::size_t h = 0; h < report.metrics.size(); ++h) {
    const MetricValue& measured = report.metrics[h][metric];
    if (measured) continue;
    auto known = std::find_if(reasons.begin(), reasons.end(),
                              [&](const auto& reason) { return reason.first == measured.why; });
    if (known == reasons.end()) known = reasons.insert(reasons.end(), {measured.why, {}});
    known->second.push_back(static_cast<Index>(h));
  }
  std::vector<std::string> sentences;
  for (const auto& [why, heads] : reasons) {
    sentences.push_back(fmt::format("{} is not defined for {} because {}.", info(metric).title,
                                    headsInWords(heads, static_cast<Index>(report.metrics.size())),
                                    why));
  }
  return sentences;
}

std::string madeForInWords(const HeadReport& report, Index head) {
  const auto& made = report.madeFor[static_cast<std::size_t>(head)];
  if (!made) return {};
  const char* purpose = made->trained ? "trained for" : "made for";
  return made->score
             ? fmt::format("{} {}, {:.2f} where it is to look; ", purpose, made->name, *made->score)
             : fmt::format("{} {}: {}; ", purpose, made->name, made->score.why);
}

std::vector<Index> headsInOrder(const HeadReport& report, std::string_view by, bool descending) {
  if (const auto metric = metricFromKey(by)) {
    return headsByMetric(report.metrics, *metric, descending);
  }
  std::vector<Index> order(report.metrics.size());
  std::iota(order.begin(), order.end(), Index{0});
  if (by != kByLabel) {
    if (descending) std::reverse(order.begin(), order.end());
    return order;
  }
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    const HeadLabel& x = report.labels[static_cast<std::size_t>(a)];
    const HeadLabel& y = report.labels[static_cast<std::size_t>(b)];
    if (x.title != y.title) return descending ? y.title < x.title : x.title < y.title;
    return x.score.value_or(0.0) > y.score.value_or(0.0);
  });
  return order;
}

std::string pairInWords(const HeadSimilarity& similarity, Index a, Index b) {
  if (a == b) return fmt::format("head {} with itself: 1", a + 1);
  return fmt::format("heads {} and {}: {:.2f} alike", a + 1, b + 1, similarity(a, b));
}

std::string distinctInWords(const HeadTree& tree, double cut) {
  const Index count = clustersAt(tree, cut).count;
  return fmt::format("{} distinct head{} of {} at {:.2f}", count, count == 1 ? "" : "s", tree.heads,
                     cut);
}

void metricDefinition(const FrameContext& look, Metric metric) {
  const MetricInfo& m = info(metric);
  ImFont* font = look.fonts.small;
  wrappedLabel(font, look.theme.text, metricWords(m));
  richParagraph(look.fonts, font, look.theme.accentText, m.formula,
                ImGui::GetContentRegionAvail().x, look.space.thin);
  wrappedLabel(font, look.theme.textMuted, metricRange(m));
}

std::string definitionText(Metric metric) {
  const MetricInfo& m = info(metric);
  return metricWords(m) + "\n" + metricRange(m);
}

}  // namespace headscope::ui
