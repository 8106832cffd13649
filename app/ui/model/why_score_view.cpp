// A score of a chain: what wrote into the query × what wrote into the key, as a matrix and as
// lists.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/model/model_view.h"
#include "app/ui/model/prediction_views.h"
#include "app/ui/model/why_tables.h"
#include "app/ui/parts/axis_labels.h"
#include "app/ui/parts/layout.h"
#include "app/ui/parts/matrix.h"
#include "app/ui/widgets.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"

namespace headscope::ui {
namespace {

using model::ScoreParts;
using model::WhyStep;
using model::Writer;
using model::WrittenPart;

/// The largest writers of one side of a score, and the sums of the others.
struct ShownWriters {
  std::vector<std::size_t> shown;
  std::vector<std::string> names;  // with one more for the others, if there are any

  std::size_t lineOf(std::size_t writer) const {
    return static_cast<std::size_t>(std::ranges::find(shown, writer) - shown.begin());
  }
};

ShownWriters shownWriters(const WhyWords& words, const std::vector<Writer>& writers,
                          const std::vector<double>& sizes, std::size_t most, Index place) {
  ShownWriters side;
  side.shown.resize(writers.size());
  std::iota(side.shown.begin(), side.shown.end(), std::size_t{0});
  std::ranges::stable_sort(side.shown, std::ranges::greater(),
                           [&](std::size_t i) { return sizes[i]; });
  const std::size_t left = writers.size() > most ? writers.size() - (most - 1) : 0;
  side.shown.resize(writers.size() - left);
  for (const std::size_t i : side.shown) side.names.push_back(words.shortName(writers[i], place));
  if (left > 0)
    side.names.push_back(trFormat("{} others", withThousands(static_cast<Index>(left))));
  return side;
}

/// The matrix as it is drawn: the largest writers first, the others summed.
struct ShownPairs {
  ShownWriters rows, columns;
  std::vector<float> cells;

