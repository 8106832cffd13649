#include "core/model/why.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/attention/config.h"
#include "core/base/error.h"
#include "core/base/memory_budget.h"
#include "core/document/trace.h"
#include "core/model/head_output.h"
#include "core/model/logit_parts.h"

namespace headscope::model {
namespace {

[[noreturn]] void refuseStep(const char* why) {
  throw UserError(fmt::format("the chain cannot be followed there: {}", why));
}

WhyLevel levelOfParts(const ModelTrace& trace, StreamReading reading, double value,
                      const ExecutionContext& execution) {
  WhyLevel level;
  level.parts = partsOf(trace, reading, execution);
  level.reading = std::move(reading);
  level.value = value;
  for (const WrittenPart& part : *level.parts) level.sum += part.value;
  return level;
}

WhyLevel levelOfLogit(const ModelTrace& trace, const AskedWord& asked,
                      const ExecutionContext& execution) {
  const auto found = logitParts(trace, asked.row, asked.word, asked.other, execution);
  WhyLevel level;
  level.reading = logitReading(trace, asked.row, asked.word, asked.other).stream;
  level.parts = found ? found->parts : std::vector<WrittenPart>();
  level.value = found ? found->logit : 0.0;
  level.sum = found ? found->sum : 0.0;
  return level;
}

WhyLevel levelOfHead(const ModelTrace& trace, const StreamReading& reading, HeadOfLayer head,
                     double value) {
  if (head.layer >= reading.layer) refuseStep("that head comes later");
  WhyLevel level;
  level.reading = reading;
  level.sources = headSources(trace, reading, head);
  level.value = value;
  level.sum = level.sources->sum;
  return level;
}

/// The part of a writer in a level of parts.
double partOf(const WhyLevel& level, const Writer& writer) {
  const auto found = std::ranges::find_if(*level.parts, [&](const WrittenPart& part) {
    return static_cast<const Writer&>(part) == writer;
  });
  if (found == level.parts->end()) refuseStep("the number has no such part");
  return found->value;
}

double entryOf(const ScoreParts& score, const Writer& query, const Writer& key) {
  const auto row = std::ranges::find(score.queries, query);
  const auto column = std::ranges::find(score.keys, key);
  if (row == score.queries.end() || column == score.keys.end()) {
    refuseStep("the score has no such pair of writers");
  }
  return score.values(row - score.queries.begin(), column - score.keys.begin());
}

WhyLevel levelOfEntry(const ModelTrace& trace, const ScoreParts& score, const WhyStep& step) {
  const Writer& followed = step.alongKey ? step.key : step.query;
  if (followed.kind != WriterKind::head) refuseStep("only heads read other tokens");
  const StreamReading reading =
      step.alongKey
          ? readingOfKey(trace, score.head, score.query, score.key, step.query, score.stack)
          : readingOfQuery(trace, score.head, score.query, score.key, step.key, score.stack);
  return levelOfHead(trace, reading, {followed.layer, followed.head},
                     entryOf(score, step.query, step.key));
}

WhyLevel nextLevel(const ModelTrace& trace, const WhyLevel& level, const WhyStep& step,
                   const ExecutionContext& execution) {
  switch (step.kind) {
    case WhyStep::Kind::head: {
      if (!level.parts) refuseStep("no sum over writers is shown");
      return levelOfHead(
          trace, level.reading, step.head,
          partOf(level, {WriterKind::head, step.head.layer, step.head.head, level.reading.stack}));
    }
    case WhyStep::Kind::value: {
      if (!level.sources) refuseStep("no sum over tokens is shown");
      StreamReading reading =
          readingOfValue(trace, level.reading, level.sources->head, step.source);
      return levelOfParts(trace, std::move(reading),
                          level.sources->values[static_cast<std::size_t>(step.source)], execution);
    }
    case WhyStep::Kind::score: {
      if (!level.sources) refuseStep("no sum over tokens is shown");
      WhyLevel next;
      next.score = scoreParts(trace, level.sources->head, level.reading.place, step.source,
                              execution, level.reading.stack);
      next.value = next.score->score;
      next.sum = next.score->sum;
      return next;
    }
    case WhyStep::Kind::entry:
      if (!level.score) refuseStep("no score is shown");
      return levelOfEntry(trace, *level.score, step);
  }
  return {};
}

/// The score of a pass, before a soft cap and the mask.
double scoreIn(const ModelTrace& trace, const ScoreParts& score) {
  const TracePtr attention = passOf(trace, score.stack).layer(score.head.layer);
  return static_cast<double>(attention->config().scoreMultiplier()) *
             static_cast<double>(attention->value(
                 {TensorId::rawScores, 0, score.head.head, score.query, score.key})) +
         score.bias;
}

/// Runs a pass again with another document of one of its stacks. Null where cancelled.
ModelTracePtr runWith(const ModelTracePtr& trace, Stack stack, const ModelDocumentPtr& document,
                      const ExecutionContext& execution) {
  const Index budget = defaultMemoryBudget() / 4;
  const ModelTracePtr changed = runModel(document, passOf(trace, stack), execution, budget);
  if (changed == nullptr || stack == Stack::decoder) return changed;
  return runModel(withMemory(trace->document(), changed), trace, execution, budget);
}

}  // namespace

std::vector<WhyLevel> whyLevels(const ModelTrace& trace, const AskedWord& asked,
                                const std::vector<WhyStep>& steps,
                                const ExecutionContext& execution) {
  std::vector<WhyLevel> levels{levelOfLogit(trace, asked, execution)};
  double root = levels.front().value;
  for (const WhyStep& step : steps) {
    if (execution.stop()) break;
    levels.push_back(nextLevel(trace, levels.back(), step, execution));
    WhyLevel& next = levels.back();
    next.ofScore = next.score || std::prev(levels.end(), 2)->ofScore;
    if (next.score) root = next.value;
    next.share = root != 0.0 ? next.value / root : 0.0;
  }
  return levels;
}

std::optional<WhyStep> strongestStep(const WhyLevel& level) {
  WhyStep step;
  double most = 0.0;
  const auto take = [&](double value, const WhyStep& candidate) {
    if (std::abs(value) <= most) return;
    most = std::abs(value);
    step = candidate;
  };
  if (level.parts) {
    for (const WrittenPart& part : *level.parts) {
      if (part.kind != WriterKind::head) continue;
      take(part.value, {.kind = WhyStep::Kind::head, .head = {part.layer, part.head}});
    }
  } else if (level.sources) {
    const bool across = level.sources->tokens != level.reading.stack;
    const auto kind = across ? WhyStep::Kind::value : WhyStep::Kind::score;
    for (std::size_t i = 0; i < level.sources->values.size(); ++i) {
      take(level.sources->values[i], {.kind = kind, .source = static_cast<Index>(i)});
    }
  } else if (level.score) {
    const ScoreParts& score = *level.score;
    for (Index i = 0; i < score.values.rows; ++i) {
      for (Index j = 0; j < score.values.cols; ++j) {
        const Writer& query = score.queries[static_cast<std::size_t>(i)];
        const Writer& key = score.keys[static_cast<std::size_t>(j)];
        const bool ofKey = key.kind == WriterKind::head, ofQuery = query.kind == WriterKind::head;
        if (!ofKey && !ofQuery) continue;
        take(score.values(i, j),
             {.kind = WhyStep::Kind::entry, .query = query, .key = key, .alongKey = ofKey});
      }
    }
  }
  if (most == 0.0) return std::nullopt;
  return step;
}

std::optional<WithoutHead> withoutHead(const ModelTracePtr& trace, const AskedWord& asked,
                                       const std::vector<WhyLevel>& levels,
                                       const ExecutionContext& execution) {
  if (levels.empty() || !levels.back().sources) return std::nullopt;
  const WhyLevel& last = levels.back();
  const HeadOfLayer head = last.sources->head;
  const Index place = last.reading.place;
  const Stack stack = last.reading.stack;
  const ModelTrace& pass = passOf(*trace, stack);
  WithoutHead found{-last.value, 0.0};
  const auto score = std::find_if(levels.rbegin(), levels.rend(),
                                  [](const WhyLevel& level) { return level.score.has_value(); });
  if (score == levels.rend()) {
    PatchedRuns runs(trace,
                     {{Site::heads, head.layer, head.head, place,
                       Tensor::zeros({1, pass.config().headDim}), stack}},
                     asked, execution);
    while (!runs.runUnit()) continue;
    if (runs.effects().empty()) return std::nullopt;
    found.total = runs.effects().front().metric - runs.base().metric;
    return found;
  }
  Tensor rows = headOutput(pass, head);
  std::ranges::fill(rows.mutableMatrix().row(place), 0.0F);
  const ModelTracePtr without = runWith(trace, stack, withHeadOutput(pass, head, rows), execution);
  if (without == nullptr) return std::nullopt;
  found.total = scoreIn(*without, *score->score) - scoreIn(*trace, *score->score);
  return found;
}

}  // namespace headscope::model
