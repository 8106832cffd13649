#include "app/ui/heads/figures.h"

#include <fmt/format.h>

#include <atomic>
#include <utility>

#include "app/ui/widgets.h"
#include "core/weights/designed_heads.h"

namespace headscope::ui {
namespace {

constexpr Index kMostClustered = 256;  // clustering takes their number cubed

std::uint64_t passOf(const Panel& panel) {
  // the output follows from everything but the names of the tokens
  const Trace& trace = panel.trace;
  std::uint64_t key = trace.revision(TensorId::weights);
  key = key * 1000003U + trace.revision(TensorId::output);
  key = key * 1000003U + trace.revision(TensorId::x);
  const auto item = static_cast<std::uint64_t>(panel.view.item);
  return (key * 1000003U + item) * 2U + (panel.view.heads.averageItems ? 1U : 0U);
}

bool fits(const Figures& figures, const AttentionConfig& c) {
  return static_cast<Index>(figures.report.metrics.size()) == c.numHeads &&
         figures.effects.tokens() == c.seqLen;
}

}  // namespace

const Figures* figuresOf(const Panel& panel, FiguresMemory& memory) {
  if (auto outcome = memory.task.take()) {
    memory.figures = std::move(outcome->result);
    memory.error = std::move(outcome->error);
    memory.current = memory.figures.has_value();
  }
  const std::uint64_t pass = passOf(panel);
  if (memory.asked != pass) memory.current = false;
  if (memory.asked != pass) {
    memory.asked = pass;
    const Index item = panel.view.item;
    const ItemChoice choice = panel.view.heads.averageItems ? ItemChoice() : ItemChoice(item);
    memory.task.request([trace = panel.trace, item,
                         choice](const std::atomic<bool>& cancelled) -> std::optional<Figures> {
      Execution execution;
      execution.cancelled = &cancelled;
      auto report = headReport(trace, choice, declaredRelations(trace.document()), execution);
      if (!report) return std::nullopt;
      auto effects = headEffects(trace, item, execution);
      if (!effects) return std::nullopt;
      HeadTree tree;
      HeadSimilarity& similarity = report->similarity;
      if (similarity.heads > kMostClustered) {
        similarity.values.clear();
        similarity.why = fmt::format("more than {} heads are not compared", kMostClustered);
      }
      if (similarity.defined()) tree = clusterHeads(similarity);
      return Figures{std::move(*report), std::move(tree), std::move(*effects)};
    });
  }
  if (!memory.figures || !fits(*memory.figures, panel.trace.config())) return nullptr;
  return &*memory.figures;
}

void noFigures(const Panel& panel, const FiguresMemory& memory) {
  const Look& look = panel.look;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const bool failed = !memory.error.empty();
  drawTextCentred(ImGui::GetWindowDrawList(), look.fonts.regular,
                  {at.x + room.x * 0.5F, at.y + room.y * 0.5F},
                  failed ? look.theme.bad : look.theme.textMuted,
                  failed ? memory.error : std::string("measuring …"));
}

}  // namespace headscope::ui
