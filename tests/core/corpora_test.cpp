// Corpora: stories and one's own text as tokens; the tokenizers that this program makes; errors.
#include "core/formats/corpora.h"

#include <gtest/gtest.h>

#include "core/formats/tokenizer_json.h"
#include "core/language/stories.h"
#include "core/language/story_questions.h"
#include "core/training/task.h"
#include "tests/core/test_files.h"

namespace headscope::formats {
namespace {

using language::Corpus;
using Ids = std::vector<std::int32_t>;

Ids idsOf(const tokenizer::Tokenizer& tokenizer, std::string_view text) {
  Ids ids;
  for (const tokenizer::Token& token : tokenizer.encode(text)) ids.push_back(token.id);
  return ids;
}

/// About `bytes` of text: words of stories with capitals and punctuation, in paragraphs.
std::string longText(std::size_t bytes) {
  training::Draws draws(1, "long text");
  std::string text;
  while (text.size() < bytes) {
    for (const std::string_view word : language::story(draws)) {
      text += word;
      text += word == "." ? '\n' : ' ';
    }
    text += "Café, naïve: 東京 and more!\n\n";
  }
  return text;
}

TEST(StoryCorpus, HoldsATwentiethOut) {
  const auto corpus = storyCorpus(1, 4'000);
  EXPECT_EQ(corpus->training.size(), 4'000U);
  EXPECT_EQ(corpus->heldOut.size(), 200U);
  EXPECT_EQ(corpus->training, language::storyTokens(1, 4'000));
  EXPECT_EQ(corpus->vocabulary, std::ssize(language::storyWords()));
  EXPECT_EQ(corpus->beginToken, 0);
  EXPECT_TRUE(corpus->stories);
  for (Index id = 0; id < corpus->vocabulary; ++id) {
    EXPECT_EQ(*corpus->tokenizer->text(static_cast<std::int32_t>(id)),
              language::storyWords()[static_cast<std::size_t>(id)]);
  }
}

TEST(StoryCorpus, ReadsTextAsPeopleWriteIt) {
  const auto corpus = storyCorpus(1, 1);
  const auto& tokenizer = *corpus->tokenizer;
  const auto plain = idsOf(tokenizer, "one day Mia and Leo went to the park .");
  EXPECT_EQ(plain.size(), 11U);
  EXPECT_EQ(plain[0], 0);
  EXPECT_EQ(plain[3], language::storyWord("Mia"));
  EXPECT_EQ(plain, idsOf(tokenizer, "One day Mia and Leo went to the park."));
  EXPECT_EQ(plain, idsOf(tokenizer, "  ONE DAY mia and leo went\nto the PARK."));
  EXPECT_EQ(idsOf(tokenizer, "\"I like the cake,\" said Tom."),
            idsOf(tokenizer, "\" I like the cake , \" said Tom ."));
  EXPECT_EQ(idsOf(tokenizer, "the foxs"), idsOf(tokenizer, "the foxes"));
  EXPECT_EQ(idsOf(tokenizer, "the quick fox")[2], 1);  // kUnknownToken
  EXPECT_EQ(tokenizer.decode(plain), "one day Mia and Leo went to the park.");
}

TEST(StoryCorpus, EveryStoryIsReadAsItsTokens) {
  const auto corpus = storyCorpus(1, 1);
  const auto& tokenizer = *corpus->tokenizer;
  training::Draws draws(2, "stories");
  for (int i = 0; i < 100; ++i) {
    Ids ids{0};
    std::string text;
    for (const std::string_view word : language::story(draws)) {
      ids.push_back(language::storyWord(word));
      text += std::string(word) + " ";
    }
    EXPECT_EQ(idsOf(tokenizer, text), ids) << text;
    EXPECT_EQ(idsOf(tokenizer, tokenizer.decode(ids)), ids) << text;
  }
  const auto example = idsOf(tokenizer, corpus->example);
  EXPECT_EQ(std::count(example.begin(), example.end(), 1), 0);
}

class TextCorpus : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Corpora, TextCorpus, testing::Values("words", "bpe", "characters"));

TEST_P(TextCorpus, DecodesToItsText) {
  const TempFolder folder;
  const std::string text = longText(60'000);
  const auto corpus =
      textCorpus(folder.file("book.txt", text), textTokensFromString(GetParam()), 400);
  EXPECT_EQ(corpus->title, "book.txt");
  EXPECT_FALSE(corpus->stories);
  EXPECT_LE(corpus->vocabulary, 400);
  EXPECT_EQ(corpus->beginToken, *corpus->tokenizer->id("<s>"));
  EXPECT_EQ(corpus->training.front(), corpus->beginToken);
  const std::string learned = corpus->tokenizer->decode(corpus->training);
  const std::string heldOut = corpus->tokenizer->decode(corpus->heldOut);
  EXPECT_EQ(learned + heldOut, text);
  EXPECT_NEAR(static_cast<double>(heldOut.size()), static_cast<double>(text.size()) / 20.0, 200.0);
  const auto paragraphs =
      std::count(corpus->training.begin(), corpus->training.end(), corpus->beginToken);
  EXPECT_GT(paragraphs, 50);
  EXPECT_FALSE(corpus->example.empty());
  EXPECT_EQ(corpus->example.find('\n'), std::string::npos);
  const auto reopened = parseTokenizer(corpus->tokenizerFile.dump(2), "tokenizer.json");
  EXPECT_EQ(idsOf(*reopened, text), idsOf(*corpus->tokenizer, text));
}

TEST_P(TextCorpus, ReadsLinesOfAnySystem) {
  const TempFolder folder;
  const std::string text = longText(30'000);
  std::string windows = "\uFEFF";
  for (const char c : text) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  const auto tokens = textTokensFromString(GetParam());
  EXPECT_EQ(textCorpus(folder.file("windows.txt", windows), tokens, 400)->training,
            textCorpus(folder.file("unix.txt", text), tokens, 400)->training);
}

TEST(TextCorpora, TokensAreWholeWordsWithTheSpaceBefore) {
  const TempFolder folder;
  const auto corpus = textCorpus(folder.file("book.txt", longText(60'000)), TextTokens::words, 500);
  const auto& tokenizer = *corpus->tokenizer;
  EXPECT_TRUE(tokenizer.id("Ġgarden"));
  const auto ids = idsOf(tokenizer, " garden zebra");
  ASSERT_EQ(ids.size(), 8U);  // <s>, a word, " zebra" as bytes
  EXPECT_EQ(tokenizer.decode(ids), " garden zebra");
}

TEST(TextCorpora, BytePairsAreFewerThanBytes) {
  const TempFolder folder;
  const std::string text = longText(60'000);
  const auto corpus = textCorpus(folder.file("book.txt", text), TextTokens::bpe, 500);
  EXPECT_EQ(corpus->vocabulary, 500);
  EXPECT_LT(corpus->training.size() * 2, text.size());
}

TEST(TextCorpora, MergesCutATextFromBytesToItsTokens) {
  const TempFolder folder;
  const std::string text = longText(60'000);
  const auto corpus = textCorpus(folder.file("book.txt", text), TextTokens::bpe, 500);
  ASSERT_EQ(corpus->merges.size(), 500U - 257U);
  const std::string line = text.substr(0, 200) + " zebra Ünïcode";
  std::size_t tokens = line.size();
  EXPECT_EQ(cutByMerges(*corpus, line, 0).size(), tokens);
  for (const std::size_t merges : {1, 5, 40, 243, 1000}) {
    const auto ids = cutByMerges(*corpus, line, merges);
    EXPECT_LE(ids.size(), tokens) << merges;
    EXPECT_EQ(corpus->tokenizer->decode(ids), line);
    tokens = ids.size();
  }
  std::vector<tokenizer::TokenId> whole = idsOf(*corpus->tokenizer, line);
  whole.erase(whole.begin());  // <s>
  EXPECT_EQ(cutByMerges(*corpus, line, corpus->merges.size()), whole);
}

TEST(TextCorpora, ErrorsNameTheFile) {
  const TempFolder folder;
  const auto open = [&](const std::string& name, const std::string& bytes) {
    return [path = folder.file(name, bytes)] { textCorpus(path, TextTokens::bpe, 500); };
  };
  expectUserError(open("short.txt", "A few words."), "short.txt", "20 KiB");
  expectUserError(open("latin.txt", longText(30'000) + "\xE9t\xE9 "), "latin.txt", "UTF-8");
  expectUserError([&] { textCorpus(folder / "none.txt", TextTokens::bpe, 500); }, "none.txt");
  expectUserError([&] { textCorpus(folder.path(), TextTokens::bpe, 500); },
                  folder.path().filename().string());
  const auto book = folder.file("book.txt", longText(30'000));
  expectUserError([&] { textCorpus(book, TextTokens::words, 200); }, "vocabulary is 200", "300");
  expectUserError([&] { textCorpus(book, TextTokens::characters, 100'000); }, "65,536");
  expectUserError([] { textTokensFromString("letters"); }, "letters", "words, bpe, characters");
}

}  // namespace
}  // namespace headscope::formats
