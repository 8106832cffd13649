#include "core/model/circuits.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/error.h"
#include "core/base/translation.h"
#include "core/tensor/thin_qr.h"

namespace headscope::model {
namespace {

using Columns = Eigen::MatrixXf;
using RowMajorFloats = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Columns columnsOf(const Tensor& matrix) {
  return Eigen::Map<const RowMajorFloats>(matrix.data(), matrix.dim(0), matrix.dim(1));
}
ConstMatrixView viewOf(const Columns& m) { return {m.data(), m.rows(), m.cols(), 1, m.rows()}; }

void requireStreamReaders(const Model& model) {
  if (!model.config().latent.on()) return;
  throw UserError(
      trFormat("the heads of {} read narrow normalised vectors, not the stream (latent "
               "attention), so their circuits are no fixed matrices",
               model.name()));
}

/// The model whose stream the keys and values of a layer read: of cross-attention the encoder.
const Model& readByKeys(const Model& model, Index layer) {
  return model.config().readsMemory(layer) ? *model.encoder() : model;
}

/// The gain of the norm between a stream and what reads it; empty without.
using Gain = Tensor;
Gain gainBefore(const LayerWeights& layer, const ModelConfig& c) {
  return c.preNorm ? layer.attentionNorm.gain : Gain();
}

/// A head's rows of W_Q, W_K or W_V as they read the stream before the norm's division: (d_k, D).
Columns readingRows(const Tensor& weight, Index head, const Gain& gain, const ModelConfig& c) {
  Columns rows = Eigen::Map<const RowMajorFloats>(weight.data() + head * c.headDim * weight.dim(1),
                                                  c.headDim, weight.dim(1));
  if (gain.empty()) return rows;
  rows *= Eigen::Map<const Eigen::VectorXf>(gain.data(), gain.size()).asDiagonal();
  if (!c.rmsNorm) rows.colwise() -= rows.rowwise().mean().eval();
  return rows;
}

/// A head's columns of W_O, behind the norm of the attention's output: (D, d_k).
Columns writingColumns(const LayerWeights& layer, Index head, const ModelConfig& c) {
  const Tensor& wO = layer.attention.wO;
  Columns columns = Eigen::Map<const RowMajorFloats>(wO.data(), wO.dim(0), wO.dim(1))
                        .middleCols(head * c.headDim, c.headDim);
  const Tensor& gain = layer.attentionOutputNorm.gain;
  if (c.preNorm && !gain.empty()) {
    columns =
        (Eigen::Map<const Eigen::VectorXf>(gain.data(), gain.size()).asDiagonal() * columns).eval();
  }
  return columns;
}

/// A product of plain matrices: Eigen compiles one for every kind of view that it is given.
Columns product(const Columns& a, const Columns& b) { return a * b; }

/// The singular value decomposition of a · b for a (m, r) and b (r, n), through r × r.
struct LowRank {
  Eigen::VectorXf values;
  Columns left, right;  // (m, r), (n, r): a · b = left · diag(values) · rightᵀ
};
LowRank decomposed(const Columns& a, const Columns& b) {
  const ThinQr ofA = thinQr(viewOf(a)), ofB = thinQr(viewOf(b).transposed());
  // a square matrix needs no QR decomposition of its own
  const Eigen::JacobiSVD<Columns, Eigen::NoQRPreconditioner> svd(
      product(columnsOf(ofA.r), columnsOf(ofB.r).transpose()),
      Eigen::ComputeFullU | Eigen::ComputeFullV);
  return {svd.singularValues(), product(columnsOf(ofA.q), svd.matrixU()),
          product(columnsOf(ofB.q), svd.matrixV())};
}

/// The two matrices of one head, as products.
struct HeadMatrices {
  Columns queries, keys, values, outputs;
};
HeadMatrices matricesOf(const Model& model, HeadOfLayer head) {
  const ModelConfig& c = model.config();
  const LayerWeightsPtr layer = model.layer(head.layer);
  const Index group = head.head / (c.heads / c.kvHeads);
  const Model& read = readByKeys(model, head.layer);
  const Gain ofQueries = gainBefore(*layer, c);
  const Gain ofKeys = &read == &model ? ofQueries : read.readout()->norm.gain;
  return {readingRows(layer->attention.wQ, head.head, ofQueries, c),
          readingRows(layer->attention.wK, group, ofKeys, c),
          readingRows(layer->attention.wV, group, ofKeys, c), writingColumns(*layer, head.head, c)};
}

/// Rows of the embedding or the unembedding as they meet the stream: (rows, D).
class TokenRows {
 public:
  explicit TokenRows(const Model& model)
      : config_(model.config()), embedding_(model.embedding()), readout_(model.readout()) {}

