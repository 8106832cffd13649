// export: each format read back, scripts, and what is refused.
#include <cstdlib>
#include <iterator>
#include <sstream>

#include "core/tensor/safetensors.h"
#include "tests/cli/cli_test.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

class Export : public InFolder {
 protected:
  CliResult exported(std::vector<std::string> flags) {
    flags.insert(flags.begin(), "export");
    CliResult result = runProgram(flags);
    EXPECT_EQ(result.status, 0) << result.err;
    return result;
  }
  std::string text(const std::string& name) const {
    std::ifstream in(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  /// The tensor `name` from the trace of the same pass.
  Tensor fromRun(const std::string& name, std::vector<std::string> flags) {
    const std::string file = path("trace.safetensors");
    flags.insert(flags.begin(), {"run", "--trace", file});
    EXPECT_EQ(runProgram(flags).status, 0);
    Tensor tensor = SafetensorsFile(file).readAny(name);
    fs::remove(file);
    return tensor;
  }
};

TEST_F(Export, EveryFormatHoldsTheTensorOfTheRun) {
  const std::vector<std::string> pass{"--causal", "--seed", "3", "--d-model", "16", "--heads", "2"};
  const auto flags = [&](const std::string& out) {
    std::vector<std::string> all{"--tensor", "masked_scores", "--out", path(out)};
    all.insert(all.end(), pass.begin(), pass.end());
    return all;
  };
  const Tensor expected = fromRun("masked_scores", pass);
  const std::vector<float> values = expected.values();
  const std::string bytes(reinterpret_cast<const char*>(values.data()), values.size() * 4);

  const CliResult result = exported(flags("m.safetensors"));
  EXPECT_EQ(result.out, "masked_scores (1, 2, 6, 6): " + path("m.safetensors") + "\n");
  EXPECT_EQ(SafetensorsFile(path("m.safetensors")).readAny("masked_scores").values(), values);

  exported(flags("m.npy"));
  const std::string npy = text("m.npy");
  EXPECT_NE(npy.find("'shape': (1, 2, 6, 6)"), std::string::npos);
  EXPECT_EQ(npy.substr(npy.size() - bytes.size()), bytes);

  exported(flags("m.csv"));
  std::istringstream csv(text("m.csv"));
  std::string line;
  std::getline(csv, line);
  EXPECT_EQ(line, "item,head,row,token,0,1,2,3,4,5");
  std::size_t at = 0;
  for (int row = 0; std::getline(csv, line); ++row) {
    std::istringstream cells(line);
    std::string cell;
    for (int lead = 0; lead < 4; ++lead) std::getline(cells, cell, ',');
    for (; std::getline(cells, cell, ','); ++at) {
      ASSERT_LT(at, values.size());
      EXPECT_EQ(std::strtof(cell.c_str(), nullptr), values[at]);
    }
  }
  EXPECT_EQ(at, values.size());
}

TEST_F(Export, TheFormatCanBeNamed) {
  exported({"--tensor", "W_O", "--format", "npy", "--out", path("weights.dat")});
  EXPECT_EQ(text("weights.dat").substr(1, 5), "NUMPY");
  exported({"--tensor", "memory", "--out", path("m.npy"), "--memory-len", "3"});
  EXPECT_NE(text("m.npy").find("(1, 3, 512)"), std::string::npos);
}

TEST_F(Export, AScriptAndATensorAtOnce) {
  const CliResult result =
      exported({"--pytorch", path("check"), "--tensor", "x", "--out", path("x.npy")});
  EXPECT_TRUE(fs::is_regular_file(path("check/check_attention.py")));
  EXPECT_EQ(text("x.npy"), text("check/tensors/x.npy"));
  EXPECT_NE(result.out.find("x (1, 6, 512): " + path("x.npy")), std::string::npos) << result.out;
  EXPECT_NE(result.out.find(path("check/check_attention.py")), std::string::npos) << result.out;
}

TEST_F(Export, WhatIsMissingOrContradictsIsRefused) {
  expectRefused({"export"}, {"nothing to export", "--tensor", "--pytorch"});
  expectRefused({"export", "--tensor", "x"}, {"--tensor x", "--out", "safetensors, npy, csv"});
  expectRefused({"export", "--out", path("x.npy")}, {"--out", "--tensor"});
  expectRefused({"export", "--pytorch", path("d"), "--format", "npy"}, {"--format", "--tensor"});
  expectRefused({"export", "--tensor", "x", "--out", path("x.txt")}, {"x.txt", "--format"});
  expectRefused({"export", "--tensor", "x", "--out", path("x"), "--format", "mat"},
                {"--format mat", "safetensors, npy, csv"});
  expectRefused({"export", "--tensor", "x", "--out", path("x.npy"), "--format", "csv"},
                {"--format csv", "x.npy"});
  expectRefused({"export", "--tensor", "logits", "--out", path("x.npy")},
                {"'logits'", "q_proj", "raw_scores"});
  expectRefused({"export", "--tensor", "memory", "--out", path("x.npy")}, {"memory"});
  expectRefused({"export", "--tensor", "b_Q", "--no-bias", "--out", path("x.npy")}, {"b_Q"});
  expectRefused({"export", "--tensor", "x", "--out", path("none/x.npy")}, {"none/x.npy"});
  expectRefused({"export", "--heads", "7", "--pytorch", path("d")}, {"512", "7"});
  EXPECT_TRUE(folderIsEmpty());
  expectRefused({"export", "--pytorch", write("file", "")}, {path("file"), "folder"});
}

}  // namespace
}  // namespace headscope
