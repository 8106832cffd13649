// GGUF files: every type of values, the names and the order of rows that llama.cpp changed, the
// tokenizer. tests/data/gguf/tiny.gguf holds a random Llama with a type for each tensor.
// expected.json holds what llama.cpp (node-llama-cpp 3.14) computes from the same values kept as
// F32, as a Python reader of the types gives them (make.py, dequant.py): from rounded values it
// would round the activations to 8 bits too.
#include "core/formats/gguf.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/random.h"
#include "core/formats/gguf_model.h"
#include "core/formats/weight_errors.h"
#include "tests/core/support/model_folders.h"
#include "tests/core/test_files.h"

namespace headscope::formats {
namespace {

using test::kBudgetBytes;
using test::modelData;

GgufFilePtr tiny() { return std::make_shared<const GgufFile>(modelData("gguf") / "tiny.gguf"); }

TEST(Gguf, ThePassIsThatOfLlamaCpp) {
  const auto expected = nlohmann::json::parse(readAll(modelData("gguf") / "expected.json"));
  const auto model = openModel(modelData("gguf") / "tiny.gguf", kBudgetBytes);
  const auto ids = expected["ids"].get<std::vector<Index>>();
  const std::vector<float> logits = test::logitsOf(model, ids);
  const std::size_t words = logits.size() / ids.size();
  for (std::size_t token = 0; token < ids.size(); ++token) {
    const float* row = logits.data() + token * words;
    const float most = *std::max_element(row, row + words);
    double sum = 0.0;
    for (std::size_t i = 0; i < words; ++i) sum += std::exp(double{row[i]} - most);
    for (std::size_t i = 0; i < words; ++i) {
      const double p = std::exp(double{row[i]} - most) / sum;
      // llama.cpp keeps keys and values as F16, which moves its results by up to 0.4 %
      EXPECT_NEAR(p, expected["probabilities"][token][i].get<double>(), 0.01 * p)
          << token << ", " << i;
    }
  }
}

TEST(Gguf, ItsTokensAreThoseOfLlamaCpp) {
  const auto expected = nlohmann::json::parse(readAll(modelData("gguf") / "expected.json"));
  const TokenizerPtr tokenizer = ggufTokenizer(*tiny());
  std::vector<int> ids;
  for (const auto& token : tokenizer->encode(expected["text"].get<std::string>(), false)) {
    ids.push_back(token.id);
  }
  EXPECT_EQ(ids, expected["tokens"].get<std::vector<int>>());
  EXPECT_EQ(tokenizer->encode("a", true).front().id, 1);  // <s> before the text
}

/// A block's values.
std::vector<float> widened(std::uint32_t id, const std::vector<std::uint8_t>& block) {
  const GgufType* type = ggufType(id);
  EXPECT_EQ(block.size(), type->bytes);
  std::vector<float> values(type->values);
  type->widen(block.data(), values.data());
  return values;
}

TEST(Gguf, ABlockOfQ40HasItsFirstHalfInTheLowBits) {
  std::vector<std::uint8_t> block(18, 0x88);
  block[0] = 0x00, block[1] = 0x40;  // 2.0
  block[2] = 0x9A;                   // values 0 and 16
  std::vector<float> expected(32, 0.0F);
  expected[0] = 4.0F;   // (10 − 8) · 2
  expected[16] = 2.0F;  // (9 − 8) · 2
  EXPECT_EQ(widened(2, block), expected);
}

TEST(Gguf, DamagedAtAnyByteItIsRefusedOrReadAndNothingElse) {
  const std::string whole = readAll(modelData("gguf") / "tiny.gguf");
  const TempFolder folder;
  const RandomStream random(3, "damage");
  for (std::size_t at = 0; at < 12'000; at += 61) {
    for (const bool cut : {false, true}) {
      std::string bytes = cut ? whole.substr(0, at) : whole;
      if (!cut) bytes[at] = static_cast<char>(random.bits(at));
      const auto path = folder.file("damaged.gguf", bytes);
      try {
        const GgufFile file(path);
        ggufConfig(file);
      } catch (const UserError& error) {
        EXPECT_NE(std::string(error.what()).find("damaged.gguf"), std::string::npos)
            << error.what();
      }
    }
  }
}

TEST(Gguf, WhatIsNotReadIsNamed) {
  const TempFolder folder;
  const auto refuses = [&](std::string bytes, const std::string& says) {
    const auto path = folder.file("m.gguf", bytes);
    expectUserError([&] { ggufConfig(GgufFile(path)); }, "m.gguf", says);
  };
  refuses("GGUF", "cut short");
  refuses(std::string("GGUF\x09\0\0\0", 8) + std::string(32, '\0'), "version 9");
  refuses(std::string("GGUF\x03\0\0\0", 8) + std::string(32, '\0'), "general.architecture");
  std::string other = readAll(modelData("gguf") / "tiny.gguf");
  const std::size_t at = other.find("llama", other.find("general.architecture"));
  refuses(other.replace(at, 5, "rwkv6"), "general.architecture is rwkv6");
}

/// The model of tiny.gguf as a folder, without "model." before its names, and with one value of a
/// tensor moved by `by`.
void writeUnrounded(const TempFolder& folder, const std::string& moved, float by) {
  folder.file("config.json", ggufConfig(*tiny()).dump());
  const WeightFilePtr file = ggufWeights(tiny());
  std::vector<NamedTensor> tensors;
  for (const std::string& name : file->names()) {
    Tensor values = file->read(name).clone();
    if (name == moved) values.mutableData()[0] += by;
    tensors.push_back({name.starts_with("model.") ? name.substr(6) : name, values});
  }
  writeSafetensors(folder / "model.safetensors", tensors);
}

TEST(Gguf, WhatRoundingChangedIsMeasuredAgainstTheModelUnrounded) {
  const std::string moved = "model.layers.0.self_attn.q_proj.weight";
  const TempFolder folder;
  writeUnrounded(folder, moved, 3.0F);
  const auto errors = weightErrors(modelData("gguf") / "tiny.gguf", folder.path());
  EXPECT_EQ(errors.size(), ggufWeights(tiny())->names().size());
  std::set<std::string> types;
  for (const WeightError& each : errors) {
    types.insert(each.type);
    EXPECT_GT(each.size, 0.0) << each.tensor;
    if (each.tensor != moved) {
      EXPECT_EQ(each.largest, 0.0) << each.tensor;
      continue;
    }
    EXPECT_NEAR(each.largest, 3.0, 1e-6);
    EXPECT_NEAR(each.mean, 3.0 / static_cast<double>(elementCount(each.shape)), 1e-6);
  }
  EXPECT_TRUE(types.contains("Q4_K") && types.contains("Q8_0"));
  expectUserError([] { weightErrors(modelData("gguf") / "tiny.gguf", modelData("tiny-llama")); },
                  "compare files of the same model");
}

TEST(Gguf, NamesWithNulBytesAndAxesWithoutMeasureAreRefusedInWords) {
  const std::filesystem::path seeds =
      std::filesystem::path(HEADSCOPE_SOURCE_DIR) / "tests/fuzz/seeds/gguf";
  expectUserError([&] { GgufFile{seeds / "nul_in_a_name"}; }, "nul_in_a_name", "has a NUL byte");
  expectUserError([&] { GgufFile{seeds / "axes_without_measure"}; }, "axes_without_measure",
                  "is too large");
}

}  // namespace
}  // namespace headscope::formats
