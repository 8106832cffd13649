#include "app/ui/heads/looks_lengths.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "app/ui/axis_labels.h"
#include "app/ui/compat.h"
#include "app/ui/heads/arrow_picture.h"
#include "app/ui/heads/looks_words.h"
#include "app/ui/heads/wrapped_words.h"
#include "app/ui/tools/mask_words.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

constexpr Index kAtOnce = 2'000'000;  // multiply-adds without a thread of its own

struct Heading {
  KeyColumn by;
  const char* title;
  const char* about;
  float end;  // of the width
};
constexpr std::array kHeadings{
    Heading{KeyColumn::key, "key", "In the order of the tokens", 0.34F},
    Heading{KeyColumn::length, "length", "‖k‖, the longest first", 0.56F},
    Heading{KeyColumn::angle, "angle", "Between q and k, the smallest first", 0.76F},
    Heading{KeyColumn::product, "q·k", "‖q‖ ‖k‖ cos angle, the largest first", 1.0F},
};

KeyTable tableOf(const Trace& trace, const RowRef& row) {
  KeyTable table{keyProducts(trace, row), {}};
  for (const Heading& h : kHeadings) table.orders.push_back(table.products.order(h.by));
  return table;
}

const KeyTable* answer(const Panel& panel, LengthsMemory& memory, const RowRef& row) {
  const Trace& trace = panel.trace;
  const auto number64 = [](Index n) { return static_cast<std::uint64_t>(n); };
  const AttentionConfig& c = trace.config();
  const Reckoned<KeyTable>::Key key{trace.revision(TensorId::q), trace.revision(TensorId::k),
                                    number64(row.item), number64(row.head), number64(row.query)};
  memory.table.want(key, c.keys() * c.dK() <= kAtOnce, [&] {
    return [trace, row](const std::atomic<bool>& cancelled) {
      auto table = std::optional(tableOf(trace, row));
      if (cancelled) table.reset();
      return table;
    };
  });
  return memory.table.current();
}

/// Keys with their lengths, angles and products, sorted; gives the key clicked.
class Table {
 public:
  Table(const Panel& panel, LengthsMemory& memory, const KeyTable& keys)
      : panel_(panel), look_(panel.look), memory_(memory), keys_(keys) {}

  std::optional<Index> draw(Index chosen, ImVec2 size) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float line = fontSize(look_.fonts.small) + look_.px(5);
    width_ = size.x - ImGui::GetStyle().ScrollbarSize - look_.px(4);
    headings(at, line);
    ImGui::SetCursorScreenPos({at.x, at.y + line});
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
    beginPart("keys", {size.x, std::max(size.y - line, line)});
    const auto& order = keys_.orders[static_cast<std::size_t>(memory_.sortedBy)];
    std::optional<Index> clicked;
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(order.size()), line);
    while (clipper.Step()) {
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
        const Index key = order[static_cast<std::size_t>(i)];
        if (row(key, key == chosen, line)) clicked = key;
      }
    }
    ImGui::EndChild();
    ImGui::PopStyleVar();
    return clicked;
  }

 private:
  void headings(ImVec2 at, float line) {
    for (std::size_t n = 0; n < kHeadings.size(); ++n) {
      const Heading& h = kHeadings[n];
      const bool sorted = memory_.sortedBy == h.by;
      const std::string title = sorted ? fmt::format("{} ▾", h.title) : std::string(h.title);
      const float from = n == 0 ? 0.0F : kHeadings[n - 1].end * width_;
      ImGui::SetCursorScreenPos({at.x + from, at.y});
      ImGui::PushID(static_cast<int>(n));
      if (ImGui::InvisibleButton("by", {h.end * width_ - from, line})) memory_.sortedBy = h.by;
      const bool hovered = ImGui::IsItemHovered();
      tip(look_, std::string("Sort: ") + h.about);
      ImGui::PopID();
      write(at, n, sorted || hovered ? look_.theme.text : look_.theme.textMuted, title,
            look_.fonts.small);
    }
  }

  bool row(Index key, bool chosen, float line) {
    const Theme& t = look_.theme;
    const auto place = static_cast<std::size_t>(key);
    const auto& names = laneTokens(panel_.trace, Lane::key, panel_.view.item);
    const QueryKeyProduct& p = keys_.products.of[place];
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::PushID(static_cast<int>(key));
    const bool pressed = ImGui::Selectable("##key", chosen, 0, {width_, line});
    ImGui::PopID();
    const std::string name =
        place < names.size() ? std::string(shownToken(names[place])) : fmt::format("key {}", key);
    write(at, 0, chosen ? t.keyText : t.text,
          elided(look_.fonts.small, name, kHeadings[0].end * width_ - look_.px(8)),
          look_.fonts.small);
    const auto degrees = p.degrees();
    write(at, 1, t.text, number(p.keyLength, 3), look_.fonts.monoSmall);
    write(at, 2, t.text, degrees ? fmt::format("{:.1f}°", *degrees) : "none",
          look_.fonts.monoSmall);
    write(at, 3, t.text, number(p.product, 4), look_.fonts.monoSmall);
    return pressed;
  }

  /// A column's text: the first from the left, the others up to their right.
  void write(ImVec2 at, std::size_t column, ImU32 color, const std::string& text, ImFont* font) {
    const float end = kHeadings[column].end * width_;
    const float x = column == 0 ? look_.px(4) : end - textSize(font, text).x - look_.px(4);
    drawText(ImGui::GetWindowDrawList(), font, {at.x + x, at.y + look_.px(2)}, color, text);
  }

  const Panel& panel_;
  const Look& look_;
  LengthsMemory& memory_;
  const KeyTable& keys_;
  float width_ = 0.0F;
};

}  // namespace

