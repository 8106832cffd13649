// Half matrices: numbers in 16 bits, products with them, and models that are kept so.
#include "core/tensor/half_matrix.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <bit>
#include <cmath>

#include "core/attention/steps/linear.h"
#include "core/model/generation.h"
#include "core/model/logit_parts.h"
#include "tests/core/support/documents.h"
#include "tests/core/support/model_folders.h"
#include "tests/core/support/passes.h"

namespace headscope::test {
namespace {

constexpr std::size_t kPatterns = 1 << 16;

template <typename Number>
void expectEveryPattern(HalfKind kind) {
  std::vector<std::uint16_t> all(kPatterns);
  for (std::size_t i = 0; i < kPatterns; ++i) all[i] = static_cast<std::uint16_t>(i);
  std::vector<float> wide(kPatterns);
  widen(kind, all, wide.data());
  for (std::size_t i = 0; i < kPatterns; ++i) {
    const auto expected = static_cast<float>(std::bit_cast<Number>(all[i]));
    EXPECT_EQ(allFinite(kind, {&all[i], 1}), std::isfinite(expected)) << i;
    if (!std::isfinite(expected)) continue;
    ASSERT_EQ(std::bit_cast<std::uint32_t>(wide[i]), std::bit_cast<std::uint32_t>(expected)) << i;
  }
}

TEST(HalfMatrix, WidensEveryNumberExactly) {
  expectEveryPattern<Eigen::half>(HalfKind::f16);
  expectEveryPattern<Eigen::bfloat16>(HalfKind::bf16);
}

HalfMatrix halved(const Tensor& from, HalfKind kind) {
  const std::shared_ptr<std::uint16_t[]> numbers(
      new std::uint16_t[static_cast<std::size_t>(from.size())]);
  for (Index i = 0; i < from.size(); ++i) {
    numbers[static_cast<std::size_t>(i)] =
        kind == HalfKind::f16 ? std::bit_cast<std::uint16_t>(Eigen::half(from.data()[i]))
                              : std::bit_cast<std::uint16_t>(Eigen::bfloat16(from.data()[i]));
  }
  return {kind, from.dim(0), from.dim(1), numbers};
}

void expectAsWide(const Tensor& a, const Tensor& b) {
  ASSERT_EQ(a.shape(), b.shape());
  double largest = 0.0;
  for (Index i = 0; i < b.size(); ++i) largest = std::max(largest, std::abs(double{b.data()[i]}));
  for (Index i = 0; i < b.size(); ++i) {
    ASSERT_NEAR(a.data()[i], b.data()[i], 2e-6 * largest) << i;
  }
}

/// Wider and deeper than one block that is widened, and narrower than a panel.
TEST(HalfMatrix, ProductsAreThoseOfTheWidenedNumbers) {
  for (const HalfKind kind : {HalfKind::f16, HalfKind::bf16}) {
    for (const auto& [out, in] : {std::pair<Index, Index>{300, 1300}, {7, 20}, {128, 512}}) {
      const HalfMatrix half = halved(randomTensor({out, in}, 3, "weight", 0.2F), kind);
      const Tensor wide = half.widened(), bias = randomTensor({out}, 4, "bias", 0.2F);
      for (const Index rows : {1, 5, 300}) {
        const Tensor x = randomTensor({1, rows, in}, 5, "x", 1.0F);
        const Tensor expected = linear(x, wide, bias, {});
        expectAsWide(linear(x, packed(StoredMatrix(half)), bias, {}), expected);
        expectAsWide(linear(x, StoredMatrix(half), bias, {}), expected);
      }
      EXPECT_EQ(packed(StoredMatrix(half)).widenedPanels().values(), packed(wide).panels.values());
      const Tensor last = half.slice(out - 2, 2).widened();
      EXPECT_EQ(last.values(), wide.slice(0, out - 2, out).clone().values());
    }
  }
}

/// Writes tensors as BF16.
void writeBrain(const std::filesystem::path& path, const std::vector<NamedTensor>& tensors) {
  nlohmann::json header;
  std::string data;
  for (const NamedTensor& each : tensors) {
    const std::size_t begin = data.size();
    for (const float value : each.tensor.values()) {
      const auto bits = std::bit_cast<std::uint16_t>(Eigen::bfloat16(value));
      data.append(reinterpret_cast<const char*>(&bits), sizeof bits);
    }
    header[each.name] = {
        {"dtype", "BF16"},
        {"shape", std::vector<Index>(each.tensor.shape().begin(), each.tensor.shape().end())},
        {"data_offsets", {begin, data.size()}}};
  }
  const std::string text = header.dump();
  const std::uint64_t length = text.size();
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(&length), sizeof length);
  out << text << data;
}

/// A model in 16 bits, and the same numbers in float32.
void expectKeptInHalves(const std::string& name, HalfKind kind) {
  SCOPED_TRACE(name);
  const TempFolder folder;
  ModelFolder of(name);
  of.writeConfig(folder);
  if (kind == HalfKind::f16) {
    writeSafetensors(folder / "model.safetensors", of.list(), {}, FileFloat::f16);
  } else {
    writeBrain(folder / "model.safetensors", of.list());
  }
  const SafetensorsFile rounded(folder / "model.safetensors");
  for (auto& [tensor, values] : of.tensors) values = rounded.read(tensor);
  const auto half = formats::openModel(folder.path(), kBudgetBytes);
  const auto full = opened(of);
  EXPECT_TRUE(half->layer(0)->keptInHalves());
  EXPECT_FALSE(full->layer(0)->keptInHalves());
  EXPECT_LT(half->layer(0)->bytes(), full->layer(0)->bytes());
  EXPECT_FALSE(half->embedding()->tokens.half().empty());
  const std::vector<Index> ids{5, 17, 40, 8, 66};
  const auto passOf = [&](const model::ModelPtr& model) {
    return model::runModel(model::makeModelDocument(model, {ids, {}, {}}), nullptr, {},
                           kBudgetBytes);
  };
  const auto a = passOf(half), b = passOf(full);
  expectAsWide(a->logits(0, 5), b->logits(0, 5));
  expectAsWide(a->hidden(2), b->hidden(2));
  if (!half->config().causal) return;
  const auto parts = model::logitParts(*a, 3, 9, std::nullopt, {});
  ASSERT_TRUE(parts);
  EXPECT_NEAR(parts->sum, parts->logit, 1e-4);
  model::Decoder decoder(a, 2), wide(b, 2);
  ASSERT_TRUE(decoder.feed(7, {}) && wide.feed(7, {}));
  expectAsWide(Tensor::fromValues({std::ssize(wide.logits())}, decoder.logits()),
               Tensor::fromValues({std::ssize(wide.logits())}, wide.logits()));
  // the edits of a layer run on from it
  const auto off = model::withoutHeads(a->document(), {{1, 0}});
  const auto again = model::runModel(off, a, {}, kBudgetBytes);
  EXPECT_EQ(again->layersRun(), half->config().layers - 1);
  EXPECT_NE(again->last().values(), a->last().values());
}

TEST(HalfMatrix, AModelIsKeptInTheBitsOfItsFile) {
  for (const HalfKind kind : {HalfKind::f16, HalfKind::bf16}) {
    expectKeptInHalves("tiny-llama", kind);
    expectKeptInHalves("families/mixtral", kind);
    expectKeptInHalves("families/phi3", kind);  // gate and up in one tensor
    expectKeptInHalves("tiny-bert", kind);
  }
}

TEST(HalfMatrix, ANumberThatIsNotFiniteIsNamed) {
  ModelFolder of("tiny-llama");
  of.own("model.layers.1.mlp.up_proj.weight").mutableData()[3] =
      std::numeric_limits<float>::infinity();
  const TempFolder folder;
  of.writeConfig(folder);
  writeBrain(folder / "model.safetensors", of.list());
  const auto model = formats::openModel(folder.path(), kBudgetBytes);
  expectUserError([&] { model->layer(1); }, "up_proj.weight[0, 3]", "model.safetensors");
}

}  // namespace
}  // namespace headscope::test
