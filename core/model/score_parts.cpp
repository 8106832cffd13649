#include "core/model/score_parts.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <numeric>
#include <utility>

#include "core/attention/config.h"
#include "core/attention/steps/score_rows.h"
#include "core/base/error.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/model/head_side.h"

namespace headscope::model {
namespace {

using Eigen::RowVectorXd;
using DoubleRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

RowVectorXd vectorOf(const float* numbers, Index count) {
  return Eigen::Map<const Eigen::RowVectorXf>(numbers, count).cast<double>();
}
DoubleRows rowsFrom(const Matrix64& matrix) {
  return Eigen::Map<const DoubleRows>(matrix.values.data(), matrix.rows, matrix.cols);
}
std::vector<double> plainVector(const RowVectorXd& vector) {
  return {vector.data(), vector.data() + vector.size()};
}

void requireTokenOf(const ModelTrace& pass, Index place) {
  if (place >= 0 && place < pass.tokens()) return;
  throw UserError(
      trFormat("there is no token {}: the text has the tokens 0 to {}", place, pass.tokens() - 1));
}

/// One score of a head, in a stack of a pass.
struct ScorePlace {
  const ModelTrace& trace;  // of the decoder
  HeadOfLayer head;
  Index query = 0, key = 0;
  Stack stack = Stack::decoder;

