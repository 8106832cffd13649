// Why: why the chosen head looks at a word. The score as a sum over pairs of kinds of coordinates:
// what the query asks with (its word class, its position, …) × what the key offers.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/ui/asked_score.h"
#include "app/ui/compat.h"
#include "app/ui/panel.h"
#include "app/ui/parts/axis_labels.h"
#include "app/ui/parts/layout.h"
#include "app/ui/parts/matrix.h"
#include "app/ui/score_reasons.h"
#include "app/ui/selection.h"
#include "app/ui/stage/stage_story.h"
#include "app/ui/tools/tools.h"
#include "app/ui/widgets.h"
#include "core/attention/config.h"
#include "core/attention/switches.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/input/coordinate_kinds.h"
#include "core/words/cells.h"

namespace headscope::ui {
namespace {

/// ", q·k ÷ √64,": how a score is made of a query and a key.
std::string madeOf(const AttentionConfig& config) {
  std::string words = ", q·k";
  if (config.switches->scale) words += fmt::format(" ÷ √{}", config.dK());
  if (config.switches->temperature != 1.0)
    words += fmt::format(" ÷ {:g}", config.switches->temperature);
  return words + ",";
}

class WhyScoreTool final : public Card {
 public:
  WhyScoreTool()
      : Card({kWhyTool, tr("Why"),
              tr("why a head looks at a word: what of both words makes the score"), 'E'}) {}

  void draw(const PanelContext& panel) override {
    const FrameContext& look = panel.look;
    const Document& document = panel.trace.document();
    const CoordinateKinds named =
        coordinateKinds(*document.source, document.positions, panel.trace.config().dModel);
    const CoordinateKinds kinds = named.empty() ? oneKind(panel.trace.config().dModel) : named;
    const std::string problem = whyNoScoreByKind(panel.trace);
    if (!problem.empty()) {
      return whyOneKind(panel, problem);
    }
    const ScoreInFlow asked = scoreInFlow(panel);
    const auto found = scoreReasons(panel, asked, kinds);
    if (found.current == nullptr) {
      return label(look.fonts.regular, look.theme.textMuted, tr("being computed …"));
    }
    const bool compares = compares_ && found.current->otherKeys > 0;
    const Matrix64& all = compares ? found.current->above : found.current->values;
    const ScoreNames names = scoreNames(panel, asked, kinds);
    words(panel, asked, *found.current, names, strongestPairs(all), compares);
    ImGui::Dummy({0.0F, look.space.tight});
    beginPart("kinds", {0.0F, 0.0F});
    const Shown shown = withoutZeros(all, names, panel.trace.config().switches->bias);
    matrix(panel, asked, shown.values, shown.names);
    notes(look, shown);
    if (named.empty()) whyOneKind(panel, named.whyNone);
    ImGui::EndChild();
  }

 private:
  /// The pairs that are drawn.
  struct Shown {
    Matrix64 values;
    ScoreNames names;
    std::vector<std::string> asks, offers;  // rows and columns that are left out
  };

  static constexpr double kReadsZero = 0.005;

  /// Leaves out rows and columns that would read 0.00 throughout. `bias`: whether the layer has
  /// biases, which are the last row and column.
  static Shown withoutZeros(const Matrix64& all, const ScoreNames& names, bool bias) {
    const auto counts = [](double value) { return std::abs(value) >= kReadsZero; };
    Shown shown;
    shown.names = {names.query, names.key, {}, {}};
    std::vector<Index> rows, columns;
    for (Index row = 0; row < all.rows; ++row) {
      const KindName& name = names.rows[static_cast<std::size_t>(row)];
      const bool any = std::ranges::any_of(all.row(row), counts);
      if (!any) {
        if (bias || row + 1 < all.rows) shown.asks.push_back(name.kind);
        continue;
      }
      rows.push_back(row);
      shown.names.rows.push_back(name);
    }
    for (Index col = 0; col < all.cols; ++col) {
      const KindName& name = names.columns[static_cast<std::size_t>(col)];
      const bool any = std::ranges::any_of(rows, [&](Index row) { return counts(all(row, col)); });
      if (!any) {
        if (bias || col + 1 < all.cols) shown.offers.push_back(name.kind);
        continue;
      }
      columns.push_back(col);
      shown.names.columns.push_back(name);
    }
    shown.values = Matrix64(std::ssize(rows), std::ssize(columns));
    for (Index row = 0; row < shown.values.rows; ++row) {
      for (Index col = 0; col < shown.values.cols; ++col) {
        shown.values(row, col) =
            all(rows[static_cast<std::size_t>(row)], columns[static_cast<std::size_t>(col)]);
      }
    }
    return shown;
  }

