// Head output: the output of one head of a model (its T rows of d_k, before W_O), and the same pass
// with another output in its place: zeros, its mean over the text, or its output on another text
// (ablation and activation patching: Vig et al. 2020; Wang et al. 2022).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/model/stacks.h"

namespace headscope::model {

/// Returns a copy of a head's output, (T, d_k). Throws UserError for a head that does not exist.
Tensor headOutput(const ModelTrace& trace, HeadOfLayer head);

/// Returns (T, d_k) with the mean of all rows in every row.
Tensor meanOfRows(const Tensor& rows);

/// The document with `rows` (T, d_k) pinned as the head's output. Throws UserError for a head that
/// does not exist, and for rows of another number of tokens.
ModelDocumentPtr withHeadOutput(const ModelTrace& trace, HeadOfLayer head, const Tensor& rows);

/// The change of a prediction where a head's output is replaced.
struct HeadReplaced {
  struct Word {
    Index id = 0;
    double before = 0.0, after = 0.0;  // its probability
  };
  std::vector<Word> words;                     // requested and most probable words, by before
  double logitBefore = 0.0, logitAfter = 0.0;  // of the word, or of logit(word) − logit(other)
  /// The part of the change that reaches the logit directly, past what later layers compute; none
  /// where there are no direct paths (DirectPath).
  std::optional<double> direct;

  double total() const { return logitAfter - logitBefore; }
};

/// Runs the pass again with `rows` as the head's output, and reads the prediction at token `row`. A
/// unit is a layer of the pass. A head of the encoder acts through the memory: the encoder runs
/// again, then the decoder, and no part is direct. Throws UserError as withHeadOutput does, and for
/// a token or word that does not exist; runUnit throws as runModel does.
class HeadReplacement {
 public:
  HeadReplacement(ModelTracePtr before, HeadOfLayer head, const Tensor& rows, Index row, Index word,
                  std::optional<Index> other, const ExecutionContext& execution,
                  Stack stack = Stack::decoder);
  /// Runs the next layer. True after the last one, or where it was cancelled.
  bool runUnit();
  /// The result, after the last unit; nothing where it was cancelled.
  std::optional<HeadReplaced> found() const;

 private:
  ModelTracePtr before_;
  HeadOfLayer head_;
  Index row_, word_;
  std::optional<Index> other_;
  Stack stack_;
  ExecutionContext execution_;
  std::optional<ModelPass> encoder_;  // while the encoder runs with its head replaced
  std::optional<ModelPass> pass_;
};

/// Runs all units. Returns nothing where cancelled.
std::optional<HeadReplaced> replaceHead(const ModelTracePtr& before, HeadOfLayer head,
                                        const Tensor& rows, Index row, Index word,
                                        std::optional<Index> other,
                                        const ExecutionContext& execution,
                                        Stack stack = Stack::decoder);

/// Names the parts between a head and the readout, through which the indirect effect passes: "later
/// layers and the final norm's scale"; empty where there are none.
std::string afterHeadInWords(const ModelConfig& config, HeadOfLayer head);

}  // namespace headscope::model
