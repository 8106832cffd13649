#include "app/ui/heads/looks_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>

#include "app/ui/axis_labels.h"
#include "app/ui/compat.h"
#include "app/ui/heads/looks_words.h"
#include "app/ui/heads/value_picture.h"
#include "app/ui/heads/wrapped_words.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

constexpr Index kAtOnce = 3'000'000;  // multiply-adds without a thread of its own

std::uint64_t number64(Index n) { return static_cast<std::uint64_t>(n); }

const ValuePlane* planeOf(const Panel& panel, ValuesMemory& memory, Index kvHead) {
  const Trace& trace = panel.trace;
  const AttentionConfig& c = trace.config();
  const Index item = panel.view.item;
  const Index head = panel.view.head;
  constexpr Index kPasses = 100;  // over the values, about
  const Index work = kPasses * c.keys() * c.dK();
  const Reckoned<ValuePlane>::Key key{trace.revision(TensorId::v), number64(item),
                                      number64(kvHead)};
  memory.plane.want(key, work <= kAtOnce, [&] {
    return [trace, item, head](const std::atomic<bool>& cancelled) {
      Execution execution;
      execution.cancelled = &cancelled;
      return valuePlane(trace, item, head, execution);
    };
  });
  return memory.plane.current();
}

/// What the picture shows, in words, beside it.
void words(const Panel& panel, const ValuePlane& plane, const ValueMix& mix, const RowRef& row) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  const Document& d = panel.trace.document();
  const AttentionConfig& c = panel.trace.config();
  const std::string head = c.headsPerGroup() > 1 ? fmt::format("Head {}, values of K/V head {}",
                                                               row.head + 1, c.kvHead(row.head) + 1)
                                                 : fmt::format("Head {}", row.head + 1);
  label(look.fonts.small, headColor(t, static_cast<std::size_t>(row.head)), head);
  wrapped(look, t.text, mixInWords(d, mix, row) + ", of their values");
  const std::string after = afterMixInWords(d, mix, row);
  if (!after.empty()) wrapped(look, t.bad, after);
  const double seen = plane.varianceShare[0] + plane.varianceShare[1];
  wrapped(look, t.textMuted,
          seen > 0.0 ? fmt::format("The plane of the two main components of the {} value vectors "
                                   "(PCA) shows {:.0f} % of their variance; × is the output, size "
                                   "and lines are weights",
                                   c.keys(), seen * 100.0)
                     : "All value vectors are the same: they have no main component");
}

}  // namespace

void looksValues(const Panel& panel, ValuesMemory& memory) {
  const Look& look = panel.look;
  const AttentionConfig& c = panel.trace.config();
  ViewState& view = panel.view;
  const RowRef row{view.item, view.head, queryOr(lookedAt(view, c), c)};
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float gap = look.px(10);
  const float listWidth = std::clamp(room.x * 0.17F, look.px(58), look.px(110));
  const float wordsWidth = std::clamp(room.x * 0.34F, look.px(130), look.px(300));
  if (const auto clicked = queryList(panel, memory.queries, row.query, {listWidth, room.y})) {
    view.heads.query = *clicked;
  }

  const ImVec2 corner(at.x + listWidth + gap, at.y);
  const ImVec2 size(room.x - listWidth - wordsWidth - 2 * gap, room.y);
  const ValuePlane* plane = planeOf(panel, memory, c.kvHead(row.head));
  if (plane == nullptr) {
    const bool failed = !memory.plane.error().empty();
    drawTextCentred(ImGui::GetWindowDrawList(), look.fonts.small,
                    {corner.x + size.x * 0.5F, corner.y + size.y * 0.5F},
                    failed ? look.theme.bad : look.theme.textMuted,
                    failed ? memory.plane.error() : std::string("finding the main components …"));
    return;
  }
  const Trace& trace = panel.trace;
  const Reckoned<ValueMix>::Key key{trace.revision(TensorId::v),
                                    trace.revision(TensorId::weights),
                                    trace.revision(TensorId::heads),
                                    number64(row.item),
                                    number64(row.head),
                                    number64(row.query)};
  memory.mix.want(key, true, [&] {
    return [&](const std::atomic<bool>&) { return std::optional(valueMix(trace, *plane, row)); };
  });
  const ValueMix* mix = memory.mix.current();
  if (mix == nullptr) return;
  valuePicture(panel, *plane, *mix, row, corner, size);
  ImGui::SetCursorScreenPos({at.x + room.x - wordsWidth, at.y});
  beginPart("words", {wordsWidth, room.y});
  words(panel, *plane, *mix, row);
  ImGui::EndChild();
}

}  // namespace headscope::ui
