#include "core/model/head_side.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <optional>
#include <utility>

#include "core/attention/config.h"
#include "core/attention/rotary_row.h"
#include "core/attention/switches.h"
#include "core/base/error.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/model/frozen_norm.h"

namespace headscope::model {
namespace {

using SideFloats = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using SideRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Norms over parts and directions.
void applyNorm(const FrozenNorm& norm, SideRows& rows) {
  norm.apply({rows.data(), static_cast<std::size_t>(rows.size())});
}
void addNormBias(const FrozenNorm& norm, SideRows& rows) {
  for (std::size_t j = 0; j < norm.bias().size(); ++j) {
    rows(0, static_cast<Index>(j)) += norm.bias()[j];
  }
}
void pullBackNorm(const FrozenNorm& norm, Eigen::RowVectorXd& along) {
  norm.pullBack({along.data(), static_cast<std::size_t>(along.size())});
}
Eigen::RowVectorXd sideVector(const float* numbers, Index count) {
  return Eigen::Map<const Eigen::RowVectorXf>(numbers, count).cast<double>();
}

/// A linear map y = x · matrixᵀ + bias between steps of a layer.
struct LinearPart {
  SideRows matrix;  // (out, in)
  Eigen::RowVectorXd bias;

  static LinearPart of(const Tensor& weight, const Tensor& bias) {
    return rowsOf(weight, bias, 0, weight.dim(0));
  }
  static LinearPart rowsOf(const Tensor& weight, const Tensor& bias, Index first, Index count) {
    LinearPart part;
    part.matrix =
        Eigen::Map<const SideFloats>(weight.data() + first * weight.dim(1), count, weight.dim(1))
            .cast<double>();
    part.bias =
        bias.empty() ? Eigen::RowVectorXd::Zero(count) : sideVector(bias.data() + first, count);
    return part;
  }
  /// Applies it to parts whose first row holds the constants.
  void apply(SideRows& parts) const {
    parts = (parts * matrix.transpose()).eval();
    parts.row(0) += bias;
  }
};

/// One side of a head at a place as a linear function of the stream that it reads.
class SideOfHead {
 public:
  SideOfHead(const ModelTrace& trace, const HeadSide& of)
      : of_(of),
        trace_(passOf(trace, of.stack)),
        source_(passOf(trace, sourceOf(trace, of))),
        attention_(trace_.layer(of.head.layer)) {
    const AttentionConfig& c = attention_->config();
    if (c.mistakes.reshapeWithoutTranspose || c.mistakes.sharedHead) {
      throw UserError(
          trFormat("layer {} has a planted mistake, with which a score is no sum of its parts: "
                   "switch the mistake off",
                   of_.head.layer + 1));
    }
    const Weights& w = attention_->document().weights;
    const bool ofQuery = of_.side == Side::query;
    own_ = ofQuery ? of_.head.head : c.kvHead(of_.head.head);
    projection_ = LinearPart::rowsOf(ofQuery                 ? w.wQ
                                     : of_.side == Side::key ? w.wK
                                                             : w.wV,
                                     !c.switches->bias       ? Tensor()
                                     : ofQuery               ? w.bQ
                                     : of_.side == Side::key ? w.bK
                                                             : w.bV,
                                     own_ * c.dK(), c.dK());
  }

  /// The parts of the head's vector, (writers, d_k), from those of the stream.
  SideRows apply(SideRows parts) const {
    intoAttention(parts);
    projection_.apply(parts);
    if (of_.side == Side::value) return parts;
    if (attention_->config().headNorm.on()) applyNorm(headNorm(), parts);
    rotate(parts, 1.0);
    return parts;
  }

