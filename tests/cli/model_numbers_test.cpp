// A model with a weight that is not a number, on the command line: every reader refuses it, naming
// tensor and cell, and none prints it.
#include <cmath>

#include "tests/cli/cli_test.h"
#include "tests/core/support/model_folders.h"

namespace headscope {
namespace {

using test::ModelFolder;

class ModelNumbers : public InFolder {
 protected:
  /// The flags of every reading, and none.
  std::vector<std::vector<std::string>> readings() const {
    return {{},
            {"--json"},
            {"--lens"},
            {"--attribute", "5"},
            {"--patch", "0.0"},
            {"--generate", "3"},
            {"--probe"},
            {"--drop-heads", "1.2"},
            {"--trace", path("trace.safetensors")}};
  }
  void expectRefusedByAll(const ModelFolder& model, const std::vector<std::string>& parts,
                          const std::vector<std::vector<std::string>>& readings) {
    const TempFolder folder;
    model.write(folder);
    for (const std::vector<std::string>& reading : readings) {
      SCOPED_TRACE(reading.empty() ? "no reading" : reading.front());
      std::vector<std::string> arguments{"model", folder.path().string(), "--ids", "1,65,12"};
      arguments.insert(arguments.end(), reading.begin(), reading.end());
      expectRefused(arguments, parts);
    }
    EXPECT_FALSE(std::filesystem::exists(path("trace.safetensors")));
  }
};

TEST_F(ModelNumbers, AReadoutThatIsNotFiniteIsNamed) {
  ModelFolder llama("tiny-llama");
  llama.own("model.norm.weight").mutableData()[3] = std::nanf("");
  expectRefusedByAll(llama, {"model.norm.weight[3] is NaN in ", "model.safetensors"}, readings());
  ModelFolder gpt2("tiny-gpt2");
  gpt2.own("transformer.wte.weight").mutableData()[399 * 32] = std::nanf("");
  expectRefusedByAll(gpt2, {"transformer.wte.weight[399, 0] is NaN in "}, readings());
  ModelFolder bert("tiny-bert");
  bert.own("cls.predictions.bias").mutableData()[231] = std::nanf("");
  expectRefusedByAll(bert, {"cls.predictions.bias[231] is NaN in "},
                     {{}, {"--json"}, {"--lens"}, {"--patch", "0.0"}, {"--probe"}});
}

TEST_F(ModelNumbers, AReadoutThatOverflowsIsNoPrediction) {
  ModelFolder llama("tiny-llama");
  llama.config["tie_word_embeddings"] = false;
  llama.tensors["lm_head.weight"] = llama.tensors.at("model.embed_tokens.weight");
  llama.fill("lm_head.weight", 3e38F);
  expectRefusedByAll(llama, {"the logits at token ", "overflows a 32-bit float"}, readings());
}

TEST_F(ModelNumbers, ALayerByItselfIsRefusedAlike) {
  const TempFolder folder;
  ModelFolder model("tiny-llama");
  model.own("model.layers.1.mlp.up_proj.weight").mutableData()[7] = std::nanf("");
  model.write(folder);
  for (const char* command : {"run", "analyze"}) {
    expectRefused({command, "--model", folder.path().string(), "--layer", "1", "--ids", "1,65"},
                  {"model.layers.1.mlp.up_proj.weight[0, 7] is NaN in "});
  }
}

}  // namespace
}  // namespace headscope
