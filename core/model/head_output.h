// Head output: what one head of a model gives (its T rows of d_k, before W_O), and the same pass
// with something else in its place: nothing, its mean over the text, or what it was on another text
// (ablation and activation patching: Vig et al. 2020; Wang et al. 2022).
#pragma once

#include "core/model/model_trace.h"

namespace headscope::model {

/// (T, d_k), a copy. Throws UserError for a head that is not there.
Tensor headOutput(const ModelTrace& trace, HeadOfLayer head);

/// (T, d_k): in every row the mean of all.
Tensor meanOfRows(const Tensor& rows);

/// With `rows` (T, d_k) as what the head gives, whatever it computes: its cells are pinned. Throws
/// UserError for a head that is not there, and for rows of another number of tokens.
ModelDocumentPtr withHeadOutput(const ModelTrace& trace, HeadOfLayer head, const Tensor& rows);

}  // namespace headscope::model
