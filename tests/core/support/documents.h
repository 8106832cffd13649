// Documents of every kind of source, for the tests of edits and of their history.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/attention/weight_tensors.h"
#include "core/editing/edit.h"
#include "core/editing/make_document.h"
#include "tests/core/support/cases.h"
#include "tests/core/test_files.h"

namespace headscope::test {

inline DocumentPtr fromSource(InputSource source, AttentionConfig config = sized(48, 4, 1)) {
  return makeDocument("", std::move(config), std::move(source), Positions::named, {}, kBudget);
}

inline DocumentPtr fromTexts(std::vector<std::string> texts, std::vector<std::string> memory = {}) {
  return fromSource(TextSource{std::move(texts), std::move(memory)});
}

inline std::shared_ptr<const Series> series(Index rows) {
  std::vector<float> values;
  for (Index i = 0; i < rows; ++i) {
    values.push_back(static_cast<float>(i));
    values.push_back(static_cast<float>(i * i % 7));
  }
  return std::make_shared<const Series>(
      Series{"window.csv", {"a", "b"}, Tensor::fromValues({rows, 2}, values)});
}

inline DocumentPtr fromTensors(Index batch = 1, std::vector<std::string> tokens = {}) {
  return fromSource(TensorSource{
      "layer.safetensors", randomTensor({batch, 4, 8}, 1, "x", 1.0F), {}, std::move(tokens), {}});
}

/// The document after an edit.
inline DocumentPtr edited(const DocumentPtr& document, const Edit& edit) {
  return apply(*document, edit, kBudget).document;
}

using Tokens = std::vector<std::string>;

inline EditResult applied(const DocumentPtr& document, const Edit& edit) {
  return apply(*document, edit, kBudget);
}

/// Checks that the edit is refused: the error concerns `field` and its message holds each of
/// `parts`.
template <typename... Parts>
void expectRefused(const DocumentPtr& document, const Edit& edit, const std::string& field,
                   Parts... parts) {
  expectUserError([&] { applied(document, edit); }, parts...);
  try {
    applied(document, edit);
  } catch (const UserError& error) {
    const std::string found = error.problems().empty() ? "" : error.problems().front().field;
    EXPECT_EQ(found, field);
  }
}

inline bool sameWeights(const Document& a, const Document& b) {
  return sameTensors(a.weights, b.weights);
}

inline SetMask masked(const DocumentPtr& document, const std::function<void(Mask&)>& change) {
  SetMask edit{document->config.mask};
  change(edit.mask);
  return edit;
}

/// Checks that the parts of a document fit together.
inline void expectConsistent(const Document& d) {
  const AttentionConfig& c = d.config;
  EXPECT_TRUE(validate(c).empty());
  EXPECT_EQ(d.input->x.shape(), shapeOf(TensorId::x, c));
  EXPECT_EQ(d.input->memory.empty(), !c.crossAttention());
  if (c.crossAttention()) {
    EXPECT_EQ(d.input->memory.shape(), shapeOf(TensorId::memory, c));
  }
  EXPECT_EQ(static_cast<Index>(d.input->tokens.size()), c.batch);
  for (const Tokens& tokens : d.input->tokens) {
    EXPECT_EQ(static_cast<Index>(tokens.size()), c.seqLen);
  }
  EXPECT_NO_THROW(checkWeights(d.weights, c, "test"));
}

}  // namespace headscope::test
