// Generated sentences: properties of each one, and that together they contain all relations to be
// taught.
#include "core/training/sentences.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/input/input.h"
#include "core/input/lexicon.h"
#include "core/training/sentence_words.h"
#include "core/training/tied_readout.h"

namespace headscope::training {
namespace {

std::vector<Sentence> someSentences(std::uint64_t seed = 7, int count = 2000) {
  Draws draws(seed, "test");
  std::vector<Sentence> sentences;
  for (int i = 0; i < count; ++i) sentences.push_back(drawSentence(draws));
  return sentences;
}

WordClass classAt(const Sentence& sentence, Index place) {
  return sentence.uses[static_cast<std::size_t>(place)].wordClass;
}

TEST(Sentences, HaveTheirLengthsAndPartnersInside) {
  for (const Sentence& sentence : someSentences()) {
    const Index length = std::ssize(sentence.words);
    ASSERT_GE(length, kShortestSentence);
    ASSERT_LE(length, kLongestSentence);
    for (const auto& places : sentence.partners) {
      ASSERT_EQ(std::ssize(places), length);
      for (Index i = 0; i < length; ++i) {
        const auto& partners = places[static_cast<std::size_t>(i)];
        EXPECT_TRUE(std::is_sorted(partners.begin(), partners.end()));
        EXPECT_EQ(std::set(partners.begin(), partners.end()).size(), partners.size());
        for (const Index j : partners) {
          EXPECT_GE(j, 0);
          EXPECT_LT(j, length);
          EXPECT_NE(j, i);
        }
      }
    }
  }
}

TEST(Sentences, PartnersAreOfTheirKind) {
  for (const Sentence& sentence : someSentences()) {
    ASSERT_EQ(sentence.uses.size(), sentence.words.size());
    for (Index i = 0; i < std::ssize(sentence.words); ++i) {
      const WordClass own = classAt(sentence, i);
      const auto& previous = sentence.partnersOf(WordQuestion::previous, i);
      EXPECT_EQ(previous, i == 0 ? std::vector<Index>{} : std::vector<Index>{i - 1});
      if (own == WordClass::determiner) {
        const auto& determined = sentence.partnersOf(WordQuestion::determined, i);
        ASSERT_EQ(determined.size(), 1U);
        EXPECT_GT(determined.front(), i);
        EXPECT_EQ(classAt(sentence, determined.front()), WordClass::noun);
      }
      if (own == WordClass::copula || own == WordClass::verb) {
        const auto& subjects = sentence.partnersOf(WordQuestion::subject, i);
        ASSERT_FALSE(subjects.empty());
        for (const Index subject : subjects) {
          const WordClass of = classAt(sentence, subject);
          EXPECT_TRUE(of == WordClass::noun || of == WordClass::pronoun);
        }
      }
      if (own == WordClass::preposition) {
        EXPECT_FALSE(sentence.partnersOf(WordQuestion::object, i).empty());
      }
      for (const Index adjective : sentence.partnersOf(WordQuestion::description, i)) {
        const auto& described = sentence.partnersOf(WordQuestion::described, adjective);
        EXPECT_EQ(std::count(described.begin(), described.end(), i), 1);
        EXPECT_EQ(classAt(sentence, adjective), WordClass::adjective);
      }
      EXPECT_LE(sentence.partnersOf(WordQuestion::antecedent, i).size(), 2U);
    }
  }
}

/// They are as varied as what a visitor types: long and short, questions, owners, words before the
/// first clause, several clauses, lists.
TEST(Sentences, AreVaried) {
  const auto sentences = someSentences();
  std::map<std::string, std::size_t> found;
  for (const Sentence& sentence : sentences) {
    const std::size_t length = sentence.words.size();
    std::size_t verbs = 0;
    bool owner = false;
    for (std::size_t i = 0; i < length; ++i) {
      const WordUse& use = sentence.uses[i];
      verbs += use.wordClass == WordClass::verb || use.wordClass == WordClass::copula ? 1 : 0;
      owner = owner || use.part == WordPart::owner;
    }
    found["long"] += length > 25 ? 1 : 0;
    found["short"] += length < 10 ? 1 : 0;
    found["question"] += sentence.words.back() == "?" ? 1 : 0;
    found["owner"] += owner ? 1 : 0;
    found["fronted"] += classAt(sentence, 0) == WordClass::preposition ||
                                classAt(sentence, 0) == WordClass::conjunction
                            ? 1
                            : 0;
    found["several verbs"] += verbs > 2 ? 1 : 0;
  }
  for (const char* kind : {"long", "short", "question", "owner", "fronted", "several verbs"}) {
    EXPECT_GT(found[kind], sentences.size() / 30) << kind;
  }
}

TEST(Sentences, EveryQuestionIsAskedOften) {
  const auto sentences = someSentences();
  for (const WordQuestionInfo& each : wordQuestions()) {
    std::size_t with = 0;
    for (const Sentence& sentence : sentences) {
      for (Index i = 0; i < std::ssize(sentence.words); ++i) {
        with += sentence.partnersOf(each.question, i).empty() ? 0 : 1;
      }
    }
    EXPECT_GT(with, sentences.size() / 3) << each.name;
    EXPECT_EQ(&info(each.question), &each);
  }
}

TEST(Sentences, OfASeedAreTheSame) {
  const auto words = [](std::uint64_t seed) {
    std::vector<std::vector<std::string>> all;
    for (const Sentence& sentence : someSentences(seed, 50)) all.push_back(sentence.words);
    return all;
  };
  EXPECT_EQ(words(1), words(1));
  EXPECT_NE(words(1), words(2));
}

/// Weights that are learned from sentences keep their bits only if drawing and reading do.
TEST(Sentences, GiveTheSameBitsForEver) {
  std::string bytes;
  const auto add = [&bytes](const std::optional<Sentence>& sentence) {
    if (!sentence) bytes += "none";
    if (!sentence) return;
    for (const std::string& word : sentence->words) bytes += word + ' ';
    for (const auto& places : sentence->partners) {
      for (const auto& partners : places) {
        for (const Index partner : partners) bytes += fmt::format("{},", partner);
        bytes += ';';
      }
    }
  };
  std::size_t read = 0;
  for (const Sentence& sentence : someSentences(11, 300)) {
    add(sentence);
    std::vector<std::string> words = sentence.words;
    std::vector<WordUse> uses = sentence.uses;
    add(readSentence(words, uses));
    std::swap(words[1], words[3]);  // which the grammar may or may not produce
    std::swap(uses[1], uses[3]);
    const auto other = readSentence(words, uses);
    read += other ? 1 : 0;
    add(other);
  }
  EXPECT_EQ(read, 15U);  // the others are refused
  EXPECT_EQ(hashBytes(bytes), 0x1628DC598A41AC4FULL) << fmt::format("{:#X}", hashBytes(bytes));
}

TEST(Sentences, HoldKnownWordsOnly) {
  const std::vector<ClassedWord> known = sentenceWords();
  EXPECT_TRUE(std::is_sorted(known.begin(), known.end()));
  for (const Sentence& sentence : someSentences()) {
    for (std::size_t i = 0; i < sentence.words.size(); ++i) {
      const ClassedWord word{sentence.words[i], sentence.uses[i].wordClass};
      EXPECT_TRUE(std::binary_search(known.begin(), known.end(), word)) << word.word;
    }
  }
}

/// In a batch the shares of a word's right answers sum to 1, over equal words too.
TEST(AskedBatch, AnswersAreShares) {
  const std::vector<Sentence> sentences = someSentences(3, 20);
  std::map<std::string, Index> numbers;
  std::vector<AskedBatch::Item> items;
  for (const Sentence& sentence : sentences) {
    AskedBatch::Item& item = items.emplace_back();
    item.partners = &sentence.partners;
    for (const std::string& word : sentence.words) {
      item.things.push_back(numbers.try_emplace(word, std::ssize(numbers)).first->second);
    }
  }
  const AskedBatch batch(items);
  for (Index item = 0; item < batch.count; ++item) {
    const Index length = batch.lengths[static_cast<std::size_t>(item)];
    for (Index q = 0; q < static_cast<Index>(kWordQuestions); ++q) {
      for (Index i = 0; i < batch.length; ++i) {
        const float* row = batch.answersAt(item, q) + i * (batch.length + 1);
        float sum = 0.0F;
        for (Index j = 0; j <= batch.length; ++j) {
          sum += row[j];
          const bool padding = j >= length && j < batch.length;
          EXPECT_TRUE(!padding || row[j] == 0.0F);
        }
        EXPECT_NEAR(sum, i < length ? 1.0F : 0.0F, 1e-6F);
      }
    }
  }
}

/// The grammar reads its own sentences with the same answers, except where they are ambiguous: a
/// pronoun that was drawn for any person, and, for `verb`, a phrase that may belong to the noun or
/// to the verb before it.
TEST(Sentences, AreReadAsTheyWereSaid) {
  int words = 0, other = 0, otherVerbs = 0;
  for (const Sentence& sentence : someSentences(3, 500)) {
    const std::vector<std::string>& text = sentence.words;
    const std::optional<Sentence> read = readSentence(text, sentence.uses);
    ASSERT_TRUE(read) << testing::PrintToString(text);
    ASSERT_EQ(read->words.size(), sentence.words.size());
    for (const WordQuestionInfo& each : wordQuestions()) {
      for (Index i = 0; i < std::ssize(text); ++i) {
        ++words;
        const bool same =
            read->partnersOf(each.question, i) == sentence.partnersOf(each.question, i);
        (each.question == WordQuestion::verb ? otherVerbs : other) += same ? 0 : 1;
      }
    }
  }
  EXPECT_LT(other, words / 500);
  EXPECT_LT(otherVerbs, words / 8 / 30);
}

TEST(Sentences, OfOthersAreReadOrLeftAlone) {
  const auto fluffy = readSentence(tokenize("The cat, which was very fluffy, sat on the mat."));
  ASSERT_TRUE(fluffy);
  EXPECT_EQ(fluffy->partnersOf(WordQuestion::subject, 8), std::vector<Index>{1});    // sat: cat
  EXPECT_EQ(fluffy->partnersOf(WordQuestion::described, 6), std::vector<Index>{1});  // fluffy: cat
  EXPECT_EQ(fluffy->partnersOf(WordQuestion::object, 9), std::vector<Index>{11});    // on: mat
  EXPECT_EQ(fluffy->partnersOf(WordQuestion::antecedent, 3), std::vector<Index>{1});

  const auto wide = readSentence(
      tokenize("The animal did not cross the street at night, because it was too wide."));
  ASSERT_TRUE(wide);
  EXPECT_EQ(wide->partnersOf(WordQuestion::antecedent, 11), (std::vector<Index>{1, 6}));

  EXPECT_FALSE(readSentence(tokenize("Colourless ideas of green about the the sleep")));
  EXPECT_FALSE(readSentence({}));
}

}  // namespace
}  // namespace headscope::training
