#include "core/editing/cell_edits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/attention/config.h"
#include "core/attention/weight_tensors.h"
#include "core/base/random.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/tensor/finite.h"
#include "core/tensor/random_tensors.h"

namespace headscope {
namespace {

/// A weight matrix or bias.
Tensor& weightOf(Weights& w, TensorId tensor) {
  return w.*std::ranges::find(kWeightTensors, tensor, &WeightTensor::id)->tensor;
}

Box boxOf(const Region& r) {
  // the pair bias has a matrix for each head
  return {std::max<Index>({r.item, r.head, 0}), 0, r.row, r.rows, r.col, r.cols};
}

void requirePresent(TensorId tensor, const AttentionConfig& c) {
  if (has(c, tensor) || tensor == TensorId::memory) return;
  throw UserError(trFormat("this pass has no {}: switch the {} on first", info(tensor).name,
                           tensor == TensorId::pairBias ? tr("pair bias") : tr("gate")));
}

void requireFits(const Region& r, const Document& document) {
  const AttentionConfig& c = document.config;
  const std::string name(info(r.tensor).name);
  if (isResult(r.tensor)) {
    throw UserError(
        trFormat("{} is computed: pin its cells, or edit X, the weights or biases", name));
  }
  requirePresent(r.tensor, c);
  if (r.tensor == TensorId::memory && !c.crossAttention()) {
    throw UserError(tr("there is no memory to edit: keys and values come from X"));
  }
  const Region whole = wholeRegion(r.tensor, r.item, c);
  const auto within = [](Index begin, Index count, Index all) {
    return begin >= 0 && begin < all && count > 0 && count <= all - begin;
  };
  const bool fits = within(r.row, r.rows, whole.rows) && within(r.col, r.cols, whole.cols) &&
                    (!info(r.tensor).perItem || (r.item >= 0 && r.item < c.batch)) &&
                    (!info(r.tensor).perHead || (r.head >= 0 && r.head < c.numHeads));
  if (fits) return;
  throw UserError(
      trFormat("{} × {} numbers from row {}, column {} do not fit {}, which is "
               "{} × {}: start further up or left, or take fewer",
               r.rows, r.cols, r.row, r.col, name, whole.rows, whole.cols));
}

void requireNumber(float value, const std::string& name) {
  if (std::isfinite(value)) return;
  throw UserError(trFormat("{} cannot be {}: give a number within ±3.4e38", name, inWords(value)));
}

template <typename Value>
void fill(const MatrixView& cells, Value value) {
  for (Index r = 0; r < cells.rows; ++r) {
    for (Index c = 0; c < cells.cols; ++c) cells(r, c) = value(r, c);
  }
}

/// Numbers of pairs as the bias by distance that has them. Throws UserError where pairs whose
/// distances share a number have different ones.
PairBias biasByDistance(const AttentionConfig& c, const Region& written,
                        const ConstMatrixView& to) {
  const PairBias& before = c.pairBias;
  PairBias::Settings next = before.settings();
  std::vector<bool> given(static_cast<std::size_t>(next.buckets), false);
  for (Index row = 0; row < written.rows; ++row) {
    for (Index col = 0; col < written.cols; ++col) {
      const Index distance = written.col + col - c.firstQuery - written.row - row;
      const Index bucket = before.bucketOf(distance);
      float& number = next.values[static_cast<std::size_t>(written.head * next.buckets + bucket)];
      if (given[static_cast<std::size_t>(bucket)] && number != to(row, col)) {
        throw UserError(trFormat(
            "pairs at one distance share their bias, and {} and {} were given for bucket {} of {}: "
            "give one number for each distance",
            inWords(number), inWords(to(row, col)), bucket + 1, next.buckets));
      }
      given[static_cast<std::size_t>(bucket)] = true;
      number = to(row, col);
    }
  }
  return PairBias(std::move(next));
}

/// The document with a region of the pair bias written by `write(MatrixView of the region)`.
template <typename Write>
Document withBias(const Document& before, const Region& region, Write write) {
  Document next = before;
  const PairBias& bias = before.config.pairBias;
  if (bias.ofPairs()) {
    Tensor numbers = bias.tensor().clone();
    write(numbers.mutableMatrixOf(boxOf(region)));
    next.config.pairBias = PairBias::of(numbers);
    return next;
  }
  Tensor numbers = Tensor::uninitialised({region.rows, region.cols});
  const MatrixView cells = numbers.mutableMatrix();
  fill(cells, [&](Index row, Index col) {
    return bias.at(region.head, before.config.firstQuery + region.row + row, region.col + col);
  });
  write(cells);
  next.config.pairBias = biasByDistance(before.config, region, numbers.matrix());
  return next;
}

/// The document with a region of an operand written by `write(MatrixView of the region)`.
template <typename Write>
Document written(const Document& before, const Region& region, Write write) {
  requireFits(region, before);
  if (region.tensor == TensorId::pairBias) return withBias(before, region, write);
  Document next = before;
  const bool ofInput = info(region.tensor).perItem;
  Input input = ofInput ? *before.input : Input{};
  Tensor& tensor = region.tensor == TensorId::x        ? input.x
                   : region.tensor == TensorId::memory ? input.memory
                                                       : weightOf(next.weights, region.tensor);
  tensor = tensor.clone();
  write(tensor.mutableMatrixOf(boxOf(region)));
  if (!ofInput) {
    next.weightsEdited = true;
    return next;
  }
  next.inputEdited = true;
  next.input = std::make_shared<const Input>(std::move(input));
  return next;
}

/// The numbers of all pairs, (H,T,M), drawn for each pair or distance.
Tensor biasDrawn(const AttentionConfig& c, std::uint64_t seed) {
  if (c.pairBias.ofPairs()) {
    return PairBias::drawn(c.numHeads, c.seqLen, c.keys(), seed).tensor();
  }
  PairBias::Settings settings = c.pairBias.settings();
  settings.values = PairBias::drawn(c.numHeads, 1, settings.buckets, seed).settings().values;
  const PairBias drawn(std::move(settings));
  Tensor numbers = Tensor::uninitialised({c.numHeads, c.seqLen, c.keys()});
  for (Index head = 0; head < c.numHeads; ++head) {
    fill(numbers.mutableMatrix({head}),
         [&](Index row, Index col) { return drawn.at(head, c.firstQuery + row, col); });
  }
  return numbers;
}

/// The operand drawn again; X and the memory with mean 0 and variance 1.
Tensor drawn(const Document& document, TensorId tensor, const FillDrawn& how) {
  if (tensor == TensorId::pairBias) {
    return biasDrawn(document.config, how.seed);
  }
  if (!info(tensor).perItem) {
    Weights weights = drawWeightsFor(document, how.init, how.seed);
    fitGate(weights, document.config, how.init, how.seed);  // learned weights have none
    return weightOf(weights, tensor);
  }
  Tensor values = Tensor::uninitialised(shapeOf(tensor, document.config));
  const RandomStream stream(how.seed, info(tensor).name);
  draw(std::array{Draw{&values, stream, Distribution::normal, 1.0F}});
  return values;
}

struct Filler {
  const Document& before;
  const Region& region;

