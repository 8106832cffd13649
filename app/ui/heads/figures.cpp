#include "app/ui/heads/figures.h"

#include <string>

#include "app/ui/compat.h"
#include "app/ui/head_purposes.h"
#include "app/ui/heads/effects.h"
#include "app/ui/heads/heads_view.h"
#include "app/ui/heads/view_model/choice.h"
#include "app/ui/panel.h"
#include "app/ui/parts/computed.h"
#include "app/ui/rich_text.h"
#include "app/ui/selection.h"
#include "app/ui/widgets.h"
#include "core/attention/ledger.h"

namespace headscope::ui {
namespace {

constexpr std::string_view kMeasuring = "measuring …";

/// The work from which a pass counts as long: about 5 ms on two cores. Counted, not timed, so that
/// the screen never depends on the load of the machine.
constexpr Index kLongPassFlops = 2'000'000'000;

bool figuresFit(const Figures& figures, const Trace& pass) {
  return static_cast<Index>(figures.report.metrics.size()) == pass.numHeads() &&
         figures.effects.tokens() == pass.queries();
}

ImU32 waitingInk(const FrameContext& look, std::string_view problem) {
  return problem.empty() ? look.theme.textMuted : look.theme.bad;
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
  if (heads.figures != nullptr && !figuresFit(*heads.figures, trace)) heads.figures = nullptr;
  return heads;
}

HeadCaption captionHere(const PanelContext& panel, const MeasuredHeads& measured, Index head) {
  const bool known = measured.figures != nullptr && measured.current;
  return headCaption(purposeTitle(panel.purposes, head),
                     known ? &measured.figures->report : nullptr, head);
}

void waitingLabel(const FrameContext& look, ImFont* font, std::string_view problem,
                  std::string_view doing) {
  label(font, waitingInk(look, problem), problem.empty() ? doing : problem);
}

void drawWaiting(const FrameContext& look, const Rect& room, std::string_view problem,
                 std::string_view doing) {
  drawTextCentred(ImGui::GetWindowDrawList(), look.fonts.regular, room.centre(),
                  waitingInk(look, problem), problem.empty() ? doing : problem);
}

void noFigures(const PanelContext& panel, const MeasuredHeads& heads) {
  drawWaiting(panel.look, Rect::rest(), heads.problem, kMeasuring);
}

void measuringNote(const PanelContext& panel, const MeasuredHeads& heads) {
  if (heads.current) return;
  waitingLabel(panel.look, panel.look.fonts.small, heads.problem, kMeasuring);
}

void metricDefinition(const FrameContext& look, Metric metric) {
  const MetricInfo& m = info(metric);
  ImFont* font = look.fonts.small;
  wrappedLabel(font, look.theme.text, definitionOf(m));
  richParagraph(look.fonts, font, look.theme.accentText, m.formula,
                ImGui::GetContentRegionAvail().x, look.space.thin);
  wrappedLabel(font, look.theme.textMuted, boundsOf(m));
}

}  // namespace headscope::ui
