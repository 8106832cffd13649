#include "core/training/head_roles.h"

#include <algorithm>

#include "core/attention/config.h"
#include "core/attention/ledger.h"
#include "core/attention/run_steps.h"
#include "core/attention/weight_tensors.h"
#include "core/input/embedding.h"

namespace headscope::training {

namespace {

/// `partners` has one element per item.
HeadRoles rolesIn(Embedded embedded, const std::vector<Partners>& partners, const Weights& w,
                  const AttentionConfig& config, const ExecutionContext& execution) {
  AttentionConfig c = config;
  c.batch = embedded.x.dim(0);
  c.seqLen = embedded.x.dim(1);
  c.memoryLen = 0;
  c.mask = {};
  c.mask.lengths = std::move(embedded.lengths);
  const Pins none;
  AttentionTensors tensors(c, none);
  tensors.put(TensorId::x, std::move(embedded.x));
  for (const WeightTensor& each : kWeightTensors) tensors.put(each.id, w.*each.tensor);
  const ScopedThreadLimit threads(
      threadsFor(ledger(c).flops, execution.threads, execution.flopsPerThread));
  HeadRoles roles;
  if (!runSteps(tensors, nullptr, execution)) return roles;
  roles.onPartners.resize(static_cast<std::size_t>(c.numHeads));
  std::array<double, kLayerQuestions> rows{};
  for (Index item = 0; item < c.batch; ++item) {
    const Partners& answers = partners[static_cast<std::size_t>(item)];
    for (Index head = 0; head < c.numHeads; ++head) {
      const ConstMatrixView weights = tensors.tensor(TensorId::weights).matrixOf(item, head);
      for (Index i = 0; i < std::ssize(answers.front()); ++i) {
        const auto row = weights.row(i);
        roles.largestWeight = std::max(
            roles.largestWeight, static_cast<double>(*std::max_element(row.begin(), row.end())));
        for (std::size_t q = 0; q < kLayerQuestions; ++q) {
          const std::vector<Index>& places = answers[q][static_cast<std::size_t>(i)];
          if (head == 0 && !places.empty()) ++rows[q];
          for (const Index j : places) {
            roles.onPartners[static_cast<std::size_t>(head)][q] +=
                static_cast<double>(weights(i, j));
          }
        }
      }
    }
  }
  for (auto& head : roles.onPartners) {
    for (std::size_t q = 0; q < kLayerQuestions; ++q) head[q] /= std::max(1.0, rows[q]);
  }
  return roles;
}

}  // namespace

Index HeadRoles::bestAt(std::size_t question) const {
  const auto best = std::max_element(
      onPartners.begin(), onPartners.end(),
      [question](const auto& a, const auto& b) { return a[question] < b[question]; });
  return best - onPartners.begin();
}

HeadRoles measureRoles(const Weights& weights, const AttentionConfig& config,
                       const std::vector<Sentence>& sentences, const ExecutionContext& execution) {
  std::vector<std::vector<std::string>> words;
  std::vector<std::vector<WordUse>> uses;
  std::vector<Partners> partners;
  Index longest = 0;
  for (const Sentence& sentence : sentences) {
    words.push_back(sentence.words);
    uses.push_back(sentence.uses.empty() ? wordUses(sentence.words) : sentence.uses);
    partners.push_back(sentence.partners);
    longest = std::max<Index>(longest, std::ssize(sentence.words));
  }
  return rolesIn(embedText(words, uses, longest, config.dModel), partners, weights, config,
                 execution);
}

HeadRoles measureRoles(const Weights& weights, const AttentionConfig& config,
                       const std::vector<std::shared_ptr<const Series>>& series,
                       const ExecutionContext& execution) {
  std::vector<Partners> partners;
  Index longest = 0;
  for (const auto& each : series) {
    partners.push_back(partnersIn(*each));
    longest = std::max(longest, each->values.dim(0));
  }
  return rolesIn(embedSeries(series, longest, config.dModel, Positions::named), partners, weights,
                 config, execution);
}

std::vector<Sentence> heldOutSentences(Index count) {
  Draws draws(0, "sentences held out");
  std::vector<Sentence> sentences;
  for (Index i = 0; i < count; ++i) sentences.push_back(drawSentence(draws));
  return sentences;
}

std::vector<std::shared_ptr<const Series>> heldOutSeries(Index count, Index channels) {
  Draws draws(0, "series held out");
  std::vector<std::shared_ptr<const Series>> series;
  for (Index i = 0; i < count; ++i) {
    const Index steps = kShortestWindow + draws.below(kLongestWindow - kShortestWindow + 1);
    series.push_back(drawWindow(channels, steps, draws));
  }
  return series;
}

}  // namespace headscope::training
