#include "core/model/logit_parts.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/error.h"
#include "core/model/frozen_norm.h"
#include "core/model/said_word.h"

namespace headscope::model {
namespace {

using Eigen::RowVectorXd;

std::vector<float> rowOf(const StoredMatrix& matrix, Index row) {
  std::vector<float> values(static_cast<std::size_t>(matrix.cols()));
  matrix.copyRow(row, values.data());
  return values;
}

/// A word's row of the readout as it reads the normalised stream: (D).
RowVectorXd readBy(const Readout& readout, const ModelConfig& c, Index word) {
  using Floats = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const std::vector<float> row = rowOf(readout.decoder, word);
  RowVectorXd read =
      Eigen::Map<const Eigen::RowVectorXf>(row.data(), std::ssize(row)).cast<double>();
  if (!readout.transform.empty()) {  // through the projection to a narrower embedding
    read = read * Eigen::Map<const Floats>(readout.transform.data(), std::ssize(row), c.dModel)
                      .cast<double>();
  }
  return read * c.logitFactor;
}

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
  const auto readout = trace.document().model->readout();
  const bool furtherNorm = !readout->transformNorm.gain.empty();
  if (!c.preNorm && furtherNorm) {
    throw UserError(
        fmt::format("{} normalises after each sum, so its last hidden state is not a sum of the "
                    "outputs of heads and networks: direct attribution needs a model that "
                    "normalises before each half layer (GPT-2, Llama)",
                    trace.document().model->name()));
  }
  if (furtherNorm) {
    throw UserError(
        fmt::format("{} predicts through a further layer with a norm (a masked-word head), so its "
                    "logits are not sums of the outputs of heads and networks: direct attribution "
                    "needs a model that predicts the next token (GPT-2, Llama)",
                    trace.document().model->name()));
  }
  RowVectorXd read = readBy(*readout, c, word);
  if (other) read -= readBy(*readout, c, *other);
  std::vector<LogitReading> readings;
  for (const auto& [place, column, share] : readPlaces(c, row, trace.tokens())) {
    const RowVectorXd own = share * read.segment(column, c.dModel);
    LogitReading found{{c.layers, place, {own.data(), own.data() + own.size()}, 0.0}, 0.0, 0.0};
    const FrozenNorm norm(trace.hidden(2 * c.layers).matrix({0}).row(place), readout->norm, c);
    norm.pullBack(found.stream.along);
    for (std::size_t j = 0; j < norm.bias().size(); ++j) {
      found.normBias += own[static_cast<Index>(j)] * norm.bias()[j];
    }
    readings.push_back(std::move(found));
  }
  if (!readout->bias.empty()) {
    const float* bias = readout->bias.data();
    readings.front().readoutBias =
        c.logitFactor *
        (static_cast<double>(bias[word]) - (other ? static_cast<double>(bias[*other]) : 0.0));
  }
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

DirectPath::DirectPath(const ModelTrace& trace, Index row, Index word, std::optional<Index> other)
    : trace_(trace), reading_(logitReading(trace, row, word, other)) {}

bool DirectPath::exists(const Model& model) {
  const ModelConfig& c = model.config();
  return c.preNorm && model.hasReadout() && c.readoutWidth() <= c.dModel &&
         model.readout()->transformNorm.gain.empty();
}

std::string_view DirectPath::whyNone(const Model& model) {
  const ModelConfig& c = model.config();
  if (!c.preNorm) return "norms follow the sums in this model";
  return c.readoutWidth() > c.dModel ? "this model reads its labels from several tokens"
                                     : "this model predicts through a further layer with a norm";
}

namespace {

double alongChange(const std::vector<double>& direction, std::span<const float> change) {
  return std::inner_product(direction.begin(), direction.end(), change.begin(), 0.0);
}

}  // namespace

double DirectPath::ofStream(std::span<const float> change) const {
  return alongChange(reading_.stream.along, change);
}

double DirectPath::ofHead(HeadOfLayer head, std::span<const float> change) const {
  return alongChange(throughHeadOutput(trace_, head, reading_.stream.place, reading_.stream.along),
                     change);
}

}  // namespace headscope::model
