#include "app/ui/tools/kv_cache_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/widgets.h"
#include "core/analysis/kv_cache.h"
#include "core/ledger.h"

namespace headscope::ui {
namespace {

constexpr std::size_t kMostBars = 12;

std::array<ImU32, kDecodeParts> partColors(const Theme& t) {
  return {t.query, t.key, t.input, t.value, t.output};
}

/// Name, with a cache, and without: one line, the numbers to the right.
void workLine(const Look& look, const std::string& name, const std::string& cached,
              const std::string& whole, ImU32 swatch = 0, bool strong = false) {
  const Theme& t = look.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* small = look.fonts.small;
  ImFont* mono = look.fonts.monoSmall;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = fontSize(small) + look.px(2);
  const float inset = look.px(13);
  if (swatch != 0) {
    const float side = look.px(8);
    const float y = at.y + (height - side) * 0.5F;
    list->AddRectFilled({at.x, y}, {at.x + side, y + side}, swatch, look.px(2));
  }
  drawText(list, small, {at.x + inset, at.y}, strong ? t.text : t.textMuted, name);
  const auto right = [&](float x, const std::string& text, ImU32 color) {
    drawText(list, mono, {x - textSize(mono, text).x, at.y}, color, text);
  };
  right(at.x + width * 0.65F, cached, t.text);
  right(at.x + width, whole, t.textMuted);
  ImGui::Dummy({width, height});
}

/// "1.57 M": the unit is the table's.
std::string amount(Index flops) {
  const std::string words = flopsInWords(flops);
  return words.substr(0, words.find("FLOP"));
}

std::string savedShare(const DecodeFlops& cached, const DecodeFlops& whole) {
  const auto all = static_cast<double>(whole.total());
  return fmt::format("{:.1f} %", 100.0 * (all - static_cast<double>(cached.total())) / all);
}

/// FLOPs of each token: stacked by part, with a cache in full colour, without one pale behind it.
void workCurve(const Panel& panel, const DecodeLedger& ledger, float height) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  const Index count = panel.trace.config().seqLen;
  const Index now = panel.view.decodePosition;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const auto colors = partColors(t);
  const auto most = static_cast<float>(ledger.whole(count - 1).total());
  const auto steps = std::min<Index>(count, static_cast<Index>(width / look.px(2)));
  const float each = width / static_cast<float>(steps);
  const float gap = each > look.px(5) ? look.px(1) : 0.0F;
  const float bottom = at.y + height;
  const auto bar = [&](const DecodeFlops& flops, float left, float right, float alpha) {
    float y = bottom;
    for (std::size_t p = 0; p < kDecodeParts; ++p) {
      const float part = height * static_cast<float>(flops.parts[p]) / most;
      list->AddRectFilled({left, y - part}, {right, y}, withAlpha(colors[p], alpha));
      y -= part;
    }
  };
  for (Index s = 0; s < steps; ++s) {
    const Index token = s * count / steps;
    const float left = at.x + each * static_cast<float>(s);
    bar(ledger.whole(token), left, left + each - gap, 0.3F);
    bar(ledger.cached(token), left, left + each - gap, 1.0F);
  }
  const float x = at.x + width * static_cast<float>(now) / static_cast<float>(count);
  const float one = std::max(width / static_cast<float>(count), look.px(2));
  list->AddRect({x - 1, at.y}, {x + one, bottom + 1}, t.text, 0, 0, look.px(1));
  list->AddLine({at.x, bottom}, {at.x + width, bottom}, t.divider);
  ImGui::Dummy({width, height + look.px(2)});
  tip(look, fmt::format("FLOPs of each token, 1 to {}: in full colour with a cache, pale without",
                        count));
}

/// At most kMostBars of them: the first, the last and the one there is, the rest evenly.
std::vector<Index> shownCounts(const AttentionConfig& c) {
  std::vector<Index> all = kvHeadCounts(c.numHeads);
  if (all.size() <= kMostBars) return all;
  std::vector<Index> shown{c.numKvHeads};
  for (std::size_t i = 0; i + 1 < kMostBars; ++i) {
    shown.push_back(all[i * (all.size() - 1) / (kMostBars - 2)]);
  }
  std::sort(shown.begin(), shown.end());
  shown.erase(std::unique(shown.begin(), shown.end()), shown.end());
  return shown;
}

std::string sharingName(Index kvHeads, Index heads) {
  if (kvHeads == heads) return fmt::format("MHA {}", kvHeads);
  return fmt::format("{} {}", kvHeads == 1 ? "MQA" : "GQA", kvHeads);
}

void sizeBar(const Panel& panel, Index kvHeads, Index positions) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  const AttentionConfig& c = panel.trace.config();
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* mono = look.fonts.monoSmall;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = fontSize(mono) + look.px(3);
  const float names = textSize(mono, sharingName(c.numHeads, c.numHeads)).x + look.px(6);
  const float figures = textSize(mono, "888 bytes").x + look.px(4);
  const bool own = kvHeads == c.numKvHeads;
  const Index bytes = kvCacheBytes(c, kvHeads, positions);
  const float full = std::max(width - names - figures, 1.0F);
  const float length = full * static_cast<float>(kvHeads) / static_cast<float>(c.numHeads);
  drawText(list, mono, {at.x, at.y}, own ? t.accentText : t.textMuted,
           sharingName(kvHeads, c.numHeads));
  list->AddRectFilled({at.x + names, at.y + look.px(1)},
                      {at.x + names + std::max(length, look.px(1)), at.y + height - look.px(2)},
                      own ? t.accent : withAlpha(t.accent, 0.35F), look.px(2));
  drawText(list, mono, {at.x + names + length + look.px(4), at.y}, own ? t.text : t.textMuted,
           bytesInWords(bytes));
  ImGui::Dummy({width, height});
  tip(look, fmt::format("{} key/value heads for {} query heads: {} of K and V per layer in F32, {} "
                        "in F16",
                        kvHeads, c.numHeads, bytesInWords(bytes),
                        bytesInWords(kvCacheBytes(c, kvHeads, positions, 2))));
}

}  // namespace

