// Unigram tokenizers with SentencePiece's normalization rules. The vocabularies were made by
// spm_train from this project's own texts; tests/tokens compares many more texts with Hugging
// Face's library.
#include "core/tokenizer/unigram.h"

#include <gtest/gtest.h>

#include "core/formats/tokenizer_json.h"
#include "core/tokenizer/precompiled.h"
#include "tests/core/test_files.h"

namespace headscope::tokenizer {
namespace {

formats::TokenizerPtr opened(const std::string& name) {
  const auto path = std::filesystem::path(HEADSCOPE_TEST_DATA) / "tokenizers" / name;
  return formats::parseTokenizer(readAll(path), name);
}

std::vector<std::string> piecesOf(const Tokenizer& tokenizer, const std::string& text) {
  std::vector<std::string> pieces;
  for (const Token& token : tokenizer.encode(text, false))
    pieces.push_back(*tokenizer.text(token.id));
  return pieces;
}

TEST(Unigram, TakesTheMostProbableSplitAfterItsRules) {
  const auto tokenizer = opened("unigram.json");
  // as spm_encode gives it: the ligature, full-width letters and circled digits are rewritten
  EXPECT_EQ(piecesOf(*tokenizer, "\uFB01ne \uFF21\uFF23 \u2460\u2461"),
            (std::vector<std::string>{"▁f", "in", "e", "▁A", "C", "▁1", "2"}));
}

TEST(Unigram, OffsetsAreThoseOfTheTypedText) {
  const auto tokenizer = opened("unigram.json");
  const std::string text = "\uFB01ne";  // the ligature takes three bytes
  const std::vector<Token> tokens = tokenizer->encode(text, false);
  ASSERT_EQ(tokens.size(), 3U);
  EXPECT_EQ(tokens[0].offsets, (Span{0, 3}));
  EXPECT_EQ(tokens[2].offsets, (Span{4, 5}));
}

TEST(Unigram, AdjacentUnknownCharactersAreOneToken) {
  const auto tokenizer = opened("unigram.json");
  EXPECT_EQ(piecesOf(*tokenizer, "字字"), (std::vector<std::string>{"▁", "<unk>"}));
  EXPECT_EQ(piecesOf(*opened("unigram_bytes.json"), "字"),
            (std::vector<std::string>{"▁", "<0xE5>", "<0xAD>", "<0x97>"}));
}

TEST(Unigram, OfEqualPathsTheOneThatWasFoundFirstStays) {
  const Vocabulary vocabulary({{"<unk>", 0}, {"a", 1}, {"b", 2}, {"ab", 3}});
  const Unigram model(vocabulary, {-10.0, -1.0, -1.0, -2.0}, {.unknown = 0});
  std::vector<Piece> pieces;
  model.tokenize(vocabulary, "ab", pieces);
  EXPECT_EQ(pieces, (std::vector<Piece>{{3, {0, 2}}}));
}

TEST(Unigram, WithoutATokenForUnknownTextItIsRefused) {
  const Vocabulary vocabulary({{"a", 0}});
  const Unigram model(vocabulary, {-1.0}, {});
  std::vector<Piece> pieces;
  expectUserError([&] { model.tokenize(vocabulary, "ax", pieces); }, "\"x\"", "unk_id");
  expectUserError([&] { Unigram(vocabulary, {-1.0}, {.unknown = 5}); }, "unk_id is 5");
}

TEST(Unigram, ItsFieldsAreCheckedByName) {
  const auto refuses = [](const std::string& model, const std::string& says) {
    expectUserError(
        [&] {
          formats::parseTokenizer(R"({"model": {"type": "Unigram", )" + model + "}}", "t.json");
        },
        "t.json", says);
  };
  refuses(R"("unk_id": 0, "vocab": [["a"]])", "model.vocab[0]");
  refuses(R"("unk_id": 0, "vocab": [["a", "b"]])", "model.vocab[0]");
  refuses(R"("unk_id": 7, "vocab": [["a", -1.0]])", "unk_id is 7");
  refuses(R"("unk_id": 0, "vocab": {"a": 1})", "model.vocab");
}

TEST(Precompiled, DamagedRulesAreRefused) {
  expectUserError([] { Precompiled("ab"); }, "cut short");
  expectUserError([] { Precompiled(std::string("\x08\0\0\0abcd", 8)); }, "cut short");
  expectUserError([] { fromBase64("a-b"); }, "base64");
  EXPECT_EQ(fromBase64("aGVhZA=="), "head");
}

}  // namespace
}  // namespace headscope::tokenizer
