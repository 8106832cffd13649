#include "core/model/logit_parts.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <numeric>

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

}  // namespace

LogitReading logitReading(const ModelTrace& trace, Index row, Index word,
                          std::optional<Index> other) {
  requireWord(trace, row, word);
  if (other) requireWord(trace, row, *other);
  const ModelConfig& c = trace.config();
  const auto readout = trace.document().model->readout();
  if (!c.preNorm) {
    throw UserError(
        fmt::format("{} normalises after each sum, so its last hidden state is not a sum of the "
                    "outputs of heads and networks: direct attribution needs a model that "
                    "normalises before each half layer (GPT-2, Llama)",
                    trace.document().model->name()));
  }
  requireOnePlace(trace);
  if (!readout->transformNorm.gain.empty()) {
    throw UserError(
        fmt::format("{} predicts through a further layer with a norm (a masked-word head), so its "
                    "logits are not sums of the outputs of heads and networks: direct attribution "
                    "needs a model that predicts the next token (GPT-2, Llama)",
                    trace.document().model->name()));
  }
  RowVectorXd read = readBy(*readout, c, word);
  if (other) read -= readBy(*readout, c, *other);
  LogitReading found{{c.layers, row, {read.data(), read.data() + read.size()}, 0.0}, 0.0, 0.0};
  const FrozenNorm norm(trace.hidden(2 * c.layers).matrix({0}).row(row), readout->norm, c);
  norm.pullBack(found.stream.along);
  for (std::size_t j = 0; j < norm.bias().size(); ++j) {
    found.normBias += read[static_cast<Index>(j)] * norm.bias()[j];
  }
  if (!readout->bias.empty()) {
    const float* bias = readout->bias.data();
    found.readoutBias = c.logitFactor * (static_cast<double>(bias[word]) -
                                         (other ? static_cast<double>(bias[*other]) : 0.0));
  }
  return found;
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
  const LogitReading reading = logitReading(trace, row, word, other);
  LogitParts found;
  found.parts = partsOf(trace, reading.stream, execution);
  if (execution.stop()) return std::nullopt;
  if (found.parts.front().value == 0.0) found.parts.erase(found.parts.begin());  // no biases
  if (reading.normBias != 0.0) found.parts.push_back({{WriterKind::normBias}, reading.normBias});
  if (reading.readoutBias != 0.0) {
    found.parts.push_back({{WriterKind::readoutBias}, reading.readoutBias});
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
