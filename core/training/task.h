// Task: a problem for a small attention model to learn: generated examples, questions about each of
// their places, and the relations that answer them: the places where a head has to look. Heads are
// not trained on the relations directly.
//
// A task is a value: its texts, its settings and the generator of one example. A new task is a file
// in tasks/ and a line in tasks/tasks.h.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/attention/places.h"
#include "core/base/random.h"
#include "core/tensor/tensor.h"

namespace headscope::training {

/// A question asked at every place and answered by one readout of the output there.
struct Question {
  std::string_view name;   // "partner": in flags, files and JSON
  std::string_view words;  // "the number on the card of the same colour"
  Index classes = 0;       // possible answers (cross-entropy); 1: a number (squared error)
  float weight = 1.0F;     // of its loss in the sum
  double solved = 0.95;    // the share of right answers (of a number: R²) from which it is solved
};

/// A relation between a place and its partners, where a head has to look.
struct Relation {
  std::string_view name;   // "partner"
  std::string_view words;  // "the card of the same colour"
};

/// The settings of a model that is trained (task_model.h).
struct ModelSettings {
  Index layers = 1;
  Index dModel = 64;
  Index heads = 4;
  bool causal = false;
  double embeddingScale = 1.0;  // of the embedding and the positions at the start
  bool scale = true;            // raw scores × 1/√d_k

  bool operator==(const ModelSettings&) const = default;
};

/// The default settings of a task, found by measurement; all of them can be changed.
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
  /// By relation, (count, length, length): 1 at the partners of a row's place. A row of 0 has no
  /// partner.
  std::vector<std::vector<std::uint8_t>> partners;
};

/// A sequence of random numbers from a stream, equal on every machine. Draw one number per
/// statement: the order of calls in an expression is up to the compiler.
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

class ExampleWriter;  // tasks/example_writer.h

struct Task {
  std::string_view id;       // "cards"
  std::string_view title;    // "Cards"
  std::string_view words;    // the task in a sentence or two
  std::string_view lookFor;  // what to watch during training
  TaskSettings settings;

  std::vector<Question> questions;
  std::vector<Relation> relations;

  Index length = 0;  // places of an example
  /// For a task of symbols: the number of symbols of each feature of a place (the embedding is the
  /// sum over the features). Empty for a task of a series.
  std::vector<Index> features = {};
  /// For a task of a series: the names of its channels.
  std::vector<std::string_view> channels = {};

  /// Fills in an example. Its symbols and readings are initially 0, and no question is asked.
  void (*generate)(ExampleWriter& example, Draws& draws) = nullptr;
  /// The name of a place: "red 7". Null for a series.
  std::string (*word)(std::span<const Index> symbols) = nullptr;

  Examples examples(Index count, Draws& draws) const;
};

/// All tasks, in the order in which they are offered.
std::span<const Task> allTasks();
/// The task with this id. Throws UserError that lists the ids, and `others`, which the caller takes
/// besides them: ", stories".
const Task& taskFromString(std::string_view id, std::string_view others = {});

}  // namespace headscope::training