  /// A direction in the head's vector as a reading of the stream.
  StreamReading pullBack(Eigen::RowVectorXd along) const {
    // the constants are what the map makes of no stream at all
    SideRows constants = SideRows::Zero(1, source_.config().dModel);
    StreamReading reading{layerRead(), of_.place, {}, 0.0, ofMemory() ? Stack::encoder : of_.stack};
    reading.constant = apply(constants).row(0).dot(along);
    if (of_.side != Side::value) {
      SideRows row = along;
      rotate(row, -1.0);
      along = row.row(0);
      if (attention_->config().headNorm.on()) pullBackNorm(headNorm(), along);
    }
    along = along * projection_.matrix;
    along = outOfAttention(std::move(along));
    reading.along.assign(along.data(), along.data() + along.size());
    return reading;
  }

 private:
  /// Returns whether the side reads the encoder's last state.
  bool ofMemory() const { return &source_ != &trace_; }
  /// The layer that the stream it reads enters.
  Index layerRead() const { return ofMemory() ? source_.layers() : of_.head.layer; }
  std::span<const float> streamRow() const {
    return source_.hidden(2 * layerRead()).matrix({0}).row(of_.place);
  }
  LayerWeightsPtr weights() const { return trace_.document().model->layer(of_.head.layer); }

  /// The norm between the stream and the projection: the layer's, or the encoder's last one.
  FrozenNorm inputNorm() const {
    const ModelConfig& c = source_.config();
    if (ofMemory()) return {streamRow(), source_.document().model->readout()->norm, c};
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
    SideRows x = Eigen::RowVectorXd(sideVector(streamRow().data(), c.dModel));
    const FrozenNorm norm = inputNorm();
    applyNorm(norm, x);
    addNormBias(norm, x);
    const auto frozen = [&](const SideRows& row, const NormWeights& gains) {
      const Eigen::RowVectorXf floats = row.row(0).cast<float>();
      return FrozenNorm({floats.data(), static_cast<std::size_t>(floats.size())}, gains, false,
                        c.latent.epsilon);
    };
    LatentMaps maps;
    maps.queriesWidth = c.dModel;
    if (!w.queries.empty()) {
      maps.queries = LinearPart::of(w.queries, w.queriesBias);
      SideRows row = x;
      maps.queries->apply(row);
      maps.queriesNorm = frozen(row, w.queriesNorm);
      maps.queriesWidth = row.cols();
    }
    maps.keys = LinearPart::of(w.keys, w.keysBias);
    SideRows row = x;
    maps.keys.apply(row);
    maps.keysWidth = c.latent.keys;
    maps.rotated = c.latent.rotated;
    maps.keysNorm = frozen(row.leftCols(maps.keysWidth), w.keysNorm);
    return maps;
  }

  /// The parts of X from those of the stream.
  void intoAttention(SideRows& parts) const {
    const FrozenNorm norm = inputNorm();
    applyNorm(norm, parts);
    addNormBias(norm, parts);
    if (!trace_.config().latent.on()) return;
    const LatentMaps maps = latentMaps();
    SideRows all = SideRows::Zero(parts.rows(), trace_.config().attentionWidth());
    SideRows queries = parts;
    if (maps.queries) {
      maps.queries->apply(queries);
      applyNorm(maps.queriesNorm, queries);
    }
    SideRows keys = parts;
    maps.keys.apply(keys);
    SideRows values = keys.leftCols(maps.keysWidth);
    applyNorm(maps.keysNorm, values);
    all.leftCols(maps.queriesWidth) = queries;
    all.middleCols(maps.queriesWidth, maps.keysWidth) = values;
    all.middleCols(maps.queriesWidth + maps.keysWidth, maps.rotated) = keys.rightCols(maps.rotated);
    parts = std::move(all);
  }

  /// A direction in X as one in the stream.
  Eigen::RowVectorXd outOfAttention(Eigen::RowVectorXd along) const {
    if (trace_.config().latent.on()) {
      const LatentMaps maps = latentMaps();
      Eigen::RowVectorXd queries = along.head(maps.queriesWidth);
      if (maps.queries) {
        pullBackNorm(maps.queriesNorm, queries);
        queries = queries * maps.queries->matrix;
      }
      Eigen::RowVectorXd values = along.segment(maps.queriesWidth, maps.keysWidth);
      pullBackNorm(maps.keysNorm, values);
      Eigen::RowVectorXd keys(maps.keysWidth + maps.rotated);
      keys << values, along.segment(maps.queriesWidth + maps.keysWidth, maps.rotated);
      along = queries + keys * maps.keys.matrix;
    }
    pullBackNorm(inputNorm(), along);
    return along;
  }