  Index count() const { return config_.vocabulary; }
  bool hasReadout() const { return readout_ != nullptr && !readout_->decoder.empty(); }

  Columns embedded(Index first, Index rows) const {
    Columns tokens = rowsFrom(embedding_->tokens, first, rows);
    if (embedding_->projection.empty()) return tokens;
    return product(tokens, columnsOf(embedding_->projection).transpose());
  }
  Columns unembedded(Index first, Index rows) const {
    Columns tokens = rowsFrom(readout_->decoder, first, rows);
    if (!readout_->transform.empty()) tokens = product(tokens, columnsOf(readout_->transform));
    const Tensor& gain = readout_->norm.gain;
    if (gain.empty()) return tokens;
    tokens *= Eigen::Map<const Eigen::VectorXf>(gain.data(), gain.size()).asDiagonal();
    if (!config_.rmsNorm) tokens.colwise() -= tokens.rowwise().mean().eval();
    return tokens;
  }

 private:
  static Columns rowsFrom(const StoredMatrix& matrix, Index first, Index rows) {
    std::vector<float> row(static_cast<std::size_t>(matrix.cols()));
    Columns all(rows, matrix.cols());
    for (Index i = 0; i < rows; ++i) {
      matrix.copyRow(first + i, row.data());
      all.row(i) = Eigen::Map<const Eigen::RowVectorXf>(row.data(), matrix.cols());
    }
    return all;
  }

  const ModelConfig& config_;
  std::shared_ptr<const Embedding> embedding_;
  std::shared_ptr<const Readout> readout_;
};

constexpr Index kTokensAtOnce = 1024;

/// W_Eᵀ W_U over all tokens, which are read by `read` and said by `said`: (D, D). Empty where
/// cancelled.
Columns tokensThrough(const TokenRows& read, const TokenRows& said, Index width,
                      const ExecutionContext& execution) {
  Columns sum = Columns::Zero(width, width);
  for (Index first = 0; first < said.count(); first += kTokensAtOnce) {
    if (execution.stop()) return {};
    const Index some = std::min(kTokensAtOnce, said.count() - first);
    sum += product(read.embedded(first, some).transpose(), said.unembedded(first, some));
  }
  return sum;
}

/// W_Eᵀ W_U of a model's own tokens and, where the tokens of its encoder are the same, of those.
struct ThroughTokens {
  Columns own, fromEncoder;

