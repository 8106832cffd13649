#include "core/model/stream_parts.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "core/attention/config.h"
#include "core/attention/switches.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/model/blocks.h"
#include "core/model/frozen_norm.h"
#include "core/model/image_embedding.h"
#include "core/model/steering.h"

namespace headscope::model {
namespace {

using Eigen::RowVectorXd;
using StreamFloats = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using StreamRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

std::span<double> allOf(StreamRows& rows) {
  return {rows.data(), static_cast<std::size_t>(rows.size())};
}
RowVectorXd vectorFrom(const std::vector<double>& numbers) {
  return Eigen::Map<const RowVectorXd>(numbers.data(), std::ssize(numbers));
}

RowVectorXd rowInDouble(const float* row, Index width) {
  return Eigen::Map<const Eigen::RowVectorXf>(row, width).cast<double>();
}
RowVectorXd rowOf(const Tensor& rows, Index place) {
  return rowInDouble(rows.data() + place * rows.dim(2), rows.dim(2));
}
Tensor placeAlone(const Tensor& rows, Index place) {
  return rows.slice(1, place, place + 1).clone();
}

/// The first D coordinates of a row of a layer's attention output; latent attention pads it.
RowVectorXd outputRow(const ModelTrace& trace, Index layer, Index place) {
  const Tensor& output = trace.layer(layer)->tensor(TensorId::output);
  return rowOf(output, place).head(trace.config().dModel);
}

/// The network's addition at one place, where norms follow the sums.
RowVectorXd networkRow(const ModelTrace& trace, Index layer, Index place) {
  const LayerWeightsPtr weights = trace.document().model->layer(layer);
  return rowOf(
      networkAddition(placeAlone(trace.hidden(2 * layer), place),
                      placeAlone(trace.hidden(2 * layer + 1), place), *weights, trace.config(), {}),
      0);
}

FrozenNorm frozen(const RowVectorXd& x, const NormWeights& weights, const ModelConfig& config) {
  const Eigen::RowVectorXf row = x.cast<float>();
  return {{row.data(), static_cast<std::size_t>(row.size())}, weights, config};
}

/// The norm of an attention's output, before it is added.
FrozenNorm outputNorm(const ModelTrace& trace, Index layer, Index place) {
  const LayerWeightsPtr weights = trace.document().model->layer(layer);
  return frozen(outputRow(trace, layer, place), weights->attentionOutputNorm, trace.config());
}
/// The norms of the sums behind a layer's halves.
FrozenNorm normAfterAttention(const ModelTrace& trace, Index layer, Index place) {
  const LayerWeightsPtr weights = trace.document().model->layer(layer);
  return frozen(rowOf(trace.hidden(2 * layer), place) + outputRow(trace, layer, place),
                weights->attentionNorm, trace.config());
}
FrozenNorm normAfterNetwork(const ModelTrace& trace, Index layer, Index place) {
  const LayerWeightsPtr weights = trace.document().model->layer(layer);
  return frozen(rowOf(trace.hidden(2 * layer + 1), place) + networkRow(trace, layer, place),
                weights->feedForwardNorm, trace.config());
}

/// Adds up a stream's parts in the order of the pass; row 0 holds the biases.
class Summing {
 public:
  Summing(const ModelConfig& config, Index layers)
      : rows_(StreamRows::Zero(4 + (layers + 1) * (config.heads + 3), config.embeddingRows())) {
    writers_.push_back({WriterKind::biases});
  }

  void add(const Writer& writer, const RowVectorXd& row) {
    rows_.row(filled()) = row;
    writers_.push_back(writer);
  }
  void addBias(const RowVectorXd& row) {
    if (row.size() > 0) rows_.row(0) += row;
  }
  /// Normalises all that was added so far.
  void normalize(const FrozenNorm& norm) {
    if (!norm.on()) return;
    StreamRows parts = rows_.topRows(filled());
    norm.apply(allOf(parts));
    rows_.topRows(filled()) = parts;
    addBias(vectorFrom(norm.bias()));
  }
  void project(const Tensor& weight, const Tensor& bias) {
    const StreamRows w =
        Eigen::Map<const StreamFloats>(weight.data(), weight.dim(0), weight.dim(1)).cast<double>();
    rows_ = (rows_ * w.transpose()).eval();
    if (!bias.empty()) addBias(rowInDouble(bias.data(), bias.size()));
  }
  RowVectorXd total() const { return rows_.topRows(filled()).colwise().sum(); }
  StreamParts found() const {
    StreamParts parts{writers_, Matrix64(filled(), rows_.cols())};
    std::copy_n(rows_.data(), parts.rows.values.size(), parts.rows.values.data());
    return parts;
  }

