// model --trace: the file with what flows through a model, and with its gradients.
#include <fmt/format.h>

#include <cmath>

#include "core/tensor/safetensors.h"
#include "tests/cli/cli_test.h"
#include "tests/core/support/circuits.h"

namespace headscope {
namespace {

using nlohmann::json;

std::string listOf(const std::vector<Index>& ids) {
  std::string list;
  for (const Index id : ids) list += (list.empty() ? "" : ",") + std::to_string(id);
  return list;
}

class ModelTraceFile : public InFolder {
 protected:
  static std::vector<std::string> tiny(std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"model", dataFile("tiny-gpt2")});
    return flags;
  }
  /// The file that the command writes with these flags.
  SafetensorsFile traced(std::vector<std::string> flags) const {
    flags.insert(flags.end(), {"--trace", path("t.safetensors")});
    const CliResult result = runProgram(tiny(std::move(flags)));
    EXPECT_EQ(result.status, 0) << result.err;
    return SafetensorsFile(path("t.safetensors"));
  }
};

TEST_F(ModelTraceFile, HasTheSitesThatAreRequested) {
  const SafetensorsFile file =
      traced({"--ids", "283,271,84", "--sites", "residual,heads,k,residual"});
  EXPECT_EQ(file.shape("residual"), Shape({2, 3, 32}));
  EXPECT_EQ(file.shape("heads"), Shape({2, 4, 3, 8}));
  EXPECT_EQ(file.shape("k"), Shape({2, 4, 3, 8}));
  for (const char* name : {"q", "v", "network", "grad.heads"}) EXPECT_FALSE(file.has(name)) << name;
  EXPECT_EQ(file.read("residual").values(), file.read("hidden_states").slice(0, 0, 2).values());
  EXPECT_FALSE(file.metadata().contains("grad_of"));
}

TEST_F(ModelTraceFile, HasGradientsAsTransformersGivesThem) {
  const test::Circuit golden("tiny-gpt2");
  const std::vector<Index> answers = golden.ids("answers");
  const std::string right = std::to_string(answers[0]), wrong = std::to_string(answers[1]);
  const std::string ids = listOf(golden.ids("clean"));
  const SafetensorsFile file = traced({"--ids", ids, "--grad-of-id", right, "--against-id", wrong});
  EXPECT_EQ(json::parse(file.metadata().at("grad_of")),
            (json{{"at", 8}, {"word", answers[0]}, {"other", answers[1]}}));
  std::vector<std::vector<float>> found;
  for (const auto& [name, wanted] : {std::pair("grad.heads", golden.tensor("grad_heads")),
                                     std::pair("grad.residual", golden.tensor("grad_residual"))}) {
    const std::vector<float> values = file.read(name).values(), expected = wanted.values();
    ASSERT_EQ(file.shape(name), wanted.shape());
    double largest = 0.0;
    for (const float x : expected) largest = std::max(largest, std::abs(static_cast<double>(x)));
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_NEAR(values[i], expected[i], 1e-5 * largest) << name;
    }
    found.push_back(values);
  }
  // one token alone, and tokens given as text
  const SafetensorsFile alone = traced({"--ids", ids, "--grad-of", right});
  EXPECT_NE(alone.read("grad.heads").values(), found[0]);
  EXPECT_EQ(json::parse(alone.metadata().at("grad_of")), (json{{"at", 8}, {"word", answers[0]}}));
  const SafetensorsFile mixed =
      traced({"--ids", ids, "--grad-of", right, "--against-id", wrong, "--threads", "2"});
  EXPECT_EQ(mixed.read("grad.residual").values(), found[1]);
}

