#include "app/ui/heads/view_model/relation_pair.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "app/gl/scene.h"
#include "core/attention/config.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/training/relations.h"

namespace headscope::ui {
namespace {

/// Returns a sentence about the query whose two partners lose most.
std::string tornInWords(const HeadsState& state, const ConflictedQuery& torn) {
  std::string text = trFormat(
      "{} is to look at {} and at {}: {:.2f} and {:.2f} by the two heads, {:.2f} and {:.2f} by the "
      "one",
      tokenInQuotes(state, torn.query), tokenInQuotes(state, torn.partners[0], Lane::key),
      tokenInQuotes(state, torn.partners[1], Lane::key), torn.alone[0], torn.alone[1],
      torn.together[0], torn.together[1]);
  if (torn.most != torn.partners[0] && torn.most != torn.partners[1]) {
    text += trFormat(", which looks at {} most ({:.2f})",
                     tokenInQuotes(state, torn.most, Lane::key), torn.mostWeight);
  }
  return text + ".";
}

/// Returns the same in brief, for the heading of the picture of that query's row.
std::string tornAnswer(const HeadsState& state, const ConflictedQuery& torn) {
  return trFormat(
      "{} is to look at {} and at {}: two heads give {:.2f} and {:.2f}; one head has one row to "
      "share, and gives {:.2f} and {:.2f}.",
      tokenInQuotes(state, torn.query), tokenInQuotes(state, torn.partners[0], Lane::key),
      tokenInQuotes(state, torn.partners[1], Lane::key), torn.alone[0], torn.alone[1],
      torn.together[0], torn.together[1]);
}

}  // namespace

CellRows PairFigures::weights(std::size_t which) const {
  const ConstMatrixView cells = measured->weights[which].matrix();
  const auto read = [held = measured, cells, mask = mask, item = item](Index row,
                                                                       std::span<float> out) {
    const AllowedKeys allowed = allowedKeys(mask, item, row, cells.cols);
    for (std::size_t j = 0; j < out.size(); ++j) {
      const auto key = static_cast<Index>(j);
      out[j] = allowed(key) ? cells(row, key) : gl::kMaskedCell;
    }
  };
  return {cells.rows, cells.cols, read};
}

HeadRelations relationsWithPartners(const Document& document, Index item) {
  HeadRelations found;
  const auto relations = declaredRelations(document);
  const auto at = static_cast<std::size_t>(item);
  for (std::size_t h = 0; h < relations.size(); ++h) {
    if (!relations[h] || at >= relations[h]->partners.size()) continue;
    const auto& partners = relations[h]->partners[at];
    const bool some = std::any_of(partners.begin(), partners.end(),
                                  [](const auto& keys) { return !keys.empty(); });
    if (some) found.push_back({static_cast<Index>(h), *relations[h]});
  }
  return found;
}

const HeadRelation* relationOf(const HeadRelations& relations, Index head) {
  const auto found = std::ranges::find(relations, head, &HeadRelation::head);
  return found == relations.end() ? nullptr : &*found;
}

std::vector<Index> chosenRelations(const HeadsView& view, const HeadRelations& relations) {
  const std::vector<Index>& pair = view.relationPair;
  const bool fits = pair.size() == 2 && pair[0] != pair[1] &&
                    relationOf(relations, pair[0]) != nullptr &&
                    relationOf(relations, pair[1]) != nullptr;
  return fits ? pair : std::vector<Index>();
}

std::optional<PairFigures> measurePair(const Trace& trace, Index item,
                                       const HeadRelations& relations,
                                       const std::vector<Index>& heads, PairGains gains,
                                       const ExecutionContext& execution) {
  PairFigures figures;
  figures.mask = trace.config().mask;
  figures.item = item;
  std::array<std::size_t, 2> blurred{};  // indices of relations
  if (heads.empty()) {
    const auto most = mostBlurred(trace, item, relations, gains, execution);
    if (!most) return std::nullopt;
    blurred = *most;
  }
  for (std::size_t r = 0; r < 2; ++r) {
    figures.pair[r] = heads.empty() ? relations[blurred[r]] : *relationOf(relations, heads[r]);
  }
  auto measured = twoInOne(trace, item, figures.pair, gains, execution);
  if (!measured) return std::nullopt;
  figures.measured = std::make_shared<MergedHeads>(std::move(*measured));
  return figures;
}

std::string scoreText(const MetricValue& score) {
  return score ? fmt::format("{:.2f}", *score) : score.why;
}

std::string pairHeadName(const HeadRelation& head, double gain) {
  const std::string name = trFormat("Head {}", head.head + 1);
  return gain == 1.0 ? name : name + fmt::format(" · scores × {}", number(gain, 2));
}

std::string pairAnswer(const HeadsState& state, const PairFigures& figures) {
  const MergedHeads& m = *figures.measured;
  if (m.torn) return tornAnswer(state, *m.torn);
  const auto lost = [&](std::size_t r) { return m.scores[2][r] && m.scores[r][r]; };
  if (!lost(0) || !lost(1)) return tr("Each head has one softmax, so one head makes one choice.");
  const double first = *m.scores[2][0] - *m.scores[0][0];
  const double second = *m.scores[2][1] - *m.scores[1][1];
  const auto change = [&](std::size_t r) {
    return fmt::format("{} {:.2f} → {:.2f}", figures.pair[r].relation.name, *m.scores[r][r],
                       *m.scores[2][r]);
  };
  const char* said = first < 0.0 && second < 0.0 ? tr("One head for both jobs does both worse")
                     : first < 0.0 || second < 0.0
                         ? tr("One head for both jobs does one of them worse")
                         : tr("Here one head does both no worse than two");
  return fmt::format("{}: {}, {}.", said, change(0), change(1));
}

std::string pairConclusion(const HeadsState& state, const PairFigures& figures) {
  const MergedHeads& m = *figures.measured;
  const auto of = [&](std::size_t w, std::size_t r) { return scoreText(m.scores[w][r]); };
  return trFormat(
      "Two heads give {} ({}) and {} ({}) of their weight to the tokens they are for. One head "
      "that holds the matrices of both has the sum of their scores, and one softmax for it: {} and "
      "{}. {}\nEntropy: {} bits against {} and {}.",
      of(0, 0), figures.pair[0].relation.name, of(1, 1), figures.pair[1].relation.name, of(2, 0),
      of(2, 1), m.torn ? tornInWords(state, *m.torn) : tr("No token has targets for both heads."),
      scoreText(m.entropy[2]), scoreText(m.entropy[0]), scoreText(m.entropy[1]));
}

}  // namespace headscope::ui
