#include "core/model/alignment.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/attention/config.h"
#include "core/base/error.h"
#include "core/base/translation.h"
#include "core/document/trace.h"

namespace headscope::model {

std::vector<WordOfText> wordsOf(const std::vector<Index>& ids,
                                const tokenizer::Tokenizer* tokenizer) {
  std::vector<WordOfText> words;
  bool alone = true;  // the word before takes no further token
  for (Index i = 0; i < std::ssize(ids); ++i) {
    const Index id = ids[static_cast<std::size_t>(i)];
    if (tokenizer == nullptr) {
      words.push_back({i, i + 1, fmt::format("{}", id)});
      continue;
    }
    const auto token = static_cast<tokenizer::TokenId>(id);
    const bool special = tokenizer->isSpecial(token);
    const std::string text = special ? tokenizer->inWords(token) : tokenizer->bytes(token);
    const bool spaced = text.starts_with(' ');
    if (alone || special || spaced) {
      words.push_back({i, i + 1, spaced ? text.substr(1) : text});
    } else {
      words.back().end = i + 1;
      words.back().text += text;
    }
    alone = special;
  }
  return words;
}

std::vector<HeadOfLayer> crossHeads(const ModelConfig& config, Index layer) {
  std::vector<HeadOfLayer> heads;
  for (Index each = 0; each < config.layers; ++each) {
    if (!config.readsMemory(each) || (layer >= 0 && each != layer)) continue;
    for (Index head = 0; head < config.heads; ++head) heads.push_back({each, head});
  }
  return heads;
}

Matrix64 alignmentOf(const ModelTrace& trace, const std::vector<HeadOfLayer>& heads,
                     const std::vector<WordOfText>& target, const std::vector<WordOfText>& source,
                     AlignedRows rows) {
  const Index before = rows == AlignedRows::written ? 1 : 0;
  if (heads.empty()) throw UserError(tr("no heads are chosen: choose one of the cross-attention"));
  Matrix64 weights(std::ssize(target), std::ssize(source));
  for (const HeadOfLayer& head : heads) {
    if (!trace.config().readsMemory(head.layer)) {
      throw UserError(trFormat("{} reads no other text: choose a head of the cross-attention",
                               trace.config().attentionInWords(head.layer)));
    }
    const TracePtr layer = trace.layer(head.layer);
    std::vector<float> row(static_cast<std::size_t>(layer->config().keys()));
    for (Index i = 0; i < weights.rows; ++i) {
      const WordOfText& word = target[static_cast<std::size_t>(i)];
      const Index first = std::max<Index>(word.begin - before, 0);
      const Index end = word.end - before;
      const double share = 1.0 / static_cast<double>(std::ssize(heads) * (end - first));
      for (Index token = first; token < end; ++token) {
        layer->tile(TensorId::weights, 0, head.head, token, 1, 0, std::ssize(row), row.data());
        for (Index j = 0; j < weights.cols; ++j) {
          const WordOfText& of = source[static_cast<std::size_t>(j)];
          for (Index key = of.begin; key < of.end; ++key) {
            weights(i, j) += share * double{row[static_cast<std::size_t>(key)]};
          }
        }
      }
    }
  }
  return weights;
}

}  // namespace headscope::model
