#include "core/training/tied_readout.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "core/attention/steps/linear.h"
#include "core/tensor/gemm.h"

namespace headscope::training {
namespace {

constexpr auto kQuestionCount = static_cast<Index>(kLayerQuestions);
constexpr float kSharpness = 5.0F;
constexpr double kWeightOfNone = 0.3;

/// The loss and the right answers of one item.
struct ItemAnswers {
  std::array<double, kLayerQuestions> loss{}, right{}, gradNone{};
};

/// Computes the logits of one item, their loss and their gradients, question by question.
class ItemReader {
 public:
  ItemReader(const AskedBatch& batch, Index item, const Tensor& values)
      : batch_(batch),
        item_(item),
        length_(batch.lengths[static_cast<std::size_t>(item)]),
        values_(values.matrixOf(item, 0)),
        logits_(Tensor::uninitialised({length_, length_})) {}

  /// `read` and `gradRead` are the item's rows of the readout, (T, H·d_k).
  void ask(Index question, ConstMatrixView read, MatrixView gradRead, float none,
           ItemAnswers& result) {
    const QuestionColumns columns = columnsOfQuestion(question, values_.cols);
    const ConstMatrixView answers{read.data + columns.begin, length_, columns.count,
                                  read.rowStride};
    const MatrixView grad{gradRead.data + columns.begin, length_, columns.count,
                          gradRead.rowStride};
    const ConstMatrixView known{values_.data + columns.begin, length_, columns.count,
                                values_.rowStride};
    const MatrixView logits = logits_.mutableMatrix();
    gemm(answers, known.transposed(), logits, {kSharpness});
    for (Index i = 0; i < length_; ++i) judge(question, i, logits.row(i), none, result);
    gemm(logits, known, grad, {kSharpness, true});
  }

 private:
  /// Adds a row's cross-entropy and replaces its logits by their gradient.
  void judge(Index question, Index place, std::span<float> logits, float none,
             ItemAnswers& result) const {
    const auto q = static_cast<std::size_t>(question);
    const float* right = batch_.answersAt(item_, question) + place * (batch_.length + 1);
    const float rightNone = right[batch_.length];
    const bool partner = rightNone == 0.0F;
    const auto best = std::max_element(logits.begin(), logits.end());
    const float top = std::max(*best, none);
    if (partner && *best > none && right[best - logits.begin()] > 0.0F) ++result.right[q];

    double sum = std::exp(static_cast<double>(none - top));
    for (const float logit : logits) sum += std::exp(static_cast<double>(logit - top));
    const double logSum = std::log(sum) + static_cast<double>(top);
    const auto rows =
        static_cast<double>(partner ? batch_.rowsWithPartner[q] : batch_.rowsWithout[q]);
    const double weight =
        (partner ? 1.0 : kWeightOfNone) / (rows * static_cast<double>(kQuestionCount));
    double loss = 0.0;
    const auto take = [&](double logit, double share) {
      loss -= share * (logit - logSum);
      return weight * (std::exp(logit - logSum) - share);
    };
    for (std::size_t j = 0; j < logits.size(); ++j) {
      logits[j] =
          static_cast<float>(take(static_cast<double>(logits[j]), static_cast<double>(right[j])));
    }
    result.gradNone[q] += take(static_cast<double>(none), static_cast<double>(rightNone));
    result.loss[q] += weight * loss;
  }

  const AskedBatch& batch_;
  Index item_, length_;
  ConstMatrixView values_;  // of its places, (T, H·d_k)
  Tensor logits_;
};

}  // namespace

QuestionColumns columnsOfQuestion(Index question, Index concatWidth) {
  return {question * concatWidth / kQuestionCount,
          std::max<Index>(1, concatWidth / kQuestionCount)};
}

TiedReadout::TiedReadout(const Tensor& wO)
    : read_(wO.clone()), readTransposed_(wO.transposed(0, 1).clone()) {}

Answers TiedReadout::ask(const Tensor& output, const Tensor& values, const AskedBatch& batch,
                         const Tensor& none, const ExecutionContext& execution) const {
  const Tensor read = linear(output, readTransposed_, {}, execution);
  Tensor gradRead = Tensor::uninitialised(read.shape(), execution.memory);
  std::fill_n(gradRead.mutableData(), gradRead.size(), 0.0F);
  std::vector<ItemAnswers> items(static_cast<std::size_t>(batch.count));
  parallelFor(batch.count, execution, [&](Index item) {
    ItemReader reader(batch, item, values);
    for (Index q = 0; q < kQuestionCount; ++q) {
      reader.ask(q, read.matrixOf(item, 0), gradRead.mutableMatrixOf(item, 0), none.data()[q],
                 items[static_cast<std::size_t>(item)]);
    }
  });
  Answers answers;
  std::array<double, kLayerQuestions> gradNone{};
  for (const ItemAnswers& item : items) {
    for (std::size_t q = 0; q < kLayerQuestions; ++q) {
      answers.loss += item.loss[q];
      answers.right[q] += item.right[q];
      gradNone[q] += item.gradNone[q];
    }
  }
  answers.gradNone = Tensor::uninitialised({kQuestionCount});
  for (std::size_t q = 0; q < kLayerQuestions; ++q) {
    answers.right[q] /= static_cast<double>(std::max<Index>(1, batch.rowsWithPartner[q]));
    answers.gradNone.mutableData()[q] = static_cast<float>(gradNone[q]);
  }
  answers.gradOutput = linear(gradRead, read_, {}, execution);
  return answers;
}

}  // namespace headscope::training
