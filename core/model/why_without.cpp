#include "core/model/why_without.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/attention/config.h"
#include "core/document/trace.h"
#include "core/model/pass_without.h"

namespace headscope::model {
namespace {

/// The score of a pass, before a soft cap and the mask.
double scoreIn(const ModelTrace& trace, const ScoreParts& score) {
  const TracePtr attention = passOf(trace, score.stack).layer(score.head.layer);
  return static_cast<double>(attention->config().scoreMultiplier()) *
             static_cast<double>(attention->value(
                 {TensorId::rawScores, 0, score.head.head, score.query, score.key})) +
         score.bias;
}

std::vector<double> changesOfLogit(const ModelTracePtr& trace, const AskedWord& asked,
                                   const std::vector<LeftOut>& all,
                                   const ExecutionContext& execution) {
  std::vector<Patch> patches;
  for (const LeftOut& out : all) patches.push_back(patchWithout(*trace, out));
  PatchedRuns runs(trace, std::move(patches), asked, execution);
  while (!runs.runUnit()) continue;
  std::vector<double> changes;
  for (const PatchEffect& effect : runs.effects()) {
    changes.push_back(effect.metric - runs.base().metric);
  }
  return changes;
}

/// The changes of a number of the pass before the readout.
template <typename Number>
std::vector<double> changesOf(const ModelTracePtr& trace, const std::vector<LeftOut>& all,
                              const ExecutionContext& execution, const Number& number) {
  const double base = number(*trace);
  std::vector<double> changes;
  for (const LeftOut& out : all) {
    const ModelTracePtr without = passWithout(trace, out, execution);
    if (without == nullptr) return {};
    changes.push_back(number(*without) - base);
  }
  return changes;
}

std::vector<double> changesOfNumber(const ModelTracePtr& trace, const WhyLevel& reached,
                                    const std::vector<LeftOut>& all,
                                    const ExecutionContext& execution) {
  return changesOf(trace, all, execution, [&](const ModelTrace& pass) {
    if (reached.score) return scoreIn(pass, *reached.score);
    return preActivationIn(pass, *reached.neuron, reached.reading.place, reached.reading.stack);
  });
}

/// The largest parts that can be left out.
std::vector<WithoutWriter> largestParts(const ModelTrace& trace, std::vector<WrittenPart> parts,
                                        bool early, std::size_t most) {
  std::erase_if(parts, [&](const WrittenPart& part) { return !canBeLeftOut(trace, part, early); });
  std::ranges::stable_sort(parts, std::ranges::greater(),
                           [](const WrittenPart& part) { return std::abs(part.value); });
  std::vector<WithoutWriter> found;
  for (const WrittenPart& part : parts) {
    if (found.size() == most) break;
    found.push_back({part, -part.value, 0.0});
  }
  return found;
}

/// Runs the passes for parts of several places together.
class Measuring {
 public:
  void add(std::vector<WithoutWriter>& parts, Index place) {
    for (WithoutWriter& part : parts) {
      into_.push_back(&part);
      out_.push_back({part.writer, place});
    }
  }
  /// False where cancelled.
  bool run(const ModelTracePtr& trace, const WhyQuestion& question,
           const std::vector<WhyLevel>& levels, const ExecutionContext& execution) {
    const auto reached = std::find_if(levels.rbegin(), levels.rend(), [](const WhyLevel& level) {
      return level.score || level.neuron;
    });
    const std::vector<double> changes =
        reached != levels.rend()
            ? changesOfNumber(trace, *reached, out_, execution)
            : changesOfLogit(trace, std::get<AskedWord>(question), out_, execution);
    if (changes.size() < out_.size()) return false;
    for (std::size_t i = 0; i < into_.size(); ++i) into_[i]->total = changes[i];
    return true;
  }

 private:
  std::vector<WithoutWriter*> into_;
  std::vector<LeftOut> out_;
};

}  // namespace

WithoutParts withoutParts(const ModelTracePtr& trace, const WhyQuestion& question,
                          const std::vector<WhyLevel>& levels, std::size_t most,
                          const ExecutionContext& execution) {
  if (levels.empty()) return {};
  const WhyLevel& last = levels.back();
  WithoutParts found;
  std::vector<WithoutWriter> followed;
  Measuring measuring;
  if (last.sources) {
    const HeadOfLayer& of = last.sources->head;
    followed.push_back(
        {{WriterKind::head, of.layer, of.head, last.reading.stack}, -last.value, 0.0});
    measuring.add(followed, last.reading.place);
  } else if (last.neurons) {
    const Writer network{WriterKind::feedForward, last.neurons->layer, -1, last.reading.stack};
    followed = largestParts(*trace, {{network, last.value}}, last.reached.has_value(), 1);
    measuring.add(followed, last.reading.place);
  } else if (last.parts) {
    found.parts = largestParts(*trace, *last.parts, last.reached.has_value(), most);
    measuring.add(found.parts, last.reading.place);
  } else if (last.score) {
    const std::size_t ofSide = (most + 1) / 2;
    found.queries = largestParts(*trace, partsOfQuery(*last.score), true, ofSide);
    found.keys = largestParts(*trace, partsOfKey(*last.score), true, ofSide);
    measuring.add(found.queries, last.score->query);
    measuring.add(found.keys, last.score->key);
  }
  if (!measuring.run(trace, question, levels, execution)) return {};
  if (!followed.empty()) found.followed = followed.front();
  return found;
}

std::vector<WithoutParts> withoutPartsOfLevels(const ModelTracePtr& trace,
                                               const WhyQuestion& question,
                                               const std::vector<WhyLevel>& levels,
                                               std::size_t most,
                                               const ExecutionContext& execution) {
  std::vector<WithoutParts> found;
  std::vector<WhyLevel> until;
  for (const WhyLevel& level : levels) {
    until.push_back(level);
    found.push_back(withoutParts(trace, question, until, most, execution));
  }
  return found;
}

const WithoutWriter* withoutFollowed(const WithoutParts& without, const WhyStep& step) {
  const auto& side = step.alongKey ? without.keys : without.queries;
  const Writer& followed = step.alongKey ? step.key : step.query;
  const auto found = std::ranges::find(side, followed, &WithoutWriter::writer);
  return found == side.end() ? nullptr : &*found;
}

WhyChain whyChain(const ModelTracePtr& trace, const WhyQuestion& question,
                  std::vector<WhyStep> steps, std::size_t most, const ExecutionContext& execution) {
  WhyChain chain{trace, question, std::move(steps), {}, {}};
  chain.levels = whyLevels(*trace, question, chain.steps, execution);
  chain.without = withoutPartsOfLevels(trace, question, chain.levels, most, execution);
  return chain;
}

void measurePairs(WhyChain& chain, std::size_t most, const ExecutionContext& execution) {
  for (std::size_t i = 0; i < chain.levels.size(); ++i) {
    const auto& score = chain.levels[i].score;
    if (score) chain.without[i].pairs = pairsWithout(chain.trace, *score, most, execution);
  }
}

std::vector<WhyStep> strongestSteps(const ModelTrace& trace, const WhyQuestion& question,
                                    Index depth, const ExecutionContext& execution,
                                    Through through) {
  std::vector<WhyStep> steps;
  while (std::ssize(steps) < depth && !execution.stop()) {
    const auto next = strongestStep(whyLevels(trace, question, steps, execution).back(), through);
    if (!next) break;
    steps.push_back(*next);
  }
  return steps;
}

}  // namespace headscope::model
