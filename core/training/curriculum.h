// Curriculum: what a layer learns from (learned_layer.h): examples, drawn batch after batch, with
// the answers to eight questions about each of their places, and what tells places apart.
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

/// Asked of a layer, whatever it learns from.
inline constexpr std::size_t kLayerQuestions = 8;

/// [question][place]: the places that are its answer, in order; empty: none.
using Partners = std::array<std::vector<std::vector<Index>>, kLayerQuestions>;

/// Examples side by side, the shorter ones padded.
class AskedBatch {
 public:
  struct Item {
    std::vector<Index> things;  // at each place; equal numbers: they cannot be told apart
    const Partners* partners = nullptr;
  };

  AskedBatch() = default;
  explicit AskedBatch(const std::vector<Item>& items);

  Index count = 0;
  Index length = 0;
  std::vector<Index> lengths;  // of each
  std::vector<Index> things;   // (count, length); −1: padding
  /// (count, questions, length, length + 1): each answer's share of the right ones, the last
  /// "none". Partners share, and equal things share again. A row of padding is 0.
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

/// What one step learns from.
struct Lesson {
  AskedBatch asked;
  Tensor x;  // (B,T,D)
};

class BatchSource {
 public:
  virtual ~BatchSource() = default;

  virtual Index longest() const = 0;  // example, in places
  /// What each column of X is multiplied by while it is learned from.
  virtual const std::vector<float>& columnFactors() const = 0;
  /// The columns of X that tell places apart, and about how long a place's are together. At first V
  /// reads these alone.
  virtual std::vector<ColumnRange> identity() const = 0;
  virtual double identityLength() const = 0;
  /// Of X as it is learned from.
  virtual const std::vector<double>& meanX() const = 0;

  /// The next batch; the same one until `learned` says that a step has learned from it.
  virtual Lesson lesson(const BlockStorePtr& memory) = 0;
  virtual void learned() = 0;
  /// A lesson's places under the W_V (D_kv, D) of the start, always the same: (B,T,D_kv).
  virtual Tensor values(const Lesson& lesson, const Tensor& wV,
                        const ExecutionContext& execution) = 0;
};

/// `classFactor`: by how much the columns stand out that say what kind of word or step there is.
struct CurriculumSettings {
  Index width = 0;  // of X
  std::uint64_t seed = 1;
  Index batch = 32;
  double classFactor = 3.0;
};
std::unique_ptr<BatchSource> makeSentenceCurriculum(const CurriculumSettings& settings);
std::unique_ptr<BatchSource> makeSeriesCurriculum(Index channels,
                                                  const CurriculumSettings& settings);

/// Of X (B,T,D), over the places of the batch that are no padding.
std::vector<double> meanOfPlaces(const Tensor& x, const AskedBatch& batch);

}  // namespace headscope::training
