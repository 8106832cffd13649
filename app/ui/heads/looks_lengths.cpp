// The tab of q·k (see looks.h).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "app/ui/compat.h"
#include "app/ui/heads/heads_view.h"
#include "app/ui/heads/looks.h"
#include "app/ui/hover.h"
#include "app/ui/panel.h"
#include "app/ui/parts/computed.h"
#include "app/ui/parts/table.h"
#include "app/ui/parts/token_pictures.h"
#include "app/ui/widgets.h"
#include "core/attention/config.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/words/mask.h"

namespace headscope::ui {
namespace {

// The arrows.

void drawArrow(const FrameContext& look, ImVec2 from, ImVec2 to, ImU32 color) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 d(to.x - from.x, to.y - from.y);
  const float length = std::sqrt(d.x * d.x + d.y * d.y);
  if (length < 0.5F) {
    list->AddCircleFilled(from, look.px(3), color);
    return;
  }
  const ImVec2 along(d.x / length, d.y / length);
  const float head = std::min(look.space.medium, length * 0.5F);
  const ImVec2 neck(to.x - along.x * head, to.y - along.y * head);
  const ImVec2 side(-along.y * head * 0.42F, along.x * head * 0.42F);
  list->AddLine(from, neck, color, look.px(2.5F));
  list->AddTriangleFilled(to, {neck.x + side.x, neck.y + side.y},
                          {neck.x - side.x, neck.y - side.y}, color);
}

/// Draws q and k as two arrows in the plane they span, with true lengths and angle.
void arrowPicture(const FrameContext& look, const QueryKeyProduct& product, const Rect& room) {
  const Theme& t = look.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = look.fonts.small;
  const float line = fontSize(font) + look.space.tight;
  // leaves room for the names around the arrows
  const Rect box = room.inset({look.space.medium, line});
  const Arrows a = arrowsIn(product, static_cast<double>(std::max(box.width(), 10.0F)),
                            static_cast<double>(std::max(box.height(), 10.0F)));
  const auto place = [&](double x, double y) {
    return ImVec2(box.a.x + static_cast<float>(x), box.a.y + static_cast<float>(y));
  };
  const ImVec2 origin = place(a.originX, a.originY);
  const ImVec2 q = place(a.queryX, a.queryY);
  const ImVec2 k = place(a.keyX, a.keyY);
  const auto angle =
      static_cast<float>(std::acos(std::clamp(product.cosine.value_or(1.0), -1.0, 1.0)));
  if (product.cosine) {
    const float shorter =
        static_cast<float>(std::min(product.queryLength, product.keyLength) * a.scale);
    list->PathArcTo(origin, std::min(look.px(30), shorter * 0.45F), -angle, 0.0F, 24);
    list->PathStroke(t.textMuted, 0, look.space.hair);
    // the projection of k on q; times ‖q‖ it is the product
    list->AddLine(k, {k.x, origin.y}, withAlpha(t.key, 0.55F), look.space.hair);
    list->AddLine(origin, {k.x, origin.y}, withAlpha(t.key, 0.55F), look.space.small);
  }
  drawArrow(look, origin, q, t.query);
  drawArrow(look, origin, k, t.key);
  const auto write = [&](ImVec2 point, ImU32 color, const std::string& text) {
    const float right = std::max(room.a.x, room.b.x - textSize(font, text).x);
    drawText(list, font, {std::clamp(point.x, room.a.x, right), point.y}, color, text);
  };
  const std::string query = fmt::format("‖q‖ {}", number(product.queryLength, 3));
  write({(origin.x + q.x - textSize(font, query).x) * 0.5F, origin.y + look.space.tight},
        t.queryText, query);
  const std::string key = fmt::format("‖k‖ {}", number(product.keyLength, 3));
  write({k.x - textSize(font, key).x * 0.5F, k.y - line}, t.keyText, key);
  if (product.cosine) {
    const float reach = look.px(38);
    write({origin.x + std::cos(angle * 0.5F) * reach,
           origin.y - std::sin(angle * 0.5F) * reach - line * 0.6F},
          t.textMuted, fmt::format("{:.0f}°", *product.degrees()));
  }
}

// The keys.

struct KeyTable {
  KeyProducts products;
  std::vector<std::vector<Index>> orders;  // by KeyColumn
};

struct KeyHeading {
  KeyColumn by;
  const char* title;
  const char* about;
  float grows;
};
constexpr std::array kKeyHeadings{
    KeyHeading{KeyColumn::key, trLater("key"), trLater("Sort: In the order of the tokens"), 0.22F},
    KeyHeading{KeyColumn::length, trLater("length"), trLater("Sort: ‖k‖, the longest first"),
               0.26F},
    KeyHeading{KeyColumn::angle, trLater("angle"),
               trLater("Sort: Between q and k, the smallest first"), 0.22F},
    KeyHeading{KeyColumn::product, "q·k", trLater("Sort: ‖q‖ ‖k‖ cos angle, the largest first"),
               0.3F},
};

Computed<KeyTable> wantKeyTable(const PanelContext& panel, const RowRef& row) {
  constexpr Index kAtOnce = 2'000'000;  // the most multiply-adds within a frame
  const Trace& trace = panel.trace;
  const AttentionConfig& c = trace.config();
  const Fingerprint key("key table", trace.revision(scoredQueries(c)),
                        trace.revision(scoredKeys(c)), row.item, row.head, row.query);
  const Schedule when = c.keys() * c.dK() <= kAtOnce ? Schedule::now : Schedule::background;
  return panel.computations.request<KeyTable>("key table", key, when, [&] {
    return [held = panel.traceHeld, row](const std::atomic<bool>& cancelled) {
      std::optional<KeyTable> table(KeyTable{keyProducts(*held, row), {}});
      for (const KeyHeading& h : kKeyHeadings) {
        table->orders.push_back(table->products.order(h.by));
      }
      if (cancelled) table.reset();
      return table;
    };
  });
}

class LengthsTab final : public OneQueryTab {
 public:
  LengthsTab()
      : OneQueryTab(
            {"lengths", "q · k", tr("The product of a query and a key as lengths and angle"), 0,
             true, "q·k = ‖q‖ ‖k‖ cos"},
            {0.5F, 190.0F, 380.0F}) {}

