#include "core/training/loss.h"

#include <algorithm>
#include <cmath>

#include "core/attention/steps/softmax_row.h"

namespace headscope::training {
namespace {

constexpr Index kPlacesAtOnce = 64;

/// The sums of a question's answers over some places.
struct Sums {
  double loss = 0.0;
  double right = 0.0;
  double answers = 0.0, squares = 0.0;  // for numbers: Σ t, Σ t²
};

float largestOf(std::span<const float> values) {
  float largest = values[0];
#pragma omp simd reduction(max : largest)
  for (std::size_t i = 0; i < values.size(); ++i) {
    largest = values[i] > largest ? values[i] : largest;
  }
  return largest;
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

  Losses run(const ExecutionContext& execution) {
    const Index places = examples_.count * examples_.length;
    const Index pieces = (places + kPlacesAtOnce - 1) / kPlacesAtOnce;
    std::vector<Sums> sums(questions_.size() * static_cast<std::size_t>(pieces));
    parallelFor(pieces, execution, [&](Index piece) {
      const Places at{piece * kPlacesAtOnce, std::min(places, (piece + 1) * kPlacesAtOnce)};
      std::vector<float> shares(static_cast<std::size_t>((at.end - at.begin) * most_));
      Index first = 0;
      for (std::size_t q = 0; q < questions_.size(); ++q) {
        Sums& of = sums[static_cast<std::size_t>(piece) * questions_.size() + q];
        if (questions_[q].classes == 1) {
          numbers(q, at, first, of);
        } else {
          classes(q, at, first, shares, of);
        }
        first += questions_[q].classes;
      }
    });
    return addedUp(sums);
  }

 private:
  struct Places {
    Index begin, end;
  };

  float wanted(std::size_t q, Index place) const {
    return examples_.answers[q][static_cast<std::size_t>(place)];
  }
  float weight(std::size_t q) const { return questions_[q].weight / static_cast<float>(asked_[q]); }

  /// (answer − wanted)².
  void numbers(std::size_t q, const Places& places, Index column, Sums& sums) {
    for (Index place = places.begin; place < places.end; ++place) {
      const Index at = place * logits_.dim(2) + column;
      const auto answer = static_cast<double>(wanted(q, place));
      const bool asked = !std::isnan(answer);
      const double error = asked ? static_cast<double>(logits_.data()[at]) - answer : 0.0;
      if (gradient_ != nullptr) {
        gradient_->mutableData()[at] = asked ? 2.0F * weight(q) * static_cast<float>(error) : 0.0F;
      }
      if (!asked) continue;
      sums.loss += error * error;
      sums.answers += answer;
      sums.squares += answer * answer;
    }
  }

  /// −log softmax(logits)[wanted]. With the likeliest one's logit l and share s that is
  /// l − logits[wanted] − log s, where s is never too small for a float.
  void classes(std::size_t q, const Places& places, Index column, std::span<float> memory,
               Sums& sums) {
    const Index count = questions_[q].classes;
    const Index stride = logits_.dim(2);
    const Index start = places.begin * stride + column;
    const ConstMatrixView logits{logits_.data() + start, places.end - places.begin, count, stride};
    const MatrixView shares{memory.data(), logits.rows, count, count};
    const std::vector<AllowedKeys> all(static_cast<std::size_t>(logits.rows), {0, count, nullptr});
    softmaxOfScaled(logits, 1.0F, shares, all);
    double likeliest = 1.0;  // product of the shares, never too small either
    for (Index r = 0; r < logits.rows; ++r) {
      float* to = gradient_ == nullptr ? nullptr : gradient_->mutableData() + start + r * stride;
      const float answer = wanted(q, places.begin + r);
      if (std::isnan(answer)) {
        if (to != nullptr) std::fill_n(to, count, 0.0F);
        continue;
      }
      const auto chosen = static_cast<Index>(answer);
      const std::span<const float> row = logits.row(r);
      const float largest = largestOf(row);
      sums.loss += static_cast<double>(largest) - static_cast<double>(logits(r, chosen));
      likeliest *= static_cast<double>(largestOf(shares.row(r)));
      sums.right += std::find(row.begin(), row.end(), largest) == row.begin() + chosen ? 1.0 : 0.0;
      if (to == nullptr) continue;
      shares(r, chosen) -= 1.0F;
      for (Index i = 0; i < count; ++i) to[i] = weight(q) * shares(r, i);
    }
    sums.loss -= std::log(likeliest);
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
  Index most_ = 1;            // the most classes of a question
};

}  // namespace

Losses lossesOf(const Tensor& logits, std::span<const Question> questions, const Examples& examples,
                const ExecutionContext& execution) {
  return LossesRunner(logits, questions, examples, nullptr).run(execution);
}

Losses lossesOf(const Tensor& logits, std::span<const Question> questions, const Examples& examples,
                const ExecutionContext& execution, Tensor& gradient) {
  return LossesRunner(logits, questions, examples, &gradient).run(execution);
}

}  // namespace headscope::training
