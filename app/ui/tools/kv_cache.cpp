// KV cache: decoding token by token under a causal mask, with the rows that are new, cached or not
// kept, and the work that the cache saves and the memory that it takes.
#include "core/studies/kv_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/frame_commands.h"
#include "app/ui/frame_state.h"
#include "app/ui/panel.h"
#include "app/ui/parts/axis_labels.h"
#include "app/ui/parts/chart.h"
#include "app/ui/parts/table.h"
#include "app/ui/preferences.h"
#include "app/ui/selection.h"
#include "app/ui/tools/kv_cache_picture.h"
#include "app/ui/tools/tools.h"
#include "app/ui/widgets.h"
#include "core/attention/config.h"
#include "core/attention/ledger.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/trace.h"
#include "core/words/cells.h"

namespace headscope::ui {
namespace {

constexpr double kSecondsPerToken = 1.0;
constexpr std::size_t kMostSizes = 12;  // the most numbers of key/value heads in a comparison

Index lastPosition(const PanelContext& panel) { return panel.trace.config().seqLen - 1; }

// Decoding.

/// Moves the decoding position by `tokens`.
bool stepDecoding(const PanelContext& panel, int tokens) {
  panel.selection.decodePosition =
      std::clamp<Index>(panel.selection.decodePosition + tokens, 0, lastPosition(panel));
  panel.frame.decodePlaying = false;
  return true;
}

void playDecoding(const PanelContext& panel) {
  if (!panel.frame.decodePlaying) return;
  if (panel.look.now - panel.frame.decodeShownAt >= kSecondsPerToken) {
    panel.frame.decodeShownAt = panel.look.now;
    if (panel.selection.decodePosition >= lastPosition(panel)) {
      panel.frame.decodePlaying = false;
    } else {
      ++panel.selection.decodePosition;
    }
  }
  if (panel.frame.decodePlaying) {
    panel.look.changesIn(panel.frame.decodeShownAt + kSecondsPerToken - panel.look.now);
  }
}

void decodeButton(const PanelContext& panel) {
  const FrameContext& look = panel.look;
  if (primaryPill(look, panel.frame.decodePlaying ? tr("Pause##decode") : tr("Decode##decode"),
                  true, look.px(74))) {
    panel.frame.decodePlaying = !panel.frame.decodePlaying;
    panel.frame.decodeShownAt = look.now;
    if (panel.frame.decodePlaying && panel.selection.decodePosition == lastPosition(panel))
      panel.selection.decodePosition = 0;
  }
  tip(look, tr("A token a second"));
}

/// Draws "token 3 of 6: sat", the slider and its buttons, and the choice of heads.
void decodeControls(const PanelContext& panel) {
  const FrameContext& look = panel.look;
  const Index last = lastPosition(panel);
  const float gap = look.space.tight;
  if (pill(look, "◀##decode", false, panel.selection.decodePosition > 0)) stepDecoding(panel, -1);
  tip(look, tr("A token back (,)"));
  ImGui::SameLine(0.0F, gap);
  ImGui::SetNextItemWidth(
      std::clamp(ImGui::GetContentRegionAvail().x * 0.22F, look.px(70), look.px(220)));
  const Index first = 0;
  if (ImGui::SliderScalar("##decode position", ImGuiDataType_S64, &panel.selection.decodePosition,
                          &first, &last, "")) {
    panel.frame.decodePlaying = false;
  }
  ImGui::SameLine(0.0F, gap);
  if (pill(look, "▶##decode", false, panel.selection.decodePosition < last)) stepDecoding(panel, 1);
  tip(look, tr("A token on (.)"));
  ImGui::SameLine(0.0F, gap);
  decodeButton(panel);
  ImGui::SameLine(0.0F, look.space.large);

  ImFont* font = look.fonts.regular;
  const float right =
      ImGui::GetWindowContentRegionMax().x - choicesWidth(look, {tr("this head"), tr("all heads")});
  const auto& tokens = laneTokens(panel.trace, Lane::query, panel.selection.item);
  const std::string where =
      trFormat("token {} of {}: {}", panel.selection.decodePosition + 1, last + 1,
               shownToken(tokens[static_cast<std::size_t>(panel.selection.decodePosition)]));
  inlineLabel(look, font, look.theme.text,
              elided(font, where, right - ImGui::GetCursorPosX() - look.space.medium));
  ImGui::SameLine(right);
  const int scope = choices(look, "decode scope", {tr("this head"), tr("all heads")},
                            panel.selection.scope == StepViewScope::allHeads);
  if (scope >= 0)
    panel.selection.scope = scope == 1 ? StepViewScope::allHeads : StepViewScope::thisHead;
}

// The cost.

std::array<ImU32, kDecodeParts> partColors(const Theme& t) {
  return {t.query, t.key, t.input, t.value, t.output};
}

std::string savedShare(const DecodeFlops& cached, const DecodeFlops& whole) {
  const auto all = static_cast<double>(whole.total());
  return fmt::format("{:.1f} %", 100.0 * (all - static_cast<double>(cached.total())) / all);
}

/// Draws the FLOPs by part, for the new token and for all tokens so far, with and without a cache.
void workTable(const PanelContext& panel, const DecodeLedger& ledger) {
  const FrameContext& look = panel.look;
  const Theme& t = look.theme;
  const Index now = panel.selection.decodePosition;
  Table table(look, {"work"},
              {{tr("FLOPs"), {}, false, 0, 1, false},
               {tr("cached"), {}, true, 42, 0, false},
               {tr("no cache"), {}, true, 54, 0, false}});
  const auto line = [&](Index id, std::string_view name, Index cached, Index whole, ImU32 swatch) {
    table.row(id);
    tip(look,
        trFormat("{} FLOPs with a cache, {} without", withThousands(cached), withThousands(whole)));
    table.swatch(name, swatch);
    table.number(flopsAmount(cached));
    table.number(flopsAmount(whole), t.textMuted);
  };
  const auto colors = partColors(t);
  const DecodeFlops cached = ledger.cached(now);
  const DecodeFlops whole = ledger.whole(now);
  for (std::size_t p = 0; p < kDecodeParts; ++p) {
    line(static_cast<Index>(p), titleOf(static_cast<DecodePart>(p)), cached.parts[p],
         whole.parts[p], colors[p]);
  }
  line(kDecodeParts, "token", cached.total(), whole.total(), 0);
  line(kDecodeParts + 1, tr("so far"), ledger.cachedSoFar(now).total(),
       ledger.wholeSoFar(now).total(), 0);
}

/// Draws the FLOPs of each token, stacked by part: with a cache in full colour, without one pale
/// behind it.
void workChart(const PanelContext& panel, const DecodeLedger& ledger, float height) {
  const FrameContext& look = panel.look;
  const Index count = panel.trace.config().seqLen;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Rect room =
      Rect::at(ImGui::GetCursorScreenPos(), {ImGui::GetContentRegionAvail().x, height});
  ChartFrame frame{room, {}, {0.0, static_cast<double>(ledger.whole(count - 1).total())}};
  frame.yTicks = false;
  const Chart chart(look, std::move(frame));
  const auto bars = ChartBars::fitting(count, chart.plot().width(), look.space.thin);
  auto colors = partColors(look.theme);
  auto pale = colors;
  for (ImU32& color : pale) color = withAlpha(color, 0.3F);
  const auto stack = [&](Index bar, const DecodeFlops& flops, std::span<const ImU32> in) {
    const std::vector<double> parts(flops.parts.begin(), flops.parts.end());
    chart.stack(list, bar, bars.count(), parts, in);
  };
  for (Index bar = 0; bar < bars.count(); ++bar) {
    stack(bar, ledger.whole(bars.begin(bar)), pale);
    stack(bar, ledger.cached(bars.begin(bar)), colors);
  }
  const Rect now =
      chart.band(panel.selection.decodePosition / bars.perBar, bars.count()).outset(1.0F);
  list->AddRect(now.a, now.b, look.theme.text, 0, 0, look.space.hair);
  list->AddLine({room.a.x, chart.plot().b.y}, chart.plot().b, look.theme.divider);
  ImGui::Dummy(room.size());
  tip(look,
      trFormat("FLOPs of each token, 1 to {}: in full colour with a cache, pale without", count));
}

void kvCacheWork(const PanelContext& panel, bool headed) {
  const FrameContext& look = panel.look;
  const Theme& t = look.theme;
  if (headed) {
    label(look.fonts.semibold, t.text, tr("Work"));
    tip(look, tr("FLOPs by the ledger's rule: a multiply-add counts 2, a bias 1, the scaling 1, "
                 "softmax 4. "
                 "Without a cache, each new token repeats the pass over all tokens so far."));
  }
  try {
    const DecodeLedger ledger(panel.trace.config());
    const Index now = panel.selection.decodePosition;
    label(look.fonts.small, t.good,
          trFormat("saved {}, so far {}", savedShare(ledger.cached(now), ledger.whole(now)),
                   savedShare(ledger.cachedSoFar(now), ledger.wholeSoFar(now))));
    workTable(panel, ledger);
    const float left = ImGui::GetContentRegionAvail().y - look.space.tight;
    workChart(panel, ledger, std::clamp(left, look.px(44), look.px(110)));
  } catch (const UserError& error) {
    wrappedLabel(look.fonts.small, t.bad, error.what());
  }
}

/// Returns at most kMostSizes numbers of key/value heads: the first, the last and the present one,
/// and others at even distances.
std::vector<Index> comparedSizes(const AttentionConfig& c) {
  std::vector<Index> all = kvHeadCounts(c.numHeads);
  if (all.size() <= kMostSizes) return all;
  std::vector<Index> some{c.numKvHeads};
  for (std::size_t i = 0; i + 1 < kMostSizes; ++i) {
    some.push_back(all[i * (all.size() - 1) / (kMostSizes - 2)]);
  }
  std::sort(some.begin(), some.end());
  some.erase(std::unique(some.begin(), some.end()), some.end());
  return some;
}

std::string sharingName(Index kvHeads, Index heads) {
  if (kvHeads == heads) return trFormat("MHA {}", kvHeads);
  return fmt::format("{} {}", kvHeads == 1 ? "MQA" : "GQA", kvHeads);
}

void sizeBar(const PanelContext& panel, Index kvHeads, Index positions) {
  const FrameContext& look = panel.look;
  const Theme& t = look.theme;
  const AttentionConfig& c = panel.trace.config();
  const bool own = kvHeads == c.numKvHeads;
  const std::string bytes = bytesInWords(kvCacheBytes(c, kvHeads, positions));
  const Rect line = Rect::at(
      ImGui::GetCursorScreenPos(),
      {ImGui::GetContentRegionAvail().x, fontSize(look.fonts.monoSmall) + look.space.thin});
  drawBarLine(look, ImGui::GetWindowDrawList(), line,
              textSize(look.fonts.small, sharingName(c.numHeads, c.numHeads)).x,
              textSize(look.fonts.monoSmall, "888 bytes").x,
              {sharingName(kvHeads, c.numHeads), bytes,
               static_cast<float>(kvHeads) / static_cast<float>(c.numHeads),
               own ? t.accent : withAlpha(t.accent, 0.35F), own ? t.accentText : t.textMuted});
  ImGui::Dummy(line.size());
  tip(look,
      trFormat("{} key/value heads for {} query heads: {} of K and V per layer in F32, {} "
               "in F16",
               kvHeads, c.numHeads, bytes, bytesInWords(kvCacheBytes(c, kvHeads, positions, 2))));
}

void kvCacheSize(const PanelContext& panel) {
  const FrameContext& look = panel.look;
  const AttentionConfig& c = panel.trace.config();
  const Index positions = panel.selection.decodePosition + 1;
  const auto bytesOf = [&](Index kvHeads, Index of, Index each) {
    return bytesInWords(kvCacheBytes(c, kvHeads, of, each));
  };
  label(look.fonts.semibold, look.theme.text, tr("Cache ") + bytesOf(c.numKvHeads, positions, 4));
  tip(look, trFormat("K and V of one layer: 2 × {} items × {} tokens × {} columns × 4 bytes",
                     c.batch, withThousands(positions), c.dKv()));
  const auto line = [&](const std::string& text) {
    wrappedLabel(look.fonts.small, look.theme.textMuted, text);
  };
  const auto sizes = comparedSizes(c);
  const std::size_t all = kvHeadCounts(c.numHeads).size();
  if (sizes.size() < all) line(trFormat("{} of {} numbers of K/V heads:", sizes.size(), all));
  for (const Index kvHeads : sizes) sizeBar(panel, kvHeads, positions);
  ImGui::Dummy({1, look.space.thin});
  line(trFormat("per layer in F32; {} in F16", bytesOf(c.numKvHeads, positions, 2)));
  line(trFormat("{} per K/V head", bytesOf(1, positions, 4)));
  line(trFormat("+{} with each token", bytesOf(c.numKvHeads, 1, 4)));
  ImGui::Dummy({1, look.space.thin});
  line(tr(
      "Query heads that share a key and value head share its cache. Cached rows stay valid: under "
      "a causal mask a row depends only on tokens up to its own."));
}

// The tool.

class KvCacheTool final : public Card {
 public:
  KvCacheTool()
      : Card({"kvcache", tr("KV cache"),
              tr("decoding token by token: what is computed, what is cached"), 'K'}) {}