void looksLengths(const Panel& panel, LengthsMemory& memory) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  const AttentionConfig& c = panel.trace.config();
  ViewState& view = panel.view;
  const LooksAt looked = lookedAt(view, c);
  const RowRef row{view.item, view.head, queryOr(looked, c)};
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float gap = look.px(10);
  const float listWidth = std::clamp(room.x * 0.15F, look.px(54), look.px(100));
  const float tableWidth = std::clamp(room.x * 0.5F, look.px(190), look.px(380));
  if (const auto clicked = queryList(panel, memory.queries, row.query, {listWidth, room.y})) {
    view.heads.query = *clicked;
  }
  const KeyTable* table = answer(panel, memory, row);
  const ImVec2 corner(at.x + listWidth + gap, at.y);
  const ImVec2 size(room.x - listWidth - tableWidth - 2 * gap, room.y);
  if (table == nullptr) {
    const bool failed = !memory.table.error().empty();
    drawTextCentred(ImGui::GetWindowDrawList(), look.fonts.small,
                    {corner.x + size.x * 0.5F, corner.y + size.y * 0.5F},
                    failed ? t.bad : t.textMuted,
                    failed ? memory.table.error() : std::string("multiplying q with every key …"));
    return;
  }
  const auto& byProduct = table->orders[static_cast<std::size_t>(KeyColumn::product)];
  const Index key = looked.key >= 0 ? looked.key : byProduct.front();
  const QueryKeyProduct& product = table->products.of[static_cast<std::size_t>(key)];
  arrowPicture(look, product, corner, size);

  ImGui::SetCursorScreenPos({at.x + room.x - tableWidth, at.y});
  beginPart("product", {tableWidth, room.y},
            ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(look.px(6), look.px(2)));
  const Document& d = panel.trace.document();
  const std::string shared = c.headsPerGroup() > 1
                                 ? fmt::format(" (k of K/V head {})", c.kvHead(row.head) + 1)
                                 : std::string();
  wrapped(look, t.text,
          fmt::format("{} · {}, head {}{}: {}", queryName(d, row.item, row.query),
                      keyName(d, row.item, key), row.head + 1, shared, productInWords(product)));
  wrapped(look, t.text, scoreInWords(panel.trace, row, key, product));
  const bool roomy = room.y > look.px(150);
  if (roomy) wrapped(look, t.textMuted, largestInWords(d, table->products, row.item));
  ImGui::PopStyleVar();
  const ImVec2 left = ImGui::GetContentRegionAvail();
  if (const auto clicked = Table(panel, memory, *table).draw(key, {left.x, left.y})) {
    view.heads.key = *clicked;
    view.heads.query = row.query;
  }
  ImGui::EndChild();
}

}  // namespace headscope::ui
