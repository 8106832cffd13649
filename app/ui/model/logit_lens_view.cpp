// The logit lens: the model's prediction after each half layer, and the probability of the chosen
// word there.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/model/prediction_views.h"
#include "app/ui/panel.h"
#include "app/ui/parts/chart.h"
#include "app/ui/parts/computed.h"
#include "app/ui/parts/table.h"
#include "app/ui/rich_text.h"
#include "app/ui/widgets.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/model/logit_lens.h"

namespace headscope::ui {
namespace {

using Lens = std::vector<model::LensDepth>;

/// Returns the depth from which the word ranks first up to the end; null: it does not rank first at
/// the end.
const model::LensDepth* firstFrom(const Lens& lens) {
  const model::LensDepth* from = nullptr;
  for (auto depth = lens.rbegin(); depth != lens.rend() && depth->word.rank == 0; ++depth) {
    from = &*depth;
  }
  return from;
}

/// "; it also did after the embedding, and lost that after layer 1 attention": the last time that
/// the word ranked first before `from` and no longer did in between. Empty where it never did.
std::string lostInWords(const Lens& lens, const model::LensDepth* from,
                        const model::ModelConfig& c) {
  const auto ranksFirst = [](const model::LensDepth& depth) { return depth.word.rank == 0; };
  const auto begin = std::make_reverse_iterator(lens.begin() + (from - lens.data()));
  const auto before = std::find_if(begin, lens.rend(), ranksFirst);
  if (before == lens.rend()) return {};
  return trFormat("; it also did after {}, and lost that after {}",
                  model::halfInWords(c, before->half),
                  model::halfInWords(c, std::prev(before)->half));
}

std::string inWords(const Lens& lens, const AskedWord& asked) {
  const auto& end = lens.back().word;
  const model::ModelConfig& c = asked.moment->config();
  if (const model::LensDepth* from = firstFrom(lens)) {
    return trFormat("{} ranks first {} {}{}{}.", asked.name(),
                    from == &lens.back() ? tr("after") : tr("from"),
                    model::halfInWords(c, from->half), from == &lens.back() ? "" : " on",
                    lostInWords(lens, from, c));
  }
  const auto best = std::min_element(lens.begin(), lens.end(), [](const auto& a, const auto& b) {
    return a.word.rank < b.word.rank;
  });
  return trFormat("{} ends at rank {} of all {}; its best is rank {}, after {}.", asked.name(),
                  withThousands(end.rank + 1), asked.moment->ofImage() ? tr("labels") : tr("words"),
                  withThousands(best->word.rank + 1), model::halfInWords(c, best->half));
}

std::string howInWords(const model::ModelConfig& c) {
  if (c.attentionOnly) return tr("The readout is applied after each layer.");
  if (c.preNorm) return tr("The final norm and the readout are applied after each half layer.");
  return tr(
      "Norms follow the sums in this model, so the readout alone is applied after each half "
      "layer.");
}

void depthsTable(const PanelContext& panel, const AskedWord& asked, const Lens& lens,
                 float height) {
  const FrameContext& look = panel.look;
  const bool wide = asked.moment->config().crossAttention;  // "layer 1 cross-attention"
  Table table(look, {.id = "lens", .height = height, .frozen = 0, .dense = true},
              {{tr("after"), {}, false, wide ? 170.0F : 110.0F, 0, false},
               {tr("it would say"), {}, false, 90, 1, false},
               {"p", tr("of what it would say"), true, 50, 0, false},
               {tr("rank"), tr("of the chosen one among all, from 1"), true, 54, 0, false},
               {tr("its p"), tr("of the chosen one"), true, 54, 0, false}});
  table.rows(std::ssize(lens), [&](Index i) {
    const model::LensDepth& depth = lens[static_cast<std::size_t>(i)];
    const bool says = depth.word.rank == 0;
    table.row(i);
    table.text(model::halfInWords(asked.moment->config(), depth.half), look.theme.textMuted);
    table.text(asked.moment->nameOf(depth.best.id), says ? look.theme.accentText : look.theme.text);
    table.number(probabilityInWords(depth.best.probability));
    table.number(withThousands(depth.word.rank + 1));
    table.number(probabilityInWords(depth.word.token.probability));
  });
}

void depthsChart(const PanelContext& panel, const AskedWord& asked, const Lens& lens, Rect room) {
  const FrameContext& look = panel.look;
  ImDrawList* list = ImGui::GetWindowDrawList();
  drawChartTitle(look, room, tr("probability after each layer"),
                 {{asRichText(asked.name()), look.theme.accent},
                  {tr("what it would say"), withAlpha(look.theme.textMuted, 0.7F)}});
  double most = 0.0;
  std::vector<ChartPoint> word, best;
  const double layersEach = static_cast<double>(asked.moment->config().depth()) /
                            static_cast<double>(std::ssize(lens) - 1);
  for (const model::LensDepth& depth : lens) {
    const double x = static_cast<double>(word.size()) * layersEach;
    word.push_back({x, depth.word.token.probability});
    best.push_back({x, depth.best.probability});
    most = std::max(most, depth.best.probability);
  }
  ChartFrame frame{room, roundAxis(0.0, word.back().x), roundAxis(0.0, std::min(1.0, most))};
  frame.x.high = word.back().x;
  std::erase_if(frame.x.ticks, [&](double t) { return t > word.back().x || t != std::floor(t); });
  const Chart chart(look, std::move(frame));
  chart.drawAxes(list);
  chart.curve(list, best, withAlpha(look.theme.textMuted, 0.7F));
  chart.curve(list, word, look.theme.accent, 2.0F);
  for (const ChartPoint& point : word) chart.dot(list, point, look.theme.accent, 2.5F);
}

}  // namespace

void drawLogitLens(const PanelContext& panel, const AskedWord& asked) {
  const FrameContext& look = panel.look;
  const auto found =
      panel.computations.request<Lens>("logit lens", asked.key("lens"), Schedule::background, [&] {
        return [asked](const std::atomic<bool>& cancelled) {
          return model::logitLens(*asked.moment->trace, asked.row, asked.word,
                                  {.cancelled = &cancelled});
        };
      });
  if (!found.problem.empty()) {
    return wrappedLabel(look.fonts.regular, look.theme.bad, found.problem);
  }
  if (found.current == nullptr) {
    return label(look.fonts.regular, look.theme.textMuted, tr("being computed …"));
  }
  const Lens& lens = *found.current;
  wrappedLabel(look.fonts.small, look.theme.textMuted,
               inWords(lens, asked) + " " + howInWords(asked.moment->config()));
  Rect room = Rect::rest();
  const float width = std::clamp(room.width() * 0.5F, look.px(380), look.px(560));
  ImGui::BeginChild("lens table", {std::min(width, room.width()), 0.0F});
  depthsTable(panel, asked, lens, ImGui::GetContentRegionAvail().y);
  ImGui::EndChild();
  room.cutLeft(width, look.space.large);
  if (room.width() > look.px(160)) depthsChart(panel, asked, lens, room);
}

}  // namespace headscope::ui
