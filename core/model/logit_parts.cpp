#include "core/model/logit_parts.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "core/attention/config.h"
#include "core/base/error.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/model/said_word.h"

namespace headscope::model {
namespace {

using Numbers = std::vector<double>;

double dot(const float* a, const Numbers& b) {
  double total = 0.0;
  for (std::size_t j = 0; j < b.size(); ++j) total += static_cast<double>(a[j]) * b[j];
  return total;
}

/// The logit as a linear function of the residual stream: x · along + the parts of the biases.
struct LogitDirection {
  Numbers along;  // (D)
  double normBias = 0.0, readoutBias = 0.0;
};

std::vector<float> rowOf(const StoredMatrix& matrix, Index row) {
  std::vector<float> values(static_cast<std::size_t>(matrix.cols()));
  matrix.copyRow(row, values.data());
  return values;
}

/// A word's row of the readout as it reads the normalised stream: (D).
Numbers readBy(const Readout& readout, const ModelConfig& c, Index word) {
  const Index width = readout.decoder.cols();
  const std::vector<float> row = rowOf(readout.decoder, word);
  Numbers read(static_cast<std::size_t>(c.dModel), 0.0);
  for (std::size_t j = 0; j < read.size(); ++j) {
    if (readout.transform.empty()) {
      read[j] = static_cast<double>(row[j]);
    } else {  // through the projection to a narrower embedding
      for (Index e = 0; e < width; ++e) {
        read[j] +=
            static_cast<double>(row[static_cast<std::size_t>(e)]) *
            static_cast<double>(readout.transform.data()[e * c.dModel + static_cast<Index>(j)]);
      }
    }
    read[j] *= c.logitFactor;
  }
  return read;
}

LogitDirection directionOf(const ModelTrace& trace, Index row, Index word,
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
  if (!readout->transformNorm.gain.empty()) {
    throw UserError(
        fmt::format("{} predicts through a further layer with a norm (a masked-word head), so its "
                    "logits are not sums of the outputs of heads and networks: direct attribution "
                    "needs a model that predicts the next token (GPT-2, Llama)",
                    trace.document().model->name()));
  }
  const Index width = c.dModel;
  const auto at = [](Index j) { return static_cast<std::size_t>(j); };
  const float* x = trace.hidden(2 * c.layers).data() + row * width;
  const bool norm = !readout->norm.gain.empty();  // a model of attention alone has none
  const bool centred = norm && !c.rmsNorm;
  double scale = 1.0;
  if (norm) {
    double mean = 0.0;
    if (centred) {
      for (Index j = 0; j < width; ++j) mean += static_cast<double>(x[j]);
      mean /= static_cast<double>(width);
    }
    double squares = 0.0;
    for (Index j = 0; j < width; ++j) {
      const double d = static_cast<double>(x[j]) - mean;
      squares += d * d;
    }
    scale = 1.0 / std::sqrt(squares / static_cast<double>(width) + c.normEpsilon);
  }

  Numbers read = readBy(*readout, c, word);
  if (other) {
    const Numbers ofOther = readBy(*readout, c, *other);
    for (std::size_t j = 0; j < read.size(); ++j) read[j] -= ofOther[j];
  }
  LogitDirection direction;
  direction.along.resize(at(width));
  double total = 0.0;
  for (Index j = 0; j < width; ++j) {
    const double reads = read[at(j)];
    const double gain = norm ? static_cast<double>(readout->norm.gain.data()[j]) : 1.0;
    direction.along[at(j)] = reads * gain * scale;
    total += direction.along[at(j)];
    if (readout->norm.bias.empty()) continue;
    direction.normBias += reads * static_cast<double>(readout->norm.bias.data()[j]);
  }
  if (centred) {  // (x − mean) · u is x · (u − the mean of u)
    for (double& u : direction.along) u -= total / static_cast<double>(width);
  }
  if (!readout->bias.empty()) {
    const float* bias = readout->bias.data();
    direction.readoutBias = c.logitFactor * (static_cast<double>(bias[word]) -
                                             (other ? static_cast<double>(bias[*other]) : 0.0));
  }
  return direction;
}

/// The direction in a head's output space, through its columns of W_O: (d_k).
Numbers throughOutput(const Trace& attention, Index head, const Numbers& along) {
  const AttentionConfig& c = attention.config();
  const ConstMatrixView wO = attention.document().weights.wO.matrix();
  const Index first = firstColumnOf(TensorId::concat, head, c);
  Numbers through(static_cast<std::size_t>(c.dK()), 0.0);
  for (Index j = 0; j < std::ssize(along); ++j) {  // latent attention pads the output with zeros
    const double u = along[static_cast<std::size_t>(j)];
    const float* columns = wO.row(j).data() + first;
    for (std::size_t i = 0; i < through.size(); ++i) {
      through[i] += u * static_cast<double>(columns[i]);
    }
  }
  return through;
}

/// A direction in the stream as one in the output of a layer's attention: through the factor of
/// what is added, and through the norm of the output, whose scale stays that of this pass.
Numbers throughOutputNorm(const ModelTrace& trace, Index layer, Index row, Numbers along) {
  const ModelConfig& c = trace.config();
  for (double& u : along) u *= c.residualFactor;
  const LayerWeightsPtr weights = trace.document().model->layer(layer);
  const NormWeights& norm = weights->attentionOutputNorm;
  if (norm.gain.empty()) return along;
  const float* output = trace.layer(layer)->tensor(TensorId::output).matrix({0}).row(row).data();
  const auto width = static_cast<double>(c.dModel);
  double mean = 0.0, squares = 0.0;
  for (Index j = 0; j < c.dModel && !c.rmsNorm; ++j) mean += static_cast<double>(output[j]) / width;
  for (Index j = 0; j < c.dModel; ++j) {
    const double d = static_cast<double>(output[j]) - mean;
    squares += d * d / width;
  }
  const double scale = 1.0 / std::sqrt(squares + c.normEpsilon);
  double total = 0.0;
  for (std::size_t j = 0; j < along.size(); ++j) {
    along[j] *= scale * static_cast<double>(norm.gain.data()[j]);
    total += along[j];
  }
  if (c.rmsNorm) return along;
  for (double& u : along) u -= total / width;
  return along;
}

double partOfHead(const Trace& attention, Index head, Index row, const Numbers& along) {
  const AttentionConfig& c = attention.config();
  const float* gives = attention.tensor(TensorId::concat).matrix({0}).row(row).data() +
                       firstColumnOf(TensorId::concat, head, c);
  return dot(gives, throughOutput(attention, head, along));
}

/// The component along a direction that a half layer added to the stream at a token.
double added(const ModelTrace& trace, Index half, Index row, const Numbers& along) {
  const Index at = row * trace.config().dModel;
  return dot(trace.hidden(half + 1).data() + at, along) -
         dot(trace.hidden(half).data() + at, along);
}

}  // namespace

std::string inWords(const LogitPart& part) {
  switch (part.kind) {
    case LogitPartKind::token:
      return "token embedding";
    case LogitPartKind::position:
      return "position";
    case LogitPartKind::head:
      return fmt::format("layer {}, head {}", part.layer + 1, part.head + 1);
    case LogitPartKind::attentionBias:
      return fmt::format("layer {}, output bias", part.layer + 1);
    case LogitPartKind::feedForward:
      return fmt::format("layer {}, FFN", part.layer + 1);
    case LogitPartKind::normBias:
      return "final norm's bias";
    case LogitPartKind::readoutBias:
      return "readout's bias";
  }
  return {};
}

double LogitParts::headPart(Index layer, Index head) const {
  for (const LogitPart& part : parts) {
    if (part.kind == LogitPartKind::head && part.layer == layer && part.head == head) {
      return part.value;
    }
  }
  return 0.0;
}

std::optional<LogitParts> logitParts(const ModelTrace& trace, Index row, Index word,
                                     std::optional<Index> other,
                                     const ExecutionContext& execution) {
  const LogitDirection direction = directionOf(trace, row, word, other);
  const Numbers& along = direction.along;
  const ModelConfig& c = trace.config();
  const auto embedding = trace.document().model->embedding();
  LogitParts found;
  const auto add = [&](LogitPartKind kind, double value, Index layer = -1, Index head = -1) {
    found.parts.push_back({kind, layer, head, value});
    found.sum += value;
  };
  const Index id = trace.document().input.ids[static_cast<std::size_t>(row)];
  const double both = dot(trace.hidden(0).data() + row * c.dModel, along);
  // behind a norm or a projection the embedding is no sum of a token's part and a position's
  if (embedding->positions.empty() || !embedding->norm.gain.empty() ||
      !embedding->projection.empty()) {
    add(LogitPartKind::token, both);
  } else {
    const double token = c.embeddingFactor * dot(rowOf(embedding->tokens, id).data(), along);
    add(LogitPartKind::token, token);
    add(LogitPartKind::position, both - token);
  }
  for (Index layer = 0; layer < c.layers; ++layer) {
    if (execution.stop()) return std::nullopt;
    const TracePtr attention = trace.layer(layer);
    const Numbers inOutput = throughOutputNorm(trace, layer, row, along);
    for (Index head = 0; head < c.heads; ++head) {
      add(LogitPartKind::head, partOfHead(*attention, head, row, inOutput), layer, head);
    }
    if (attention->config().bias && !attention->document().weights.bO.empty()) {
      add(LogitPartKind::attentionBias, dot(attention->document().weights.bO.data(), inOutput),
          layer);
    }
    if (c.attentionOnly) continue;
    add(LogitPartKind::feedForward, added(trace, 2 * layer + 1, row, along), layer);
  }
  if (direction.normBias != 0.0) add(LogitPartKind::normBias, direction.normBias);
  if (direction.readoutBias != 0.0) add(LogitPartKind::readoutBias, direction.readoutBias);

  const Tensor logits = trace.uncappedLogits(row, execution);
  if (execution.stop()) return std::nullopt;
  found.logit = static_cast<double>(logits.data()[word]) -
                (other ? static_cast<double>(logits.data()[*other]) : 0.0);
  return found;
}

double directEffect(const ModelTrace& before, const ModelTrace& after, HeadOfLayer head, Index row,
                    Index word, std::optional<Index> other) {
  const LogitDirection direction = directionOf(before, row, word, other);
  const Numbers along = throughOutputNorm(before, head.layer, row, direction.along);
  return partOfHead(*after.layer(head.layer), head.head, row, along) -
         partOfHead(*before.layer(head.layer), head.head, row, along);
}

}  // namespace headscope::model
