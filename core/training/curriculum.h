// Curriculum: the examples that a layer learns from (learned_layer.h), drawn batch after batch,
// with the answers to eight questions about each of their places, and the columns that tell places
// apart.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/block_store.h"
#include "core/base/execution.h"
#include "core/input/embedding.h"
#include "core/tensor/tensor.h"

namespace headscope::training {

/// The number of questions asked of a layer in any domain.
inline constexpr std::size_t kLayerQuestions = 8;

/// [question][place]: the places of the answer, in order; empty: none.
using Partners = std::array<std::vector<std::vector<Index>>, kLayerQuestions>;

/// A batch of examples; the shorter ones are padded.
class AskedBatch {
 public:
  struct Item {
    std::vector<Index> things;  // at each place; places of equal things are indistinguishable
    const Partners* partners = nullptr;
  };

  AskedBatch() = default;
  explicit AskedBatch(const std::vector<Item>& items);

  Index count = 0;
  Index length = 0;
  std::vector<Index> lengths;  // of each
  std::vector<Index> things;   // (count, length); −1: padding
  /// (count, questions, length, length + 1): the target probability of each answer; the last is
  /// "none". The partners share the probability equally, and so do the places of equal things. Rows
  /// of padding are 0.
  std::vector<float> answers;
  std::array<Index, kLayerQuestions> rowsWithPartner{}, rowsWithout{};

  Index thing(Index item, Index place) const {
    return things[static_cast<std::size_t>(item * length + place)];
  }
  const float* answersAt(Index item, Index question) const {
    return answers.data() + firstAnswer(item, question);
  }

 private:
  Index firstAnswer(Index item, Index question) const {
    return (item * static_cast<Index>(kLayerQuestions) + question) * length * (length + 1);
  }
};

/// The examples of one training step.
struct TrainingBatch {
  AskedBatch asked;
  Tensor x;  // (B,T,D)
};

class BatchSource {
 public:
  virtual ~BatchSource() = default;

  virtual Index longest() const = 0;  // the most places of an example
  /// The factor of each column of X during training.
  virtual const std::vector<float>& columnFactors() const = 0;
  /// The columns of X that tell places apart, and the approximate length of a place's vector in
  /// them. At first V reads only these columns.
  virtual std::vector<ColumnRange> identity() const = 0;
  virtual double identityLength() const = 0;
  /// The mean of X as training uses it, with the column factors applied.
  virtual const std::vector<double>& meanX() const = 0;

  /// The next batch. Returns an equal batch until `learned` reports that a step has used it.
  virtual TrainingBatch next(const BlockStorePtr& memory) = 0;
  virtual void learned() = 0;
  /// The values of a batch's places under the initial W_V (D_kv, D): (B,T,D_kv).
  virtual Tensor values(const TrainingBatch& batch, const Tensor& wV,
                        const ExecutionContext& execution) = 0;
};

/// `classFactor` is the factor of the columns for the kind of word or step.
struct CurriculumSettings {
  Index width = 0;  // of X
  std::uint64_t seed = 1;
  Index batch = 32;
  double classFactor = 3.0;
};
std::unique_ptr<BatchSource> makeSentenceCurriculum(const CurriculumSettings& settings);
std::unique_ptr<BatchSource> makeSeriesCurriculum(Index channels,
                                                  const CurriculumSettings& settings);

/// The factor of each column: `factor` in the blocks from `first` to `last`, otherwise 1.
std::vector<float> blockFactors(const Layout& layout, std::size_t first, std::size_t last,
                                double factor);

/// The mean of X (B,T,D) over the places of the batch that are not padding.
std::vector<double> meanOfPlaces(const Tensor& x, const AskedBatch& batch);

}  // namespace headscope::training
