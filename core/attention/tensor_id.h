// TensorId: every tensor of a pass by name: operands of the document and results of the steps.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor/tensor.h"

namespace headscope {

struct AttentionConfig;

enum class TensorId {
  x,
  memory,
  wQ,
  wK,
  wV,
  wO,
  bQ,
  bK,
  bV,
  bO,  // operands
  qProj,
  kProj,
  vProj,
  q,
  k,
  v,
  rawScores,
  scores,
  maskedScores,
  weights,
  heads,
  concat,
  output,
  // only where the configuration has the step that gives them (`has`)
  qNorm,
  kNorm,
  qRot,
  kRot,
  gate,
  gated,
  // operands of these steps
  wG,
  bG,
  pairBias,
};
inline constexpr std::size_t kTensorCount = 23;       // the tensors of a pass with nine steps
inline constexpr std::size_t kEveryTensorCount = 32;  // of any pass
inline constexpr std::size_t kFirstResult = 10;

/// Returns whether a step computes the tensor. Operands of the document have no arithmetic.
constexpr bool isResult(TensorId id) { return id >= TensorId::qProj && id <= TensorId::gated; }

/// The kind of things that an axis of a matrix counts, which determines its labels.
enum class Axis { query, key, feature, memoryFeature, queryFeature, kvFeature, headFeature, none };

struct TensorInfo {
  std::string_view name;    // in files and JSON: "raw_scores", "W_Q"
  std::string_view symbol;  // on screen, with ^ and _ for raised and lowered: "S", "W^Q"
  bool perItem;             // has a batch axis
  bool perHead;             // has a head axis
  bool kvHeads;             // its heads are the key/value heads
  Axis rows, cols;
  std::string_view word = {};  // of one row, or one score, as a property of its token: "query"
};

/// A tensor's name and axes, which do not depend on a pass.
const TensorInfo& info(TensorId id);
std::optional<TensorId> tensorIdFromName(std::string_view name);

/// The head of a tensor that belongs to query head `head`: `head` itself, or for keys and values
/// the key/value head of its group. For Q, K and V it selects the columns to read.
Index headIn(TensorId tensor, Index head, const AttentionConfig& config);
/// The number of heads that a tensor has, as an axis or as columns. Keys and values have fewer
/// where heads share them.
Index headCount(TensorId tensor, const AttentionConfig& config);
/// The name of a tensor's own head, numbered from 1: "head 3"; "key/value head 2" for keys and
/// values that heads share.
std::string headName(TensorId tensor, Index head, const AttentionConfig& config);

/// The first column of Q, K or V that becomes a query head's q, k or v; of `concat`, the first
/// column that the head fills. Not for Q, K and V that are reshaped without the transpose: then no
/// column belongs to one head.
Index firstColumnOf(TensorId perHead, Index head, const AttentionConfig& config);

/// Returns whether a pass of the configuration has the tensor. Self-attention has no memory; the
/// normalized, rotated and gated tensors exist only if the configuration has these steps.
bool has(const AttentionConfig& config, TensorId id);
/// The tensors whose product gives the scores: q and k, or their normalized or rotated versions.
TensorId scoredQueries(const AttentionConfig& config);
TensorId scoredKeys(const AttentionConfig& config);
/// The heads that `concat` joins: `heads`, or their gated version.
TensorId joinedHeads(const AttentionConfig& config);

/// A tensor's shape for a configuration, for example (B, H, T, M) for raw_scores.
Shape shapeOf(TensorId id, const AttentionConfig& config);

/// One cell. Indices count from 0; item and head are −1 where the tensor has no such axis. A bias
/// of a linear layer is one row. `layer` selects one of several layers; −1: the only one. With
/// `gradient`, the cell is that of the tensor's gradient.
struct CellRef {
  TensorId tensor = TensorId::x;
  Index item = -1;
  Index head = -1;
  Index row = 0;
  Index col = 0;
  Index layer = -1;
  bool gradient = false;

  bool operator==(const CellRef&) const = default;
  std::vector<Index> index() const;
};

/// Returns whether the cell exists in a configuration.
bool exists(const CellRef& cell, const AttentionConfig& config);

/// "W_Q"; for a gradient "grad.W_Q"; for a layer "layers.2.W_Q".
std::string tensorName(const CellRef& cell);
/// The cell in tensor notation, every index from 0: "q[0, 5, 2, 17]", "W_Q[3, 17]"; for a layer
/// "layers.2.W_Q[3, 17]"; for a gradient "grad.W_Q[3, 17]".
std::string toString(const CellRef& cell);
/// Parses this notation; spaces are ignored. Returns nothing where the text names no cell.
std::optional<CellRef> cellFromString(std::string_view text);

/// Returns whether a result has T × M numbers per head and can be stored.
constexpr bool isStoredScores(TensorId id) {
  return id == TensorId::rawScores || id == TensorId::weights;
}

/// The raw scores and weights that a pass stores: both, the weights alone, or neither.
enum class ScoreStorage { all, weights, none };
constexpr bool holds(ScoreStorage held, TensorId id) {
  return !isStoredScores(id) || held == ScoreStorage::all ||
         (held == ScoreStorage::weights && id == TensorId::weights);
}

}  // namespace headscope
