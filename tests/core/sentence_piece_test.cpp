// SentencePiece's own files: the ids of its command spm_encode, and what a model's kind adds.
// tests/data/tokenizers/sentencepiece/make.sh makes the files.
#include "core/tokenizer/sentence_piece.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "core/formats/tokenizer_files.h"
#include "tests/core/support/documents.h"
#include "tests/core/test_files.h"

namespace headscope::formats {
namespace {

using tokenizer::TokenId;

std::filesystem::path pieceFile(const std::string& name) {
  return std::filesystem::path(HEADSCOPE_TEST_DATA) / "tokenizers" / "sentencepiece" / name;
}

std::vector<std::string> linesIn(const std::string& name) {
  std::vector<std::string> lines;
  std::istringstream in(readAll(pieceFile(name)));
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<TokenId> idsIn(const std::string& line) {
  std::istringstream in(line);
  return {std::istream_iterator<TokenId>(in), {}};
}

std::vector<TokenId> idsWith(const tokenizer::Tokenizer& tokenizer, const std::string& text,
                             bool special) {
  std::vector<TokenId> ids;
  for (const auto& token : tokenizer.encode(text, special)) ids.push_back(token.id);
  return ids;
}

class SentencePieceFile : public testing::Test {
 protected:
  TokenizerPtr open(const std::string& model, const std::string& name,
                    const nlohmann::json& config) const {
    folder_.file(name, readAll(pieceFile(model)));
    folder_.file("tokenizer_config.json", config.dump());
    EXPECT_TRUE(hasTokenizer(folder_.path()));
    return openTokenizer(folder_.path());
  }
  static void expectIds(const tokenizer::Tokenizer& tokenizer, const std::string& expected) {
    const std::vector<std::string> texts = linesIn("texts.txt"), ids = linesIn(expected);
    ASSERT_EQ(texts.size(), ids.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
      EXPECT_EQ(idsWith(tokenizer, texts[i], false), idsIn(ids[i])) << texts[i];
    }
  }

  TempFolder folder_;
};

TEST_F(SentencePieceFile, OfBpeHasTheIdsOfItsLibraryAndLlamasBeginning) {
  const TokenizerPtr t =
      open("bpe.model", "tokenizer.model", {{"tokenizer_class", "LlamaTokenizer"}});
  expectIds(*t, "bpe.ids");
  for (const std::string& text : linesIn("texts.txt")) {
    const std::vector<TokenId> ids = idsWith(*t, text, true);
    EXPECT_EQ(ids.front(), 1);
    EXPECT_EQ(t->decode(ids), text);  // spaces are kept, and bytes stand for unknown characters
    std::string bytes;
    for (const TokenId id : ids) {
      if (!t->isSpecial(id)) bytes += t->bytes(id);
    }
    EXPECT_EQ(bytes, " " + text);
  }
  EXPECT_EQ(idsWith(*t, "</s>", false), std::vector<TokenId>{2});
}

/// Marian's two files split texts, and vocab.json has the ids of the pieces; here they are those of
/// the source's file from the last to the first.
TEST_F(SentencePieceFile, OfMarianHasTheIdsOfItsVocabulary) {
  const auto entries = tokenizer::SentencePiece(readAll(pieceFile("unigram.model"))).entries();
  const auto count = static_cast<TokenId>(entries.size());
  nlohmann::json vocabulary;
  for (const auto& entry : entries) vocabulary[entry.text] = count - 1 - entry.id;
  vocabulary[">>fra<<"] = count;
  folder_.file("vocab.json", vocabulary.dump());
  folder_.file("target.spm", readAll(pieceFile("bpe.model")));
  const TokenizerPtr source =
      open("unigram.model", "source.spm", {{"tokenizer_class", "MarianTokenizer"}});
  const std::vector<std::string> texts = linesIn("texts.txt"), ids = linesIn("unigram.ids");
  const TokenId end = count - 1 - 1, unknown = count - 1 - 2;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::vector<TokenId> expected = idsIn(ids[i]);
    for (TokenId& id : expected) id = count - 1 - id;
    expected.push_back(end);
    EXPECT_EQ(idsWith(*source, texts[i], true), expected) << texts[i];
  }
  EXPECT_EQ(source->decode(idsWith(*source, "The cat sat", true)), "The cat sat");
  // a language's code is one token before the text
  const std::vector<TokenId> coded = idsWith(*source, ">>fra<< The cat", true);
  EXPECT_EQ(coded.front(), count);
  EXPECT_EQ(std::vector<TokenId>(coded.begin() + 1, coded.end()),
            idsWith(*source, "The cat", true));

  // the target's pieces by the same ids; those that the vocabulary lacks are unknown
  ASSERT_TRUE(hasTargetTokenizer(folder_.path()));
  const TokenizerPtr target = openTargetTokenizer(folder_.path());
  const tokenizer::SentencePiece bpe(readAll(pieceFile("bpe.model")));
  std::vector<TokenId> expected;
  for (const TokenId id : idsIn(linesIn("bpe.ids").front())) {
    const std::string piece = bpe.entries()[static_cast<std::size_t>(id)].text;
    expected.push_back(vocabulary.contains(piece) ? vocabulary[piece].get<TokenId>() : unknown);
  }
  EXPECT_EQ(idsWith(*target, texts.front(), false), expected);
  // a vocabulary of its own
  folder_.file("target_vocab.json", R"({"<unk>": 0, "</s>": 1})");
  EXPECT_EQ(idsWith(*openTargetTokenizer(folder_.path()), "a", true), (std::vector<TokenId>{0, 1}));
  vocabulary.erase("</s>");
  folder_.file("vocab.json", vocabulary.dump());
  expectUserError([&] { openTokenizer(folder_.path()); }, "</s>");
}

TEST_F(SentencePieceFile, AddsWhatItsConfigurationSays) {
  const TokenizerPtr t = open(
      "bpe.model", "tokenizer.model",
      {{"tokenizer_class", "LlamaTokenizer"}, {"add_bos_token", false}, {"add_eos_token", true}});
  std::vector<TokenId> expected = idsWith(*t, "The cat", false);
  expected.push_back(2);
  EXPECT_EQ(idsWith(*t, "The cat", true), expected);
}

TEST_F(SentencePieceFile, OfUnigramHasTheIdsOfItsLibraryAndT5sEnd) {
  const TokenizerPtr t =
      open("unigram.model", "spiece.model", {{"tokenizer_class", "T5Tokenizer"}});
  expectIds(*t, "unigram.ids");
  EXPECT_EQ(idsWith(*t, "The cat", true).back(), 1);
  EXPECT_EQ(t->decode(idsWith(*t, "The cat", true)), "The cat");
  // 100 sentinels behind the 400 pieces, the last first
  EXPECT_EQ(idsWith(*t, "<extra_id_0>", false), std::vector<TokenId>{499});
  EXPECT_EQ(idsWith(*t, "<extra_id_99>", false), std::vector<TokenId>{400});
}

TEST_F(SentencePieceFile, ThatIsNoneOrOfAnotherKindIsRefused) {
  expectUserError(
      [&] {
        open("make.sh", "tokenizer.model", {{"tokenizer_class", "LlamaTokenizer"}});
      },
      "tokenizer.model", "no SentencePiece model");
  expectUserError(
      [&] {
        open("bpe.model", "tokenizer.model", {{"tokenizer_class", "OddTokenizer"}});
      },
      "OddTokenizer", "tokenizer.json");
}

}  // namespace
}  // namespace headscope::formats
