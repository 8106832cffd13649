// Declared sentences: none of them generated, with the answers to the questions about their words
// as a person gives them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/input/input.h"
#include "core/training/sentences.h"

namespace headscope::test {

using PartnerLists = std::map<Index, std::vector<Index>>;
struct DeclaredSentence {
  std::string text;
  std::map<training::WordQuestion, PartnerLists> partners;  // but for `previous`, which is plain

  training::Sentence sentence() const {
    training::Sentence result;
    result.words = tokenize(text);
    for (auto& places : result.partners) places.resize(result.words.size());
    for (const auto& [question, rows] : partners) {
      for (const auto& [place, keys] : rows) {
        result.partners[static_cast<std::size_t>(question)][static_cast<std::size_t>(place)] = keys;
      }
    }
    for (std::size_t i = 1; i < result.words.size(); ++i) {
      result.partners[0][i] = {static_cast<Index>(i) - 1};
    }
    return result;
  }
};

inline std::vector<DeclaredSentence> declaredSentences() {
  using enum training::WordQuestion;
  return {
      {"The cat sat on the mat",
       {{subject, {{2, {1}}}},
        {determined, {{0, {1}}, {4, {5}}}},
        {object, {{3, {5}}}},
        {verb, {{1, {2}}, {3, {2}}, {5, {2}}}}}},
      {"The cat, which was very fluffy, sat on the mat.",
       {{subject, {{4, {1}}, {8, {1}}}},
        {described, {{6, {1}}}},
        {description, {{1, {6}}}},
        {determined, {{0, {1}}, {10, {11}}}},
        {object, {{9, {11}}}},
        {antecedent, {{3, {1}}}},
        {verb, {{1, {4, 8}}, {5, {6}}, {9, {8}}}}}},
      {"The bank that the river flows by is closed.",
       {{subject, {{5, {4}}, {7, {1}}}},
        {described, {{8, {1}}}},
        {description, {{1, {8}}}},
        {determined, {{0, {1}}, {3, {4}}}},
        {object, {{6, {1, 2}}}},
        {antecedent, {{2, {1}}}},
        {verb, {{1, {7}}, {4, {5}}}}}},
      {"The lazy dog sleeps, and the quick brown fox does not jump over it.",
       {{subject, {{3, {2}}, {10, {9}}, {12, {9}}}},
        {described, {{1, {2}}, {7, {9}}, {8, {9}}}},
        {description, {{2, {1}}, {9, {7, 8}}}},
        {determined, {{0, {2}}, {6, {9}}}},
        {object, {{13, {14}}}},
        {antecedent, {{14, {2, 9}}}},
        {verb, {{2, {3}}, {9, {10, 12}}, {10, {12}}, {11, {12}}, {13, {12}}}}}},
      {"The animal did not cross the street because it was too wide.",
       {{subject, {{2, {1}}, {4, {1}}, {9, {8}}}},
        {described, {{11, {6, 8}}}},
        {determined, {{0, {1}}, {5, {6}}}},
        {antecedent, {{8, {1, 6}}}},
        {verb, {{1, {2, 4}}, {2, {4}}, {3, {4}}, {8, {9}}, {10, {11}}}}}},
      {"The old man who lives by the sea was very happy.",
       {{subject, {{4, {2}}, {8, {2}}}},
        {described, {{1, {2}}, {10, {2}}}},
        {description, {{2, {1, 10}}}},
        {determined, {{0, {2}}, {6, {7}}}},
        {object, {{5, {7}}}},
        {antecedent, {{3, {2}}}},
        {verb, {{2, {4, 8}}, {5, {4}}, {7, {4}}, {9, {10}}}}}},
      {"A small bird sang in the garden and the children watched it.",
       {{subject, {{3, {2}}, {10, {9}}}},
        {described, {{1, {2}}}},
        {description, {{2, {1}}}},
        {determined, {{0, {2}}, {5, {6}}, {8, {9}}}},
        {object, {{4, {6}}}},
        {antecedent, {{11, {2, 6}}}},
        {verb, {{2, {3}}, {4, {3}}, {6, {3}}, {9, {10}}, {11, {10}}}}}},
      {"The door that she opened was not closed.",
       {{subject, {{4, {3}}, {5, {1}}}},
        {described, {{7, {1}}}},
        {description, {{1, {7}}}},
        {determined, {{0, {1}}}},
        {antecedent, {{2, {1}}}},
        {verb, {{1, {5}}, {3, {4}}, {6, {5}}}}}},
      {"My brother bought a new car, but he does not like it.",
       {{subject, {{2, {1}}, {9, {8}}, {11, {8}}}},
        {described, {{4, {5}}}},
        {description, {{5, {4}}}},
        {determined, {{0, {1}}, {3, {5}}}},
        {antecedent, {{8, {1, 5}}, {12, {1, 5}}}},
        {verb, {{1, {2}}, {5, {2}}, {8, {11}}, {9, {11}}, {10, {11}}, {12, {11}}}}}},
      {"The train stopped because the snow was very deep.",
       {{subject, {{2, {1}}, {6, {5}}}},
        {described, {{8, {5}}}},
        {description, {{5, {8}}}},
        {determined, {{0, {1}}, {4, {5}}}},
        {verb, {{1, {2}}, {5, {6}}, {7, {8}}}}}},
  };
}

}  // namespace headscope::test
