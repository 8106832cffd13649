#include "app/ui/score_reasons.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "app/ui/panel.h"
#include "app/ui/stage/sentence_layout.h"
#include "core/attention/config.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/words/cells.h"

namespace headscope::ui {
namespace {

CoordinateKinds kindsOf(const PanelContext& panel) {
  const Document& document = panel.trace.document();
  return coordinateKinds(*document.source, document.positions, panel.trace.config().dModel);
}

/// "the word class (verb) of “slept”", or "the bias b_Q".
std::string ofWord(const KindName& name, bool bias, const std::string& word) {
  return bias ? trFormat("the {}", name.kind)
              : trFormat("the {} of “{}”", name.inWords(), stageWord(word));
}

}  // namespace

std::vector<KindPair> strongestPairs(const Matrix64& values) {
  std::vector<KindPair> pairs;
  for (Index a = 0; a < values.rows; ++a) {
    for (Index b = 0; b < values.cols; ++b) pairs.push_back({a, b, values(a, b)});
  }
  std::ranges::stable_sort(pairs, std::ranges::greater(),
                           [](const KindPair& pair) { return std::abs(pair.value); });
  return pairs;
}

std::string KindName::inWords() const {
  return flags.empty() ? kind : fmt::format("{} ({})", kind, flags);
}

std::string ScoreNames::meet(const KindPair& of) const {
  return rows[static_cast<std::size_t>(of.query)].inWords() + " meets " +
         columns[static_cast<std::size_t>(of.key)].inWords();
}

ScoreNames scoreNames(const PanelContext& panel, const ScoreInFlow& asked,
                      const CoordinateKinds& kinds) {
  const Input& input = *panel.trace.document().input;
  const bool cross = panel.trace.config().crossAttention();
  ScoreNames names{placeName(panel.trace, Axis::query, asked.item, asked.query),
                   placeName(panel.trace, Axis::key, asked.item, asked.key),
                   {},
                   {}};
  for (Index kind = 0; kind < std::ssize(kinds.names); ++kind) {
    const std::string& name = kinds.names[static_cast<std::size_t>(kind)];
    const std::string& about = kinds.about[static_cast<std::size_t>(kind)];
    names.rows.push_back(
        {name, flagsInWords(kinds, kind, input, asked.item, asked.query, false), about});
    names.columns.push_back(
        {name, flagsInWords(kinds, kind, input, asked.item, asked.key, cross), about});
  }
  names.rows.push_back({tr("bias b_Q"), {}, {}});
  names.columns.push_back({tr("bias b_K"), {}, {}});
  return names;
}

Computed<ScoreByKind> scoreReasons(const PanelContext& panel, const ScoreInFlow& asked,
                                   const CoordinateKinds& kinds) {
  const Fingerprint key("score by kind", panel.trace.pass(), asked.item, asked.head, asked.query,
                        asked.key);
  return panel.computations.request<ScoreByKind>("score by kind", key, Schedule::background, [&] {
    return [=, trace = panel.traceHeld](
               const std::atomic<bool>& cancelled) -> std::optional<ScoreByKind> {
      return scoreByKind(*trace, asked.item, asked.head, asked.query, asked.key, kinds.kindOf,
                         std::ssize(kinds.names), ExecutionContext{0, &cancelled});
    };
  });
}

bool hasReasons(const PanelContext& panel) {
  return whyNoScoreByKind(panel.trace).empty() && !kindsOf(panel).empty();
}

std::string largestReason(const PanelContext& panel, const ScoreInFlow& asked) {
  for (const TensorId tensor : {TensorId::rawScores, TensorId::scores, TensorId::weights}) {
    if (panel.trace.document().pins.of(tensor, asked.item, asked.head, asked.query).empty())
      continue;
    return tr("A number of this row is pinned: what the columns of X add does not explain it.");
  }
  const CoordinateKinds kinds = kindsOf(panel);
  const auto found = scoreReasons(panel, asked, kinds);
  if (found.current == nullptr) return {};
  const ScoreByKind& score = *found.current;
  const double lead = score.score - score.others;
  if (score.otherKeys == 0) return tr("It may look at nothing else.");
  if (lead <= 0.0) {
    return trFormat("No reason stands out: its score {:.2f} is no larger than that of the others.",
                    score.score);
  }
  // the lead is their sum, so that the largest is above 0
  const KindPair top = std::ranges::max(strongestPairs(score.above), {}, &KindPair::value);
  const ScoreNames names = scoreNames(panel, asked, kinds);
  const auto last = [](const std::vector<KindName>& all, Index at) {
    return at + 1 == std::ssize(all);
  };
  return trFormat(
      "The score of “{}” is {:.1f} above the others' mean. The largest part, {:.1f}: {} meets {}.",
      stageWord(names.key), lead, top.value,
      ofWord(names.rows[static_cast<std::size_t>(top.query)], last(names.rows, top.query),
             names.query),
      ofWord(names.columns[static_cast<std::size_t>(top.key)], last(names.columns, top.key),
             names.key));
}

}  // namespace headscope::ui