  /// Says what the kinds are, and which are left out.
  static void notes(const FrameContext& look, const Shown& shown) {
    std::vector<KindName> kinds = shown.names.rows;
    kinds.insert(kinds.end(), shown.names.columns.begin(), shown.names.columns.end());
    std::vector<std::string> said;
    for (const KindName& each : kinds) {
      const bool before = std::ranges::find(said, each.kind) != said.end();
      if (each.about.empty() || before) continue;
      said.push_back(each.kind);
      wrappedLabel(look.fonts.small, look.theme.textMuted,
                   fmt::format("{}: {}.", each.kind, each.about));
    }
    const auto leftOut = [&](const std::vector<std::string>& names, const char* which) {
      if (names.empty()) return;
      wrappedLabel(look.fonts.small, look.theme.textMuted,
                   trFormat("Not shown, since {} is 0.00: {}.", which, fmt::join(names, ", ")));
    };
    leftOut(shown.asks, tr("the whole row"));
    leftOut(shown.offers, tr("the whole column"));
  }

  /// Says why X is not taken apart, and where it is.
  static void whyOneKind(const PanelContext& panel, const std::string& why) {
    const bool loaded = std::holds_alternative<TensorSource>(*panel.trace.document().source);
    wrappedLabel(panel.look.fonts.small, panel.look.theme.textMuted,
                 loaded
                     ? why + tr(" In a layer of a model, “Why this score” above takes it apart by "
                                "what earlier layers wrote.")
                     : why);
  }

  /// "“slept” looks at “cat” 93 %, Its score is …: word class (verb) meets word class (noun) +2.06
  /// …"
  void words(const PanelContext& panel, const ScoreInFlow& asked, const ScoreByKind& score,
             const ScoreNames& names, const std::vector<KindPair>& pairs, bool compares) {
    const FrameContext& look = panel.look;
    const float weight =
        panel.trace.value({TensorId::weights, asked.item, asked.head, asked.query, asked.key});
    label(look.fonts.semibold, look.theme.text,
          trFormat("Head {}: “{}” looks at “{}” {}", asked.head + 1, shownToken(names.query),
                   shownToken(names.key), percent(weight)));
    choice(panel, score);
    std::string text =
        score.otherKeys == 0
            ? trFormat("It may look at nothing else. The score {:.2f} is the sum of these pairs:",
                       score.score)
            : trFormat("Its score{} is {:.2f}, that of the other {} {:.2f} on average.",
                       madeOf(panel.trace.config()), score.score,
                       tokenNoun(panel.trace.document()).many, score.others);
    if (score.otherKeys > 0) {
      text += compares
                  ? trFormat(" What makes the difference of {:+.2f}:", score.score - score.others)
                  : tr(" What the score is made of:");
    }
    constexpr std::size_t kNamed = 2;
    for (std::size_t i = 0; i < std::min(kNamed, pairs.size()); ++i) {
      if (i > 0 && std::abs(pairs[i].value) < kReadsZero) break;
      text += fmt::format("{} {} {:+.2f}", i > 0 ? ";" : "", names.meet(pairs[i]), pairs[i].value);
    }
    wrappedLabel(look.fonts.regular, look.theme.text, text + ".");
  }

  void choice(const PanelContext& panel, const ScoreByKind& score) {
    if (score.otherKeys == 0) return;
    const FrameContext& look = panel.look;
    const char* tokens = tokenNoun(panel.trace.document()).many;
    const std::string others = trFormat("compared with the other {}", tokens);
    const std::vector<const char*> offered{others.c_str(), tr("the score itself")};
    flowOn(look, choicesWidth(look, offered), 14.0F);
    const int clicked = choices(look, "compared", offered, compares_ ? 0 : 1);
    tip(look, trFormat("What all {} have in common does not move the softmax: only differences "
                       "between scores do",
                       tokens));
    if (clicked >= 0) compares_ = clicked == 0;
  }