  const ModelTrace& pass() const { return passOf(trace, stack); }
  TracePtr attention() const { return pass().layer(head.layer); }
  HeadSide side(Side of) const { return {stack, head, of == Side::query ? query : key, of}; }
  double factor() const { return static_cast<double>(attention()->config().scoreMultiplier()); }
  /// Throws UserError for a head or a place that does not exist.
  void check() const {
    requireHead(*pass().document().model, head);
    requireTokenOf(pass(), query);
    requireTokenOf(passOf(trace, keysOf(trace, stack, head.layer)), key);
  }
};

/// The query or key of the pass as the scores read it: (d_k).
RowVectorXd scoredRow(const ScorePlace& of, Side side) {
  const TracePtr attention = of.attention();
  const AttentionConfig& c = attention->config();
  const bool query = side == Side::query;
  const Tensor& rows = attention->tensor(query ? scoredQueries(c) : scoredKeys(c));
  const auto row = rows.matrix({0, query ? of.head.head : c.kvHead(of.head.head)})
                       .row(query ? of.query : of.key);
  return vectorOf(row.data(), c.dK());
}

/// The numbers of relative positions that meet a query or a key; empty without.
RowVectorXd relativeTo(const ScorePlace& of, Side side) {
  const TracePtr attention = of.attention();
  const AttentionConfig& c = attention->config();
  if (!c.relative.on()) return {};
  const Index row = c.relative.rowOf(of.query - of.key);
  const float* numbers = side == Side::query ? c.relative.positionKey(of.head.head, row, c.dK())
                                             : c.relative.positionQuery(of.head.head, row, c.dK());
  return numbers == nullptr ? RowVectorXd() : vectorOf(numbers, c.dK());
}

/// The other side of a score, and its relative position; or only the part of that by a writer.
RowVectorXd metBy(const ScorePlace& of, Side side, const std::optional<Writer>& writer) {
  const RowVectorXd relative = relativeTo(of, side);
  const Side other = side == Side::query ? Side::key : Side::query;
  if (!writer) {
    RowVectorXd met = scoredRow(of, other);
    if (relative.size() > 0) met += relative;
    return met;
  }
  if (writer->kind == WriterKind::relativePosition && relative.size() > 0) return relative;
  const StreamParts parts = streamRead(of.trace, of.side(other));
  const auto found = std::ranges::find(parts.writers, *writer);
  if (found == parts.writers.end()) {
    throw UserError(trFormat("{} writes nothing before layer {}",
                             inWords(*writer, of.trace.config()), of.head.layer));
  }
  return rowsFrom(throughSide(of.trace, of.side(other), parts.rows))
      .row(found - parts.writers.begin());
}

StreamReading readingOf(const ScorePlace& of, Side side, const std::optional<Writer>& writer) {
  of.check();
  return readingOfSide(of.trace, of.side(side), plainVector(of.factor() * metBy(of, side, writer)));
}

}  // namespace

std::optional<ContentAndPosition> contentAndPosition(const ScoreParts& score) {
  const auto isPosition = [](const Writer& writer) {
    return writer.kind == WriterKind::position || writer.kind == WriterKind::relativePosition;
  };
  if (std::ranges::none_of(score.queries, isPosition) &&
      std::ranges::none_of(score.keys, isPosition)) {
    return std::nullopt;
  }
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

std::vector<WrittenPart> partsOfQuery(const ScoreParts& score) {
  std::vector<WrittenPart> parts;
  for (std::size_t i = 0; i < score.queries.size(); ++i) {
    const auto row = score.values.row(static_cast<Index>(i));
    parts.push_back({score.queries[i], std::accumulate(row.begin(), row.end(), 0.0)});
  }
  return parts;
}

std::vector<WrittenPart> partsOfKey(const ScoreParts& score) {
  std::vector<WrittenPart> parts;
  for (const Writer& writer : score.keys) parts.push_back({writer, 0.0});
  for (Index i = 0; i < score.values.rows; ++i) {
    for (std::size_t j = 0; j < parts.size(); ++j) {
      parts[j].value += score.values(i, static_cast<Index>(j));
    }
  }
  return parts;
}

ScoreParts scoreParts(const ModelTrace& trace, HeadOfLayer head, Index query, Index key,
                      const ExecutionContext& execution, Stack stack) {
  const ScorePlace of{trace, head, query, key, stack};
  of.check();
  const TracePtr attention = of.attention();
  const AttentionConfig& c = attention->config();
  StreamParts ofQuery = streamRead(trace, of.side(Side::query), execution);
  StreamParts ofKey = streamRead(trace, of.side(Side::key), execution);
  const DoubleRows q = rowsFrom(throughSide(trace, of.side(Side::query), ofQuery.rows));
  const DoubleRows k = rowsFrom(throughSide(trace, of.side(Side::key), ofKey.rows));
  const double factor = of.factor();
  ScoreParts found{head, query, key, std::move(ofQuery.writers), std::move(ofKey.writers), {}};
  found.stack = stack;
  const RowVectorXd ofKeys = relativeTo(of, Side::query);
  const RowVectorXd ofQueries = relativeTo(of, Side::key);
  if (ofKeys.size() > 0) found.keys.push_back({WriterKind::relativePosition, -1, -1, stack});
  if (ofQueries.size() > 0) found.queries.push_back({WriterKind::relativePosition, -1, -1, stack});
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
                             const std::optional<Writer>& writer, Stack stack) {
  return readingOf({trace, head, query, key, stack}, Side::query, writer);
}

StreamReading readingOfKey(const ModelTrace& trace, HeadOfLayer head, Index query, Index key,
                           const std::optional<Writer>& writer, Stack stack) {
  return readingOf({trace, head, query, key, stack}, Side::key, writer);
}

namespace {

/// A reading as a direction in a head's output at the reading's place: (d_k).
RowVectorXd alongHead(const ModelTrace& pass, const StreamReading& reading, HeadOfLayer head) {
  const std::vector<double> along = throughHeadOutput(
      pass, head, reading.place, directionAtAddition(pass, reading, head.layer, false));
  return Eigen::Map<const RowVectorXd>(along.data(), std::ssize(along));
}

}  // namespace

HeadSources headSources(const ModelTrace& trace, const StreamReading& reading, HeadOfLayer head) {
  const ModelTrace& pass = passOf(trace, reading.stack);
  requireHead(*pass.document().model, head);
  requireTokenOf(pass, reading.place);
  const RowVectorXd along = alongHead(pass, reading, head);
  const TracePtr attention = pass.layer(head.layer);
  const AttentionConfig& c = attention->config();
  const auto weights = attention->tensor(TensorId::weights).matrix({0, head.head});
  const auto values = attention->tensor(TensorId::v).matrix({0, c.kvHead(head.head)});
  HeadSources found{head, {}, {}, 0.0, keysOf(trace, reading.stack, head.layer)};
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
  const ModelTrace& pass = passOf(trace, reading.stack);
  requireHead(*pass.document().model, head);
  requireTokenOf(pass, reading.place);
  requireTokenOf(passOf(trace, keysOf(trace, reading.stack, head.layer)), source);
  const TracePtr attention = pass.layer(head.layer);
  const double weight =
      double{attention->tensor(TensorId::weights).matrix({0, head.head})(reading.place, source)} *
      double{attention->config().gain(head.head)};
  return readingOfSide(trace, {reading.stack, head, source, Side::value},
                       plainVector(weight * alongHead(pass, reading, head)));
}

ScoredPair scoredPair(const ModelTrace& trace, const ScoreParts& score) {
  const ScorePlace of{trace, score.head, score.query, score.key, score.stack};
  return {plainVector(scoredRow(of, Side::query)), plainVector(scoredRow(of, Side::key)),
          of.factor()};
}

}  // namespace headscope::model
