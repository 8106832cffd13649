// Sentence choices: the decisions that make up a sentence of the grammar (sentence_grammar.h),
// drawn at random or found by reading a written sentence.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/input/tagger.h"
#include "core/training/sentence_words.h"
#include "core/training/task.h"

namespace headscope::training {

class Choices {
 public:
  Choices() = default;
  virtual ~Choices() = default;
  Choices(const Choices&) = delete;
  Choices& operator=(const Choices&) = delete;

  virtual bool chance(double probability) = 0;
  /// The index of the first end that lies above a number drawn from [0, 1); the number of ends
  /// where none does.
  virtual std::size_t which(std::span<const double> ends) = 0;
  virtual std::string word(const WordList& any) = 0;
  /// A noun, verb or adjective, sometimes one that is made up.
  virtual std::string openWord(const WordList& any) = 0;
  virtual std::string exactly(const char* word) = 0;
  /// `usual` with this probability, otherwise one of `any`.
  virtual std::string word(const std::string& usual, double probability, const WordList& any) = 0;
  /// Returns whether an optional extra part follows. Reading accepts such parts; drawing never
  /// makes them.
  virtual bool more() = 0;
  /// Returns false where the words so far are not those of a sentence that is read.
  virtual bool fits() const = 0;
};

class DrawnChoices final : public Choices {
 public:
  explicit DrawnChoices(Draws& draws) : draws_(draws) {}

  bool chance(double probability) override { return draws_.chance(probability); }
  std::size_t which(std::span<const double> ends) override {
    const double drawn = draws_.uniform();
    return static_cast<std::size_t>(
        std::find_if(ends.begin(), ends.end(), [drawn](double end) { return drawn < end; }) -
        ends.begin());
  }
  std::string word(const WordList& any) override {
    return any.words[static_cast<std::size_t>(draws_.below(std::ssize(any.words)))];
  }
  std::string openWord(const WordList& any) override {
    return word(draws_.chance(kMadeUpWord) ? sentenceVocabulary().madeUp : any);
  }
  std::string exactly(const char* word) override { return word; }
  std::string word(const std::string& usual, double probability, const WordList& any) override {
    return draws_.chance(probability) ? usual : word(any);
  }
  bool more() override { return false; }
  bool fits() const override { return true; }

 private:
  static constexpr double kMadeUpWord = 0.4;

  Draws& draws_;
};

/// Finds the choices that produce a given sentence, by backtracking: at a word that does not match,
/// the last choice with an untried alternative is changed, and the sentence starts again.
class ReadChoices final : public Choices {
 public:
  /// `words` are in lower case.
  ReadChoices(const std::vector<std::string>& words, const std::vector<WordUse>& uses)
      : words_(words), uses_(uses) {}

  void begin() {
    next_ = 0;
    choice_ = 0;
    differs_ = false;
  }
  /// Returns whether these choices gave the whole sentence.
  bool read() const { return !differs_ && next_ == words_.size(); }
  /// Changes the last choice that has an untried alternative. Returns false where there is none.
  bool takeOthers() {
    while (!taken_.empty() && taken_.back().way + 1 == taken_.back().ways) taken_.pop_back();
    if (taken_.empty()) return false;
    ++taken_.back().way;
    return true;
  }

  bool chance(double probability) override { return (way(2) == 0) == (probability >= 0.5); }
  std::size_t which(std::span<const double> ends) override { return way(ends.size() + 1); }
  std::string word(const WordList& any) override {
    return take([&](std::size_t i) { return isOf(i, any); });
  }
  std::string openWord(const WordList& any) override { return word(any); }
  std::string exactly(const char* exact) override {
    return take([&](std::size_t i) { return words_[i] == exact; });
  }
  std::string word(const std::string& usual, double, const WordList& any) override {
    return take([&](std::size_t i) { return words_[i] == usual || isOf(i, any); });
  }
  bool more() override { return way(2) == 1; }
  bool fits() const override { return !differs_; }

 private:
  struct Choice {
    std::size_t way = 0, ways = 0;
  };
  bool isOf(std::size_t i, const WordList& any) const {
    if (any.open) return uses_[i].wordClass == any.wordClass;
    return std::find(any.words.begin(), any.words.end(), words_[i]) != any.words.end();
  }
  template <typename Fits>
  std::string take(const Fits& fits) {
    differs_ = differs_ || next_ == words_.size() || !fits(next_);
    return differs_ ? std::string() : words_[next_++];
  }
  std::size_t way(std::size_t ways) {
    if (differs_) return 0;
    if (choice_ == taken_.size()) taken_.push_back({0, ways});
    return taken_[choice_++].way;
  }

  const std::vector<std::string>& words_;
  const std::vector<WordUse>& uses_;
  std::size_t next_ = 0, choice_ = 0;
  bool differs_ = false;  // whether a word did not match since begin()
  std::vector<Choice> taken_;
};

}  // namespace headscope::training