 private:
  void drawRow(const PanelContext& panel, const RowRef& row, const Rect& picture,
               const Rect& words) override {
    const FrameContext& look = panel.look;
    const AttentionConfig& c = panel.trace.config();
    const auto found = wantKeyTable(panel, row);
    if (found.current == nullptr) {
      return drawWaiting(look, picture, found.problem, tr("multiplying q with every key …"));
    }
    const KeyTable& table = *found.current;
    const auto& byProduct = table.orders[static_cast<std::size_t>(KeyColumn::product)];
    const Index looked = lookedAt(panel.view, c).key;
    const Index key = looked >= 0 ? looked : byProduct.front();
    const QueryKeyProduct& product = table.products.of[static_cast<std::size_t>(key)];
    arrowPicture(look, product, picture);

    ImGui::SetCursorScreenPos(words.a);
    beginPart("product", words.size(),
              ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(look.space.small, look.space.thin));
    const Document& d = panel.trace.document();
    ImFont* font = look.fonts.small;
    const std::string shared = c.headsPerGroup() > 1
                                   ? trFormat(" (k of K/V head {})", c.kvHead(row.head) + 1)
                                   : std::string();
    wrappedLabel(
        font, look.theme.text,
        trFormat("{} · {}, head {}{}: {}", queryName(d, row.item, row.query),
                 keyName(d, row.item, key), row.head + 1, shared, productInWords(product)));
    wrappedLabel(font, look.theme.text, scoreInWords(panel.trace, row, key, product));
    if (words.height() > look.px(150)) {
      wrappedLabel(font, look.theme.textMuted, largestInWords(d, table.products, row.item));
    }
    ImGui::PopStyleVar();
    if (const auto clicked = keyTable(panel, table, key)) {
      panel.headsView.key = *clicked;
      panel.headsView.query = row.query;
    }
    ImGui::EndChild();
  }

  /// Draws the sorted table of keys with lengths, angles and products; returns the key clicked.
  std::optional<Index> keyTable(const PanelContext& panel, const KeyTable& keys, Index chosen) {
    const FrameContext& look = panel.look;
    std::vector<TableColumn> columns;
    for (const KeyHeading& h : kKeyHeadings) {
      columns.push_back({tr(h.title), tr(h.about), h.by != KeyColumn::key, 0.0F, h.grows});
    }
    TableSetting setting{"keys", std::max(ImGui::GetContentRegionAvail().y, look.px(40))};
    const auto by = static_cast<std::size_t>(sortedBy_);
    setting.sort = TableSort{by, true};
    Table table(look, setting, std::move(columns));
    if (table.clickedHeading()) sortedBy_ = kKeyHeadings[*table.clickedHeading()].by;
    const std::vector<Index>& order = keys.orders[by];
    std::optional<Index> clicked;
    table.rows(static_cast<Index>(order.size()), [&](Index place) {
      const Index key = order[static_cast<std::size_t>(place)];
      const auto at = static_cast<std::size_t>(key);
      const QueryKeyProduct& p = keys.products.of[at];
      if (table.row(key, key == chosen)) clicked = key;
      patchInLine(look, panel.trace.document().input->x, key);
      table.text(tokenName(headsState(panel), Lane::key, key),
                 key == chosen ? look.theme.keyText : look.theme.text);
      const auto degrees = p.degrees();
      table.number(number(p.keyLength, 3));
      table.number(degrees ? fmt::format("{:.1f}°", *degrees) : tr("none"));
      table.number(number(p.product, 4));
    });
    return clicked;
  }

  KeyColumn sortedBy_ = KeyColumn::product;
};

}  // namespace

std::unique_ptr<Card> makeLengthsTab() { return std::make_unique<LengthsTab>(); }

}  // namespace headscope::ui