  Document operator()(const FillZero&) const {
    return written(before, region,
                   [](const MatrixView& cells) { fill(cells, [](Index, Index) { return 0.0F; }); });
  }
  Document operator()(const FillIdentity&) const {
    return written(before, region, [](const MatrixView& cells) {
      fill(cells, [](Index r, Index c) { return r == c ? 1.0F : 0.0F; });
    });
  }
  Document operator()(const FillScaled& f) const {
    const std::string name = nameOf(region, before.config);
    requireNumber(static_cast<float>(f.factor), tr("the factor of ") + name);
    return written(before, region, [&](const MatrixView& cells) {
      fill(cells, [&](Index r, Index c) {
        const auto scaled = static_cast<float>(cells(r, c) * f.factor);
        requireNumber(scaled, name);
        return scaled;
      });
    });
  }
  Document operator()(const FillDrawn& f) const {
    const Tensor source = drawn(before, region.tensor, f);
    const ConstMatrixView from = source.matrixOf(boxOf(region));
    return written(before, region, [&](const MatrixView& cells) {
      fill(cells, [&](Index r, Index c) { return from(r, c); });
    });
  }
  Document operator()(const FillValues& f) const {
    if (f.values.rank() != 2 || f.values.shape() != Shape{region.rows, region.cols}) {
      throw UserError(trFormat("{} takes {} × {} numbers, {} were given",
                               nameOf(region, before.config), region.rows, region.cols,
                               toString(f.values.shape())));
    }
    const ConstMatrixView from = f.values.matrix();
    return written(before, region, [&](const MatrixView& cells) {
      fill(cells, [&](Index r, Index c) {
        requireNumber(from(r, c), trFormat("the number in row {}, column {}", r + 1, c + 1));
        return from(r, c);
      });
    });
  }
};

}  // namespace

Document applyTo(const Document& before, const SetCell& edit) {
  const CellRef& cell = edit.cell;
  requireNumber(edit.value, toString(cell));
  const bool ofBias = cell.tensor == TensorId::pairBias;
  const Region region{cell.tensor, cell.item, cell.row, 1, cell.col, 1, ofBias ? cell.head : -1};
  return written(before, region, [&](const MatrixView& cells) { cells(0, 0) = edit.value; });
}

Document applyTo(const Document& before, const FillRegion& edit) {
  requireFits(edit.region, before);
  return std::visit(Filler{before, edit.region}, edit.fill);
}

Document applyTo(const Document& before, const CopyHead& edit) {
  if (!isResult(edit.tensor)) requirePresent(edit.tensor, before.config);
  const Region from = headRegion(edit.tensor, edit.from, before.config);
  const Region to = headRegion(edit.tensor, edit.to, before.config);
  Weights source = before.weights;
  const ConstMatrixView values = std::as_const(weightOf(source, edit.tensor)).matrixOf(boxOf(from));
  return written(before, to, [&](const MatrixView& cells) {
    fill(cells, [&](Index r, Index c) { return values(r, c); });
  });
}

Document applyTo(const Document& before, const TieKeysToQueries&) {
  const AttentionConfig& c = before.config;
  if (c.kvWidth() != c.dModel) {
    throw UserError(
        trFormat("W_K reads a memory of {} features and W_Q reads {}: they cannot be equal",
                 c.kvWidth(), c.dModel));
  }
  Document next = before;
  for (const auto& pair :
       {std::pair(TensorId::wQ, TensorId::wK), std::pair(TensorId::bQ, TensorId::bK)}) {
    const TensorId query = pair.first;  // Clang before 16 has no lambda that uses [query, key]
    const TensorId key = pair.second;
    Weights source = before.weights;
    const Tensor queries = weightOf(source, query);
    next = written(next, wholeRegion(key, -1, c), [&](const MatrixView& keys) {
      for (Index kv = 0; kv < c.numKvHeads; ++kv) {
        // heads that share a key head: it follows the first query head of its group
        const ConstMatrixView values =
            queries.matrixOf(boxOf(headRegion(query, kv * c.headsPerGroup(), c)));
        const Region own = headRegion(key, kv, c);
        fill({keys.data + own.row * keys.rowStride + own.col, own.rows, own.cols, keys.rowStride},
             [&](Index r, Index col) { return values(r, col); });
      }
    });
  }
  return next;
}

Document applyTo(const Document& before, const SetPin& edit) {
  const CellRef& cell = edit.pin.cell;
  const std::string name = toString(cell);
  if (!canBePinned(cell.tensor)) {
    throw UserError(
        fmt::format("{} cannot be pinned: only scores, weights, head outputs and gates "
                    "can (raw_scores, scores, weights, heads, gate)",
                    name));
  }
  if (!exists(cell, before.config)) {
    throw UserError(trFormat("{} cannot be pinned: there is no such cell", name));
  }
  requireNumber(edit.pin.value, name);
  Document next = before;
  next.pins = before.pins.with(edit.pin);
  return next;
}

Document applyTo(const Document& before, const RemovePin& edit) {
  if (!before.pins.at(edit.cell)) {
    throw UserError(trFormat("{} is not pinned", toString(edit.cell)));
  }
  Document next = before;
  next.pins = before.pins.without(edit.cell);
  return next;
}

Document applyTo(const Document& before, const RemoveAllPins& edit) {
  Document next = before;
  if (!edit.of) {
    next.pins = {};
    return next;
  }
  for (const Pin& pin : before.pins.of(edit.of->tensor, edit.of->item, edit.of->head)) {
    next.pins = next.pins.without(pin.cell);
  }
  return next;
}

}  // namespace headscope