void kvCacheWork(const Panel& panel) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  label(look.fonts.semibold, t.text, "Work");
  tip(look,
      "FLOPs by the ledger's rule: a multiply-add counts 2, a bias 1, the scaling 1, softmax 4. "
      "Without a cache the pass over all tokens so far is done again for each new one.");
  try {
    const DecodeLedger ledger(panel.trace.config());
    const Index now = panel.view.decodePosition;
    const DecodeFlops cached = ledger.cached(now);
    const DecodeFlops whole = ledger.whole(now);
    const DecodeFlops cachedSoFar = ledger.cachedSoFar(now);
    const DecodeFlops wholeSoFar = ledger.wholeSoFar(now);
    const auto colors = partColors(t);
    workLine(look, "FLOPs", "cached", "no cache", 0, true);
    for (std::size_t p = 0; p < kDecodeParts; ++p) {
      workLine(look, std::string(titleOf(static_cast<DecodePart>(p))), amount(cached.parts[p]),
               amount(whole.parts[p]), colors[p]);
    }
    const auto sum = [&](const char* name, const DecodeFlops& a, const DecodeFlops& b) {
      workLine(look, name, amount(a.total()), amount(b.total()), 0, true);
      tip(look, fmt::format("{} FLOPs with a cache, {} without", withThousands(a.total()),
                            withThousands(b.total())));
    };
    sum("token", cached, whole);
    sum("so far", cachedSoFar, wholeSoFar);
    label(look.fonts.small, t.good,
          fmt::format("saved {}, so far {}", savedShare(cached, whole),
                      savedShare(cachedSoFar, wholeSoFar)));
    const float left = ImGui::GetContentRegionAvail().y - look.px(4);
    workCurve(panel, ledger, std::clamp(left, look.px(44), look.px(110)));
  } catch (const UserError& error) {
    ImGui::PushTextWrapPos(0.0F);
    label(look.fonts.small, t.bad, error.what());
    ImGui::PopTextWrapPos();
  }
}

void kvCacheSize(const Panel& panel) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  const AttentionConfig& c = panel.trace.config();
  const Index positions = panel.view.decodePosition + 1;
  label(look.fonts.semibold, t.text,
        "Cache " + bytesInWords(kvCacheBytes(c, c.numKvHeads, positions)));
  tip(look, fmt::format("K and V of one layer: 2 × {} items × {} tokens × {} columns × 4 bytes",
                        c.batch, positions, c.dKv()));
  const auto line = [&](const std::string& text) { label(look.fonts.small, t.textMuted, text); };
  line(fmt::format("per layer in F32; {} in F16",
                   bytesInWords(kvCacheBytes(c, c.numKvHeads, positions, 2))));
  line(fmt::format("{} per K/V head", bytesInWords(kvCacheBytes(c, 1, positions))));
  line(fmt::format("+{} with each token", bytesInWords(kvCacheBytes(c, c.numKvHeads, 1))));
  ImGui::Dummy({1, look.px(2)});
  const auto counts = shownCounts(c);
  const std::size_t all = kvHeadCounts(c.numHeads).size();
  line(counts.size() == all ? "by key/value heads:"
                            : fmt::format("by key/value heads, {} of {}:", counts.size(), all));
  for (const Index kvHeads : counts) sizeBar(panel, kvHeads, positions);
  ImGui::Dummy({1, look.px(2)});
  ImGui::PushTextWrapPos(0.0F);
  line(
      "Query heads that share a key and value head share its cache. What is kept stays valid: "
      "under a causal mask a row depends on the tokens up to its own alone.");
  ImGui::PopTextWrapPos();
}

}  // namespace headscope::ui
