#include "core/training/head_roles.h"

#include <algorithm>

#include "core/attention.h"
#include "core/input/embedding.h"
#include "core/ledger.h"

namespace headscope::training {

Index HeadRoles::bestAt(WordQuestion question) const {
  const auto q = static_cast<std::size_t>(question);
  const auto best = std::max_element(onPartners.begin(), onPartners.end(),
                                     [q](const auto& a, const auto& b) { return a[q] < b[q]; });
  return best - onPartners.begin();
}

HeadRoles measureRoles(const Weights& w, const AttentionConfig& config,
                       const std::vector<Sentence>& sentences, const Execution& execution) {
  AttentionConfig c = config;
  std::vector<std::vector<std::string>> words;
  c.seqLen = 0;
  for (const Sentence& sentence : sentences) {
    words.push_back(sentence.words);
    c.seqLen = std::max<Index>(c.seqLen, std::ssize(sentence.words));
  }
  Embedded embedded = embedText(words, c.seqLen, c.dModel, Positions::named);
  c.batch = std::ssize(sentences);
  c.memoryLen = 0;
  c.mask = {};
  c.mask.lengths = std::move(embedded.lengths);
  const Pins none;
  AttentionTensors tensors(c, none);
  tensors.put(TensorId::x, std::move(embedded.x));
  tensors.put(TensorId::wQ, w.wQ);
  tensors.put(TensorId::wK, w.wK);
  tensors.put(TensorId::wV, w.wV);
  tensors.put(TensorId::wO, w.wO);
  tensors.put(TensorId::bQ, w.bQ);
  tensors.put(TensorId::bK, w.bK);
  tensors.put(TensorId::bV, w.bV);
  tensors.put(TensorId::bO, w.bO);
  const ThreadCount threads(
      threadsFor(ledger(c).flops, execution.threads, execution.flopsPerThread));
  HeadRoles roles;
  if (!runSteps(tensors, nullptr, execution)) return roles;
  roles.onPartners.resize(static_cast<std::size_t>(c.numHeads));
  std::array<double, kWordQuestions> rows{};
  for (Index item = 0; item < c.batch; ++item) {
    const Sentence& sentence = sentences[static_cast<std::size_t>(item)];
    for (Index head = 0; head < c.numHeads; ++head) {
      const ConstMatrixView weights = tensors.tensor(TensorId::weights).matrixOf(item, head);
      for (Index i = 0; i < std::ssize(sentence.words); ++i) {
        const auto row = weights.row(i);
        roles.largestWeight = std::max(
            roles.largestWeight, static_cast<double>(*std::max_element(row.begin(), row.end())));
        for (std::size_t q = 0; q < kWordQuestions; ++q) {
          const std::vector<Index>& partners = sentence.partnersOf(static_cast<WordQuestion>(q), i);
          if (head == 0 && !partners.empty()) ++rows[q];
          for (const Index j : partners) {
            roles.onPartners[static_cast<std::size_t>(head)][q] +=
                static_cast<double>(weights(i, j));
          }
        }
      }
    }
  }
  for (auto& head : roles.onPartners) {
    for (std::size_t q = 0; q < kWordQuestions; ++q) head[q] /= std::max(1.0, rows[q]);
  }
  return roles;
}

std::vector<Sentence> heldOutSentences(Index count) {
  Draws draws(0, "sentences held out");
  std::vector<Sentence> sentences;
  for (Index i = 0; i < count; ++i) sentences.push_back(drawSentence(draws));
  return sentences;
}

}  // namespace headscope::training
