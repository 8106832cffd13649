#include "core/model/score_parts.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <utility>

#include "core/attention/config.h"
#include "core/attention/rotary_row.h"
#include "core/attention/steps/score_rows.h"
#include "core/base/error.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/model/frozen_norm.h"

namespace headscope::model {
namespace {

using Eigen::RowVectorXd;
using FloatRows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using DoubleRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Norms over parts and directions.
void applyNorm(const FrozenNorm& norm, DoubleRows& rows) {
  norm.apply({rows.data(), static_cast<std::size_t>(rows.size())});
}
void addNormBias(const FrozenNorm& norm, DoubleRows& rows) {
  for (std::size_t j = 0; j < norm.bias().size(); ++j) {
    rows(0, static_cast<Index>(j)) += norm.bias()[j];
  }
}
void pullBackNorm(const FrozenNorm& norm, RowVectorXd& along) {
  norm.pullBack({along.data(), static_cast<std::size_t>(along.size())});
}
DoubleRows rowsFrom(const Matrix64& matrix) {
  return Eigen::Map<const DoubleRows>(matrix.values.data(), matrix.rows, matrix.cols);
}
std::vector<double> plainVector(const RowVectorXd& vector) {
  return {vector.data(), vector.data() + vector.size()};
}

RowVectorXd vectorOf(const float* numbers, Index count) {
  return Eigen::Map<const Eigen::RowVectorXf>(numbers, count).cast<double>();
}

/// A linear map y = x · matrixᵀ + bias between steps of a layer.
struct LinearPart {
  DoubleRows matrix;  // (out, in)
  RowVectorXd bias;

  static LinearPart of(const Tensor& weight, const Tensor& bias) {
    return rowsOf(weight, bias, 0, weight.dim(0));
  }
  static LinearPart rowsOf(const Tensor& weight, const Tensor& bias, Index first, Index count) {
    LinearPart part;
    part.matrix =
        Eigen::Map<const FloatRows>(weight.data() + first * weight.dim(1), count, weight.dim(1))
            .cast<double>();
    part.bias = bias.empty() ? RowVectorXd::Zero(count) : vectorOf(bias.data() + first, count);
    return part;
  }
  /// Applies it to parts whose first row holds the constants.
  void apply(DoubleRows& parts) const {
    parts = (parts * matrix.transpose()).eval();
    parts.row(0) += bias;
  }
};

/// One side of a head (its queries, keys or values) at a place as a linear function of the stream
/// that enters the layer there.
class HeadSide {
 public:
  enum class Side { query, key, value };

  HeadSide(const ModelTrace& trace, HeadOfLayer head, Index place, Side side)
      : trace_(trace),
        attention_(trace.layer(head.layer)),
        head_(head),
        place_(place),
        side_(side) {
    const AttentionConfig& c = attention_->config();
    if (c.mistakes.reshapeWithoutTranspose || c.mistakes.sharedHead) {
      throw UserError(
          fmt::format("layer {} has a planted mistake, with which a score is no sum of its parts: "
                      "switch the mistake off",
                      head.layer + 1));
    }
    const Weights& w = attention_->document().weights;
    const bool ofQuery = side == Side::query;
    own_ = ofQuery ? head.head : c.kvHead(head.head);
    projection_ = LinearPart::rowsOf(ofQuery             ? w.wQ
                                     : side == Side::key ? w.wK
                                                         : w.wV,
                                     !c.bias             ? Tensor()
                                     : ofQuery           ? w.bQ
                                     : side == Side::key ? w.bK
                                                         : w.bV,
                                     own_ * c.dK(), c.dK());
  }

  /// The parts of the head's vector, (writers, d_k), from those of the stream.
  DoubleRows apply(DoubleRows parts) const {
    intoAttention(parts);
    projection_.apply(parts);
    if (side_ == Side::value) return parts;
    if (attention_->config().headNorm.on()) applyNorm(headNorm(), parts);
    rotate(parts, 1.0);
    return parts;
  }

