// Tokenisers: ids and offsets against what Hugging Face's gave for two small models, the parts by
// themselves, and files that cannot be used. tests/tokens compares real vocabularies.
#include <gtest/gtest.h>

#include "core/base/files.h"
#include "core/base/utf8.h"
#include "core/formats/tokenizer_files.h"
#include "tests/core/test_files.h"

namespace headscope {
namespace {
using formats::openTokenizer;
using formats::parseTokenizer;
using tokenizer::Span;
using tokenizer::Token;
using tokenizer::Tokenizer;
using Ids = std::vector<tokenizer::TokenId>;
using Spans = std::vector<Span>;

Ids idsOf(const std::vector<Token>& tokens) {
  Ids ids;
  for (const Token& token : tokens) ids.push_back(token.id);
  return ids;
}

Spans offsetsOf(const std::vector<Token>& tokens) {
  Spans offsets;
  for (const Token& token : tokens) offsets.push_back(token.offsets);
  return offsets;
}

std::filesystem::path modelFolder(const char* name) {
  return std::filesystem::path(HEADSCOPE_TEST_DATA) / name;
}

/// A tokenizer.json whose model knows single letters and some words, with other fields as given.
std::string fileWith(const std::string& fields, const std::string& model = {}) {
  const std::string small =
      R"({"type":"BPE","vocab":{"a":0,"b":1,"c":2,"ab":3,"abc":4,"?":5,"Ġ":6},)"
      R"("merges":["a b",["ab","c"]],"unk_token":"?"})";
  return R"({"version":"1.0",)" + fields + (fields.empty() ? "" : ",") + R"("model":)" +
         (model.empty() ? small : model) + "}";
}

std::vector<Token> encoded(const std::string& fields, const std::string& text) {
  return parseTokenizer(fileWith(fields), "tokenizer.json")->encode(text);
}

class ExpectedTokens : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Tokenizer, ExpectedTokens, testing::Values("tiny-gpt2", "tiny-bert"));

TEST_P(ExpectedTokens, OfASmallModel) {
  const auto folder = modelFolder(GetParam());
  const auto tokenizer = openTokenizer(folder);
  const std::string file = (folder / "expected_tokens.json").string();
  const auto json = parseJson(readText(file, 1 << 20, "list of tokens"));
  std::size_t cases = 0;
  for (const auto& [name, field] : JsonField(json, file).fields()) {
    ++cases;
    const JsonField text = field.at("text");
    const bool pair = text.value().list() != nullptr;
    const auto texts = pair ? text.texts() : std::vector<std::string>{text.text()};
    const auto tokens =
        pair ? tokenizer->encodePair(texts[0], texts[1]) : tokenizer->encode(texts[0]);
    Ids wanted;
    for (const Index id : field.at("ids").wholes()) {
      wanted.push_back(static_cast<tokenizer::TokenId>(id));
    }
    EXPECT_EQ(idsOf(tokens), wanted) << name;
    std::vector<std::string> written;
    for (const Token& token : tokens) written.push_back(*tokenizer->text(token.id));
    EXPECT_EQ(written, field.at("tokens").texts()) << name;
    if (const auto types = field.find("token_type_ids")) {
      std::vector<Index> found;
      for (const Token& token : tokens) found.push_back(token.type);
      EXPECT_EQ(found, types->wholes()) << name;
    }
  }
  EXPECT_EQ(cases, 3U);
}

TEST(Tokenizer, ACharacterOfSeveralTokensIsShownWhole) {
  const auto tokenizer = openTokenizer(modelFolder("tiny-gpt2"));
  const std::string text = "naïve 東";
  const auto tokens = tokenizer->encode(text);
  std::string bytes;
  for (const Token& token : tokens) bytes += tokenizer->bytes(token.id);
  EXPECT_EQ(bytes, text);
  EXPECT_EQ(tokenizer->decode(idsOf(tokens)), text);
  for (const Span& group : tokenizer::groupsByCharacter(tokens)) {
    const std::uint32_t begin = tokens[group.begin].offsets.begin;
    const std::uint32_t end = tokens[group.end - 1].offsets.end;
    EXPECT_FALSE(invalidUtf8At(text.substr(begin, end - begin)));
    EXPECT_EQ(group.end < tokens.size() ? tokens[group.end].offsets.begin : text.size(), end);
  }
}

TEST(Tokenizer, MergesInTheOrderTheyWereLearned) {
  EXPECT_EQ(idsOf(encoded("", "abcab")), (Ids{4, 3}));
  EXPECT_EQ(idsOf(encoded("", "aabbx")), (Ids{0, 3, 1, 5}));
  EXPECT_EQ(offsetsOf(encoded("", "éab")), (Spans{{0, 2}, {2, 4}}));
  EXPECT_TRUE(encoded("", "").empty());
}

TEST(Tokenizer, AddedTokensTakeSpacesAndWholeWords) {
  const std::string added =
      R"("added_tokens":[{"id":7,"content":"<m>","special":true,"lstrip":true,"rstrip":false,)"
      R"("single_word":false,"normalized":false},{"id":8,"content":"cab","special":false,)"
      R"("single_word":true,"lstrip":false,"rstrip":false,"normalized":false}])";
  const auto tokens = encoded(added, "ab  <m>c");
  EXPECT_EQ(idsOf(tokens), (Ids{3, 7, 2}));
  EXPECT_EQ(offsetsOf(tokens), (Spans{{0, 2}, {2, 7}, {7, 8}}));
  EXPECT_EQ(idsOf(encoded(added, "cab")), Ids{8});
  EXPECT_EQ(idsOf(encoded(added, "cabb")), (Ids{2, 3, 1}));
}

TEST(Tokenizer, OffsetsAreThoseOfWhatWasTyped) {
  const std::string lower =
      R"("normalizer":{"type":"Sequence","normalizers":[{"type":"NFD"},{"type":"StripAccents"},)"
      R"({"type":"Lowercase"}]},"pre_tokenizer":{"type":"WhitespaceSplit"})";
  const auto tokens = encoded(lower, "ÁB  C");
  EXPECT_EQ(idsOf(tokens), (Ids{3, 2}));
  EXPECT_EQ(offsetsOf(tokens), (Spans{{0, 3}, {5, 6}}));
}

TEST(Tokenizer, AReplacementOfAsManyCharactersKeepsTheirPlaces) {
  const auto replaced = [](const std::string& pattern, const std::string& content) {
    return R"("normalizer":{"type":"Replace","pattern":{"String":")" + pattern +
           R"("},"content":")" + content + R"("})";
  };
  EXPECT_EQ(offsetsOf(encoded(replaced("ÁB", "ab"), "cÁB")), (Spans{{0, 1}, {1, 4}}));
  EXPECT_EQ(offsetsOf(encoded(replaced("ÁBx", "ab"), "cÁBx")), (Spans{{0, 1}, {4, 5}}));
}

