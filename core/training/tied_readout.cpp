#include "core/training/tied_readout.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "core/gemm.h"
#include "core/steps/linear.h"

namespace headscope::training {
namespace {

constexpr auto kQuestionCount = static_cast<Index>(kWordQuestions);
constexpr float kSharpness = 5.0F;
constexpr double kWeightOfNone = 0.3;

/// Lengths are rounded up to a multiple, so that few sizes of memory are asked for.
constexpr Index kLengthStep = 4;

/// Each word's number.
std::vector<Index> numbersOf(const Sentence& sentence, const std::vector<std::string>& known) {
  std::vector<Index> numbers;
  for (const std::string& word : sentence.words) {
    numbers.push_back(std::lower_bound(known.begin(), known.end(), word) - known.begin());
  }
  return numbers;
}

/// One item's part of the answers.
struct ItemAnswers {
  std::array<double, kWordQuestions> loss{}, right{}, gradNone{};
};

/// One item, question by question: its logits, their loss and what goes back.
class ItemReader {
 public:
  ItemReader(const SentenceBatch& batch, Index item, const Tensor& wordValues)
      : batch_(batch), item_(item), length_(batch.lengths[static_cast<std::size_t>(item)]) {
    const Index width = wordValues.dim(1);
    values_ = Tensor::uninitialised({length_, width});
    for (Index place = 0; place < length_; ++place) {
      std::copy_n(wordValues.data() + batch.word(item, place) * width, width,
                  values_.mutableData() + place * width);
    }
    logits_ = Tensor::uninitialised({length_, length_});
  }

  /// `read` and `gradRead` are the item's rows of the readout, (T, H·d_k).
  void ask(Index question, ConstMatrixView read, MatrixView gradRead, float none,
           ItemAnswers& result) {
    const QuestionColumns columns = columnsOfQuestion(question, values_.dim(1));
    const ConstMatrixView answers{read.data + columns.begin, length_, columns.count,
                                  read.rowStride};
    const MatrixView grad{gradRead.data + columns.begin, length_, columns.count,
                          gradRead.rowStride};
    const ConstMatrixView words =
        values_.matrixOf(Box{0, 0, 0, length_, columns.begin, columns.count});
    const MatrixView logits = logits_.mutableMatrix();
    gemm(answers, words.transposed(), logits, {kSharpness});
    for (Index i = 0; i < length_; ++i) judge(question, i, logits.row(i), none, result);
    gemm(logits, words, grad, {kSharpness, true});
  }

 private:
  /// A row's cross-entropy; its logits become what goes back to them.
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

  const SentenceBatch& batch_;
  Index item_, length_;
  Tensor values_;  // of its words, (T, H·d_k)
  Tensor logits_;
};

}  // namespace

SentenceBatch::SentenceBatch(const std::vector<Sentence>& sentences,
                             const std::vector<std::string>& known)
    : count(std::ssize(sentences)) {
  for (const Sentence& sentence : sentences) {
    lengths.push_back(std::ssize(sentence.words));
    length = std::max(length, lengths.back());
  }
  length = (length + kLengthStep - 1) / kLengthStep * kLengthStep;
  words.assign(static_cast<std::size_t>(count * length), -1);
  answers.assign(static_cast<std::size_t>(count * kQuestionCount * length * (length + 1)), 0.0F);
  for (Index item = 0; item < count; ++item) {
    const Sentence& sentence = sentences[static_cast<std::size_t>(item)];
    const std::vector<Index> numbers = numbersOf(sentence, known);
    std::copy(numbers.begin(), numbers.end(), words.begin() + item * length);
    for (Index question = 0; question < kQuestionCount; ++question) {
      const auto q = static_cast<std::size_t>(question);
      float* row = answers.data() + firstAnswer(item, question);
      for (const std::vector<Index>& partners : sentence.partners[q]) {
        ++(partners.empty() ? rowsWithout : rowsWithPartner)[q];
        if (partners.empty()) row[length] = 1.0F;
        for (const Index partner : partners) {
          const Index word = numbers[static_cast<std::size_t>(partner)];
          const auto alike = std::count(numbers.begin(), numbers.end(), word);
          const float share = 1.0F / static_cast<float>(std::ssize(partners) * alike);
          for (std::size_t j = 0; j < numbers.size(); ++j) {
            if (numbers[j] == word) row[j] += share;
          }
        }
        row += length + 1;
      }
    }
  }
}

QuestionColumns columnsOfQuestion(Index question, Index concatWidth) {
  return {question * concatWidth / kQuestionCount,
          std::max<Index>(1, concatWidth / kQuestionCount)};
}

TiedReadout::TiedReadout(const Tensor& wO, Tensor wordValues)
    : read_(wO.clone()),
      readTransposed_(wO.transposed(0, 1).clone()),
      wordValues_(std::move(wordValues)) {}

Answers TiedReadout::ask(const Tensor& output, const SentenceBatch& batch, const Tensor& none,
                         const Execution& execution) const {
  const Tensor read = linear(output, readTransposed_, {}, execution);
  Tensor gradRead = Tensor::uninitialised(read.shape(), execution.memory);
  std::fill_n(gradRead.mutableData(), gradRead.size(), 0.0F);
  std::vector<ItemAnswers> items(static_cast<std::size_t>(batch.count));
  overPieces(batch.count, execution, [&](Index item) {
    ItemReader reader(batch, item, wordValues_);
    for (Index q = 0; q < kQuestionCount; ++q) {
      reader.ask(q, read.matrixOf(item, 0), gradRead.mutableMatrixOf(item, 0), none.data()[q],
                 items[static_cast<std::size_t>(item)]);
    }
  });
  Answers answers;
  std::array<double, kWordQuestions> gradNone{};
  for (const ItemAnswers& item : items) {
    for (std::size_t q = 0; q < kWordQuestions; ++q) {
      answers.loss += item.loss[q];
      answers.right[q] += item.right[q];
      gradNone[q] += item.gradNone[q];
    }
  }
  answers.gradNone = Tensor::uninitialised({kQuestionCount});
  for (std::size_t q = 0; q < kWordQuestions; ++q) {
    answers.right[q] /= static_cast<double>(std::max<Index>(1, batch.rowsWithPartner[q]));
    answers.gradNone.mutableData()[q] = static_cast<float>(gradNone[q]);
  }
  answers.gradOutput = linear(gradRead, read_, {}, execution);
  return answers;
}

}  // namespace headscope::training
