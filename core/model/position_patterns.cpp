#include "core/model/position_patterns.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/translation.h"
#include "core/document/attention.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/model/blocks.h"
#include "core/model/pass_distance.h"

namespace headscope::model {
namespace {

constexpr Index kFewestTokens = 3;  // the first two have no more than two places to look at

void requirePositions(const Model& model, Index tokens) {
  const ModelConfig& c = model.config();
  if (!hasPositionPatterns(model)) {
    throw UserError(trFormat("{} {}: patterns of positions are computed for one stack of text",
                             model.name(),
                             c.image.on() ? tr("reads images") : tr("has two stacks")));
  }
  if (tokens >= kFewestTokens && tokens <= mostTokens(c)) return;
  throw UserError(trFormat("{} tokens: give {} to {} for {}", tokens, kFewestTokens, mostTokens(c),
                           model.name()));
}

/// The mean of the rows of a matrix, given twice: the token of either id is the same.
Tensor meanRowTwice(const StoredMatrix& matrix) {
  const Index width = matrix.cols();
  std::vector<double> sums(static_cast<std::size_t>(width), 0.0);
  std::vector<float> row(sums.size());
  for (Index r = 0; r < matrix.rows(); ++r) {
    matrix.copyRow(r, row.data());
    for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += double{row[j]};
  }
  Tensor mean = Tensor::uninitialised({2, width});
  for (Index copy = 0; copy < 2; ++copy) {
    std::ranges::transform(sums, mean.mutableData() + copy * width, [&](double sum) {
      return static_cast<float>(sum / static_cast<double>(matrix.rows()));
    });
  }
  return mean;
}

/// A text of equal tokens: the document, and the stream that every layer reads.
struct EqualTokens {
  ModelDocumentPtr document;
  Tensor stream;

  EqualTokens(const ModelPtr& model, Index tokens, const ExecutionContext& execution) {
    requirePositions(*model, tokens);
    const ModelConfig& c = model->config();
    const Index id = c.padToken == 0 ? 1 : 0;  // padding would have no place of its own
    document = makeModelDocument(
        model, {std::vector<Index>(static_cast<std::size_t>(tokens), id), {}, {}});
    Embedding equal = *model->embedding();
    equal.tokens = meanRowTwice(equal.tokens);
    stream = embed(equal, c, document->input.ids, {}, execution);
  }

  /// A layer's attention; null where cancelled.
  TracePtr attention(Index layer, const ExecutionContext& execution) const {
    Tensor x = attentionInput(stream, *document->model->layer(layer), document->model->config(),
                              execution);
    if (execution.stop()) return nullptr;
    return runLayerAttention(layerDocument(*document, layer, std::move(x), ScoreStorage::weights),
                             nullptr, execution);
  }
};

/// Calls `call` with the attention of each layer over equal tokens. False where cancelled.
template <typename Call>
bool eachPattern(const ModelPtr& model, Index tokens, const ExecutionContext& execution,
                 const Call& call) {
  const EqualTokens equal(model, tokens, execution);
  for (Index layer = 0; layer < model->config().layers; ++layer) {
    const TracePtr attention = equal.attention(layer, execution);
    if (attention == nullptr) return false;
    call(layer, *attention);
  }
  return !execution.stop();
}

PositionLook lookIn(const Trace& attention, HeadOfLayer head) {
  const auto weights = attention.tensor(TensorId::weights).matrix({0, head.head});
  PositionLook look{head};
  for (Index row = kFewestTokens - 1; row < weights.rows; ++row) {
    look.previous += double{weights.row(row)[static_cast<std::size_t>(row - 1)]};
    look.self += double{weights.row(row)[static_cast<std::size_t>(row)]};
    look.first += double{weights.row(row)[0]};
  }
  const auto count = static_cast<double>(weights.rows - (kFewestTokens - 1));
  look.previous /= count, look.self /= count, look.first /= count;
  return look;
}

}  // namespace

bool hasPositionPatterns(const Model& model) {
  const ModelConfig& c = model.config();
  return !c.image.on() && !c.crossAttention && model.encoder() == nullptr;
}

std::optional<std::vector<PositionLook>> positionLooks(const ModelPtr& model, Index tokens,
                                                       const ExecutionContext& execution) {
  std::vector<PositionLook> looks;
  const auto look = [&](Index layer, const Trace& attention) {
    for (Index head = 0; head < model->config().heads; ++head) {
      looks.push_back(lookIn(attention, {layer, head}));
    }
  };
  if (!eachPattern(model, tokens, execution, look)) return std::nullopt;
  return looks;
}

Tensor positionPattern(const ModelPtr& model, HeadOfLayer head, Index tokens,
                       const ExecutionContext& execution) {
  const ModelConfig& c = model->config();
  if (head.layer < 0 || head.layer >= c.layers || head.head < 0 || head.head >= c.heads) {
    throw UserError(trFormat("there is no layer {}, head {}: {} has {} layers of {} heads",
                             head.layer, head.head, model->name(), c.layers, c.heads));
  }
  const TracePtr attention = EqualTokens(model, tokens, execution).attention(head.layer, execution);
  if (attention == nullptr) return {};
  return attention->tensor(TensorId::weights)
      .slice(1, head.head, head.head + 1)
      .clone()
      .reshaped({tokens, tokens});
}

std::optional<std::vector<double>> sharesByPosition(const ModelTrace& trace,
                                                    const ExecutionContext& execution) {
  std::vector<double> shares;
  const auto compare = [&](Index layer, const Trace& attention) {
    for (Index head = 0; head < trace.config().heads; ++head) {
      shares.push_back(1.0 - headDistance(*trace.layer(layer), attention, head));
    }
  };
  if (!eachPattern(trace.document().model, trace.tokens(), execution, compare)) {
    return std::nullopt;
  }
  return shares;
}

}  // namespace headscope::model