/// Decompositions follow Hugging Face's library, whose Unicode tables are older.
TEST(Tokenizer, DecomposesWhatUnicode11Decomposes) {
  using tokenizer::NormalForm;
  const auto inForm = [](NormalForm form, std::string_view text) {
    auto aligned = tokenizer::AlignedText::of(text, {0, static_cast<std::uint32_t>(text.size())});
    tokenizer::normalize({tokenizer::UnicodeNormalizer{form}}, aligned);
    return aligned.text;
  };
  EXPECT_EQ(inForm(NormalForm::nfkc, "㋌"), "Hg");
  EXPECT_EQ(inForm(NormalForm::nfkc, "㋿"), "㋿") << "of Unicode 12.1";
  EXPECT_EQ(inForm(NormalForm::nfkd, "㋿"), "㋿");
  EXPECT_EQ(inForm(NormalForm::nfd, "\U00011938"), "\U00011938") << "of Unicode 13";
  EXPECT_EQ(inForm(NormalForm::nfc, "\U00011935\U00011930"), "\U00011935\U00011930");
}

TEST(Tokenizer, NulIsAByteLikeOthers) {
  const auto tokenizer = openTokenizer(modelFolder("tiny-gpt2"));
  const std::string text("a\0b", 3);
  EXPECT_EQ(tokenizer->decode(idsOf(tokenizer->encode(text))), text);
  expectUserError([&] { tokenizer->encode("a\xC3", true, "--text"); }, "--text is not UTF-8",
                  "byte 1");
}

TEST(Tokenizer, BoundariesAreThoseOfWords) {
  using tokenizer::Pattern, tokenizer::PatternSearch;
  const auto found = [](const char* expression, std::string_view text) {
    const Pattern pattern = Pattern::regex(expression);
    Spans spans;
    PatternSearch(pattern).in(text, spans);
    return spans;
  };
  EXPECT_EQ(found(R"(\bmia\b)", "mia, mia's miaow miamia _mia"), (Spans{{0, 3}, {5, 8}}));
  EXPECT_EQ(found(R"(\bo\b)", "o öo oö"), (Spans{{0, 1}}));
  EXPECT_EQ(found(R"(\Ba)", "a ba aa"), (Spans{{3, 4}, {6, 7}}));
  expectUserError([&] { found(R"([\b])", "a"); }, "\\b");
}

