// Patches: the rectangles of an image as tokens: their places in it, their names, and the grid that
// they form.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/index.h"
#include "core/tensor/tensor.h"

namespace headscope {

struct Readings;

/// Returns whether each row of such channels is a patch of an image: it has a row and a column
/// there.
bool isImage(const std::vector<std::string>& channels);

/// Tokens that are patches of an image, row by row, behind `first` others.
struct PatchGrid {
  Index first = 0, rows = 0, columns = 0;

  bool on() const { return rows > 0; }
  Index count() const { return rows * columns; }
  bool holds(Index token) const { return token >= first && token < first + count(); }
  /// The patch so many rows below and columns to the right of one; −1: outside of the image.
  Index neighbour(Index token, Index down, Index right) const;
  bool operator==(const PatchGrid&) const = default;
};

/// The place of a patch in its image, from 0.
struct PatchPlace {
  Index row = 0, column = 0;
};

/// Returns the place that the readings of an image's patch give; none for a token that is no patch,
/// such as a class token, whose row or column is no whole number.
std::optional<PatchPlace> patchPlace(const std::vector<std::string>& channels,
                                     std::span<const float> readings);

/// "patch 2,5": in row 2, column 5, from 1.
std::string patchName(const PatchPlace& place);

/// Returns the grid that the places of a series form in every item; none where it is no image, and
/// where patches are missing, repeated or in another order.
PatchGrid patchGridOf(const Readings& readings);

/// How unlike the patches at both sides of it each patch is in X (B, T, D), from 0 to 1: large
/// where the picture has something to see. A position, which changes evenly, does not count. T
/// numbers, 0 for tokens that are no patches; empty without a grid.
std::vector<float> patchContrasts(const PatchGrid& grid, const Tensor& x, Index item);

}  // namespace headscope
