// model --compare: what the rounding of weights changed.
#include "core/tensor/safetensors.h"
#include "tests/cli/cli_test.h"

namespace headscope {
namespace {

using nlohmann::json;

class ModelCompare : public InFolder {
 protected:
  /// tiny-gpt2 with its weights as F16.
  void SetUp() override {
    InFolder::SetUp();
    std::filesystem::copy(dataFile("tiny-gpt2/config.json"), path("config.json"));
    const SafetensorsFile file(dataFile("tiny-gpt2/model.safetensors"));
    std::vector<NamedTensor> tensors;
    for (const std::string& name : file.names()) tensors.push_back({name, file.read(name)});
    writeSafetensors(path("model.safetensors"), tensors, {}, FileFloat::f16);
  }
};

TEST_F(ModelCompare, PrintsTheErrorsOfEveryTensor) {
  const std::string whole = dataFile("tiny-gpt2");
  const json said = jsonOf({"model", path(""), "--compare", whole});
  EXPECT_EQ(said["against"], whole);
  bool any = false;
  for (const json& each : said["tensors"]) {
    EXPECT_EQ(each["type"], "F16");
    EXPECT_GE(each["largest_error"].get<double>(), each["mean_error"].get<double>());
    EXPECT_LT(each["largest_error"].get<double>(), 1.0 / 2048.0);  // half of F16's last bit
    any = any || each["largest_error"] > 0.0;
  }
  EXPECT_TRUE(any);
  const CliResult table = runProgram({"model", path(""), "--compare", whole});
  EXPECT_NE(table.out.find("transformer.h.0.attn.c_attn.weight  F16"), std::string::npos)
      << table.out;
  expectRefused({"model", path(""), "--compare", dataFile("tiny-llama")},
                {"compare files of the same model"});
}

}  // namespace
}  // namespace headscope