  /// Draws the pairs as a matrix: rows ask, columns offer.
  static void matrix(const PanelContext& panel, const ScoreInFlow& asked, const Matrix64& shown,
                     const ScoreNames& names) {
    if (shown.rows == 0 || shown.cols == 0) return;
    const FrameContext& look = panel.look;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float gap = look.space.small;
    std::vector<std::string> rowNames;
    for (const KindName& name : names.rows) rowNames.push_back(name.inWords());
    Rect room = Rect::rest();
    AxisLabels rows{rowNames, look.fonts.small,    look.theme.query, look.theme.query,
                    -1,       room.width() * 0.35F};
    room.cutLeft(rows.width(), gap);
    const float line = fontSize(look.fonts.small);
    const Rect heads = Rect::at(room.a, {room.width(), 2.0F * line});
    room.a.y = heads.b.y + look.space.tight;
    const auto count = [](Index kinds) { return static_cast<float>(kinds); };
    const float width = std::min(room.width(), look.px(118) * count(shown.cols));
    const float height =
        count(shown.rows) * std::clamp(room.height() / count(shown.rows), look.px(19), look.px(34));
    if (width < 1.0F) return;
    const Rect at = Rect::at(room.a, {width, height});
    const ColorScale scale = divergingScale(look, static_cast<float>(shown.largest()));
    // the picture is painted after this frame is built
    const auto held = std::make_shared<const Matrix64>(shown);
    const CellRows cells{shown.rows, shown.cols, [held](Index row, std::span<float> out) {
                           std::ranges::transform(held->row(row), out.begin(), [](double value) {
                             return static_cast<float>(value);
                           });
                         }};
    Heatmaps heatmaps(look);
    heatmaps.add(Fingerprint("score by kind"),
                 Fingerprint("score by kind", panel.trace.pass(), asked.item, asked.head,
                             asked.query, asked.key, shown.largest(), shown.rows, shown.cols),
                 cells, scale, at);
    heatmaps.draw(list);
    const MatrixPlace place{at, shown.rows, shown.cols};
    CellNumbers numbers;
    numbers.value = [&shown](Index row, Index col) { return static_cast<float>(shown(row, col)); };
    numbers.decimals = 2;
    drawNumbers(look, list, place, scale, numbers);
    list->AddRect(at.a, at.b, look.theme.panelBorder);
    const auto under = place.hovered();
    rows.lit = under ? under->row : -1;
    drawRowLabels(list, rows, at, gap);
    columnNames(look, names, place, heads);
    ImGui::Dummy({1.0F, at.b.y - ImGui::GetCursorScreenPos().y});  // the part scrolls that far
    if (!under) return;
    showTooltip(fmt::format("“{}” × “{}”: {} {:+.3f}", names.query, names.key,
                            names.meet({under->row, under->col}), shown(under->row, under->col)),
                at);
  }

  /// Draws the kinds above the columns, and below them what the key has of each.
  static void columnNames(const FrameContext& look, const ScoreNames& names,
                          const MatrixPlace& place, const Rect& room) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    for (Index col = 0; col < place.cols; ++col) {
      const KindName& name = names.columns[static_cast<std::size_t>(col)];
      const float x = place.cellAt(0, col).centre().x;
      const auto put = [&](const std::string& text, float y) {
        drawTextCentred(list, look.fonts.small, {x, y}, look.theme.key,
                        elided(look.fonts.small, text, place.cell().x - look.space.tight));
      };
      const float line = fontSize(look.fonts.small);
      put(name.kind, room.b.y - (name.flags.empty() ? 0.5F : 1.5F) * line);
      if (!name.flags.empty()) put(name.flags, room.b.y - 0.5F * line);
    }
  }

  bool compares_ = true;
};

}  // namespace

std::unique_ptr<Card> makeWhyTool() { return std::make_unique<WhyScoreTool>(); }

}  // namespace headscope::ui