  /// A direction in the head's vector as a reading of the stream.
  StreamReading pullBack(RowVectorXd along) const {
    // the constants are what the map makes of no stream at all
    DoubleRows constants = DoubleRows::Zero(1, trace_.config().dModel);
    StreamReading reading{head_.layer, place_, {}, 0.0};
    reading.constant = apply(constants).row(0).dot(along);
    if (side_ != Side::value) {
      DoubleRows row = along;
      rotate(row, -1.0);
      along = row.row(0);
      if (attention_->config().headNorm.on()) pullBackNorm(headNorm(), along);
    }
    along = along * projection_.matrix;
    reading.along = plainVector(outOfAttention(std::move(along)));
    return reading;
  }

 private:
  std::span<const float> streamRow() const {
    return trace_.hidden(2 * head_.layer).matrix({0}).row(place_);
  }
  LayerWeightsPtr weights() const { return trace_.document().model->layer(head_.layer); }

  FrozenNorm inputNorm() const {
    const ModelConfig& c = trace_.config();
    return c.preNorm ? FrozenNorm(streamRow(), weights()->attentionNorm, c) : FrozenNorm();
  }

  /// The maps from the normalised stream to the narrow vectors of latent attention, which stand
  /// side by side in the layer's X: queries, keys and values, the shared key.
  struct LatentMaps {
    std::optional<LinearPart> queries;  // none: the normalised stream itself
    FrozenNorm queriesNorm, keysNorm;
    LinearPart keys;
    Index queriesWidth = 0, keysWidth = 0, rotated = 0;
  };
  LatentMaps latentMaps() const {
    const ModelConfig& c = trace_.config();
    const LatentWeights& w = weights()->latent;
    DoubleRows x = RowVectorXd(vectorOf(streamRow().data(), c.dModel));
    const FrozenNorm norm = inputNorm();
    applyNorm(norm, x);
    addNormBias(norm, x);
    const auto frozen = [&](const DoubleRows& row, const NormWeights& gains) {
      const Eigen::RowVectorXf floats = row.row(0).cast<float>();
      return FrozenNorm({floats.data(), static_cast<std::size_t>(floats.size())}, gains, false,
                        c.latent.epsilon);
    };
    LatentMaps maps;
    maps.queriesWidth = c.dModel;
    if (!w.queries.empty()) {
      maps.queries = LinearPart::of(w.queries, w.queriesBias);
      DoubleRows row = x;
      maps.queries->apply(row);
      maps.queriesNorm = frozen(row, w.queriesNorm);
      maps.queriesWidth = row.cols();
    }
    maps.keys = LinearPart::of(w.keys, w.keysBias);
    DoubleRows row = x;
    maps.keys.apply(row);
    maps.keysWidth = c.latent.keys;
    maps.rotated = c.latent.rotated;
    maps.keysNorm = frozen(row.leftCols(maps.keysWidth), w.keysNorm);
    return maps;
  }

  /// The parts of X from those of the stream.
  void intoAttention(DoubleRows& parts) const {
    const FrozenNorm norm = inputNorm();
    applyNorm(norm, parts);
    addNormBias(norm, parts);
    if (!trace_.config().latent.on()) return;
    const LatentMaps maps = latentMaps();
    DoubleRows all = DoubleRows::Zero(parts.rows(), trace_.config().attentionWidth());
    DoubleRows queries = parts;
    if (maps.queries) {
      maps.queries->apply(queries);
      applyNorm(maps.queriesNorm, queries);
    }
    DoubleRows keys = parts;
    maps.keys.apply(keys);
    DoubleRows values = keys.leftCols(maps.keysWidth);
    applyNorm(maps.keysNorm, values);
    all.leftCols(maps.queriesWidth) = queries;
    all.middleCols(maps.queriesWidth, maps.keysWidth) = values;
    all.middleCols(maps.queriesWidth + maps.keysWidth, maps.rotated) = keys.rightCols(maps.rotated);
    parts = std::move(all);
  }