 private:
  Index filled() const { return std::ssize(writers_); }

  std::vector<Writer> writers_;
  StreamRows rows_;
};

void addEmbedding(Summing& sum, const ModelTrace& trace, Index place) {
  const ModelConfig& c = trace.config();
  const auto embedding = trace.document().model->embedding();
  const ModelInput& input = trace.document().input;
  const auto at = static_cast<std::size_t>(place);
  const auto rowIn = [](const Tensor& table, Index row) {
    return rowInDouble(table.data() + row * table.dim(1), table.dim(1));
  };
  if (input.pixels != nullptr) {
    const Tensor token = imageTokens(*embedding, c, *input.pixels, place, 1, {});
    sum.add({WriterKind::token}, rowInDouble(token.data(), c.dModel));
    sum.add({WriterKind::position},
            rowIn(imagePositions(*embedding, c, extentOf(*input.pixels)), place));
    return sum.normalize(frozen(sum.total(), embedding->norm, c));
  }
  std::vector<float> token(static_cast<std::size_t>(c.embeddingRows()));
  embedding->tokens.copyRow(input.ids[at], token.data());
  sum.add({WriterKind::token}, c.embeddingFactor * rowInDouble(token.data(), std::ssize(token)));
  if (!embedding->types.empty()) {
    sum.addBias(rowIn(embedding->types, input.types.empty() ? 0 : input.types[at]));
  }
  const bool positions = !embedding->positions.empty();
  const auto addPosition = [&] {
    sum.add({WriterKind::position}, rowIn(embedding->positions, positionRows(c, input.ids)[at]));
  };
  const bool before = positions && embedding->positions.dim(1) == c.embeddingRows();
  if (before) addPosition();
  sum.normalize(frozen(sum.total(), embedding->norm, c));
  if (!embedding->projection.empty()) sum.project(embedding->projection, embedding->projectionBias);
  if (positions && !before) addPosition();
}

void addAttention(Summing& sum, const ModelTrace& trace, Index layer, Index place) {
  const ModelConfig& c = trace.config();
  const TracePtr attention = trace.layer(layer);
  const AttentionConfig& own = attention->config();
  const Weights& weights = attention->document().weights;
  const RowVectorXd concat = rowOf(attention->tensor(TensorId::concat), place);
  const StreamRows wO =
      Eigen::Map<const StreamFloats>(weights.wO.data(), weights.wO.dim(0), weights.wO.dim(1))
          .topRows(c.dModel)
          .cast<double>();
  const bool biased = own.switches->bias && !weights.bO.empty();
  StreamRows added(c.heads + (biased ? 1 : 0), c.dModel);
  for (Index head = 0; head < c.heads; ++head) {
    const Index first = firstColumnOf(TensorId::concat, head, own);
    added.row(head) = concat.segment(first, own.dK()) * wO.middleCols(first, own.dK()).transpose();
  }
  if (biased) added.row(c.heads) = rowInDouble(weights.bO.data(), c.dModel);
  if (c.preNorm) {
    const FrozenNorm norm = outputNorm(trace, layer, place);
    norm.apply(allOf(added));
    added *= c.residualFactor;
    if (!norm.bias().empty()) sum.addBias(c.residualFactor * vectorFrom(norm.bias()));
  }
  for (Index head = 0; head < c.heads; ++head) {
    sum.add({WriterKind::head, layer, head}, added.row(head));
  }
  if (biased) sum.add({WriterKind::attentionBias, layer}, added.row(c.heads));
  if (!c.preNorm) sum.normalize(normAfterAttention(trace, layer, place));
}

void addNetwork(Summing& sum, const ModelTrace& trace, Index layer, Index place) {
  const ModelConfig& c = trace.config();
  if (!c.hasNetwork(layer)) return;
  if (c.preNorm) {
    const RowVectorXd after = rowOf(trace.hidden(2 * layer + 2), place);
    const RowVectorXd added = after - rowOf(trace.hidden(2 * layer + 1), place);
    const std::vector<float> steering = additionAt(trace.document(), layer + 1, place);
    sum.add({WriterKind::feedForward, layer},
            steering.empty() ? added : added - rowInDouble(steering.data(), c.dModel));
    return;
  }
  sum.add({WriterKind::feedForward, layer}, networkRow(trace, layer, place));
  sum.normalize(normAfterNetwork(trace, layer, place));
}

void addSteering(Summing& sum, const ModelTrace& trace, Index layer, Index place) {
  const std::vector<float> steering = additionAt(trace.document(), layer, place);
  if (steering.empty()) return;
  sum.add({WriterKind::steering, layer}, rowInDouble(steering.data(), std::ssize(steering)));
}

}  // namespace

std::string inWords(const Writer& writer, const ModelConfig& config) {
  const bool ofEncoder = writer.stack == Stack::encoder;
  const std::string before = ofEncoder ? "encoder " : "";
  const auto layer = [&] { return layerInWords(config, writer.stack, writer.layer); };
  switch (writer.kind) {
    case WriterKind::token:
      return before + tr("token embedding");
    case WriterKind::position:
      return before + "position";
    case WriterKind::head:
      return trFormat("{}, head {}", layer(), writer.head + 1);
    case WriterKind::attentionBias:
      return layer() + tr(", output bias");
    case WriterKind::feedForward:
      return trFormat("{}layer {}, FFN", before,
                      (ofEncoder ? writer.layer : config.depthOf(writer.layer)) + 1);
    case WriterKind::biases:
      return before + "biases";
    case WriterKind::normBias:
      return tr("final norm's bias");
    case WriterKind::readoutBias:
      return "readout's bias";
    case WriterKind::steering:
      return layer() + ", steering";
    case WriterKind::relativePosition:
      return tr("relative position");
  }
  return {};
}

StreamParts streamParts(const ModelTrace& trace, Index layer, Index place,
                        const ExecutionContext& execution, Stack stack, bool afterAttention) {
  const ModelTrace& pass = passOf(trace, stack);
  Summing sum(pass.config(), layer);
  addEmbedding(sum, pass, place);
  for (Index before = 0; before < layer && !execution.stop(); ++before) {
    addSteering(sum, pass, before, place);
    addAttention(sum, pass, before, place);
    addNetwork(sum, pass, before, place);
  }
  addSteering(sum, pass, layer, place);
  if (afterAttention) addAttention(sum, pass, layer, place);
  StreamParts found = sum.found();
  for (Writer& writer : found.writers) writer.stack = stack;
  return found;
}

std::vector<WrittenPart> partsOf(const ModelTrace& trace, const StreamReading& reading,
                                 const ExecutionContext& execution) {
  const StreamParts stream = streamParts(trace, reading.layer, reading.place, execution,
                                         reading.stack, reading.afterAttention);
  std::vector<WrittenPart> parts;
  for (std::size_t i = 0; i < stream.writers.size(); ++i) {
    const std::span<const double> row = stream.rows.row(static_cast<Index>(i));
    parts.push_back({stream.writers[i],
                     std::inner_product(row.begin(), row.end(), reading.along.begin(), 0.0)});
  }
  parts.front().value += reading.constant;
  return parts;
}

std::vector<double> directionAtAddition(const ModelTrace& pass, const StreamReading& reading,
                                        Index earlier, bool network) {
  std::vector<double> along = reading.along;
  if (pass.config().preNorm) return along;
  const Index place = reading.place;
  if (reading.afterAttention) normAfterAttention(pass, reading.layer, place).pullBack(along);
  for (Index at = reading.layer - 1; at >= earlier; --at) {
    if (pass.config().hasNetwork(at)) normAfterNetwork(pass, at, place).pullBack(along);
    if (at == earlier && network) break;
    normAfterAttention(pass, at, place).pullBack(along);
  }
  return along;
}

std::vector<double> throughHeadOutput(const ModelTrace& trace, HeadOfLayer head, Index place,
                                      std::vector<double> along) {
  const ModelConfig& c = trace.config();
  if (c.preNorm) {
    for (double& u : along) u *= c.residualFactor;
    outputNorm(trace, head.layer, place).pullBack(along);
  }
  const TracePtr attention = trace.layer(head.layer);
  const Tensor& wO = attention->document().weights.wO;
  const Index first = firstColumnOf(TensorId::concat, head.head, attention->config());
  const RowVectorXd through =
      vectorFrom(along) * Eigen::Map<const StreamFloats>(wO.data(), wO.dim(0), wO.dim(1))
                              .topRows(c.dModel)
                              .middleCols(first, attention->config().dK())
                              .cast<double>();
  return {through.data(), through.data() + through.size()};
}

}  // namespace headscope::model
