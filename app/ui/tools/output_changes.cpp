#include "app/ui/tools/output_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>

#include "app/ui/axis_labels.h"
#include "app/ui/compat.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

const std::vector<OutputChange>& changesOf(const Panel& panel, OutputChangesMemory& memory) {
  const std::array<std::uint64_t, 4> key{panel.trace.pass(), panel.reference.trace->pass(),
                                         panel.reference.salt,
                                         static_cast<std::uint64_t>(panel.view.item) + 1};
  if (memory.key != key) {
    memory.key = key;
    memory.changes = outputChanges(*panel.reference.trace, panel.trace, panel.view.item);
  }
  return memory.changes;
}

/// "0.412 (12 %)": how far, and of what it was.
std::string inNumbers(const OutputChange& change) {
  if (change.moved == 0.0) return "0";
  const std::string moved = number(change.moved, 3);
  if (change.before == 0.0) return moved + " (from 0)";
  return fmt::format("{} ({} %)", moved, number(change.moved / change.before * 100.0, 3));
}

/// Those of the largest move, in the order of the tokens; all where they fit.
std::vector<std::size_t> shownRows(const std::vector<OutputChange>& changes, std::size_t fit) {
  std::vector<std::size_t> order(changes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() <= fit) return order;
  const auto last = order.begin() + static_cast<std::ptrdiff_t>(fit);
  std::partial_sort(order.begin(), last, order.end(), [&](std::size_t a, std::size_t b) {
    return changes[a].moved > changes[b].moved;
  });
  order.erase(last, order.end());
  std::sort(order.begin(), order.end());
  return order;
}

}  // namespace

void outputChangeBars(const Panel& panel, OutputChangesMemory& memory, ImVec2 at, ImVec2 size) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = look.fonts.small;
  const auto write = [&](ImVec2 place, ImU32 color, const std::string& text) {
    drawText(list, font, place, color, elided(font, text, at.x + size.x - place.x));
  };
  const float line = look.px(19);
  const std::vector<OutputChange>& changes = changesOf(panel, memory);
  if (changes.empty()) {
    write(at, t.textMuted, "the outputs have different shapes");
    return;
  }
  double most = 0.0;
  for (const OutputChange& change : changes) most = std::max(most, change.moved);
  drawText(list, look.fonts.semibold, at, t.text,
           size.x > look.px(220) ? "how far each output moved" : "outputs moved");
  const float top = at.y + fontSize(look.fonts.semibold) + look.px(3);
  if (most == 0.0) {
    write({at.x, top}, t.textMuted, "nothing changed: every output is the same");
    return;
  }
  const bool explained = size.y > look.px(150);
  if (explained) write({at.x, top}, t.textMuted, "‖after − before‖ (of ‖before‖)");
  const float first = explained ? top + line : top;
  const auto fit = static_cast<std::size_t>(std::max(1.0F, (at.y + size.y - first) / line));
  const bool cut = changes.size() > fit;
  const std::vector<std::size_t> rows =
      shownRows(changes, cut ? std::max<std::size_t>(1, fit - 1) : fit);
  const auto& tokens = laneTokens(panel.trace, Lane::query, panel.view.item);
  const float labels = std::min(labelWidth(font, tokens, look.px(76)), size.x * 0.3F) + look.px(8);
  float numbers = 0.0F;
  for (const std::size_t row : rows) {
    numbers = std::max(numbers, textSize(look.fonts.monoSmall, inNumbers(changes[row])).x);
  }
  const float width = std::max(size.x - labels - numbers - look.px(8), look.px(4));
  float y = first;
  for (const std::size_t row : rows) {
    const OutputChange& change = changes[row];
    const float middle = y + line * 0.5F;
    const std::string name = row < tokens.size()
                                 ? elided(font, shownToken(tokens[row]), labels - look.px(8))
                                 : std::to_string(row);
    const ImVec2 nameSize = textSize(font, name);
    drawText(list, font, {at.x + labels - look.px(8) - nameSize.x, middle - nameSize.y * 0.5F},
             t.text, name);
    const auto share = static_cast<float>(change.moved / most);
    const float length = change.moved > 0.0 ? std::max(width * share, look.px(1.5F)) : 0.0F;
    const ImVec2 a(at.x + labels, middle - look.px(6));
    list->AddRectFilled(a, {a.x + length, middle + look.px(6)}, t.accent, look.px(2));
    drawText(list, look.fonts.monoSmall,
             {a.x + length + look.px(6), middle - fontSize(look.fonts.monoSmall) * 0.5F},
             t.textMuted, inNumbers(change));
    y += line;
  }
  if (cut) {
    write({at.x, y}, t.textMuted,
          fmt::format("the {} of {} tokens that moved most", rows.size(), changes.size()));
  }
}

}  // namespace headscope::ui
