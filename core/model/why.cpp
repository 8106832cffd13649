#include "core/model/why.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>
#include <utility>

#include "core/base/error.h"
#include "core/base/translation.h"
#include "core/model/logit_parts.h"

namespace headscope::model {
namespace {

[[noreturn]] void refuseStep(const std::string& why) {
  throw UserError(trFormat("the chain cannot be followed there: {}", why));
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

WhyLevel levelOfScore(const ModelTrace& trace, const AskedScore& asked,
                      const ExecutionContext& execution) {
  WhyLevel level;
  level.score = scoreParts(trace, asked.head, asked.query, asked.key, execution, asked.stack);
  level.value = level.score->score;
  level.sum = level.score->sum;
  level.reached = Reached::score;
  return level;
}

WhyLevel firstLevel(const ModelTrace& trace, const WhyQuestion& question,
                    const ExecutionContext& execution) {
  const auto* score = std::get_if<AskedScore>(&question);
  return score != nullptr ? levelOfScore(trace, *score, execution)
                          : levelOfLogit(trace, std::get<AskedWord>(question), execution);
}

WhyLevel levelOfHead(const ModelTrace& trace, const StreamReading& reading, HeadOfLayer head,
                     double value) {
  requireHead(*passOf(trace, reading.stack).document().model, head);
  if (!reading.follows(head.layer)) {
    refuseStep(trFormat("layer {}, head {} comes later than what it should have written",
                        head.layer, head.head));
  }
  WhyLevel level;
  level.reading = reading;
  level.sources = headSources(trace, reading, head);
  level.value = value;
  level.sum = level.sources->sum;
  return level;
}

WhyLevel levelOfNetwork(const ModelTrace& trace, const StreamReading& reading, Index layer,
                        double value, const ExecutionContext& execution) {
  WhyLevel level;
  level.reading = reading;
  level.neurons = networkNeurons(trace, reading, layer, execution);
  level.value = value;
  level.sum = level.neurons->sum;
  return level;
}

WhyLevel levelOfNeuron(const ModelTrace& trace, const WhyLevel& network, const AskedNeuron& asked,
                       const ExecutionContext& execution) {
  if (asked.layer != network.neurons->layer) {
    refuseStep(trFormat("the neurons are those of network {0}, not of {1}: write n{0}.{2}",
                        network.neurons->layer, asked.layer, asked.number));
  }
  const auto& [place, stack] = std::tie(network.reading.place, network.reading.stack);
  const PreActivation found = preActivation(trace, asked, place, stack);
  WhyLevel level =
      levelOfParts(trace, readingOfNeuron(trace, asked, place, stack), found.value, execution);
  level.neuron = found;
  level.reached = Reached::preActivation;
  return level;
}

/// The part of a writer in a level of parts.
double partOf(const WhyLevel& level, const Writer& writer) {
  const auto found = std::ranges::find_if(*level.parts, [&](const WrittenPart& part) {
    return static_cast<const Writer&>(part) == writer;
  });
  if (found == level.parts->end()) {
    refuseStep(trFormat("{} writes nothing before it", textOf(writer)));
  }
  return found->value;
}

double entryOf(const ScoreParts& score, const Writer& query, const Writer& key) {
  const auto row = std::ranges::find(score.queries, query);
  const auto column = std::ranges::find(score.keys, key);
  if (row == score.queries.end() || column == score.keys.end()) {
    refuseStep(trFormat("{} × {} is no pair of the score", textOf(query), textOf(key)));
  }
  return score.values(row - score.queries.begin(), column - score.keys.begin());
}

WhyLevel levelOfEntry(const ModelTrace& trace, const ScoreParts& score, const WhyStep& step,
                      const ExecutionContext& execution) {
  const Writer& followed = step.alongKey ? step.key : step.query;
  const bool network = followed.kind == WriterKind::feedForward;
  if (!canBeFollowed(followed)) {
    refuseStep(tr("only heads read other tokens, and only networks have neurons"));
  }
  const double value = entryOf(score, step.query, step.key);
  const StreamReading reading =
      step.alongKey
          ? readingOfKey(trace, score.head, score.query, score.key, step.query, score.stack)
          : readingOfQuery(trace, score.head, score.query, score.key, step.key, score.stack);
  return network ? levelOfNetwork(trace, reading, followed.layer, value, execution)
                 : levelOfHead(trace, reading, {followed.layer, followed.head}, value);
}

WhyLevel nextLevel(const ModelTrace& trace, const WhyLevel& level, const WhyStep& step,
                   const ExecutionContext& execution) {
  if (level.neurons && step.kind != WhyStep::Kind::neuron) {
    refuseStep(
        trFormat("a network's neurons read no other token: n{}.13 goes on to what drives neuron 13",
                 level.neurons->layer));
  }
  switch (step.kind) {
    case WhyStep::Kind::head: {
      if (!level.parts) {
        refuseStep(
            tr("after h1.2 come its tokens: s3 why it looks at place 3, v3 that token's value"));
      }
      requireHead(*passOf(trace, level.reading.stack).document().model, step.head);
      return levelOfHead(
          trace, level.reading, step.head,
          partOf(level, {WriterKind::head, step.head.layer, step.head.head, level.reading.stack}));
    }
    case WhyStep::Kind::value: {
      if (!level.sources)
        refuseStep(tr("s3 and v3 choose a token of a head: give a head first, as in h1.2 s3"));
      StreamReading reading =
          readingOfValue(trace, level.reading, level.sources->head, step.source);
      return levelOfParts(trace, std::move(reading),
                          level.sources->values[static_cast<std::size_t>(step.source)], execution);
    }
    case WhyStep::Kind::score: {
      if (!level.sources)
        refuseStep(tr("s3 and v3 choose a token of a head: give a head first, as in h1.2 s3"));
      return levelOfScore(
          trace, {level.sources->head, level.reading.place, step.source, level.reading.stack},
          execution);
    }
    case WhyStep::Kind::entry:
      if (!level.score)
        refuseStep(
            tr("k:… and q:… follow a pair of a score: give a token first, as in s3 k:t:h0.3"));
      return levelOfEntry(trace, *level.score, step, execution);
    case WhyStep::Kind::network:
      if (!level.parts) refuseStep(tr("f1 follows a network of a sum over writers: give it first"));
      return levelOfNetwork(trace, level.reading, step.head.layer,
                            partOf(level, writerFollowed(level, step)), execution);
    case WhyStep::Kind::neuron:
      if (!level.neurons) {
        refuseStep(
            trFormat("n{0}.{1} follows a neuron of a network: give the network first, as in f{0}",
                     step.neuron.layer, step.neuron.number));
      }
      return levelOfNeuron(trace, level, step.neuron, execution);
  }
  return {};
}

/// The part of a neuron in a level of neurons.
double partOf(const NetworkNeurons& network, const AskedNeuron& asked) {
  for (const Neuron& neuron : network.neurons) {
    if (neuron.expert == asked.expert && neuron.number == asked.number) return neuron.value;
  }
  return 0.0;
}

/// The shares of the level that follows a step. A score's own begin with the share of the token
/// that the head looks at, a pre-activation's with that of its neuron.
std::vector<double> sharesAfter(const WhyLevel& before, const WhyStep& step, double value,
                                double root) {
  const auto shareOf = [&](double part) { return root != 0.0 ? part / root : 0.0; };
  std::vector<double> shares = before.shares;
  if (step.kind == WhyStep::Kind::score) {
    shares.back() = shareOf(before.sources->values[static_cast<std::size_t>(step.source)]);
    shares.push_back(1.0);
  } else if (step.kind == WhyStep::Kind::neuron) {
    shares.back() = shareOf(partOf(*before.neurons, step.neuron));
    shares.push_back(1.0);
  } else {
    shares.back() = shareOf(value);
  }
  return shares;
}

/// Calls `call` with each pair of writers of a score and its value.
template <typename Call>
void eachPair(const ScoreParts& score, const Call& call) {
  for (Index i = 0; i < score.values.rows; ++i) {
    for (Index j = 0; j < score.values.cols; ++j) {
      call(score.queries[static_cast<std::size_t>(i)], score.keys[static_cast<std::size_t>(j)],
           score.values(i, j));
    }
  }
}

}  // namespace

std::vector<WhyLevel> whyLevels(const ModelTrace& trace, const WhyQuestion& question,
                                const std::vector<WhyStep>& steps,
                                const ExecutionContext& execution) {
  std::vector<WhyLevel> levels{firstLevel(trace, question, execution)};
  double root = levels.front().value;
  for (const WhyStep& step : steps) {
    if (execution.stop()) break;
    const WhyLevel& before = levels.back();
    WhyLevel next = nextLevel(trace, before, step, execution);
    next.shares = sharesAfter(before, step, next.value, root);
    next.through = before.through;
    if (next.reached) {
      next.through.push_back(*next.reached);
      root = next.value;
    } else {
      next.reached = before.reached;
    }
    levels.push_back(std::move(next));
  }
  return levels;
}

std::optional<WhyStep> strongestStep(const WhyLevel& level, Through through) {
  WhyStep step;
  std::pair most(false, 0.0);  // whether it has the sign of the level's number, and its size
  const auto take = [&](double value, const WhyStep& candidate) {
    const std::pair found(value * level.value > 0.0, std::abs(value));
    if (found <= most) return;
    most = found;
    step = candidate;
  };
  const auto leads = [&](const Writer& writer) {
    return through == Through::heads ? writer.kind == WriterKind::head : canBeFollowed(writer);
  };
  if (level.parts) {
    for (const WrittenPart& part : *level.parts) {
      if (!leads(part)) continue;
      const bool network = part.kind == WriterKind::feedForward;
      take(part.value, {.kind = network ? WhyStep::Kind::network : WhyStep::Kind::head,
                        .head = {part.layer, network ? 0 : part.head}});
    }
  } else if (level.sources) {
    const bool across = level.sources->tokens != level.reading.stack;
    const auto kind = across ? WhyStep::Kind::value : WhyStep::Kind::score;
    for (std::size_t i = 0; i < level.sources->values.size(); ++i) {
      take(level.sources->values[i], {.kind = kind, .source = static_cast<Index>(i)});
    }
  } else if (level.score) {
    eachPair(*level.score, [&](const Writer& query, const Writer& key, double value) {
      const bool ofKey = leads(key);
      if (!ofKey && !leads(query)) return;
      take(value, {.kind = WhyStep::Kind::entry, .query = query, .key = key, .alongKey = ofKey});
    });
  }
  if (level.neurons) {
    for (const Neuron& neuron : level.neurons->neurons) {
      take(neuron.value, {.kind = WhyStep::Kind::neuron,
                          .neuron = {level.neurons->layer, neuron.expert, neuron.number}});
    }
  }
  if (most.second == 0.0) return std::nullopt;
  return step;
}

double partOfNetworks(const WhyLevel& level) {
  double sum = 0.0;
  if (level.parts) {
    for (const WrittenPart& part : *level.parts) {
      if (part.kind == WriterKind::feedForward) sum += part.value;
    }
  } else if (level.score) {
    eachPair(*level.score, [&](const Writer& query, const Writer& key, double value) {
      const bool either =
          query.kind == WriterKind::feedForward || key.kind == WriterKind::feedForward;
      if (either) sum += value;
    });
  }
  return sum;
}

bool canBeFollowed(const Writer& writer) {
  return writer.kind == WriterKind::head || writer.kind == WriterKind::feedForward;
}

Writer writerFollowed(const WhyLevel& level, const WhyStep& step) {
  const bool network = step.kind == WhyStep::Kind::network;
  return {network ? WriterKind::feedForward : WriterKind::head, step.head.layer,
          network ? -1 : step.head.head, level.reading.stack};
}

std::vector<PassedPart> passedOver(const WhyLevel& level, const WhyStep& step) {
  std::vector<PassedPart> larger;
  double followed = 0.0;
  if (level.parts && step.kind != WhyStep::Kind::entry) {
    followed = partOf(level, writerFollowed(level, step));
    for (const WrittenPart& part : *level.parts) larger.push_back({part, {}, part.value});
  } else if (level.score && step.kind == WhyStep::Kind::entry) {
    followed = entryOf(*level.score, step.query, step.key);
    eachPair(*level.score, [&](const Writer& query, const Writer& key, double value) {
      larger.push_back({query, key, value});
    });
  }
  std::erase_if(larger,
                [&](const PassedPart& part) { return std::abs(part.value) <= std::abs(followed); });
  std::ranges::stable_sort(larger, std::ranges::greater(),
                           [](const PassedPart& part) { return std::abs(part.value); });
  return larger;
}

std::string percentOf(double part, double whole) {
  if (whole == 0.0) return "–";
  const double percent = 100.0 * part / whole;
  return fmt::format("{:.0f} %", std::abs(percent) < 0.5 ? 0.0 : percent);
}

const char* inWords(Reached reached) {
  return reached == Reached::score ? "score" : "pre-activation";
}

std::string sharesInWords(const WhyLevel& level, std::string_view whole) {
  const std::size_t count = level.shares.size() - (level.begins() ? 1 : 0);
  if (count == 1 && level.shares.front() == 1.0) return {};
  std::string words;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string percent = percentOf(level.shares[i], 1.0);
    if (i == 0) {
      words += trFormat("{} of the {}", percent, whole);
    } else {
      words += trFormat(", then {} of {} {}", percent, i == 1 ? tr("its") : tr("the next"),
                        inWords(level.through[i - 1]));
    }
  }
  return words;
}

}  // namespace headscope::model