  float at(Index row, Index column) const {
    return cells[static_cast<std::size_t>(row) * columns.names.size() +
                 static_cast<std::size_t>(column)];
  }
};

ShownPairs shownPairs(const WhyWords& words, const ScoreParts& score, std::size_t mostRows,
                      std::size_t mostColumns) {
  std::vector<double> ofQueries(score.queries.size(), 0.0), ofKeys(score.keys.size(), 0.0);
  const auto each = [&](const auto& call) {
    for (std::size_t i = 0; i < ofQueries.size(); ++i) {
      for (std::size_t j = 0; j < ofKeys.size(); ++j) {
        call(i, j, score.values(static_cast<Index>(i), static_cast<Index>(j)));
      }
    }
  };
  each([&](std::size_t i, std::size_t j, double value) {
    ofQueries[i] += std::abs(value);
    ofKeys[j] += std::abs(value);
  });
  ShownPairs pairs{shownWriters(words, score.queries, ofQueries, mostRows, score.query),
                   shownWriters(words, score.keys, ofKeys, mostColumns, score.key),
                   {}};
  const std::size_t width = pairs.columns.names.size();
  pairs.cells.resize(pairs.rows.names.size() * width, 0.0F);
  each([&](std::size_t i, std::size_t j, double value) {
    pairs.cells[pairs.rows.lineOf(i) * width + pairs.columns.lineOf(j)] +=
        static_cast<float>(value);
  });
  return pairs;
}

void drawCells(const FrameContext& look, const ShownPairs& pairs, const MatrixPlace& place,
               ImFont* font) {
  const ColorScale scale = divergingScale(look, largestFinite(pairs.cells));
  ImDrawList* draw = ImGui::GetWindowDrawList();
  for (Index i = 0; i < place.rows; ++i) {
    for (Index j = 0; j < place.cols; ++j) {
      const Rect cell = place.cellAt(i, j).inset(look.space.hair);
      draw->AddRectFilled(cell.a, cell.b, scale.color(look.maps, pairs.at(i, j)));
    }
  }
  const auto valueAt = [&](Index row, Index col) { return pairs.at(row, col); };
  drawNumbers(look, draw, place, scale, {.value = valueAt, .decimals = 2}, font);
}

/// Draws writers × writers; returns the step of a clicked pair.
std::optional<WhyStep> drawMatrix(const FrameContext& look, const WhyWords& words,
                                  const ScoreParts& score, Rect room, bool ofQuery) {
  ImFont* font = look.fonts.tiny;
  const float line = fontSize(font) + look.space.small;
  const auto most = [](float points, float each) {
    return static_cast<std::size_t>(std::max(3.0F, points / each));
  };
  const ShownPairs pairs = shownPairs(words, score, most(room.height() - 2.0F * line, line),
                                      most(room.width() - look.px(90), look.px(52)));
  const AxisLabels down{pairs.rows.names, font, look.theme.textMuted, look.theme.text};
  const AxisLabels across{pairs.columns.names, font, look.theme.textMuted, look.theme.text};
  room.cutLeft(down.width(), look.space.small);
  const ColumnLabels below(look, across, room.width(), room.height() * 0.3F);
  room.cutBottom(below.room(), 0.0F);
  const float height =
      std::min(room.height(), static_cast<float>(pairs.rows.names.size()) * look.px(26));
  const Rect at = Rect::at(room.a, {room.width(), height});
  const MatrixPlace place{at, std::ssize(pairs.rows.names), std::ssize(pairs.columns.names)};
  drawCells(look, pairs, place, font);
  drawRowLabels(ImGui::GetWindowDrawList(), down, at, look.space.small);
  below.draw(ImGui::GetWindowDrawList(), at);
  ImGui::SetCursorScreenPos(at.a);
  ImGui::InvisibleButton("pair matrix", at.size());
  const auto hovered = ImGui::IsItemHovered() ? place.hovered() : std::nullopt;
  if (!hovered) return std::nullopt;
  const auto row = static_cast<std::size_t>(hovered->row);
  const auto col = static_cast<std::size_t>(hovered->col);
  std::optional<WhyStep> step;
  if (row < pairs.rows.shown.size() && col < pairs.columns.shown.size()) {
    step = WhyWords::stepOf(score.queries[pairs.rows.shown[row]],
                            score.keys[pairs.columns.shown[col]], ofQuery);
  }
  const char* click = !step            ? ""
                      : step->alongKey ? tr("\nA click follows what wrote into the key.")
                                       : tr("\nA click follows what wrote into the query.");
  showTooltip(fmt::format("{} × {}: {}{}", pairs.rows.names[row], pairs.columns.names[col],
                          changeInWords(double{pairs.at(hovered->row, hovered->col)}), click),
              at);
  if (words.pictures() != nullptr && row < pairs.rows.shown.size() &&
      col < pairs.columns.shown.size()) {
    const Index patch = words.patchOf(score, score.queries[pairs.rows.shown[row]],
                                      score.keys[pairs.columns.shown[col]]);
    patchesInTip(look, *words.pictures(), {patch});
  }
  return ImGui::IsMouseReleased(0) ? step : std::nullopt;
}

/// Returns whether either writer of some pair can be followed.
bool hasTwoWays(const ScoreParts& score) {
  return std::ranges::any_of(score.queries, [&](const Writer& query) {
    return std::ranges::any_of(score.keys, [&](const Writer& key) {
      return WhyWords::stepOf(query, key, true) != WhyWords::stepOf(query, key, false);
    });
  });
}

/// Offers the runs without the pairs, and says how far they are.
PairsClick drawPairRuns(const FrameContext& look, const PairRuns& runs) {
  if (runs.offered == PairsClick::none) return PairsClick::none;
  const bool run = runs.offered == PairsClick::run;
  PairsClick clicked = PairsClick::none;
  if (flowingPill(look, run ? tr("without each##pairs") : tr("stop##pairs"),
                  run ? tr("Runs the model again without each of the largest pairs")
                      : tr("Stops the runs without the pairs"))) {
    clicked = runs.offered;
  }
  if (runs.progress.empty()) return clicked;
  flowOn(look, textSize(look.fonts.small, runs.progress).x, 6.0F);
  inlineLabel(look, look.fonts.small, look.theme.textMuted, runs.progress);
  return clicked;
}

void drawChoices(const FrameContext& look, PredictionView& view, bool twoWays) {
  const int list =
      choices(look, "why list", {tr("pairs"), tr("query's writers"), tr("key's writers")},
              static_cast<int>(view.whyList));
  if (list >= 0) view.whyList = static_cast<WhyList>(list);
  if (view.whyList != WhyList::pairs || !twoWays) return;
  const std::vector<const char*> sides{tr("the key's"), tr("the query's")};
  flowOn(look, choicesWidth(look, sides) + look.px(90), 14.0F);
  rowCaption(look, tr("a pair follows"));
  const int side = choices(look, "why side", sides, view.whyOfQuery ? 1 : 0);
  if (side >= 0) view.whyOfQuery = side == 1;
}

}  // namespace

ScoreClicks drawScore(const FrameContext& look, PredictionView& view, const std::string& id,
                      const WhyWords& words, const ScoreParts& score,
                      const model::WithoutParts* without, const PairRuns& runs) {
  Rect room = Rect::rest();
  const float list = std::clamp(room.width() * 0.46F, look.px(330), look.px(560));
  const Rect right = room.cutRight(std::min(list, room.width()), look.space.large);
  ScoreClicks clicks{drawMatrix(look, words, score, room, view.whyOfQuery)};
  ImGui::SetCursorScreenPos(right.a);
  ImGui::BeginChild("pairs", right.size());
  drawChoices(look, view, hasTwoWays(score));
  const auto followed = [&] {
    if (view.whyList == WhyList::pairs) {
      clicks.pairs = drawPairRuns(look, runs);
      model::WhyLevel level;
      level.score = score;
      return drawParts(
          look, id, words.linesOf(level, {view.whyValues, view.whyOfQuery}), score.score,
          {.measured = runs.offered != PairsClick::run, .pairs = runs.found}, words.pictures());
    }
    const bool ofQuery = view.whyList == WhyList::queries;
    const auto lines = ofQuery ? words.linesOf(partsOfQuery(score), score.query)
                               : words.linesOf(partsOfKey(score), score.key);
    return drawParts(look, id, lines, score.score,
                     {.measured = true,
                      .writers = without == nullptr ? nullptr
                                 : ofQuery          ? &without->queries
                                                    : &without->keys},
                     words.pictures());
  }();
  ImGui::EndChild();
  if (followed) clicks.step = followed;
  return clicks;
}

}  // namespace headscope::ui
