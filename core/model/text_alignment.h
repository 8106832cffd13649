// Text alignment: which token of another text stands for each token of a text, where values of the
// one are put in place of the other's. Texts of equal length match place by place. Others are
// aligned with the fewest tokens changed, inserted and left out (Levenshtein 1966); a token that
// the other text lacks has no partner and keeps its own values. Images match patch by patch.
//
//   alignedPlaces({7, 8, 9}, {7, 5, 8, 9})  // {0, 2, 3}: the other's 5 stands for nothing
#pragma once

#include <string>
#include <vector>

#include "core/base/index.h"
#include "core/model/model_document.h"
#include "core/tensor/tensor.h"

namespace headscope::model {

/// No token of the other text.
constexpr Index kNoPartner = -1;

/// The other text's place for each token, in ascending order, or kNoPartner.
std::vector<Index> alignedPlaces(const std::vector<Index>& ids, const std::vector<Index>& other);

/// The rows of `other` (M, width) at the places of their partners, and `own` (T, width) where there
/// is none. `places` has T entries.
Tensor alignedRows(const Tensor& own, const Tensor& other, const std::vector<Index>& places);

struct AlignedText {
  std::vector<Index> places;  // the other text's, of each token
  /// Which tokens get the values of different ones, which keep their own, and which of the other
  /// text are not used. Empty for texts of equal length.
  std::string inWords;
};
/// Throws UserError for images of different sizes.
AlignedText aligned(const ModelInput& own, const ModelInput& other);

}  // namespace headscope::model