  /// The norm of the head's query or key.
  FrozenNorm headNorm() const {
    const AttentionConfig& c = attention_->config();
    const bool query = of_.side == Side::query;
    const std::vector<float>& gains = query ? c.headNorm.q() : c.headNorm.k();
    const Tensor& from = attention_->tensor(query ? TensorId::q : TensorId::k);
    const bool centred = c.headNorm.kind() == HeadNorm::Kind::layer;
    const bool all = c.headNorm.over() == HeadNorm::Over::allHeads;
    if (all && centred) {
      throw UserError(trFormat(
          "layer {} subtracts the mean over all heads from its queries and keys, which couples "
          "the heads: its scores are not taken apart",
          of_.head.layer + 1));
    }
    std::vector<float> numbers;
    const Index heads = query ? c.numHeads : c.numKvHeads;
    for (Index head = all ? 0 : own_; head < (all ? heads : own_ + 1); ++head) {
      const auto row = from.matrix({0, head}).row(of_.place);
      numbers.insert(numbers.end(), row.begin(), row.end());
    }
    const bool shared = std::ssize(gains) == c.dK();
    const std::vector<float> own(gains.begin() + (shared ? 0 : own_ * c.dK()),
                                 gains.begin() + (shared ? 0 : own_ * c.dK()) + c.dK());
    return {numbers, NormWeights{Tensor::fromValues({c.dK()}, own), {}}, centred,
            c.headNorm.epsilon()};
  }

  void rotate(SideRows& parts, double direction) const {
    const AttentionConfig& c = attention_->config();
    if (!c.rotary.on()) return;
    const std::vector<double> frequencies = rotaryFrequencies(c.rotary, c.dK());
    const RotaryRow turn(c.rotary, c.dK(), frequencies, of_.place, direction);
    Eigen::RowVectorXf turned(c.dK());
    for (Index row = 0; row < parts.rows(); ++row) {
      const Eigen::RowVectorXf plain = parts.row(row).cast<float>();
      turn.apply(plain.data(), turned.data());
      parts.row(row) = turned.cast<double>();
    }
  }

  static Stack sourceOf(const ModelTrace& trace, const HeadSide& of) {
    return of.side == Side::query ? of.stack : keysOf(trace, of.stack, of.head.layer);
  }

  HeadSide of_;
  const ModelTrace& trace_;   // of the head
  const ModelTrace& source_;  // of the stream that is read
  TracePtr attention_;
  Index own_ = 0;  // the head within its side
  LinearPart projection_;
};

}  // namespace

StreamParts streamRead(const ModelTrace& trace, const HeadSide& of,
                       const ExecutionContext& execution) {
  const Stack keys = keysOf(trace, of.stack, of.head.layer);
  if (of.side == Side::query || keys == of.stack) {
    return streamParts(trace, of.head.layer, of.place, execution, of.stack);
  }
  return streamParts(trace, passOf(trace, keys).layers(), of.place, execution, keys);
}

Matrix64 throughSide(const ModelTrace& trace, const HeadSide& of, const Matrix64& parts) {
  const SideRows through = SideOfHead(trace, of).apply(
      Eigen::Map<const SideRows>(parts.values.data(), parts.rows, parts.cols));
  Matrix64 found(through.rows(), through.cols());
  std::copy_n(through.data(), found.values.size(), found.values.data());
  return found;
}

StreamReading readingOfSide(const ModelTrace& trace, const HeadSide& of,
                            std::vector<double> along) {
  return SideOfHead(trace, of).pullBack(
      Eigen::Map<const Eigen::RowVectorXd>(along.data(), std::ssize(along)));
}

}  // namespace headscope::model
