#include "tests/cli/cli_test.h"

namespace headscope {
namespace {

using nlohmann::json;

TEST(TokenizeCommand, IdsTokensAndOffsets) {
  const json found = jsonOf({"tokenize", dataFile("tiny-gpt2"), "--text", "The cat"});
  EXPECT_EQ(found["ids"], json({283, 271, 84}));
  EXPECT_EQ(found["tokens"], json({"The", "Ġca", "t"}));
  EXPECT_EQ(found["offsets"], json({{0, 3}, {3, 6}, {6, 7}}));
}

TEST(TokenizeCommand, SpecialTokensAndPairs) {
  const std::string bert = dataFile("tiny-bert");
  EXPECT_EQ(jsonOf({"tokenize", bert, "--text", "the cat"})["ids"], json({2, 67, 176, 3}));
  EXPECT_EQ(jsonOf({"tokenize", bert, "--text", "the cat", "--no-special"})["ids"],
            json({67, 176}));
  const json pair = jsonOf({"tokenize", bert, "--pair", "the", "cat"});
  EXPECT_EQ(pair["ids"], json({2, 67, 3, 176, 3}));
  EXPECT_EQ(pair["type_ids"], json({0, 0, 0, 1, 1}));
  const CliResult table = runProgram({"tokenize", dataFile("tiny-gpt2"), "--text", "東"});
  EXPECT_NE(table.out.find("\"東\", 1 of "), std::string::npos) << table.out;
}

TEST(TokenizeCommand, WhatCannotBeIsRefused) {
  expectRefused({"tokenize", dataFile("tiny-gpt2")}, {"--text", "--pair", "--file"});
  expectRefused({"tokenize", "/nowhere", "--text", "x"}, {"/nowhere", "not a folder"});
  expectRefused({"tokenize", dataFile(""), "--text", "x"}, {"holds no tokenizer"});
  expectRefused({"tokenize", dataFile("tiny-gpt2"), "--text", "\xFF"}, {"--text is not UTF-8"});
}

}  // namespace
}  // namespace headscope
