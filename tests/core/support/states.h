// States: documents that differ in a cell, and whether two are alike in every bit.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <utility>

#include "tests/core/support/documents.h"
#include "tests/core/support/passes.h"

namespace headscope::test {

inline constexpr std::size_t kTensors = 10;

template <typename D>
auto& tensorOf(D& weights, std::size_t which) {
  Tensor Weights::*const all[] = {&Weights::wQ, &Weights::wK, &Weights::wV, &Weights::wO,
                                  &Weights::bQ, &Weights::bK, &Weights::bV, &Weights::bO};
  return weights.*all[which];
}

inline const Tensor& tensorOf(const Document& d, std::size_t which) {
  if (which == 8) return d.input->x;
  if (which == 9) return d.input->memory;
  return tensorOf(d.weights, which);
}

inline Tensor withCell(const Tensor& tensor, Index cell, float value) {
  Tensor copy = tensor.clone();
  copy.mutableData()[cell] = value;
  return copy;
}

/// The document with one cell of one tensor changed: a copy of that tensor, all else shared.
inline Open cellEdit(const Document& document, std::size_t which, Index cell, float value) {
  Document next = document;
  const Tensor changed = withCell(tensorOf(document, which), cell, value);
  if (which < 8) {
    tensorOf(next.weights, which) = changed;
  } else {
    auto input = std::make_shared<Input>(*next.input);
    (which == 8 ? input->x : input->memory) = changed;
    next.input = std::move(input);
  }
  return {std::make_shared<const Document>(std::move(next)), "cell"};
}

inline void expectSameState(const Document& a, const Document& b) {
  EXPECT_EQ(a.preset, b.preset);
  EXPECT_EQ(a.config, b.config);
  EXPECT_EQ(a.config.mask.painted, b.config.mask.painted);
  EXPECT_EQ(a.positions, b.positions);
  EXPECT_EQ(a.source, b.source);
  EXPECT_EQ(a.inputEdited, b.inputEdited);
  EXPECT_EQ(a.weightSource, b.weightSource);
  EXPECT_EQ(a.weightsEdited, b.weightsEdited);
  EXPECT_EQ(a.pins, b.pins);
  EXPECT_EQ(a.input->tokens, b.input->tokens);
  EXPECT_EQ(a.input->memoryTokens, b.input->memoryTokens);
  EXPECT_EQ(a.input->lengths, b.input->lengths);
  EXPECT_EQ(a.input->coordinates, b.input->coordinates);
  EXPECT_EQ(a.input->notes, b.input->notes);
  for (std::size_t t = 0; t < kTensors; ++t) {
    EXPECT_TRUE(sameBits(tensorOf(a, t), tensorOf(b, t))) << "tensor " << t;
  }
}

/// A copy that shares no storage, so that comparing with it keeps nothing of the history alive.
inline DocumentPtr apart(const Document& document) {
  Document copy = document;
  for (std::size_t t = 0; t < 8; ++t) tensorOf(copy.weights, t) = tensorOf(document, t).clone();
  auto input = std::make_shared<Input>(*document.input);
  input->x = document.input->x.clone();
  input->memory = document.input->memory.clone();
  copy.input = std::move(input);
  return std::make_shared<const Document>(std::move(copy));
}

}  // namespace headscope::test
