#include <limits>

#include "core/tensor/safetensors.h"
#include "tests/cli/cli_test.h"

namespace headscope {
namespace {

class BadPass : public InFolder {
 protected:
  std::string tensors(const std::string& name, const std::vector<NamedTensor>& list) {
    writeSafetensors(path(name), list);
    return path(name);
  }
};

TEST_F(BadPass, ContradictionsAreNamed) {
  expectRefused({"run", "--text", "a", "--series", "s.csv"}, {"--text and --series"});
  expectRefused({"run", "--text", "a", "--input", "x"}, {"--text and --input"});
  expectRefused({"run", "--memory-text", "a", "--input", "x"}, {"--memory-text needs", "--input"});
  expectRefused({"run", "--memory-text", "a", "--series", "s.csv"},
                {"--memory-text needs", "--series"});
  expectRefused({"run", "--series", "s.csv", "--input", "x"}, {"--series and --input"});
  expectRefused({"run", "--prefix", "encoder."}, {"--prefix", "--weights"});
  expectRefused({"run", "--init", "normal", "--weights", "w"}, {"--init", "--weights"});
  expectRefused({"run", "--seed", "3", "--weights", "w"}, {"--seed", "--weights"});
  expectRefused({"run", "--no-positions", "--sinusoidal-positions"}, {"contradict"});
  expectRefused({"run", "--memory-len", "0", "--memory-text", "a"}, {"--memory-len 0"});
  expectRefused({"run", "--text", "a", "--text", "b", "--batch", "1"},
                {"--batch 1", "2 given items"});
  expectRefused({"run", "--preset", "amnl", "--memory-len", "5"}, {"--memory-len", "--text"});
  expectRefused({"run", "--preset", "amnl", "--memory-text", "a"}, {"--memory-text", "--text"});
}

TEST_F(BadPass, ValuesAreNamed) {
  expectRefused({"run", "--heads", "7"}, {"7 heads", "4, 8"});
  expectRefused({"run", "--text", ""}, {"text is empty"});
  expectRefused({"run", "--memory-text", " "}, {"memory text is empty"});
  expectRefused({"run", "--text", "\xff"}, {"UTF-8"});
  expectRefused({"run", "--init", "trained"},
                {"trained", "xavier, normal, identity, designed or learned"});
  expectRefused({"run", "--init", "designed", "--input", "x"}, {"--init designed", "--input"});
  expectRefused({"run", "--init", "designed", "--weights", "w"}, {"--init", "--weights"});
  expectRefused({"run", "--init", "designed", "--preset", "by-hand"},
                {"--init designed", "by-hand", "--text"});
  expectRefused({"run", "--seed", "-1"}, {"--seed", "-1"});
  expectRefused({"run", "--seed", "one"}, {"--seed", "one"});
  expectRefused({"run", "--temperature", "0"}, {"temperature is 0"});
  expectRefused({"run", "--temperature", "nan"}, {"--temperature", "'nan' is not a finite number"});
  expectRefused({"run", "--temperature", "-inf"},
                {"--temperature", "'-inf' is not a finite number"});
  expectRefused({"run", "--temperature", "hot"}, {"--temperature", "'hot' is not a finite number"});
  expectRefused({"run", "--window", "-1"}, {"window is -1"});
  expectRefused({"run", "--lengths", "7,4,1"}, {"3 values", "batch of 1"});
  expectRefused({"run", "--lengths", "7"}, {"length 7", "6 keys"});
  expectRefused({"run", "--lengths", "3,x"}, {"--lengths", "'x' is not a whole number"});
  expectRefused({"run", "--drop-heads", "2,8"}, {"head 8", "0 to 7"});
  expectRefused({"run", "--threads", "-1"}, {"--threads"});
  expectRefused({"run", "--threads", "x"}, {"--threads"});
  expectRefused({"run", "--preset", "by-hand", "--d-model", "16"}, {"--d-model 16", "by-hand"});
  expectRefused({"run", "--preset", "by-hand", "--text", "a", "--d-model", "16"}, {"--init"});
}

TEST_F(BadPass, AbsurdSizesAreRefusedWithTheFigure) {
  expectRefused({"run", "--d-model", "1000000000"}, {"d_model is 1000000000"});
  expectRefused({"run", "--batch", "1000000000"}, {"batch is 1000000000"});
  expectRefused({"run", "--memory-len", "1000000000"}, {"memory_len is 1000000000"});
  expectRefused({"run", "--seq-len", "0"}, {"tokens is 0"});
  expectRefused({"run", "--seq-len", "65536", "--batch", "64"},
                {"memory budget", "needs 1", "GB even without scores and weights"});
}

TEST_F(BadPass, FilesAreNamed) {
  expectRefused({"run", "--input", path("no.safetensors")}, {"no.safetensors"});
  expectRefused({"run", "--series", path("no.csv")}, {"no.csv"});
  expectRefused({"run", "--weights", path("no.safetensors"), "--heads", "4"}, {"no.safetensors"});
  expectRefused({"run", "--input", path("")}, {path("")});
  expectRefused({"run", "--input", write("short.safetensors", "abc")}, {"short.safetensors"});
  const std::string words = write("words.csv", "a,b\n1,2\n3,many\n");
  expectRefused({"run", "--series", words}, {"words.csv", "many", "3"});
  const std::string ragged = write("ragged.csv", "a,b\n1,2\n3\n");
  expectRefused({"run", "--series", ragged}, {"ragged.csv", "3"});
  const std::string longText(11U << 20, 'x');
  expectRefused({"run", "--series", write("text.csv", longText)}, {"text.csv"});
  expectRefused({"run", "--text", longText}, {"text", "1 MB"});
}

TEST_F(BadPass, NanInAnInputIsNamedByIndex) {
  std::vector<float> values(2 * 8, 0.5F);
  values[8 + 3] = std::numeric_limits<float>::quiet_NaN();
  const std::string file = tensors("nan.safetensors", {{"x", Tensor::fromValues({2, 8}, values)}});
  expectRefused({"run", "--input", file}, {"x[1, 3]", "NaN", "nan.safetensors"});
}

TEST_F(BadPass, WhatFilesFixCannotBeChanged) {
  const std::string plain = dataFile("plain_mha_d24_h4.safetensors");
  const std::string cross = dataFile("cross_d48_h6_t5_m9.safetensors");
  const std::string gqa = dataFile("gqa_d64_h8_kv2_t9.safetensors");
  expectRefused({"run", "--weights", plain}, {"--heads", "24"});
  expectRefused({"run", "--weights", plain, "--heads", "5"}, {"24", "5 heads", "4, 6"});
  expectRefused({"run", "--weights", plain, "--heads", "4", "--d-model", "32"},
                {"--d-model 32", "24"});
  expectRefused({"run", "--weights", plain, "--preset", "amnl"}, {"24", "256", "--d-model 24"});
  expectRefused({"run", "--weights", plain, "--heads", "6", "--input", cross}, {"24", "48"});
  expectRefused({"run", "--weights", gqa, "--heads", "8", "--kv-heads", "4"}, {"--kv-heads 4"});
  expectRefused({"run", "--input", cross, "--seq-len", "7"}, {"--seq-len 7", "5"});
  expectRefused({"run", "--input", cross, "--batch", "2"}, {"--batch 2"});
  expectRefused({"run", "--input", cross, "--memory-len", "4"}, {"--memory-len 4", "9"});
  expectRefused({"run", "--input", cross, "--no-positions"}, {"--no-positions"});
  expectRefused({"run", "--weights", plain, "--prefix", "encoder.", "--heads", "4"}, {"encoder."});
  const std::string wide =
      tensors("wide.safetensors", {{"q_proj.weight", Tensor::zeros({8, 8})},
                                   {"k_proj.weight", Tensor::zeros({8, 12})},
                                   {"v_proj.weight", Tensor::zeros({8, 12})},
                                   {"out_proj.weight", Tensor::zeros({8, 8})}});
  expectRefused({"run", "--weights", wide, "--heads", "2"}, {"W_K takes 12", "--memory-text"});
  EXPECT_EQ(runProgram({"run", "--weights", wide, "--heads", "2", "--memory-text", "a b"}).status,
            0);
}

TEST_F(BadPass, AnOutputThatCannotBeWrittenLeavesNothing) {
  expectRefused({"run", "--trace", path("none/t.safetensors")}, {"none/t.safetensors"});
  expectRefused({"run", "--trace", path("")}, {path("")});
  expectRefused({"run", "--trace", ""}, {"--trace"});
  EXPECT_TRUE(folderIsEmpty());
}

TEST_F(BadPass, AFullStandardOutputIsSaid) {
  std::ofstream full("/dev/full");
  std::ostringstream err;
  const char* argv[] = {"headscope", "info"};
  EXPECT_NE(runCli(2, argv, std::cin, full, err), 0);
  EXPECT_NE(err.str().find("standard output"), std::string::npos);
}

}  // namespace
}  // namespace headscope
