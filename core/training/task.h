// Task: what a small attention model is asked to learn: generated examples, questions about each of
// their places, and the relations by which they are answered: where a head has to look. Nobody
// tells a head to: that is learned, or not.
//
// A task is its words, its settings and the generator of one example. A new one is a file in
// tasks/, and a line in tasks/tasks.h and in allTasks().
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/random.h"
#include "core/tensor/tensor.h"

namespace headscope::training {

/// Asked at every place, answered by one readout of the output there.
struct Question {
  std::string_view name;   // "partner": in flags, files and JSON
  std::string_view words;  // "the number on the card of the same colour"
  Index classes = 0;       // possible answers (cross-entropy); 1: a number (squared error)
  float weight = 1.0F;     // of its loss in the sum
  double solved = 0.95;    // the share of right answers (of a number: R²) from which it is solved
};

/// Where a head that helps has to look.
struct Relation {
  std::string_view name;   // "partner"
  std::string_view words;  // "the card of the same colour"
};

/// Of a model that is trained (model.h).
struct ModelSettings {
  Index layers = 1;
  Index dModel = 64;
  Index heads = 4;
  bool causal = false;
  double embeddingScale = 1.0;  // of the embedding and the positions at the start
  bool scale = true;            // raw scores × 1/√d_k

  bool operator==(const ModelSettings&) const = default;
};

/// A head of such a model.
struct HeadPlace {
  Index layer = 0, head = 0;  // from 0

  bool operator==(const HeadPlace&) const = default;
};

/// What was measured to work; all of it can be changed.
struct TaskSettings {
  ModelSettings model;
  double learningRate = 2e-2;
  Index batch = 32;
  Index steps = 300;
};

/// `count` examples of `length` places, row-major.
struct Examples {
  Index count = 0;
  Index length = 0;
  std::vector<Index> symbols;               // (count, length, features)
  std::vector<float> series;                // (count, length, channels)
  std::vector<std::vector<float>> answers;  // by question, (count, length): NaN where none is asked
  /// By relation, (count, length, length): 1 where a row's place has to look; a row of 0 has no
  /// partner.
  std::vector<std::vector<std::uint8_t>> partners;
};

/// Numbers drawn one after the other from a stream: the same on every machine. Draw one to a
/// statement: what a compiler calls first in an expression is its own affair.
class Draws {
 public:
  Draws(std::uint64_t seed, std::string_view name) : stream_(seed, name) {}

  double uniform();  // [0, 1), in steps of 2⁻³²
  /// [low, high): rounded once, fused or not, where high − low has at most 21 significant bits.
  double uniform(double low, double high);
  Index below(Index count);  // 0 … count − 1, for counts far below 2³²
  bool chance(double probability) { return uniform() < probability; }
  double normal();                           // mean 0, variance 1; a value of single precision
  std::vector<Index> shuffled(Index count);  // 0 … count − 1 in some order

 private:
  RandomStream stream_;
  std::uint64_t next_ = 0;
};

class Example;  // tasks/example.h: one of many, while it is drawn

class Task {
 public:
  virtual ~Task() = default;

  virtual std::string_view id() const = 0;       // "cards"
  virtual std::string_view title() const = 0;    // "Cards"
  virtual std::string_view words() const = 0;    // what is asked, in a sentence or two
  virtual std::string_view lookFor() const = 0;  // what to watch while it learns
  virtual TaskSettings settings() const = 0;

  virtual std::span<const Question> questions() const = 0;
  virtual std::span<const Relation> relations() const = 0;

  virtual Index length() const = 0;  // places of an example
  /// Of a task of symbols: how many there are of each feature of a place (the embedding is the sum
  /// of the features'); empty where it has a series.
  virtual std::vector<Index> features() const { return {}; }
  /// Of a task of a series: the names of its channels.
  virtual std::span<const std::string_view> channels() const { return {}; }

  Examples examples(Index count, Draws& draws) const;
  /// What a place is called: "red 7". Empty for a series.
  virtual std::string word(std::span<const Index> /*symbols*/) const { return {}; }
  /// What an answer is called: "7", of the classes of a question. Empty where it is a number.
  virtual std::string answerWord(Index /*question*/, Index /*answer*/) const { return {}; }

 private:
  /// Fills in an example in which every symbol and reading is 0 and nothing is asked yet.
  virtual void generate(Example& example, Draws& draws) const = 0;
};

/// In the order in which they are offered.
std::span<const Task* const> allTasks();
/// Throws UserError that lists the ids.
const Task& taskFromString(std::string_view id);

}  // namespace headscope::training
