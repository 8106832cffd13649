#include "app/ui/heads/view_model/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <tuple>

#include "app/gl/scene.h"
#include "app/ui/head_purposes.h"
#include "app/ui/parts/axis_labels.h"
#include "app/ui/parts/head_label.h"
#include "app/ui/parts/matrix.h"
#include "app/ui/parts/matrix_marks.h"
#include "app/ui/stage/stage_story.h"
#include "core/analysis/weight_readings.h"
#include "core/attention/config.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/words/cells.h"

namespace headscope::ui {
namespace {

using Of = HeadPicture::Of;

constexpr float kMostTileLines = 12000.0F;  // over all pictures
constexpr float kLineEndsApart = 5.0F;      // points, at least
constexpr float kLeastShift = 0.01F;  // smaller shifts are mostly rounding and stay uncoloured
constexpr double kNamedMass = 0.9;    // share of a row's weights in its words
constexpr std::size_t kNamedKeys = 4;

/// Returns whether the last of the tiles below the grid is the difference of two compared heads.
bool showsDifference(const HeadsState& state, const std::vector<Index>& compared) {
  return compared.size() == 2 && state.heatmaps();
}

std::vector<Index> comparedIn(const HeadsState& state) {
  return comparedHeads(state.view.compared, state.trace.config().numHeads);
}

TileTitle titleOf(const HeadPicture& picture) {
  TileTitle title;
  title.name = nameOf(picture);
  title.shortName = std::to_string(picture.head + 1);
  if (picture.of == Of::mean) title.shortName = tr("Mean");
  if (picture.of == Of::difference) {
    title.shortName = fmt::format("{} − {}", picture.head + 1, picture.other + 1);
  }
  return title;
}

/// Adds a head's purpose and its measured label to a title.
void addWords(const HeadsState& state, Index head, TileTitle& title) {
  const auto at = static_cast<std::size_t>(head);
  const HeadLabel* label = state.report == nullptr ? nullptr : &state.report->labels[at];
  if (state.purposes == nullptr || at >= state.purposes->size()) {
    if (label == nullptr) return;
    title.made = labelWithScore(*label);
    title.holds = label->score.has_value();
    return;
  }
  const HeadPurpose& made = (*state.purposes)[at];
  if (made.kind == HeadPurpose::Kind::drawn) {
    title.made = "random";
    if (label != nullptr) title.measured = labelWithScore(*label);
    return;
  }
  HeadCaption caption = headCaption(made.title, state.report, head);
  title.made = std::move(caption.title);
  title.measured = std::move(caption.here);
  title.holds = caption.holds;
}

GridTile headTile(const HeadsState& state, Index head) {
  GridTile tile{{Of::head, head, 0}, titleOf({Of::head, head, 0})};
  addWords(state, head, tile.title);
  const float gain = state.trace.config().gain(head);
  if (gain == 0.0F) tile.title.addFigure("off");
  if (gain != 0.0F && gain != 1.0F) tile.title.addFigure(fmt::format("× {:g}", gain));
  const auto by = metricFromKey(state.view.sortBy);
  if (by && state.report != nullptr) {
    const MetricValue& value = state.report->metrics[static_cast<std::size_t>(head)][*by];
    tile.title.addFigure(value ? number(*value, 3) : tr("not defined"));
  }
  return tile;
}

/// Returns whether cells may be below 0. Only a pin makes a weight negative; lengths never are.
bool belowZero(const HeadsState& state) {
  return !state.normWeighted() && weightRange(state.trace, state.item, -1).low < 0.0F;
}
float mostWeight(const HeadsState& state) {
  return weightRange(state.trace, state.item, -1).magnitude();
}
/// Returns whether plain weights are drawn on a scale to the largest possible weight.
bool plainToOne(const HeadsState& state) {
  return state.lines() || state.trace.config().keys() <= kShortInput;
}

/// Returns the words about the drawn block where it covers several cells; else empty.
std::string blockInWords(const PictureSet& set, const HeadPicture& picture, const CellRef& cell) {
  const auto& [rows, cols] = set.spec.blocks;
  const auto at = set.find(picture);
  const bool covers = rows.holds(cell.row, 1) && cols.holds(cell.col, 1);
  if (!at || !set.spec.blocks.several() || !covers) return {};
  const Index block =
      (cell.row - rows.first) / rows.step * cols.blocks() + (cell.col - cols.first) / cols.step;
  const float value = set.cells[*at][static_cast<std::size_t>(block)];
  if (value <= gl::kMaskedCell) return {};
  return trFormat("\none of {} × {} drawn as one: {} {}", rows.step, cols.step,
                  set.spec.how == Reduction::mean ? tr("mean") : tr("maximum"), number(value, 4));
}

std::string rangeInWords(const char* name, const TokenRange& range, Index n) {
  const TokenRange shown = shownOf(range, n);
  if (shown.count == n) return trFormat("{}: all {}", name, withThousands(n));
  return fmt::format("{} {} – {}", name, shown.first, shown.first + shown.count - 1);
}

}  // namespace

std::string tokenName(const HeadsState& state, Lane lane, Index token) {
  const auto& names = laneTokens(state.trace, lane, state.item);
  if (token < std::ssize(names)) {
    return std::string(shownToken(names[static_cast<std::size_t>(token)]));
  }
  return fmt::format(fmt::runtime(lane == Lane::query ? tr("query {}") : tr("key {}")), token);
}

std::string tokenInQuotes(const HeadsState& state, Index token, Lane lane) {
  const std::string name = tokenName(state, lane, token);
  return token < std::ssize(laneTokens(state.trace, lane, state.item)) ? fmt::format("‘{}’", name)
                                                                       : name;
}

std::vector<GridTile> gridTiles(const HeadsState& state) {
  const Index heads = state.trace.config().numHeads;
  std::vector<GridTile> tiles;
  for (const Index head : state.report == nullptr
                              ? headOrder({}, {}, heads)
                              : headOrder(state.report->metrics, state.view.sortBy, heads)) {
    tiles.push_back(headTile(state, head));
  }
  if (state.view.meanShown && !state.normWeighted() && !state.arcs()) {
    tiles.push_back({{Of::mean, 0, 0}, titleOf({Of::mean, 0, 0})});
  }
  return tiles;
}

void noteArcs(const HeadsState& state, const std::vector<HeadStory>& stories,
              std::vector<GridTile>& tiles) {
  using Kind = HeadStory::Kind;
  for (GridTile& tile : tiles) {
    if (!tile.picture.ofHead()) continue;
    const HeadStory& story = stories[static_cast<std::size_t>(tile.picture.head)];
    const bool chosen = state.view.query >= 0 && state.view.query < state.trace.queries();
    const Index query = chosen ? state.view.query : story.best;
    tile.title.measured.clear();
    const bool checked = story.kind == Kind::found || story.kind == Kind::missed;
    if (isFullyMasked(state.trace, state.item, query)) {
      tile.note = trFormat("{} may look at nothing", tokenInQuotes(state, query));
    } else if (story.kind == Kind::absent || story.kind == Kind::unchecked) {
      tile.note = noteOf(story, tokenNoun(state.trace.document()));
    } else if (checked && !story.asks(query)) {
      tile.note = trFormat("nothing to do for {}", tokenInQuotes(state, query));
    } else if (const auto links = linksOf(state.trace, {state.item, tile.picture.head, query});
               !links.empty()) {
      const Link& link = links.front();
      tile.note = fmt::format("{} → {} {}", tokenInQuotes(state, link.query),
                              tokenInQuotes(state, link.key, Lane::key), percent(link.weight));
    }
  }
}

std::vector<GridTile> sideTiles(const HeadsState& state) {
  const std::vector<Index> compared = comparedIn(state);
  std::vector<GridTile> tiles;
  const auto add = [&](Of of, Index head, const char* what) {
    GridTile tile{{of, head, 0}, titleOf({of, head, 0})};
    // for a single head the heading gives its number
    (compared.size() < 2 ? tile.title.name : tile.title.made) = what;
    tiles.push_back(std::move(tile));
  };
  if (!state.normWeighted()) {
    for (const Index head : compared) tiles.push_back(headTile(state, head));
  } else {
    for (const Index head : compared.empty() ? std::vector{state.head} : compared) {
      add(Of::plain, head, tr("weights A"));
      add(Of::head, head, "‖A v W_O‖");
      if (state.heatmaps()) add(Of::shift, head, tr("difference"));
    }
  }
  if (showsDifference(state, compared)) {
    const HeadPicture difference{Of::difference, compared[0], compared[1]};
    tiles.push_back({difference, titleOf(difference)});
    if (state.normWeighted()) tiles.back().title.made = "‖A v W_O‖";
  }
  return tiles;
}

std::string sideHeading(const HeadsState& state) {
  const std::vector<Index> compared = comparedIn(state);
  if (state.normWeighted() && compared.size() < 2) {
    return trFormat("Head {}: its weights, what they move{}",
                    (compared.empty() ? state.head : compared[0]) + 1,
                    state.heatmaps() ? tr(", and the difference") : "");
  }
  if (compared.size() == 1) {
    return trFormat("Head {}: compare another with it", compared[0] + 1);
  }
  return showsDifference(state, compared) ? tr("Side by side, and their difference")
                                          : tr("Side by side");
}

Index lineEnds(float height, Index pictures) {
  const float quick = std::sqrt(kMostTileLines / static_cast<float>(pictures));
  return std::max<Index>(4, static_cast<Index>(std::min(height / kLineEndsApart, quick)));
}

PictureSpec picturesOf(const HeadsState& state, const std::vector<GridTile>& tiles,
                       const PictureSize& size) {
  const AttentionConfig& c = state.trace.config();
  PictureSpec spec;
  for (const GridTile& tile : tiles) spec.pictures.push_back(tile.picture);
  std::ranges::sort(spec.pictures, {},
                    [](const HeadPicture& p) { return std::tuple(p.of, p.head, p.other); });
  spec.how = state.view.pooling == Pooling::mean ? Reduction::mean : Reduction::largest;
  float down = size.height * size.pixelsPerPoint;
  float across = size.width * size.pixelsPerPoint;
  if (state.lines()) {
    spec.how = Reduction::share;
    down = across =
        static_cast<float>(lineEnds(size.height / size.scale, static_cast<Index>(tiles.size())));
  }
  spec.blocks = {blocksFor(shownOf(state.view.queries, c.seqLen), c.seqLen, down),
                 blocksFor(shownOf(state.view.keys, c.keys()), c.keys(), across)};
  return spec;
}

PictureRange rangeTo(const HeadsState& state, float high) { return {high, belowZero(state)}; }

PictureRange commonRange(const HeadsState& state, const PictureSet* grid) {
  const bool toOne = !state.normWeighted() && plainToOne(state);
  return rangeTo(state, toOne || grid == nullptr ? mostWeight(state) : grid->largestOfAll());
}

PictureRange rangeOf(const HeadsState& state, const HeadPicture& picture, const PictureSet* set,
                     const PictureSet* grid) {
  const bool own = state.view.ownScale;
  const float largest = set == nullptr ? 0.0F : set->largestOf(picture);
  const float ofKind = set == nullptr ? 0.0F : set->largestOf(picture.of);
  switch (picture.of) {
    case Of::difference:
      return {own ? largest : commonRange(state, grid).high, true};
    case Of::shift:
      return {std::max(kLeastShift, own ? largest : ofKind), true};
    case Of::plain:
      if (!own) return rangeTo(state, plainToOne(state) ? mostWeight(state) : ofKind);
      break;
    case Of::head:
    case Of::mean:
      if (!own) return commonRange(state, grid);
      break;
  }
  return rangeTo(state, largest);
}

std::string gridAbout(const HeadsState& state) {
  const Document& document = state.trace.document();
  const TokenNoun token = tokenNoun(document);
  const bool one = document.input->patches.on() || !drawnOverDots(document.config);
  std::string about = state.lines()   ? tr("left: queries · right: keys · thickness: weight")
                      : !state.arcs() ? tr("rows: queries · columns: keys")
                      : one ? trFormat("one {}, and where each head looks from it", token.one)
                            : trFormat("all {}, and where each head looks from them", token.many);
  const Index batch = state.trace.config().batch;
  if (batch > 1) about += trFormat(" · item {} of {}", state.item + 1, batch);
  const std::string purposes = purposesInWords(state.purposes);
  return purposes.empty() ? about : about + " · " + purposes;
}

std::vector<GridSentence> gridSentences(const HeadsState& state, const CellStep& step) {
  std::vector<GridSentence> sentences;
  if (state.normWeighted()) {
    sentences.push_back(
        {"‖A_{ij} v_j W_{O,h}‖",
         tr("the length of what key j gives query i, in the output's units (Kobayashi et al. "
            "2020): a "
            "large weight on a short value moves little. The difference below scales each row of "
            "lengths to sum 1 and subtracts the weights: above 0, a key moves the output more than "
            "its weight says.")});
  } else if (state.view.meanShown) {
    sentences.push_back(
        {nullptr,
         tr("Mean over heads, as PyTorch returns by default: need_weights=True averages unless "
            "average_attn_weights=False; need_weights=False returns none.")});
  }
  if (state.lines()) {
    std::string text = trFormat("Lines: the largest weights that make up {:.0f} % of each row",
                                state.view.lineMass * 100.0F);
    if (step.several()) {
      text += trFormat("; a line joins {} queries to {} keys, their weights added", step.queries,
                       step.keys);
    }
    sentences.push_back({nullptr, text + "."});
  }
  if (const auto metric = metricFromKey(state.view.sortBy)) {
    const MetricInfo& by = info(*metric);
    sentences.push_back(
        {nullptr, state.report == nullptr
                      ? trFormat("Sorted by number until {} is measured.", by.title)
                      : trFormat("{}, largest first: {}.", tr(by.title), tr(by.words))});
  }
  return sentences;
}

std::vector<std::string> mapInWords(const HeadsState& state, const CellStep& step) {
  const AttentionConfig& c = state.trace.config();
  return {rangeInWords("queries", state.view.queries, c.seqLen),
          rangeInWords("keys", state.view.keys, c.keys()),
          step.several() ? trFormat("a cell: {} × {}", step.queries, step.keys)
                         : tr("each cell is one pair")};
}

std::string cellInWords(const HeadsState& state, const HeadPicture& picture, const CellRef& cell,
                        const PassParts& parts, const PictureSet* set, bool indices) {
  const float value = PictureReader(state.trace, state.item, state.view.content, parts)
                          .cell(picture, cell.row, cell.col);
  const std::string query = placeName(state.trace, Axis::query, cell.item, cell.row);
  const std::string key = placeName(state.trace, Axis::key, cell.item, cell.col);
  const std::string much = number(value, 6);
  std::string text;
  if (value <= gl::kMaskedCell) {
    text = trFormat("‘{}’ cannot look at ‘{}’: masked", query, key);
  } else if (picture.of == Of::shift) {
    text = trFormat("‘{}’ is moved by ‘{}’ by {} of its row {} than the weight says", query, key,
                    number(std::abs(value), 6), value < 0.0F ? tr("less") : tr("more"));
  } else if (state.normWeighted() && picture.of != Of::plain) {
    text = trFormat("‘{}’ is moved by ‘{}’ by {}", query, key, much);
    if (picture.of == Of::head) {
      text += tr(", with a weight of ") + number(state.trace.value(cell), 4);
    }
  } else if (picture.of == Of::difference) {
    text = trFormat("‘{}’ on ‘{}’: weights differ by {}", query, key, much);
  } else {
    text = trFormat("‘{}’ gives {} of its attention to ‘{}’", query, much, key);
  }
  text += "\n" + nameOf(picture);
  if (picture.ofHead() && indices) text += "\n" + toString(cell);
  if (set != nullptr) text += blockInWords(*set, picture, cell);
  if (picture.ofHead() && state.report != nullptr) {
    text += "\n" + labelWithRule(state.report->labels[static_cast<std::size_t>(picture.head)]);
  }
  return text;
}

std::pair<std::string, Index> rowInWords(const HeadsState& state, const HeadPicture& picture,
                                         Index query, const PassParts& parts) {
  const TokenRange keys = shownOf(state.view.keys, state.trace.config().keys());
  std::vector<float> cells(static_cast<std::size_t>(keys.count));
  PictureReader(state.trace, state.item, state.view.content, parts)
      .row(picture, query, keys.first, cells);
  std::replace(cells.begin(), cells.end(), gl::kMaskedCell, 0.0F);
  const std::vector<Index> largest = largestOfMass(cells, kNamedMass);
  std::string text =
      nameOf(picture) + " · " + placeName(state.trace, Axis::query, state.item, query) + " →";
  for (std::size_t i = 0; i < std::min(largest.size(), kNamedKeys); ++i) {
    text += fmt::format("{} {} {}", i > 0 ? "," : "",
                        placeName(state.trace, Axis::key, state.item, keys.first + largest[i]),
                        number(cells[static_cast<std::size_t>(largest[i])], 3));
  }
  if (largest.size() > kNamedKeys) text += trFormat(" … {} more", largest.size() - kNamedKeys);
  return {text, keys.first + (largest.empty() ? 0 : largest.front())};
}

std::string largestWeightInWords(const HeadsState& state) {
  const Trace& trace = state.trace;
  HeadRows weights(trace, TensorId::weights, state.item, state.head);
  float largest = -1.0F;
  Index query = -1;
  Index key = -1;
  for (Index row = 0; row < trace.config().seqLen; ++row) {
    const auto values = weights.row(row);
    if (std::count_if(values.begin(), values.end(), [](float w) { return w > 0.0F; }) < 2) continue;
    const auto most = std::max_element(values.begin(), values.end());
    if (*most <= largest) continue;
    largest = *most;
    query = row;
    key = most - values.begin();
  }
  if (query < 0) return {};
  const std::string title = purposeTitle(state.purposes, state.head);
  const std::string head =
      trFormat("Head {}{}", state.head + 1,
               title.empty() ? "" : ": " + inOneLine(headCaption(title, state.report, state.head)));
  const std::string from = placeName(trace, Axis::query, state.item, query);
  const std::string to = placeName(trace, Axis::key, state.item, key);
  if (rowsMayNotSumToOne(trace, state.item, state.head)) {  // such weights are no shares
    return trFormat("{}. Its largest weight here: “{}” gives “{}” {}.", head, from, to,
                    number(largest, 3));
  }
  return trFormat("{}. Its largest share here: “{}” gives {:.0f} % of its attention to “{}”.", head,
                  from, 100.0F * largest, to);
}

}  // namespace headscope::ui
