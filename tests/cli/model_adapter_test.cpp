// model --adapter: a LoRA adapter on the command line.
#include <cmath>

#include "core/tensor/safetensors.h"
#include "tests/cli/cli_test.h"

namespace headscope {
namespace {

using nlohmann::json;

class ModelAdapter : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    std::filesystem::create_directories(lora());
    writeConfig(dataFile("tiny-gpt2"));
    const std::string name = "base_model.model.transformer.h.0.attn.c_attn.lora_";
    writeSafetensors(lora() + "/adapter_model.safetensors",
                     std::vector<NamedTensor>{{name + "A.weight", waves({8, 32})},
                                              {name + "B.weight", waves({96, 8})}});
  }
  std::string lora() const { return path("lora"); }
  static Tensor waves(const Shape& shape) {
    Tensor t = Tensor::uninitialised(shape);
    for (Index i = 0; i < t.size(); ++i) {
      t.mutableData()[i] = 0.5F * static_cast<float>(std::sin(0.7 * static_cast<double>(i)));
    }
    return t;
  }
  void writeConfig(const std::string& base) const {
    std::ofstream(lora() + "/adapter_config.json") << json{{"peft_type", "LORA"},
                                                           {"r", 8},
                                                           {"lora_alpha", 16},
                                                           {"target_modules", {"c_attn"}},
                                                           {"base_model_name_or_path", base}};
  }
  static double best(const std::vector<std::string>& place) {
    std::vector<std::string> all{"model"};
    all.insert(all.end(), place.begin(), place.end());
    all.insert(all.end(), {"--ids", "5,17,40"});
    return jsonOf(all)["predictions"][2][0]["p"];
  }
};

TEST_F(ModelAdapter, IsPutOntoTheModelWithItsStrength) {
  const std::string base = dataFile("tiny-gpt2");
  const double plain = best({base}), whole = best({base, "--adapter", lora()});
  EXPECT_NE(whole, plain);
  EXPECT_EQ(best({base, "--adapter", lora(), "--adapter-strength", "0"}), plain);
  const double half = best({base, "--adapter", lora(), "--adapter-strength", "0.5"});
  EXPECT_NE(half, plain);
  EXPECT_NE(half, whole);
  // its own folder stands for its base with it
  EXPECT_EQ(best({lora()}), whole);
  EXPECT_EQ(best({lora(), "--adapter-strength", "0.5"}), half);
}

TEST_F(ModelAdapter, AServedModelRunsWithAndWithoutIt) {
  const std::string base = dataFile("tiny-gpt2");
  const json plain{{"command", "model"}, {"model", 1}, {"ids", {5, 17, 40}}};
  json whole = plain, half = plain, own = plain;
  whole["adapter"] = half["adapter"] = lora();
  half["adapter_strength"] = 0.5;
  own["model"] = 2;
  std::string input;
  for (const std::string& folder : {base, lora()}) {
    input += json{{"command", "open"}, {"folder", folder}}.dump() + "\n";
  }
  for (const json& request : {plain, whole, half, plain, own}) input += request.dump() + "\n";
  std::istringstream answers(runProgram({"serve", "--stdio"}, input).out);
  std::vector<double> found;
  for (std::string line; std::getline(answers, line);) {
    json result = json::parse(line)["result"];
    if (result.contains("predictions")) found.push_back(result["predictions"][2][0]["p"]);
  }
  const double adapted = best({base, "--adapter", lora()});
  const std::vector<double> expected{best({base}), adapted,
                                     best({base, "--adapter", lora(), "--adapter-strength", "0.5"}),
                                     best({base}), adapted};
  EXPECT_EQ(found, expected);
}

TEST_F(ModelAdapter, GoesWithALayerOfAModel) {
  const auto layer = [](std::vector<std::string> flags) {
    flags.insert(flags.begin(),
                 {"run", "--model", dataFile("tiny-gpt2"), "--layer", "0", "--ids", "5,17,40"});
    const CliResult result = runProgram(flags);
    EXPECT_EQ(result.status, 0) << result.err;
    return result.out.substr(0, result.out.find("ms"));
  };
  const auto weights = [&](const std::vector<std::string>& flags) {
    std::vector<std::string> all{"--trace", path("t.safetensors")};
    all.insert(all.end(), flags.begin(), flags.end());
    layer(all);
    return SafetensorsFile(path("t.safetensors")).read("weights").values();
  };
  EXPECT_NE(weights({"--adapter", lora()}), weights({}));
  EXPECT_EQ(weights({"--adapter", lora(), "--adapter-strength", "0"}), weights({}));
  expectRefused({"run", "--adapter", lora()}, {"--adapter", "--model"});
}

TEST_F(ModelAdapter, WhatCannotBeIsRefused) {
  expectRefused({"model", dataFile("tiny-gpt2"), "--ids", "1", "--adapter-strength", "0.5"},
                {"--adapter-strength", "--adapter"});
  expectRefused({"model", dataFile("tiny-gpt2"), "--ids", "1", "--adapter", lora(),
                 "--adapter-strength", "1.5"},
                {"--adapter-strength"});
  expectRefused({"model", dataFile("tiny-gpt2"), "--ids", "1", "--adapter", "nowhere"},
                {"nowhere"});
  writeConfig("openai-community/gpt2");
  expectRefused({"model", lora(), "--ids", "1"}, {"openai-community/gpt2", "--adapter"});
}

}  // namespace
}  // namespace headscope
