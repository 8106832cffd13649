// Head output: what one head of a model gives (its T rows of d_k, before W_O), and the same pass
// with something else in its place: nothing, its mean over the text, or what it was on another text
// (ablation and activation patching: Vig et al. 2020; Wang et al. 2022).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/model/model_trace.h"

namespace headscope::model {

/// (T, d_k), a copy. Throws UserError for a head that is not there.
Tensor headOutput(const ModelTrace& trace, HeadOfLayer head);

/// (T, d_k): in every row the mean of all.
Tensor meanOfRows(const Tensor& rows);

/// With `rows` (T, d_k) as what the head gives, whatever it computes: its cells are pinned. Throws
/// UserError for a head that is not there, and for rows of another number of tokens.
ModelDocumentPtr withHeadOutput(const ModelTrace& trace, HeadOfLayer head, const Tensor& rows);

/// What becomes of a prediction where a head gives something else.
struct HeadReplaced {
  struct Word {
    Index id = 0;
    double before = 0.0, after = 0.0;  // its probability
  };
  std::vector<Word> words;  // those asked about, and the most probable before and after; by before
  double logitBefore = 0.0, logitAfter = 0.0;  // of the word, or of logit(word) − logit(other)
  /// What of the change the head writes itself, past all later layers; none where norms follow the
  /// sums.
  std::optional<double> direct;

  double total() const { return logitAfter - logitBefore; }
};

/// Runs the pass again with `rows` as the head's output at every token, and reads it at token
/// `row`. A unit is a layer of the pass. Throws UserError as withHeadOutput does, and for a token
/// or word that is not there; runUnit throws as runModel does.
class HeadReplacement {
 public:
  HeadReplacement(ModelTracePtr before, HeadOfLayer head, const Tensor& rows, Index row, Index word,
                  std::optional<Index> other, const ExecutionContext& execution);
  /// Runs the next layer. True after the last one, or where it was cancelled.
  bool runUnit();
  /// After the last unit: nothing where it was cancelled.
  std::optional<HeadReplaced> found() const;

 private:
  ModelTracePtr before_;
  HeadOfLayer head_;
  Index row_, word_;
  std::optional<Index> other_;
  ModelPass pass_;
};

/// Runs all units; nothing where cancelled.
std::optional<HeadReplaced> replaceHead(const ModelTracePtr& before, HeadOfLayer head,
                                        const Tensor& rows, Index row, Index word,
                                        std::optional<Index> other,
                                        const ExecutionContext& execution);

/// What lies between a head and the readout, through which the rest of its effect goes: "later
/// layers and the final norm's scale"; empty where nothing does.
std::string afterHeadInWords(const ModelConfig& config, HeadOfLayer head);

}  // namespace headscope::model