/// The derivative along the network's addition of the last layer, at the last place, is that along
/// the residual stream that follows; the sites have the shapes of their values.
TEST_F(ModelTraceFile, HasGradientsOfTheSitesThatItHas) {
  const SafetensorsFile file =
      traced({"--ids", "5,17,3,40", "--grad-of-id", "21", "--sites", "all"});
  for (const char* site : {"q", "k", "v", "heads", "residual", "attention", "network",
                           "residual_mid", "network_input", "neurons"}) {
    EXPECT_EQ(file.shape(fmt::format("grad.{}", site)), file.shape(site)) << site;
  }
  // what attention adds goes into the same stream as what the layer read, past its own norms
  const Tensor network = file.read("grad.network"), attention = file.read("grad.attention");
  const Index layers = network.dim(0), tokens = network.dim(1), width = network.dim(2);
  const Tensor residual = file.read("grad.residual");
  for (Index token = 0; token < tokens; ++token) {
    for (Index j = 0; j < width; ++j) {
      ASSERT_EQ(network.at({0, token, j}), residual.at({1, token, j}));
      if (token < tokens - 1) {
        ASSERT_EQ(network.at({layers - 1, token, j}), 0.0F);
      }
    }
  }
  EXPECT_NE(attention.values(), network.values());
  const SafetensorsFile earlier =
      traced({"--ids", "5,17,3,40", "--grad-of-id", "21", "--at", "1", "--sites", "network"});
  const Tensor there = earlier.read("grad.network");
  for (Index j = 0; j < width; ++j) EXPECT_EQ(there.at({0, 2, j}), 0.0F);
  EXPECT_NE(there.at({0, 1, 0}), 0.0F);
  EXPECT_EQ(json::parse(earlier.metadata().at("grad_of"))["at"], 1);
}

TEST_F(ModelTraceFile, NamesTokensByText) {
  const SafetensorsFile byText =
      traced({"--text", "The cat sat", "--grad-of", " on", "--against", " the"});
  const json number = json::parse(byText.metadata().at("grad_of"));
  const std::vector<float> found = byText.read("grad.heads").values();
  const SafetensorsFile byId =
      traced({"--text", "The cat sat", "--grad-of-id", number["word"].dump(), "--against-id",
              number["other"].dump()});
  EXPECT_EQ(byId.read("grad.heads").values(), found);
}

TEST_F(ModelTraceFile, IsAnArchiveForNumPyByItsEnding) {
  const CliResult result = runProgram(
      tiny({"--ids", "283,271", "--trace", path("t.npz"), "--sites", "q", "--grad-of-id", "5"}));
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("trace: " + path("t.npz")), std::string::npos);
  const std::string zip = readAll(path("t.npz"));
  for (const char* name :
       {"attentions", "hidden_states", "logits", "q", "grad.heads", "grad.residual"}) {
    EXPECT_NE(zip.find(std::string(name) + ".npy"), std::string::npos) << name;
  }
  EXPECT_EQ(zip.substr(0, 4), "PK\3\4");
}

TEST_F(ModelTraceFile, IsRefusedWhereARequestCannotBeMet) {
  const auto refused = [&](std::vector<std::string> flags, const std::vector<std::string>& parts) {
    flags.insert(flags.begin(), {"--ids", "1,2"});
    expectRefused(tiny(std::move(flags)), parts);
    EXPECT_TRUE(folderIsEmpty());
  };
  const std::string file = path("t.safetensors");
  refused({"--trace", file, "--sites", "q,keys"}, {"--sites: there is no site 'keys'", "network"});
  refused({"--sites", "q"}, {"--sites requires --trace"});
  refused({"--grad-of-id", "5"}, {"--grad-of-id requires --trace"});
  refused({"--trace", file, "--against-id", "5"}, {"--against", "--grad-of"});
  refused({"--trace", file, "--grad-of-id", "400"}, {"id 400 is not a token of tiny-gpt2"});
  refused({"--trace", file, "--grad-of-id", "5", "--grad-of", "a"}, {"excludes"});
  refused({"--trace", file, "--grad-of", "a b c"}, {"--grad-of: ", "tokens"});
  refused({"--trace", path("t.npy")}, {"must end in .safetensors or .npz"});
  refused({"--trace", path("no/where.npz")}, {"no/where.npz"});
  expectRefused({"model", dataFile("families/clip_text_model"), "--ids", "1,2", "--trace", file,
                 "--grad-of-id", "5"},
                {"no language-model head"});
  expectRefused(
      {"model", "headscope:induction", "--ids", "1,2", "--trace", file, "--sites", "network"},
      {"without networks"});
  EXPECT_TRUE(folderIsEmpty());
}

}  // namespace
}  // namespace headscope