  /// A direction in X as one in the stream.
  RowVectorXd outOfAttention(RowVectorXd along) const {
    if (trace_.config().latent.on()) {
      const LatentMaps maps = latentMaps();
      RowVectorXd queries = along.head(maps.queriesWidth);
      if (maps.queries) {
        pullBackNorm(maps.queriesNorm, queries);
        queries = queries * maps.queries->matrix;
      }
      RowVectorXd values = along.segment(maps.queriesWidth, maps.keysWidth);
      pullBackNorm(maps.keysNorm, values);
      RowVectorXd keys(maps.keysWidth + maps.rotated);
      keys << values, along.segment(maps.queriesWidth + maps.keysWidth, maps.rotated);
      along = queries + keys * maps.keys.matrix;
    }
    pullBackNorm(inputNorm(), along);
    return along;
  }

  /// The norm of the head's query or key.
  FrozenNorm headNorm() const {
    const AttentionConfig& c = attention_->config();
    const bool query = side_ == Side::query;
    const std::vector<float>& gains = query ? c.headNorm.q() : c.headNorm.k();
    const Tensor& from = attention_->tensor(query ? TensorId::q : TensorId::k);
    const bool centred = c.headNorm.kind() == HeadNorm::Kind::layer;
    const bool all = c.headNorm.over() == HeadNorm::Over::allHeads;
    if (all && centred) {
      throw UserError(fmt::format(
          "layer {} subtracts the mean over all heads from its queries and keys, which couples "
          "the heads: its scores are not taken apart",
          head_.layer + 1));
    }
    std::vector<float> numbers;
    const Index heads = query ? c.numHeads : c.numKvHeads;
    for (Index head = all ? 0 : own_; head < (all ? heads : own_ + 1); ++head) {
      const auto row = from.matrix({0, head}).row(place_);
      numbers.insert(numbers.end(), row.begin(), row.end());
    }
    const bool shared = std::ssize(gains) == c.dK();
    const std::vector<float> own(gains.begin() + (shared ? 0 : own_ * c.dK()),
                                 gains.begin() + (shared ? 0 : own_ * c.dK()) + c.dK());
    return {numbers, NormWeights{Tensor::fromValues({c.dK()}, own), {}}, centred,
            c.headNorm.epsilon()};
  }

  void rotate(DoubleRows& parts, double direction) const {
    const AttentionConfig& c = attention_->config();
    if (!c.rotary.on()) return;
    const std::vector<double> frequencies = rotaryFrequencies(c.rotary, c.dK());
    const RotaryRow turn(c.rotary, c.dK(), frequencies, place_, direction);
    Eigen::RowVectorXf turned(c.dK());
    for (Index row = 0; row < parts.rows(); ++row) {
      const Eigen::RowVectorXf plain = parts.row(row).cast<float>();
      turn.apply(plain.data(), turned.data());
      parts.row(row) = turned.cast<double>();
    }
  }

