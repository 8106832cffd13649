// Same document: two documents are alike in everything, their numbers bit for bit.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <string_view>
#include <variant>

#include "core/attention/weight_tensors.h"
#include "core/document/document.h"

namespace headscope::test {

inline void expectSameBits(const Tensor& a, const Tensor& b, std::string_view name) {
  ASSERT_EQ(a.empty(), b.empty()) << name;
  if (a.empty()) return;
  ASSERT_EQ(a.shape(), b.shape()) << name;
  const auto x = a.values();
  const auto y = b.values();
  EXPECT_EQ(std::memcmp(x.data(), y.data(), x.size() * sizeof(float)), 0) << name;
}

inline void expectSameSource(const InputSource& a, const InputSource& b) {
  ASSERT_EQ(a.index(), b.index());
  if (const auto* text = std::get_if<TextSource>(&a)) {
    EXPECT_EQ(*text, std::get<TextSource>(b));
  } else if (const auto* series = std::get_if<SeriesSource>(&a)) {
    const auto& others = std::get<SeriesSource>(b).items;
    ASSERT_EQ(series->items.size(), others.size());
    for (std::size_t i = 0; i < others.size(); ++i) {
      EXPECT_EQ(series->items[i]->name, others[i]->name);
      EXPECT_EQ(series->items[i]->channels, others[i]->channels);
      expectSameBits(series->items[i]->values, others[i]->values, "series");
    }
  } else {
    const auto& x = std::get<TensorSource>(a);
    const auto& y = std::get<TensorSource>(b);
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.tokens, y.tokens);
    EXPECT_EQ(x.memoryTokens, y.memoryTokens);
    EXPECT_EQ(x.patches, y.patches);
    expectSameBits(x.x, y.x, "source x");
    expectSameBits(x.memory, y.memory, "source memory");
  }
}

inline void expectSame(const Document& a, const Document& b) {
  EXPECT_EQ(a.preset, b.preset);
  EXPECT_EQ(a.config, b.config);
  EXPECT_EQ(a.positions, b.positions);
  expectSameSource(*a.source, *b.source);
  expectSameBits(a.input->x, b.input->x, "x");
  expectSameBits(a.input->memory, b.input->memory, "memory");
  EXPECT_EQ(a.input->tokens, b.input->tokens);
  EXPECT_EQ(a.input->memoryTokens, b.input->memoryTokens);
  EXPECT_EQ(a.input->lengths, b.input->lengths);
  EXPECT_EQ(a.input->coordinates, b.input->coordinates);
  EXPECT_EQ(a.input->notes, b.input->notes);
  EXPECT_EQ(a.inputEdited, b.inputEdited);
  EXPECT_EQ(a.weightSource, b.weightSource);
  EXPECT_EQ(a.weightsEdited, b.weightsEdited);
  for (const WeightTensor& w : kWeightTensors) {
    expectSameBits(a.weights.*w.tensor, b.weights.*w.tensor, info(w.id).name);
  }
  EXPECT_EQ(a.pins, b.pins);
}

}  // namespace headscope::test
