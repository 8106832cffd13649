#include <gtest/gtest.h>

#include <utility>

#include "core/input/input.h"
#include "core/input/lexicon.h"
#include "core/input/meanings.h"
#include "tests/core/test_files.h"

namespace headscope {
namespace {

using Tokens = std::vector<std::string>;

TEST(Tokenize, WordsAndPunctuation) {
  EXPECT_EQ(tokenize("The cat, which was very fluffy, sat on the mat."),
            (Tokens{"The", "cat", ",", "which", "was", "very", "fluffy", ",", "sat", "on", "the",
                    "mat", "."}));
  EXPECT_EQ(tokenize("  a\t\nb "), (Tokens{"a", "b"}));
  EXPECT_EQ(tokenize("3.14 = π"), (Tokens{"3", ".", "14", "=", "π"}));
}

TEST(Tokenize, ApostrophesOnlyInsideWords) {
  EXPECT_EQ(tokenize("don't 'quote' cats'"), (Tokens{"don't", "'", "quote", "'", "cats", "'"}));
  EXPECT_EQ(tokenize("don\u2019t"), (Tokens{"don\u2019t"}));
}

TEST(Tokenize, AnyLanguage) {
  EXPECT_EQ(tokenize("Die Katze saß: schön!"), (Tokens{"Die", "Katze", "saß", ":", "schön", "!"}));
  EXPECT_EQ(tokenize("cafe\u0301 x"), (Tokens{"cafe\u0301", "x"}));  // a mark belongs to its letter
  EXPECT_EQ(tokenize("\u2764\uFE0F!"), (Tokens{"\u2764\uFE0F", "!"}));  // a selector, to its symbol
  EXPECT_EQ(tokenize("\uFEFFso\u00ADft"), (Tokens{"soft"}));  // byte order mark, soft hyphen
}

TEST(Tokenize, RefusesWhatItCannotUse) {
  expectUserError([] { tokenize("", "--text"); }, "--text is empty");
  expectUserError([] { tokenize(" \n\t ", "--text"); }, "--text is empty");
  expectUserError([] { tokenize("caf\xE9", "--text"); }, "--text is not UTF-8", "byte 3");
  expectUserError([] { tokenize(std::string(10 << 20, 'a'), "--text"); },
                  "--text has 10.0 MB; the limit is 1 MB");
}

TEST(Tokenize, LowerCaseIsUnicode) {
  EXPECT_EQ(lowerCased("The ÄÖÜ Σ"), "the äöü σ");
  EXPECT_EQ(lowerCased("\xFF"), "\xFF");
}

TEST(Lexicon, KnowsTheExamples) {
  const std::vector<std::pair<std::string, WordClass>> expected{
      {"The", WordClass::determiner},   {"cat", WordClass::noun},
      {"sat", WordClass::verb},         {"flows", WordClass::verb},
      {"is", WordClass::copula},        {"was", WordClass::copula},
      {"fluffy", WordClass::adjective}, {"closed", WordClass::adjective},
      {"very", WordClass::adverb},      {"which", WordClass::pronoun},
      {"that", WordClass::pronoun},     {"it", WordClass::pronoun},
      {"on", WordClass::preposition},   {"by", WordClass::preposition},
      {"and", WordClass::conjunction},  {"because", WordClass::conjunction},
      {"not", WordClass::negation},     {"mat", WordClass::noun},
      {"bank", WordClass::noun},        {"river", WordClass::noun},
      {"Katze", WordClass::noun},       {"müde", WordClass::adjective},
      {"nicht", WordClass::negation}};
  for (const auto& [word, wordClass] : expected) {
    EXPECT_EQ(toString(lexicon().classOf(word)), toString(wordClass)) << word;
  }
}

TEST(Lexicon, RestIsPunctuationOrOther) {
  for (const char* mark : {",", ".", "«", "=", "€", "\u2764\uFE0F"}) {
    EXPECT_EQ(lexicon().classOf(mark), WordClass::punctuation) << mark;
  }
  for (const char* word : {"zyzzyva", "42", "猫"}) {
    EXPECT_EQ(lexicon().classOf(word), WordClass::other) << word;
  }
}

TEST(Meanings, AreSharedByWordsOfTwoLanguages) {
  EXPECT_EQ(meanings().of("Katze"), meanings().of("cat"));
  EXPECT_EQ(meanings().of("Schläft"), meanings().of("sleep"));
  EXPECT_NE(meanings().of("nicht"), meanings().of("no"));
  EXPECT_EQ(meanings().of("Zyzzyva"), "zyzzyva");
  EXPECT_EQ(meanings().of(","), ",");
}

TEST(Meanings, GiveAWordOne) {
  expectUserError([] { Meanings("{"); }, "meanings.json");
  expectUserError([] { Meanings(R"({"sea": ["see"], "look": ["see"]})"); },
                  R"("see" means "sea" and "look")");
}

TEST(Lexicon, RefusesWhatIsNone) {
  expectUserError([] { Lexicon("{"); }, "lexicon.json");
  expectUserError([] { Lexicon(R"({"English": {"gerund": ["being"]}})"); }, "gerund");
  expectUserError([] { Lexicon(R"({"English": {"noun": [1]}})"); }, "lexicon.json");
}

}  // namespace
}  // namespace headscope
