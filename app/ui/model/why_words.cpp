#include "app/ui/model/why_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/ui/model/image_view.h"
#include "app/ui/model/model_heads.h"
#include "app/ui/model/prediction_views.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/model/logit_parts.h"
#include "core/model/stacks.h"
#include "core/words/head_place.h"

namespace headscope::ui {
namespace {

using model::AskedScore;
using model::ScoreParts;
using model::Stack;
using model::WhyLevel;
using model::WhyStep;
using model::Writer;
using model::WriterKind;
using model::WrittenPart;

std::string capitalized(std::string words) {
  if (words.front() >= 'a' && words.front() <= 'z') words.front() += 'A' - 'a';
  return words;
}

void sortBySize(std::vector<PartLine>& lines) {
  std::ranges::stable_sort(lines, std::ranges::greater(),
                           [](const PartLine& line) { return std::abs(line.value); });
}

}  // namespace

std::vector<PartLine> restSummed(std::vector<PartLine> lines, std::size_t most) {
  if (most == 0 || lines.size() <= most) return lines;
  double rest = 0.0;
  for (std::size_t i = most - 1; i < lines.size(); ++i) rest += lines[i].value;
  const std::size_t left = lines.size() - (most - 1);
  lines.resize(most - 1);
  lines.push_back({trFormat("{} others, summed", withThousands(static_cast<Index>(left))), rest});
  return lines;
}

WhyWords::WhyWords(std::shared_ptr<const ModelMoment> moment)
    : moment_(std::move(moment)), tokens_(moment_->tokenNames()) {
  if (moment_->source != nullptr) sourceTokens_ = moment_->source->tokenNames();
  if (moment_->ofImage()) pictures_ = tokenPictures(*moment_);
}

const std::string& WhyWords::token(Index place, Stack stack) const {
  return (stack == Stack::encoder ? sourceTokens_ : tokens_)[static_cast<std::size_t>(place)];
}

std::string WhyWords::placeInWords(Index place, Stack stack) const {
  return fmt::format("“{}” ({}{})", token(place, stack), stack == Stack::encoder ? "source " : "",
                     place + 1);
}

std::string WhyWords::headInWords(Stack stack, HeadOfLayer head, bool capital) const {
  return trFormat("{}, head {}", layerInWords(config(), stack, head.layer, capital), head.head + 1);
}

/// All writers of one side of a score are of one stack.
std::string WhyWords::shortName(const Writer& writer, Index place) const {
  const bool encoder = writer.stack == Stack::encoder;
  const Index layer = 1 + (encoder ? writer.layer : config().depthOf(writer.layer));
  const HeadOfLayer head{writer.layer, writer.head};
  switch (writer.kind) {
    case WriterKind::token:
      return fmt::format("“{}”", token(place, writer.stack));
    case WriterKind::head:
      return encoder ? headscope::shortName(head) : ui::shortName(head, config());
    case WriterKind::feedForward:
      return trFormat("FFN {}", layer);
    case WriterKind::attentionBias:
      return fmt::format("b_O {}", layer);
    default:
      return model::inWords(writer, config());
  }
}

std::string WhyWords::nameOf(const model::WhyQuestion& question) const {
  if (const auto* word = std::get_if<model::AskedWord>(&question)) {
    return logitName({word->row, word->word, word->other}, *moment_);
  }
  const auto& score = std::get<AskedScore>(question);
  return trFormat("score of {}", headInWords(score.stack, score.head));
}

std::string WhyWords::titleOf(const model::WhyQuestion& question) const {
  const std::string name = nameOf(question);
  if (const auto* word = std::get_if<model::AskedWord>(&question)) {
    return trFormat("{} at {}", name, placeInWords(word->row, Stack::decoder));
  }
  const auto& score = std::get<AskedScore>(question);
  const Stack keys = model::keysOf(*moment_->trace, score.stack, score.head.layer);
  return trFormat("{} from {} to {}", name, placeInWords(score.query, score.stack),
                  placeInWords(score.key, keys));
}

const char* WhyWords::wholeOf(const model::WhyQuestion& question) {
  const auto* word = std::get_if<model::AskedWord>(&question);
  return word == nullptr ? "score" : word->other ? tr("difference") : tr("logit");
}

/// "37 %", behind a score "62 % of the score".
std::string WhyWords::shareOf(const WhyLevel& level) const {
  const std::size_t own = level.shares.size() - (level.begins() ? 2 : 1);
  std::string percent = model::percentOf(level.shares[own], 1.0);
  if (own == 0) return percent;
  return trFormat("{} of the {}", percent, model::inWords(level.through[own - 1]));
}

std::string WhyWords::nameOf(const FoundWhy& found, std::size_t level) const {
  if (level == 0) return nameOf(found.question);
  const WhyStep& step = found.steps[level - 1];
  const WhyLevel& before = found.levels[level - 1];
  std::string name;
  switch (step.kind) {
    case WhyStep::Kind::head:
      name = headInWords(before.reading.stack, step.head);
      break;
    case WhyStep::Kind::network:
      name = model::inWords(writerFollowed(before, step), config());
      break;
    case WhyStep::Kind::value:
      name = trFormat("value of {}", placeInWords(step.source, before.sources->tokens));
      break;
    case WhyStep::Kind::score:
      name = trFormat("why it looks at {}", placeInWords(step.source, before.sources->tokens));
      break;
    case WhyStep::Kind::neuron:
      name = tr("what drives ") + model::inWords(*found.levels[level].neuron);
      break;
    case WhyStep::Kind::entry: {
      const Writer& writer = step.alongKey ? step.key : step.query;
      name = trFormat("{} in the {}", model::inWords(writer, config()),
                      step.alongKey ? "key" : "query");
      break;
    }
  }
  return fmt::format("{} · {}", name, shareOf(found.levels[level]));
}

std::string WhyWords::inWords(const FoundWhy& found, std::size_t i) const {
  const WhyLevel& level = found.levels[i];
  const std::string shares = sharesInWords(level, wholeOf(found.question));
  if (level.score) {
    const std::string hangs = shares.empty() ? shares : trFormat(" This token gives {}.", shares);
    return scoreInWords(*level.score) + hangs;
  }
  const std::string sum = trFormat("sum {:+.4f} = {:+.4f}{}{}", level.sum, level.value,
                                   shares.empty() ? "" : ": ", shares);
  const std::string place = placeInWords(level.reading.place, level.reading.stack);
  if (level.neuron) return neuronInWords(level, shares);
  if (level.parts) {
    return trFormat("Written at {}: {} parts, {}. {} are held.", place,
                    withThousands(std::ssize(*level.parts)), sum,
                    capitalized(std::string(model::heldInWords(config(), !level.reached))));
  }
  if (level.neurons) {
    const model::Writer network{WriterKind::feedForward, level.neurons->layer, -1,
                                level.reading.stack};
    return trFormat("{} at {}: activation × what each of {} neurons writes{}, {}.",
                    capitalized(model::inWords(network, config())), place,
                    withThousands(std::ssize(level.neurons->neurons)),
                    level.neurons->bias == 0.0
                        ? std::string()
                        : trFormat(", and biases {}", changeInWords(level.neurons->bias)),
                    sum);
  }
  return trFormat("{} at {}: weight × value of each token, {}.",
                  headInWords(level.reading.stack, level.sources->head, true), place, sum);
}

std::string WhyWords::neuronInWords(const WhyLevel& level, const std::string& shares) const {
  const model::PreActivation& neuron = *level.neuron;
  std::string words = trFormat(
      "The pre-activation of {} at {}: {} parts, sum {:+.4f} = {:+.4f}. Patterns and norms are "
      "held.",
      model::inWords(neuron), placeInWords(level.reading.place, level.reading.stack),
      withThousands(std::ssize(*level.parts)), level.sum, level.value);
  if (neuron.other) {
    const bool ofGate = neuron.of.side == model::NeuronSide::gate;
    words += trFormat(" act(gate) · up: the {} is {}, the {} {}.", ofGate ? "gate" : "up",
                      neuron.chosen ? tr("read as chosen") : tr("larger product"),
                      ofGate ? "up" : "gate", changeInWords(*neuron.other));
  }
  return shares.empty() ? words : trFormat("{} This neuron gives {}.", words, shares);
}

std::string WhyWords::withoutInWords(const FoundWhy& found, std::size_t i,
                                     const model::WithoutParts& without) const {
  const WhyLevel& level = found.levels[i];
  const bool followed = level.score && i < found.steps.size();
  const model::WithoutWriter* gone = followed           ? withoutFollowed(without, found.steps[i])
                                     : without.followed ? &*without.followed
                                                        : nullptr;
  if (gone == nullptr) return {};
  return trFormat("without {}{}: {} held, {} run again", model::inWords(gone->writer, config()),
                  !followed                 ? ""
                  : found.steps[i].alongKey ? tr(" in the key")
                                            : tr(" in the query"),
                  changeInWords(gone->frozen), changeInWords(gone->total));
}

/// " “1·4” stands for layer 1, head 4.", of the first head among the writers; empty: there is none.
std::string WhyWords::shortNameInWords(const ScoreParts& score) const {
  for (const std::vector<Writer>* writers : {&score.keys, &score.queries}) {
    const auto head = std::ranges::find(*writers, WriterKind::head, &Writer::kind);
    if (head == writers->end()) continue;
    return trFormat(" “{}” stands for {}.", shortName(*head, score.key),
                    headInWords(head->stack, {head->layer, head->head}, false));
  }
  return {};
}

std::string WhyWords::scoreInWords(const ScoreParts& score) const {
  const auto sums = contentAndPosition(score);
  const Stack keys = model::keysOf(*moment_->trace, score.stack, score.head.layer);
  return trFormat(
      "{} scores {:+.3f} from {} to {}: the sum over what wrote into the query "
      "(rows) × what wrote into the key (columns){}, {:+.3f}{}.{}",
      headInWords(score.stack, score.head, true), score.score,
      placeInWords(score.query, score.stack), placeInWords(score.key, keys),
      score.bias == 0.0 ? std::string() : trFormat(", {:+.3f} for the places", score.bias),
      score.sum,
      sums ? trFormat("; content {:+.3f}, with position {:+.3f}", sums->content,
                      sums->mixed + sums->position)
           : "",
      shortNameInWords(score));
}

std::optional<WhyStep> WhyWords::stepOf(const Writer& query, const Writer& key, bool ofQuery) {
  const bool first = model::canBeFollowed(query), second = model::canBeFollowed(key);
  if (!first && !second) return std::nullopt;
  return WhyStep{.kind = WhyStep::Kind::entry,
                 .query = query,
                 .key = key,
                 .alongKey = second && !(ofQuery && first)};
}

std::vector<PartLine> WhyWords::linesOf(const std::vector<WrittenPart>& side, Index place) const {
  std::vector<PartLine> lines;
  for (const WrittenPart& part : side) {
    PartLine line{model::inWords(part, config()), part.value};
    line.writer = part;
    if (part.kind == WriterKind::token) {
      line.name = fmt::format("“{}” itself", token(place, part.stack));
      line.place = place;
    }
    lines.push_back(std::move(line));
  }
  sortBySize(lines);
  return lines;
}

Index WhyWords::patchOf(const ScoreParts& score, const Writer& query, const Writer& key) const {
  const auto isPatch = [&](const Writer& writer, Index place) {
    return writer.kind == WriterKind::token && pictures_ && pictures_->has(place);
  };
  return isPatch(key, score.key) ? score.key : isPatch(query, score.query) ? score.query : -1;
}

std::vector<PartLine> WhyWords::linesOf(const WhyLevel& level, const WhyClicks& clicks) const {
  std::vector<PartLine> lines;
  if (level.parts) {
    lines = linesOf(*level.parts, level.reading.place);
    for (PartLine& line : lines) {
      const bool network = line.writer->kind == WriterKind::feedForward;
      if (!model::canBeFollowed(*line.writer)) continue;
      line.follows = WhyStep{.kind = network ? WhyStep::Kind::network : WhyStep::Kind::head,
                             .head = {line.writer->layer, network ? 0 : line.writer->head}};
    }
    return lines;
  }
  if (level.sources) {
    for (std::size_t i = 0; i < level.sources->values.size(); ++i) {
      if (level.sources->weights[i] == 0.0) continue;  // masked
      const auto kind = clicks.values ? WhyStep::Kind::value : WhyStep::Kind::score;
      const auto place = static_cast<Index>(i);
      lines.push_back({placeInWords(place, level.sources->tokens),
                       level.sources->values[i],
                       level.sources->weights[i],
                       WhyStep{.kind = kind, .source = place},
                       {},
                       place});
    }
  } else if (level.neurons) {
    for (const model::Neuron& neuron : level.neurons->neurons) {
      const model::AskedNeuron asked{level.neurons->layer, neuron.expert, neuron.number};
      lines.push_back({model::inWords(neuron), neuron.value, neuron.activation,
                       WhyStep{.kind = WhyStep::Kind::neuron, .neuron = asked}});
    }
  } else {
    const ScoreParts& score = *level.score;
    for (std::size_t i = 0; i < score.queries.size(); ++i) {
      for (std::size_t j = 0; j < score.keys.size(); ++j) {
        const Writer &query = score.queries[i], &key = score.keys[j];
        PartLine line{
            fmt::format("{} × {}", shortName(query, score.query), shortName(key, score.key)),
            score.values(static_cast<Index>(i), static_cast<Index>(j))};
        line.place = patchOf(score, query, key);
        line.follows = stepOf(query, key, clicks.ofQuery);
        line.pair = WriterPair{query, key};
        lines.push_back(std::move(line));
      }
    }
  }
  sortBySize(lines);
  return lines;
}

}  // namespace headscope::ui