  const Columns& of(const ModelConfig& c, Index layer) const {
    return c.readsMemory(layer) ? fromEncoder : own;
  }
};

/// Returns whether two stacks name their tokens alike: they share the embedding.
bool sameTokens(const Model& a, const Model& b) {
  const StoredMatrix &one = a.embedding()->tokens, &other = b.embedding()->tokens;
  if (one.rows() != other.rows() || one.cols() != other.cols()) return false;
  std::vector<float> row(static_cast<std::size_t>(one.cols())), otherRow(row.size());
  for (Index id = 0; id < one.rows(); ++id) {
    one.copyRow(id, row.data());
    other.copyRow(id, otherRow.data());
    if (row != otherRow) return false;
  }
  return true;
}

/// Empty where the model says no tokens, or none that a product of matrices gives.
ThroughTokens throughTokens(const Model& model, const ExecutionContext& execution) {
  const ModelConfig& c = model.config();
  // patches have no rows of an embedding that a classifier could name
  if (!model.hasReadout() || c.image.on() || !model.readout()->transformNorm.gain.empty())
    return {};
  const TokenRows said(model);
  ThroughTokens through{tokensThrough(said, said, c.dModel, execution), {}};
  if (c.crossAttention && sameTokens(model, *model.encoder())) {
    through.fromEncoder = tokensThrough(TokenRows(*model.encoder()), said, c.dModel, execution);
  }
  return through;
}

double copyingScore(const HeadMatrices& m, const Columns& through) {
  // the eigenvalues of W_U W_O W_V W_E are those of W_V (W_E W_U) W_O
  const Eigen::MatrixXd small = product(product(m.values, through), m.outputs).cast<double>();
  const Eigen::VectorXcd values = Eigen::EigenSolver<Eigen::MatrixXd>(small, false).eigenvalues();
  double real = 0.0, size = 0.0;
  for (const std::complex<double>& value : values) {
    real += value.real();
    size += std::abs(value);
  }
  return size > 0.0 ? real / size : 0.0;
}

std::vector<double> valuesOfRank(const Eigen::VectorXf& values) {
  return {values.data(), values.data() + values.size()};
}

/// The tokens with the largest values, the largest first.
std::vector<DirectionToken> largestTokens(const Eigen::VectorXf& values, Index count) {
  std::vector<Index> order(static_cast<std::size_t>(values.size()));
  std::iota(order.begin(), order.end(), Index{0});
  const auto end = order.begin() + std::min<Index>(count, values.size());
  std::partial_sort(order.begin(), end, order.end(), [&](Index a, Index b) {
    return values[a] != values[b] ? values[a] > values[b] : a < b;
  });
  std::vector<DirectionToken> found;
  for (auto at = order.begin(); at != end; ++at) {
    found.push_back({*at, static_cast<double>(values[*at])});
  }
  return found;
}

/// Both ends of the largest directions; `from` and `to` are (V, directions).
std::vector<TokenDirection> endsOf(const Eigen::VectorXf& values, const Columns& from,
                                   const Columns& to, Index tokens) {
  std::vector<TokenDirection> ends;
  for (Index i = 0; i < from.cols(); ++i) {
    for (const bool positive : {true, false}) {
      const float sign = positive ? 1.0F : -1.0F;
      ends.push_back({static_cast<double>(values[i]), positive,
                      largestTokens(sign * from.col(i), tokens),
                      largestTokens(sign * to.col(i), tokens)});
    }
  }
  return ends;
}

}  // namespace

std::string_view whyNoFixedScores(const ModelConfig& config) {
  if (config.plainScores()) return {};
  if (config.latent.on()) return tr("heads read queries and keys from a latent vector");
  if (config.headNorm.on) return tr("queries and keys are normalised in each head");
  if (config.relative.on()) return tr("scores depend on relative positions");
  return tr("queries and keys are rotated by their positions");
}

std::optional<std::vector<HeadCircuits>> headCircuits(const Model& model,
                                                      const ExecutionContext& execution) {
  requireStreamReaders(model);
  const ModelConfig& c = model.config();
  const ThroughTokens through = throughTokens(model, execution);
  std::vector<HeadCircuits> all(static_cast<std::size_t>(c.layers * c.heads));
  const ScopedThreadLimit threads(threadsFor(kFlopsPerThread * 64, execution.threads));
  for (Index layer = 0; layer < c.layers && !execution.stop(); ++layer) {
    (void)model.layer(layer);  // read once, before the heads share it
    parallelFor(c.heads, execution, [&](Index head) {
      const HeadMatrices m = matricesOf(model, {layer, head});
      HeadCircuits& found = all[static_cast<std::size_t>(layer * c.heads + head)];
      found.head = {layer, head};
      found.qk = valuesOfRank(decomposed(m.queries.transpose(), m.keys).values);
      found.ov = valuesOfRank(decomposed(m.outputs, m.values).values);
      const Columns& tokens = through.of(c, layer);
      if (tokens.size() > 0) found.copying = copyingScore(m, tokens);
    });
  }
  if (execution.stop()) return std::nullopt;
  return all;
}

HeadDirections headDirections(const Model& model, HeadOfLayer head, Index count, Index tokens,
                              const ExecutionContext& execution) {
  requireStreamReaders(model);
  if (model.config().image.on()) {
    throw UserError(
        trFormat("{} reads images: it has no tokens to name the directions of a head by: open a "
                 "model that reads texts",
                 model.name()));
  }
  const ModelConfig& c = model.config();
  if (head.layer < 0 || head.layer >= c.layers || head.head < 0 || head.head >= c.heads) {
    throw UserError(
        trFormat("there is no layer {}, head {}: {} has the layers 0 to {} with heads 0 to {} each",
                 head.layer, head.head, model.name(), c.layers - 1, c.heads - 1));
  }
  const HeadMatrices m = matricesOf(model, head);
  const LowRank qk = decomposed(m.queries.transpose(), m.keys);
  const LowRank ov = decomposed(m.outputs, m.values);
  const Index shown = std::min<Index>(count, qk.values.size());
  const TokenRows own(model), ofKeys(readByKeys(model, head.layer));
  const bool says =
      model.hasReadout() && own.hasReadout() && model.readout()->transformNorm.gain.empty();
  const auto along = [&](const TokenRows& rows, const Columns& directions, bool said) {
    Columns all(rows.count(), shown);
    for (Index first = 0; first < rows.count() && !execution.stop(); first += kTokensAtOnce) {
      const Index some = std::min(kTokensAtOnce, rows.count() - first);
      all.middleRows(first, some) =
          product(said ? rows.unembedded(first, some) : rows.embedded(first, some),
                  directions.leftCols(shown));
    }
    return all;
  };
  HeadDirections found;
  found.qk = endsOf(qk.values, along(own, qk.left, false), along(ofKeys, qk.right, false), tokens);
  if (!says) return found;
  found.ov = endsOf(ov.values, along(ofKeys, ov.right, false), along(own, ov.left, true), tokens);
  return found;
}

}  // namespace headscope::model