  void draw(const PanelContext& panel) override {
    const FrameContext& look = panel.look;
    if (pass_ != panel.trace.pass()) {
      pass_ = panel.trace.pass();
      obstacle_ = cacheObstacle(panel.trace.document());
    }
    if (obstacle_) {
      panel.frame.decodePlaying = false;
      offerWayOut(panel);
      return;
    }
    panel.selection.decodePosition =
        std::clamp<Index>(panel.selection.decodePosition, 0, lastPosition(panel));
    playDecoding(panel);
    decodeControls(panel);

    Rect room = Rect::rest();
    const float gap = look.space.large;
    const float narrow = look.px(196);
    if (room.width() > look.px(800)) {
      column(tr("kv size"), room.cutRight(narrow, gap), look, [&] { kvCacheSize(panel); });
      column(tr("kv work"), room.cutRight(narrow, gap), look, [&] { kvCacheWork(panel, true); });
    } else {
      column("kv work and size", room.cutRight(narrow, gap), look, [&] { workAndSize(panel); });
    }
    kvCachePicture(panel, panel.magnitudes, room);
  }

  std::vector<Shortcut> shortcuts() const override {
    return {{",  .", tr("one token back, one token forward")}};
  }

  /// The keys , and . move to the token before and after.
  bool keys(const PanelContext& panel, bool /*inSight*/) override {
    if (keyPressed(Key::comma)) return stepDecoding(panel, -1);
    return keyPressed(Key::period) && stepDecoding(panel, 1);
  }

