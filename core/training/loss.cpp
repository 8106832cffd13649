#include "core/training/loss.h"

#include <algorithm>
#include <cmath>

#include "core/steps/softmax_row.h"

namespace headscope::training {
namespace {

constexpr Index kPlacesAtOnce = 64;

/// What a question's answers add up to, of some places.
struct Sums {
  double loss = 0.0;
  double right = 0.0;
  double answers = 0.0, squares = 0.0;  // of numbers: Σ t, Σ t²
};

/// −log softmax(logits)[answer], and softmax(logits) in their place.
double crossEntropy(std::span<const float> logits, std::size_t answer, std::span<float> shares,
                    bool& right) {
  const auto likeliest = std::max_element(logits.begin(), logits.end());
  const auto best = static_cast<std::size_t>(likeliest - logits.begin());
  const double behind = static_cast<double>(*likeliest) - static_cast<double>(logits[answer]);
  right = best == answer;
  std::copy(logits.begin(), logits.end(), shares.begin());
  softmaxRow(shares, {0, static_cast<Index>(shares.size())});
  // the best has the share 1 / Σ exp(logit − best logit), which is never too small for a float
  return behind - std::log(static_cast<double>(shares[best]));
}

class LossesRunner {
 public:
  LossesRunner(const Tensor& logits, std::span<const Question> questions, const Examples& examples,
               Tensor* gradient)
      : logits_(logits), questions_(questions), examples_(examples), gradient_(gradient) {
    for (std::size_t q = 0; q < questions.size(); ++q) {
      const auto& answers = examples.answers[q];
      asked_.push_back(static_cast<Index>(std::count_if(
          answers.begin(), answers.end(), [](float answer) { return !std::isnan(answer); })));
      most_ = std::max(most_, questions[q].classes);
    }
  }

  Losses run(const Execution& execution) {
    const Index places = examples_.count * examples_.length;
    const Index pieces = (places + kPlacesAtOnce - 1) / kPlacesAtOnce;
    std::vector<Sums> sums(questions_.size() * static_cast<std::size_t>(pieces));
    overPieces(pieces, execution, [&](Index piece) {
      const Index end = std::min(places, (piece + 1) * kPlacesAtOnce);
      std::vector<float> row(static_cast<std::size_t>(most_));
      for (Index place = piece * kPlacesAtOnce; place < end; ++place) {
        Index first = 0;
        for (std::size_t q = 0; q < questions_.size(); ++q) {
          const auto classes = static_cast<std::size_t>(questions_[q].classes);
          answer(q, place, first, {row.data(), classes},
                 sums[static_cast<std::size_t>(piece) * questions_.size() + q]);
          first += questions_[q].classes;
        }
      }
    });
    return addedUp(sums);
  }

 private:
  void answer(std::size_t q, Index place, Index first, std::span<float> row, Sums& sums) {
    const Question& question = questions_[q];
    const Index start = place * logits_.dim(2) + first;
    const std::span<const float> logits(logits_.data() + start, row.size());
    const float wanted = examples_.answers[q][static_cast<std::size_t>(place)];
    const bool asked = !std::isnan(wanted);
    float* to = gradient_ == nullptr ? nullptr : gradient_->mutableData() + start;
    if (!asked) {
      if (to != nullptr) std::fill_n(to, row.size(), 0.0F);
      return;
    }
    const float weight = question.weight / static_cast<float>(asked_[q]);
    if (question.classes == 1) {
      const double error = static_cast<double>(logits[0]) - static_cast<double>(wanted);
      sums.loss += error * error;
      sums.answers += wanted;
      sums.squares += static_cast<double>(wanted) * static_cast<double>(wanted);
      if (to != nullptr) *to = 2.0F * weight * static_cast<float>(error);
      return;
    }
    bool right = false;
    const auto chosen = static_cast<std::size_t>(wanted);
    sums.loss += crossEntropy(logits, chosen, row, right);
    sums.right += right ? 1.0 : 0.0;
    if (to == nullptr) return;
    row[chosen] -= 1.0F;
    for (std::size_t i = 0; i < row.size(); ++i) to[i] = weight * row[i];
  }

  Losses addedUp(std::span<const Sums> sums) const {
    Losses losses;
    for (std::size_t q = 0; q < questions_.size(); ++q) {
      Sums all;
      for (std::size_t i = q; i < sums.size(); i += questions_.size()) {
        all.loss += sums[i].loss;
        all.right += sums[i].right;
        all.answers += sums[i].answers;
        all.squares += sums[i].squares;
      }
      Answered answered{asked_[q]};
      if (asked_[q] > 0) {
        const auto n = static_cast<double>(asked_[q]);
        answered.loss = all.loss / n;
        const double variance = all.squares - all.answers * all.answers / n;
        answered.accuracy = questions_[q].classes > 1 ? all.right / n
                            : variance > 0.0          ? 1.0 - all.loss / variance
                                                      : 0.0;
      }
      losses.loss += static_cast<double>(questions_[q].weight) * answered.loss;
      losses.questions.push_back(answered);
    }
    return losses;
  }

  const Tensor& logits_;
  std::span<const Question> questions_;
  const Examples& examples_;
  Tensor* gradient_;
  std::vector<Index> asked_;  // by question
  Index most_ = 1;            // classes of a question
};

}  // namespace

Losses lossesOf(const Tensor& logits, std::span<const Question> questions, const Examples& examples,
                const Execution& execution) {
  return LossesRunner(logits, questions, examples, nullptr).run(execution);
}

Losses lossesOf(const Tensor& logits, std::span<const Question> questions, const Examples& examples,
                const Execution& execution, Tensor& gradient) {
  return LossesRunner(logits, questions, examples, &gradient).run(execution);
}

}  // namespace headscope::training
