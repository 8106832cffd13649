#include "app/ui/heads/figures.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "app/ui/heads/effect_numbers.h"
#include "app/ui/widgets.h"
#include "core/weights/designed_heads.h"

namespace headscope::ui {
namespace {

constexpr Index kMostClustered = 256;  // clustering takes their number cubed
constexpr std::string_view kMeasuring = "measuring …";

std::optional<Figures> measureFigures(const Trace& trace, Index item, ItemChoice averaged,
                                      const Execution& execution) {
  auto report = headReport(trace, averaged, declaredRelations(trace.document()), execution);
  if (!report) return std::nullopt;
  auto effects = headEffects(trace, item, execution);
  if (!effects) return std::nullopt;
  HeadSimilarity& similarity = report->similarity;
  if (similarity.heads > kMostClustered) {
    similarity.values.clear();
    similarity.why = fmt::format("more than {} heads are not compared", kMostClustered);
  }
  HeadTree tree;
  if (similarity.defined()) tree = clusterHeads(similarity);
  const double largest = largestPercent(*effects);
  return Figures{std::move(*report), std::move(tree), std::move(*effects), largest};
}

constexpr double kLongPassMs = 5.0;

bool fits(const Figures& figures, const AttentionConfig& c) {
  return static_cast<Index>(figures.report.metrics.size()) == c.numHeads &&
         figures.effects.tokens() == c.seqLen;
}

}  // namespace

MeasuredHeads measuredHeads(const Panel& panel) {
  const Trace& trace = panel.trace;
  const Index item = panel.view.item;
  const bool average = panel.view.heads.averageItems;
  // the output follows from everything but the names of the tokens
  const Fingerprint key("figures of heads", trace.revision(TensorId::weights),
                        trace.revision(TensorId::output), trace.revision(TensorId::x), item,
                        average);
  // A hand that moves on a long pass gets both cores for its passes.
  const When when = trace.ms > kLongPassMs ? When::atRest : When::beside;
  const auto found = panel.computations.want<Figures>("figures of heads", key, when, [&] {
    return [trace = panel.traceHeld, item, average,
            key](const std::atomic<bool>& cancelled) -> std::optional<Figures> {
      Execution execution;
      execution.cancelled = &cancelled;
      auto figures =
          measureFigures(*trace, item, average ? ItemChoice() : ItemChoice(item), execution);
      if (figures) figures->revision = key.value();
      return figures;
    };
  });
  MeasuredHeads heads{found.last, found.current != nullptr, found.problem};
  if (heads.figures != nullptr && !fits(*heads.figures, trace.config())) heads.figures = nullptr;
  return heads;
}

void drawWaiting(const Look& look, const Rect& room, std::string_view problem,
                 std::string_view doing) {
  const bool failed = !problem.empty();
  drawTextCentred(ImGui::GetWindowDrawList(), look.fonts.regular, room.centre(),
                  failed ? look.theme.bad : look.theme.textMuted, failed ? problem : doing);
}

void noFigures(const Panel& panel, const MeasuredHeads& heads) {
  drawWaiting(panel.look, Rect::rest(), heads.problem, kMeasuring);
}

void measuringNote(const Panel& panel, const MeasuredHeads& heads) {
  if (heads.current) return;
  const bool failed = !heads.problem.empty();
  label(panel.look.fonts.small, failed ? panel.look.theme.bad : panel.look.theme.textMuted,
        failed ? heads.problem : kMeasuring);
}

}  // namespace headscope::ui