 private:
  /// Draws the reason why nothing can be cached, and a button that changes it.
  void offerWayOut(const PanelContext& panel) const {
    const FrameContext& look = panel.look;
    ImGui::Dummy({1, look.space.tight});
    const float width = std::min(ImGui::GetContentRegionAvail().x, look.px(560));
    label(look.fonts.regular, look.theme.text, wrapped(look.fonts.regular, obstacle_->why, width));
    if (!obstacle_->wayOut) return;
    ImGui::Dummy({1, look.space.thin});
    if (primaryPill(look, obstacle_->wayOutTitle.c_str())) panel.commands.push(*obstacle_->wayOut);
  }

  /// Draws work and size one below the other, or one of them by choice where the card is too low
  /// for both.
  static void workAndSize(const PanelContext& panel) {
    constexpr float kBoth = 330.0F;  // the least height for both, at scale 1
    bool& showsSize = panel.preferences.decodeShowsSize;
    if (ImGui::GetContentRegionAvail().y < panel.look.px(kBoth)) {
      const int chosen =
          choices(panel.look, "work or size", {tr("work"), tr("cache")}, showsSize ? 1 : 0);
      if (chosen >= 0) showsSize = chosen == 1;
      return showsSize ? kvCacheSize(panel) : kvCacheWork(panel, false);
    }
    kvCacheWork(panel, true);
    ImGui::Dummy({1, panel.look.space.small});
    kvCacheSize(panel);
  }

  /// Draws a part of the card that scrolls where its contents do not fit.
  template <typename Fill>
  static void column(const char* id, const Rect& at, const FrameContext& look, Fill&& fill) {
    ImGui::SetCursorScreenPos(at.a);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(look.space.small, look.space.thin));
    beginPart(id, at.size());
    fill();
    ImGui::EndChild();
    ImGui::PopStyleVar();
  }

  std::uint64_t pass_ = 0;  // the pass that the obstacle belongs to
  std::optional<CacheObstacle> obstacle_;
};

}  // namespace

std::unique_ptr<Card> makeKvCacheTool() { return std::make_unique<KvCacheTool>(); }

}  // namespace headscope::ui
