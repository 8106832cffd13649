// Goldens: the cases of tests/data (README there) as documents, and what the files say of them.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/attention/config.h"
#include "core/attention/state_dict.h"
#include "core/attention/switches.h"
#include "core/base/random.h"
#include "core/formats/pass_files.h"
#include "tests/core/support/passes.h"
#include "tests/core/test_files.h"

namespace headscope::test {

struct Golden {
  AttentionConfig config;
  std::uint64_t seed = 0;
  bool storedInputs = true;
};

inline Golden goldenOf(const SafetensorsFile& file) {
  const auto json = nlohmann::json::parse(file.metadata().at("case"));
  Golden golden;
  AttentionConfig& c = golden.config;
  c.dModel = json.at("d_model");
  c.numHeads = json.at("num_heads");
  c.numKvHeads = json.at("num_kv_heads");
  c.seqLen = json.at("seq_len");
  c.memoryLen = file.has("memory") ? json.at("memory_len").get<Index>() : 0;
  c.batch = json.at("batch");
  c.switches->bias = json.at("bias");
  c.switches->scale = json.at("scale");
  c.mask.causal = json.at("causal");
  if (!json.at("pad").is_null()) c.mask.lengths = json.at("pad").get<std::vector<Index>>();
  if (!json.at("temperature").is_null()) c.switches->temperature = json.at("temperature");
  golden.seed = json.at("seed");
  golden.storedInputs = json.at("stored_inputs");
  return golden;
}

/// The random tensor that the README of the goldens defines. Neighbouring seeds share their stream,
/// unlike in the program's own generator.
inline Tensor generated(const Shape& shape, std::uint64_t seed, double scale) {
  Tensor tensor = Tensor::uninitialised(shape);
  for (Index i = 0; i < tensor.size(); ++i) {
    const auto n = static_cast<std::uint64_t>(i) + 1;
    const std::uint64_t z = mix64((seed + n) * RandomStream::kGolden);
    const double u = static_cast<double>(z >> 40) / static_cast<double>(1 << 24);
    tensor.mutableData()[i] = static_cast<float>((2.0 * u - 1.0) * scale);
  }
  return tensor;
}

inline DocumentPtr generatedDocument(const Golden& golden) {
  const AttentionConfig& c = golden.config;
  const auto draw = [&](TensorId id, std::uint64_t seed, double scale) {
    return generated(shapeOf(id, c), 100 * golden.seed + seed, scale);
  };
  const double scale = 1.7 / std::sqrt(static_cast<double>(c.dModel));
  const Weights weights{draw(TensorId::wQ, 3, scale), draw(TensorId::wK, 4, scale),
                        draw(TensorId::wV, 5, scale), draw(TensorId::wO, 6, scale),
                        draw(TensorId::bQ, 7, 0.3),   draw(TensorId::bK, 8, 0.3),
                        draw(TensorId::bV, 9, 0.3),   draw(TensorId::bO, 10, 0.3)};
  return documentOf(c, draw(TensorId::x, 1, 1.5), {}, weights);
}

inline DocumentPtr storedDocument(const Golden& golden, const SafetensorsFile& file) {
  const formats::LoadedWeights loaded = formats::loadWeights(file);
  EXPECT_EQ(loaded.bias, golden.config.switches->bias);
  EXPECT_EQ(formats::kvHeadsFor(loaded, golden.config.numHeads, "file"), golden.config.numKvHeads);
  const TensorSource source = formats::loadInput(file);
  return documentOf(golden.config, source.x, source.memory, loaded.weights);
}

inline DocumentPtr goldenDocument(const SafetensorsFile& file) {
  const Golden golden = goldenOf(file);
  return golden.storedInputs ? storedDocument(golden, file) : generatedDocument(golden);
}

inline const char* const kGoldens[] = {
    "tiny_d4_h2_t3",        "small_d8_h2_t4_nobias", "cat_d64_h8_t6",
    "causal_d32_h4_t10_b2", "padding_d32_h4_t7_b3",  "cross_d48_h6_t5_m9",
    "gqa_d64_h8_kv2_t9",    "temperature_d32_h4_t8", "unscaled_d32_h4_t8",
    "amnl_d256_h8_t30",     "rul_d512_h8_t30_b2",    "gpt2small_d768_h12_t16_causal"};

}  // namespace headscope::test
