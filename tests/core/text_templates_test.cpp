// Text templates: the texts of every template for a tokenizer of whole words, and for one of small
// pieces.
#include "core/formats/text_templates.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "core/base/assets.h"
#include "core/formats/shipped_model.h"
#include "core/formats/tokenizer_files.h"
#include "core/formats/tokenizer_json.h"
#include "core/model/tokenized.h"
#include "tests/core/support/model_folders.h"

namespace headscope::formats {
namespace {

using tokenizer::Tokenizer;

/// A tokenizer of whole words: those of all templates, and `more`. Digits come in pairs.
TokenizerPtr wordTokenizer(const std::vector<std::string>& more = {}) {
  std::set<std::string> words(more.begin(), more.end());
  for (const TextTemplate& each : textTemplates()) {
    for (const auto& [name, list] : each.lists) {
      for (const auto& forms : list) words.insert(forms.begin(), forms.end());
    }
  }
  for (const char* plain :
       {"The",   "the", "and",  "to",     "a",       "lasted", "from", "year", ",",
        "[UNK]", "One", "day",  "was",    "because", "she",    "he",   "gave", "thanked",
        "put",   "in",  "Then", "opened", "took",    ".",      "sang", ":"}) {
    words.insert(plain);
  }
  for (int n = 0; n < 100; ++n) words.insert(fmt::format("##{:02}", n));
  nlohmann::json vocabulary;
  for (const std::string& word : words) vocabulary[word] = vocabulary.size();
  const nlohmann::json file{
      {"version", "1.0"},
      {"pre_tokenizer", {{"type", "BertPreTokenizer"}}},
      {"decoder", {{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}}},
      {"model",
       {{"type", "WordPiece"},
        {"unk_token", "[UNK]"},
        {"continuing_subword_prefix", "##"},
        {"max_input_chars_per_word", 100},
        {"vocab", vocabulary}}}};
  return parseTokenizer(file.dump(), "words.json");
}

std::vector<std::string> tokensOf(const Tokenizer& tokenizer, const std::string& text) {
  std::vector<std::string> names;
  for (const auto& token : tokenizer.encode(text, false))
    names.push_back(*tokenizer.text(token.id));
  return names;
}

std::string answerOf(const Tokenizer& tokenizer, const TextOfSet& text, std::size_t which) {
  return *tokenizer.text(std::stoi(text.answers.at(which)));
}

/// Texts that two models read are of words that both have, each with ids of its own.
TEST(TextTemplates, GiveTextsThatSeveralTokenizersRead) {
  const TokenizerPtr many = wordTokenizer({"q", "w", "e", "r", "t", "z", "u", "i", "o", "p"});
  const TokenizerPtr few = openTokenizer(kStoriesModel);
  for (const char* name : {"template:ioi", "template:box", "template:song"}) {
    const auto texts = textsOfAll(textTemplate(name), {few.get(), many.get()}, 10, 1);
    ASSERT_EQ(texts.size(), 10U) << name;
    for (const TextOfSet& text : texts) {
      for (const Tokenizer* each : {few.get(), many.get()}) {
        EXPECT_EQ(tokensOf(*each, text.text.text).size(), tokensOf(*each, text.other.text).size());
        for (const std::string& name : tokensOf(*each, text.text.text)) {
          EXPECT_TRUE(name != "[UNK]" && name != "<unk>") << text.text.text;
        }
        for (const std::string& answer : text.answers) {
          const auto whole = tokensOf(*each, text.text.text + answer);
          EXPECT_EQ(whole.size(), tokensOf(*each, text.text.text).size() + 1) << answer;
          EXPECT_EQ(*each->text(model::oneToken(answer, each)), whole.back());
        }
      }
    }
  }
  const TokenizerPtr letters = openTokenizer("headscope:induction");
  expectUserError(
      [&] {
        textsOfAll(textTemplate("template:ioi"), {few.get(), letters.get()}, 1, 1);
      },
      "template:ioi", "choose another template");
}

TEST(TextTemplates, GiveAlignedTextsWithAnswersOfOneToken) {
  const TokenizerPtr tokenizer = wordTokenizer({"q", "w", "e", "r", "t", "z", "u", "i", "o", "p"});
  ASSERT_EQ(textTemplates().size(), 8U);
  for (const TextTemplate& each : textTemplates()) {
    const auto texts = textsOf(each, *tokenizer, 30, 1);
    ASSERT_EQ(texts.size(), 30U);
    std::set<std::string> different;
    const std::size_t length = tokensOf(*tokenizer, texts[0].text.text).size();
    for (const TextOfSet& text : texts) {
      different.insert(text.text.text);
      const auto clean = tokensOf(*tokenizer, text.text.text),
                 corrupt = tokensOf(*tokenizer, text.other.text);
      EXPECT_EQ(clean.size(), length) << text.text.text;
      ASSERT_EQ(corrupt.size(), length) << text.other.text;
      std::size_t changed = 0;
      for (std::size_t i = 0; i < length; ++i) changed += clean[i] != corrupt[i] ? 1 : 0;
      EXPECT_EQ(changed, 1U) << text.text.text << " | " << text.other.text;
      EXPECT_EQ(std::ranges::count(clean, "[UNK]"), 0) << text.text.text;
      ASSERT_EQ(text.answers.size(), 2U);
      EXPECT_NE(text.answers[0], text.answers[1]);
    }
    EXPECT_GT(different.size(), 20U) << each.name;
    EXPECT_EQ(texts[4].name, "template:" + each.name + ", text 5");
  }
}

TEST(TextTemplates, TheAnswersAreRight) {
  const TokenizerPtr tokenizer = wordTokenizer({"q", "w", "e", "r", "t", "z", "u", "i", "o", "p"});
  for (const TextOfSet& text : textsOf(textTemplate("template:ioi"), *tokenizer, 30, 3)) {
    const auto tokens = tokensOf(*tokenizer, text.text.text);
    const std::string right = answerOf(*tokenizer, text, 0), wrong = answerOf(*tokenizer, text, 1);
    EXPECT_EQ(std::ranges::count(tokens, right), 1) << text.text.text;
    EXPECT_EQ(std::ranges::count(tokens, wrong), 2) << text.text.text;
    EXPECT_EQ(std::ranges::count(tokensOf(*tokenizer, text.other.text), wrong), 1);
  }
  for (const TextOfSet& text : textsOf(textTemplate("template:greater_than"), *tokenizer, 30, 3)) {
    const auto tokens = tokensOf(*tokenizer, text.text.text);
    EXPECT_EQ(tokens[6], tokens.back());  // the century
    EXPECT_GT(answerOf(*tokenizer, text, 0), tokens[7]);
    EXPECT_LT(answerOf(*tokenizer, text, 1), tokens[7]);
  }
  for (const TextOfSet& text : textsOf(textTemplate("template:agreement"), *tokenizer, 30, 3)) {
    const auto tokens = tokensOf(*tokenizer, text.text.text);
    const auto plural = [](const std::string& noun) { return noun.ends_with('s'); };
    EXPECT_NE(plural(tokens[1]), plural(tokens[4])) << text.text.text;
    const std::set<std::string> many{"are", "were", "have"};
    EXPECT_EQ(many.contains(answerOf(*tokenizer, text, 0)), plural(tokens[1])) << text.text.text;
    EXPECT_NE(many.contains(answerOf(*tokenizer, text, 1)), plural(tokens[1]));
    EXPECT_EQ(plural(tokensOf(*tokenizer, text.other.text)[1]), plural(tokens[4]));
  }
  for (const TextOfSet& text : textsOf(textTemplate("template:induction"), *tokenizer, 30, 3)) {
    const auto tokens = tokensOf(*tokenizer, text.text.text);
    const auto before = std::ranges::find(tokens, tokens.back());
    ASSERT_NE(before + 1, tokens.end());
    EXPECT_EQ(*(before + 1), answerOf(*tokenizer, text, 0)) << text.text.text;
    const auto corrupt = tokensOf(*tokenizer, text.other.text);
    EXPECT_EQ(std::ranges::count(corrupt, corrupt.back()), 1) << text.other.text;
  }
}

TEST(TextTemplates, TheAnswersToQuestionsOfStoriesAreRight) {
  const TokenizerPtr tokenizer = wordTokenizer();
  const std::set<std::string> girls{"Anna", "Mia",   "Lucy",  "Sara",  "Emma",
                                    "Nora", "Ella",  "Rosa",  "Jane",  "Kate",
                                    "Mary", "Sarah", "Laura", "Alice", "Julia"};
  for (const TextOfSet& text : textsOf(textTemplate("template:pronoun"), *tokenizer, 30, 3)) {
    const auto tokens = tokensOf(*tokenizer, text.text.text);
    const auto other = tokensOf(*tokenizer, text.other.text);
    EXPECT_EQ(answerOf(*tokenizer, text, 0) == "she", girls.contains(tokens[2])) << text.text.text;
    EXPECT_NE(girls.contains(tokens[2]), girls.contains(other[2])) << text.other.text;
  }
  for (const TextOfSet& text : textsOf(textTemplate("template:thanks"), *tokenizer, 30, 3)) {
    const auto tokens = tokensOf(*tokenizer, text.text.text);
    EXPECT_EQ(tokens[2], answerOf(*tokenizer, text, 0)) << "who gave: " << text.text.text;
    EXPECT_EQ(std::ranges::count(tokens, answerOf(*tokenizer, text, 1)), 2) << text.text.text;
  }
  for (const TextOfSet& text : textsOf(textTemplate("template:song"), *tokenizer, 30, 3)) {
    // A sang : a b c d e . B sang : a b c
    const auto tokens = tokensOf(*tokenizer, text.text.text);
    ASSERT_EQ(tokens.size(), 15U) << text.text.text;
    EXPECT_EQ(answerOf(*tokenizer, text, 0), tokens[6]) << text.text.text;
    EXPECT_EQ(tokens[12], tokens[3]);
    EXPECT_EQ(tokens[14], tokens[5]);
    EXPECT_NE(tokensOf(*tokenizer, text.other.text)[14], tokens[5]);
  }
  for (const TextOfSet& text : textsOf(textTemplate("template:box"), *tokenizer, 30, 3)) {
    const auto put = tokensOf(*tokenizer, text.text.text)[5];
    EXPECT_EQ(put, answerOf(*tokenizer, text, 0)) << text.text.text;
    EXPECT_EQ(tokensOf(*tokenizer, text.other.text)[5], answerOf(*tokenizer, text, 1));
  }
}

TEST(TextTemplates, ATextDependsOnSeedAndNumberAlone) {
  const TokenizerPtr tokenizer = wordTokenizer();
  const TextTemplate& ioi = textTemplate("template:ioi");
  const auto few = textsOf(ioi, *tokenizer, 5, 7), many = textsOf(ioi, *tokenizer, 20, 7);
  const auto others = textsOf(ioi, *tokenizer, 5, 8);
  int same = 0;
  for (std::size_t i = 0; i < few.size(); ++i) {
    EXPECT_EQ(few[i].text.text, many[i].text.text);
    EXPECT_EQ(few[i].answers, many[i].answers);
    same += few[i].text.text == others[i].text.text ? 1 : 0;
  }
  EXPECT_EQ(same, 0);
}

TEST(TextTemplates, GiveNoTextTwice) {
  const TokenizerPtr tokenizer = openTokenizer(kStoriesModel);
  std::set<std::string> different;
  const auto texts = textsOf(textTemplate("template:agreement"), *tokenizer, 100, 1);
  for (const TextOfSet& text : texts) different.insert(text.text.text);
  EXPECT_EQ(different.size(), texts.size());
  EXPECT_GT(texts.size(), 20U);
  EXPECT_EQ(texts.back().name, fmt::format("template:agreement, text {}", texts.size()));
}

TEST(TextTemplates, GiveATextAnotherWord) {
  const TokenizerPtr tokenizer = openTokenizer(kStoriesModel);
  EXPECT_EQ(withAnotherWord("One day Mia and Leo went home. Mia gave the coin to", *tokenizer),
            "One day Mia and Leo went home. Anna gave the coin to");
  EXPECT_EQ(withAnotherWord("and then it", *tokenizer), std::nullopt);
}

TEST(TextTemplates, SayWhichListHasTooFewWords) {
  const TokenizerPtr letters = openTokenizer("headscope:induction");
  expectUserError([&] { textsOf(textTemplate("template:ioi"), *letters, 1, 1); }, "template:ioi",
                  "\"when\"", "one token");
  EXPECT_EQ(textsOf(textTemplate("template:induction"), *letters, 3, 1).size(), 3U);
  expectUserError([] { textTemplate("template:oi"); }, "template:oi", "template:agreement",
                  "or template:thanks");
}

TEST(TextTemplates, FilesAreReadStrictly) {
  std::string file(asset("text_sets/ioi.json"));
  const auto broken = [&](const std::string& from, const std::string& to) {
    std::string text = file;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  const auto refused = [](const std::string& text, const std::string& part) {
    expectUserError([&] { parseTextTemplate(text, "ioi"); }, "text_sets/ioi.json", part);
  };
  refused(broken("{giver} {gave}", "{taker} {gave}"), "{taker}");
  refused(broken("{giver} {gave}", "{giver"), "}");
  refused(broken("\"of\": \"names\"", "\"of\": \"towns\""), "towns");
  refused(broken("\"cases\"", "\"case\""), "cases");
}

}  // namespace
}  // namespace headscope::formats