  const ModelTrace& trace_;
  TracePtr attention_;
  HeadOfLayer head_;
  Index place_;
  Side side_;
  Index own_ = 0;  // the head within its side
  LinearPart projection_;
};

void requirePlaces(const ModelTrace& trace, HeadOfLayer head, Index query, Index key) {
  const ModelConfig& c = trace.config();
  if (head.layer < 0 || head.layer >= c.layers || head.head < 0 || head.head >= c.heads) {
    throw UserError(fmt::format(
        "there is no layer {}, head {}: {} has the layers 0 to {} with heads 0 to {} each",
        head.layer, head.head, trace.document().model->name(), c.layers - 1, c.heads - 1));
  }
  for (const Index place : {query, key}) {
    if (place >= 0 && place < trace.tokens()) continue;
    throw UserError(fmt::format("there is no token {}: the text has the tokens 0 to {}", place,
                                trace.tokens() - 1));
  }
}

/// Refuses a head whose keys and values are read from the memory.
void requireOwnKeys(const ModelTrace& trace, HeadOfLayer head) {
  if (!trace.config().readsMemory(head.layer)) return;
  throw UserError(fmt::format(
      "the keys and values of {} come from the last state of the encoder of {}, and writers are "
      "told apart within the decoder alone: ask about a head of self-attention",
      trace.config().attentionInWords(head.layer), trace.document().model->name()));
}

/// The query or key of the pass as the scores read it: (d_k).
RowVectorXd scoredRow(const ModelTrace& trace, HeadOfLayer head, Index place, bool query) {
  const TracePtr attention = trace.layer(head.layer);
  const AttentionConfig& c = attention->config();
  const Tensor& rows = attention->tensor(query ? scoredQueries(c) : scoredKeys(c));
  const auto row = rows.matrix({0, query ? head.head : c.kvHead(head.head)}).row(place);
  return vectorOf(row.data(), c.dK());
}

/// The numbers of relative positions that meet a query or a key; empty without.
RowVectorXd relativeTo(const AttentionConfig& c, HeadOfLayer head, Index query, Index key,
                       bool ofQuery) {
  if (!c.relative.on()) return {};
  const Index row = c.relative.rowOf(query - key);
  const float* numbers = ofQuery ? c.relative.positionKey(head.head, row, c.dK())
                                 : c.relative.positionQuery(head.head, row, c.dK());
  return numbers == nullptr ? RowVectorXd() : vectorOf(numbers, c.dK());
}

/// The other side of a score, and its relative position; or only the part of that by a writer.
RowVectorXd metBy(const ModelTrace& trace, HeadOfLayer head, Index query, Index key, bool ofQuery,
                  const std::optional<Writer>& writer) {
  const RowVectorXd relative =
      relativeTo(trace.layer(head.layer)->config(), head, query, key, ofQuery);
  const Index place = ofQuery ? key : query;
  if (!writer) {
    RowVectorXd met = scoredRow(trace, head, place, !ofQuery);
    if (relative.size() > 0) met += relative;
    return met;
  }
  if (writer->kind == WriterKind::relativePosition && relative.size() > 0) return relative;
  const StreamParts parts = streamParts(trace, head.layer, place);
  const auto found = std::ranges::find(parts.writers, *writer);
  if (found == parts.writers.end()) {
    throw UserError(fmt::format("{} writes nothing before layer {}",
                                inWords(*writer, trace.config()), head.layer));
  }
  const auto side = ofQuery ? HeadSide::Side::key : HeadSide::Side::query;
  return HeadSide(trace, head, place, side)
      .apply(rowsFrom(parts.rows))
      .row(found - parts.writers.begin());
}

}  // namespace

ContentAndPosition contentAndPosition(const ScoreParts& score) {
  const auto isPosition = [](const Writer& writer) {
    return writer.kind == WriterKind::position || writer.kind == WriterKind::relativePosition;
  };
  ContentAndPosition sums;
  for (std::size_t i = 0; i < score.queries.size(); ++i) {
    for (std::size_t j = 0; j < score.keys.size(); ++j) {
      const double value = score.values(static_cast<Index>(i), static_cast<Index>(j));
      const bool query = isPosition(score.queries[i]), key = isPosition(score.keys[j]);
      (query && key ? sums.position : query || key ? sums.mixed : sums.content) += value;
    }
  }
  return sums;
}

ScoreParts scoreParts(const ModelTrace& trace, HeadOfLayer head, Index query, Index key,
                      const ExecutionContext& execution) {
  requirePlaces(trace, head, query, key);
  requireOwnKeys(trace, head);
  const TracePtr attention = trace.layer(head.layer);
  const AttentionConfig& c = attention->config();
  StreamParts ofQuery = streamParts(trace, head.layer, query, execution);
  StreamParts ofKey = streamParts(trace, head.layer, key, execution);
  const DoubleRows q =
      HeadSide(trace, head, query, HeadSide::Side::query).apply(rowsFrom(ofQuery.rows));
  const DoubleRows k = HeadSide(trace, head, key, HeadSide::Side::key).apply(rowsFrom(ofKey.rows));
  const auto factor = static_cast<double>(c.scoreMultiplier());
  ScoreParts found{head, query, key, std::move(ofQuery.writers), std::move(ofKey.writers), {}};
  const RowVectorXd ofKeys = relativeTo(c, head, query, key, true);
  const RowVectorXd ofQueries = relativeTo(c, head, query, key, false);
  if (ofKeys.size() > 0) found.keys.push_back({WriterKind::relativePosition});
  if (ofQueries.size() > 0) found.queries.push_back({WriterKind::relativePosition});
  DoubleRows values = DoubleRows::Zero(std::ssize(found.queries), std::ssize(found.keys));
  values.topLeftCorner(q.rows(), k.rows()) = factor * (q * k.transpose());
  if (ofKeys.size() > 0) {
    values.col(k.rows()).head(q.rows()) = factor * (q * ofKeys.transpose());
  }
  if (ofQueries.size() > 0) {
    values.row(q.rows()).head(k.rows()) = factor * (ofQueries * k.transpose());
  }
  found.values = Matrix64(values.rows(), values.cols());
  std::copy_n(values.data(), found.values.values.size(), found.values.values.data());
  found.bias = scoreBias(c, {0, head.head, query, key});
  found.sum = values.sum() + found.bias;
  found.score = factor * static_cast<double>(
                             attention->value({TensorId::rawScores, 0, head.head, query, key})) +
                found.bias;
  return found;
}

StreamReading readingOfQuery(const ModelTrace& trace, HeadOfLayer head, Index query, Index key,
                             const std::optional<Writer>& writer) {
  requirePlaces(trace, head, query, key);
  requireOwnKeys(trace, head);
  const auto factor = static_cast<double>(trace.layer(head.layer)->config().scoreMultiplier());
  return HeadSide(trace, head, query, HeadSide::Side::query)
      .pullBack(factor * metBy(trace, head, query, key, true, writer));
}

StreamReading readingOfKey(const ModelTrace& trace, HeadOfLayer head, Index query, Index key,
                           const std::optional<Writer>& writer) {
  requirePlaces(trace, head, query, key);
  requireOwnKeys(trace, head);
  const auto factor = static_cast<double>(trace.layer(head.layer)->config().scoreMultiplier());
  return HeadSide(trace, head, key, HeadSide::Side::key)
      .pullBack(factor * metBy(trace, head, query, key, false, writer));
}

namespace {

/// A reading as a direction in a head's output at the reading's place: (d_k).
RowVectorXd alongHead(const ModelTrace& trace, const StreamReading& reading, HeadOfLayer head) {
  const std::vector<double> along = throughHeadOutput(
      trace, head, reading.place,
      directionAtAddition(trace, reading.layer, reading.place, reading.along, head.layer, false));
  return Eigen::Map<const RowVectorXd>(along.data(), std::ssize(along));
}

}  // namespace

HeadSources headSources(const ModelTrace& trace, const StreamReading& reading, HeadOfLayer head) {
  requirePlaces(trace, head, reading.place, reading.place);
  const RowVectorXd along = alongHead(trace, reading, head);
  const TracePtr attention = trace.layer(head.layer);
  const AttentionConfig& c = attention->config();
  const auto weights = attention->tensor(TensorId::weights).matrix({0, head.head});
  const auto values = attention->tensor(TensorId::v).matrix({0, c.kvHead(head.head)});
  HeadSources found{head, {}, {}, 0.0};
  for (Index source = 0; source < c.keys(); ++source) {
    const double weight = double{weights(reading.place, source)} * double{c.gain(head.head)};
    found.weights.push_back(weight);
    found.values.push_back(weight * along.dot(vectorOf(values.row(source).data(), c.dK())));
    found.sum += found.values.back();
  }
  return found;
}

StreamReading readingOfValue(const ModelTrace& trace, const StreamReading& reading,
                             HeadOfLayer head, Index source) {
  requireOwnKeys(trace, head);
  requirePlaces(trace, head, reading.place, source);
  const TracePtr attention = trace.layer(head.layer);
  const double weight =
      double{attention->tensor(TensorId::weights).matrix({0, head.head})(reading.place, source)} *
      double{attention->config().gain(head.head)};
  return HeadSide(trace, head, source, HeadSide::Side::value)
      .pullBack(weight * alongHead(trace, reading, head));
}

}  // namespace headscope::model