TEST(Tokenizer, WhatIsNotKnownIsRefusedByName) {
  const auto refused = [](const std::string& fields, const char* where, const char* what) {
    expectUserError([&] { parseTokenizer(fileWith(fields), "here/tokenizer.json"); },
                    "here/tokenizer.json", where, what);
  };
  refused(R"("normalizer":{"type":"Precompiled","precompiled_charsmap":""})",
          "normalizer.precompiled_charsmap", "cut short");
  refused(R"("pre_tokenizer":{"type":"UnicodeScripts"})", "pre_tokenizer.type", "UnicodeScripts");
  refused(R"("decoder":{"type":"CTC"})", "decoder.type", "CTC");
  refused(R"("post_processor":{"type":"X"})", "post_processor.type", "X");
  refused(R"("pre_tokenizer":{"type":"Digits","individual_digits":1})", "individual_digits",
          "true or false");
  refused(R"("pre_tokenizer":{"type":"Split","pattern":{"Regex":"("},"behavior":"Isolated"})",
          "pattern.Regex", "(");
  refused(R"("pre_tokenizer":{"type":"Split","pattern":{"Regex":"\\h"},"behavior":"Isolated"})",
          "pattern.Regex", "\\h");
  refused(R"("odd":7)", "odd", "7");
  expectUserError([] { parseTokenizer(fileWith("", R"({"type":"Trie","vocab":[["a",0]]})"), "f"); },
                  "model.type", "Trie");
}

TEST(Tokenizer, FilesThatLieAreRefused) {
  const auto refused = [](const std::string& model, const char* what) {
    expectUserError([&] { parseTokenizer(fileWith("", model), "here/tokenizer.json"); },
                    "here/tokenizer.json", what);
  };
  refused(R"({"type":"BPE","vocab":{"a":0,"b":0},"merges":[]})", "have the same id 0");
  refused(R"({"type":"BPE","vocab":{"a":0,"a":1},"merges":[]})", "twice");
  refused(R"({"type":"BPE","vocab":{"a":-1},"merges":[]})", "is -1; ids are from 0");
  refused(R"({"type":"BPE","vocab":{"a":999999999},"merges":[]})", "ids are from 0");
  refused(R"({"type":"BPE","vocab":{"a":"0"},"merges":[]})", "a whole number");
  refused(R"({"type":"BPE","vocab":{"a":0},"merges":["a a"]})", "merges[0]");
  refused(R"({"type":"BPE","vocab":{"a":0,"":1},"merges":[["","a"]]})", "has one token");
  refused(R"({"type":"BPE","vocab":{"a":0},"merges":["a"]})", "must be two tokens");
  refused(R"({"type":"WordPiece","vocab":{"a":0}})", "[UNK]");
  const auto withAdded = [](const std::string& content, int id) {
    return fileWith(R"("added_tokens":[{"id":)" + std::to_string(id) + R"(,"content":")" + content +
                    R"("}])");
  };
  expectUserError([&] { parseTokenizer(withAdded("a", 9), "f"); }, "has the id 9", "0 in the");
  expectUserError([&] { parseTokenizer(withAdded(std::string(1 << 20, 'x'), 9), "f"); },
                  "the limit is 4096");
  expectUserError([&] { parseTokenizer(withAdded("x", 1 << 30), "f"); }, "ids are from 0");
  const std::string whole = fileWith("");
  for (std::size_t cut = 0; cut < whole.size(); cut += 7) {
    expectUserError([&] { parseTokenizer(whole.substr(0, cut), "cut.json"); }, "cut.json");
  }
}

TEST(Tokenizer, FoldersWithoutOneSayWhatIsMissing) {
  const TempFolder folder;
  expectUserError([&] { openTokenizer(folder.path()); }, "holds no tokenizer", "vocab.txt",
                  "spiece.model (T5)", "source.spm and target.spm");
  folder.file("tokenizer.model", "x");
  expectUserError([&] { openTokenizer(folder.path()); }, "SentencePiece");
  folder.file("vocab.json", "{\"a\":0}");
  folder.file("merges.txt", "#version: 0.2\na b c\n");
  try {
    openTokenizer(folder.path());
    ADD_FAILURE() << "no UserError was thrown";
  } catch (const UserError& error) {
    const std::string text = error.what();
    EXPECT_TRUE(text.starts_with((folder / "merges.txt").string() + ": line 2")) << text;
    EXPECT_EQ(text.find("vocab.json"), std::string::npos) << text;
  }
  folder.file("tokenizer_config.json", R"({"tokenizer_class":"OddTokenizer"})");
  expectUserError([&] { openTokenizer(folder.path()); }, "OddTokenizer");
}

}  // namespace
}  // namespace headscope
