#include "core/model/logit_parts.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "core/base/translation.h"
#include "core/model/frozen_readout.h"
#include "core/model/said_word.h"

namespace headscope::model {
namespace {

/// A place whose last state the readout takes: from this column of its rows on, times a share.
struct ReadPlace {
  Index place = 0, column = 0;
  double share = 1.0;
};
std::vector<ReadPlace> readPlaces(const ModelConfig& c, Index row, Index tokens) {
  std::vector<ReadPlace> places{{row, 0, 1.0}};
  if (c.reads == Reads::classAndDistillation) places.push_back({1, c.dModel, 1.0});
  if (c.reads == Reads::classAndMeanPatch) {
    const Index first = c.image.firstPatch();
    const double share = 1.0 / static_cast<double>(tokens - first);
    for (Index place = first; place < tokens; ++place) places.push_back({place, c.dModel, share});
  }
  return places;
}

/// Adds parts to those of the same writers at other places.
void addParts(std::vector<WrittenPart>& to, const std::vector<WrittenPart>& parts) {
  for (const WrittenPart& part : parts) {
    const auto same = std::ranges::find_if(to, [&](const WrittenPart& each) {
      return static_cast<const Writer&>(each) == static_cast<const Writer&>(part);
    });
    if (same != to.end()) {
      same->value += part.value;
    } else {
      to.push_back(part);
    }
  }
}

}  // namespace

std::vector<LogitReading> logitReadings(const ModelTrace& trace, Index row, Index word,
                                        std::optional<Index> other) {
  requireWord(trace, row, word);
  if (other) requireWord(trace, row, *other);
  const ModelConfig& c = trace.config();
  const FrozenReadout readout(trace, row);
  FrozenReadout::Reading read = readout.of(word);
  if (other) {
    const FrozenReadout::Reading less = readout.of(*other);
    std::ranges::transform(read.along, less.along, read.along.begin(), std::minus());
    read.constant -= less.constant;
  }
  std::vector<LogitReading> readings;
  for (const auto& [place, column, share] : readPlaces(c, row, trace.tokens())) {
    const auto first = read.along.begin() + column;
    std::vector<double> own(first, first + c.dModel);
    for (double& along : own) along *= share;
    LogitReading found{{c.layers, place, own, 0.0}, 0.0, 0.0};
    const FrozenNorm norm(trace.hidden(2 * c.layers).matrix({0}).row(place), readout.weights().norm,
                          c);
    norm.pullBack(found.stream.along);
    found.normBias = std::inner_product(norm.bias().begin(), norm.bias().end(), own.begin(), 0.0);
    readings.push_back(std::move(found));
  }
  readings.front().readoutBias = read.constant;
  return readings;
}

LogitReading logitReading(const ModelTrace& trace, Index row, Index word,
                          std::optional<Index> other) {
  requireOnePlace(trace);
  return logitReadings(trace, row, word, other).front();
}

double LogitParts::headPart(Index layer, Index head) const {
  for (const WrittenPart& part : parts) {
    if (part.kind == WriterKind::head && part.layer == layer && part.head == head) {
      return part.value;
    }
  }
  return 0.0;
}

std::optional<LogitParts> logitParts(const ModelTrace& trace, Index row, Index word,
                                     std::optional<Index> other,
                                     const ExecutionContext& execution) {
  LogitParts found;
  LogitReading constants;
  for (const LogitReading& reading : logitReadings(trace, row, word, other)) {
    addParts(found.parts, partsOf(trace, reading.stream, execution));
    constants.normBias += reading.normBias;
    constants.readoutBias += reading.readoutBias;
    if (execution.stop()) return std::nullopt;
  }
  if (found.parts.front().value == 0.0) found.parts.erase(found.parts.begin());  // no biases
  if (constants.normBias != 0.0) {
    found.parts.push_back({{WriterKind::normBias}, constants.normBias});
  }
  if (constants.readoutBias != 0.0) {
    found.parts.push_back({{WriterKind::readoutBias}, constants.readoutBias});
  }
  for (const WrittenPart& part : found.parts) found.sum += part.value;
  const Tensor logits = trace.uncappedLogits(row, execution);
  if (execution.stop()) return std::nullopt;
  found.logit = static_cast<double>(logits.data()[word]) -
                (other ? static_cast<double>(logits.data()[*other]) : 0.0);
  return found;
}

std::string_view heldInWords(const ModelConfig& config, bool ofLogit) {
  return ofLogit && config.readoutActivation != Activation::none
             ? tr("patterns, norms and the masked-word head's activation")
             : tr("patterns and norms");
}

DirectPath::DirectPath(const ModelTrace& trace, Index row, Index word, std::optional<Index> other)
    : trace_(trace), reading_(logitReading(trace, row, word, other)) {
  if (trace.config().preNorm) return;
  StreamReading behind = reading_.stream;
  for (Index layer = trace.layers() - 1; layer >= 0; --layer) {
    along_.push_back(directionAtAddition(trace, behind, layer, true));
    behind.along = directionAtAddition(trace, behind, layer, false);
    behind.layer = layer;
    along_.push_back(behind.along);
  }
  std::ranges::reverse(along_);
}

bool DirectPath::exists(const Model& model) {
  const ModelConfig& c = model.config();
  return model.hasReadout() && c.readoutWidth() <= c.dModel;
}

std::string_view DirectPath::whyNone() {
  return tr("this model reads its labels from several tokens");
}

const std::vector<double>& DirectPath::along(Index layer, bool network) const {
  return along_.empty() ? reading_.stream.along
                        : along_[static_cast<std::size_t>(2 * layer + (network ? 1 : 0))];
}

namespace {

double alongChange(const std::vector<double>& direction, std::span<const float> change) {
  return std::inner_product(direction.begin(), direction.end(), change.begin(), 0.0);
}

}  // namespace

double DirectPath::ofAddition(Index layer, bool network, std::span<const float> change) const {
  return alongChange(along(layer, network), change);
}

double DirectPath::ofHead(HeadOfLayer head, std::span<const float> change) const {
  return alongChange(
      throughHeadOutput(trace_, head, reading_.stream.place, along(head.layer, false)), change);
}

}  // namespace headscope::model
