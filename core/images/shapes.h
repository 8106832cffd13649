// Shapes: small pictures of one bright circle, square or triangle, filled or as an outline, at a
// random place, of a random size and colour and slightly turned, before a dark background with a
// gradient, noise and a few dots. The three kinds have equal areas and equal chances of every
// place, so that neither says which it is.
//
//   training::Draws draws(1, "shapes");
//   drawShape(draws);  // {ShapeKind::triangle, true, …}
//
// One seed gives the same pictures on every machine.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/index.h"
#include "core/training/task.h"

namespace headscope::images {

enum class ShapeKind { circle, square, triangle };
inline constexpr std::array<std::string_view, 3> kShapeNames{"circle", "square", "triangle"};
inline constexpr Index kShapeKinds = std::ssize(kShapeNames);
/// The pixels of a picture's side.
inline constexpr Index kDrawingSide = 48;

struct Drawing {
  ShapeKind kind = ShapeKind::circle;
  bool filled = true;
  std::vector<std::uint8_t> rgb;    // row by row from the top, kDrawingSide² pixels
  std::vector<std::uint8_t> shape;  // 1 at each pixel that the shape covers by half or more

  Index kindIndex() const { return static_cast<Index>(kind); }
};

Drawing drawShape(training::Draws& draws);
/// A drawing of one kind.
Drawing drawShape(training::Draws& draws, ShapeKind kind);

/// An example of a kind; `number` counts from 1. Examples with one number differ in nothing but the
/// form. No training seed gives them.
Drawing exampleDrawing(ShapeKind kind, Index number);

/// `count` drawings that no training seed gives; every call returns equal ones.
std::vector<Drawing> heldOutDrawings(Index count);

/// The patches that a shape touches, row by row: those with a pixel that it covers. `side`: the
/// pixels of a patch's side, which divides kDrawingSide.
std::vector<bool> touchedPatches(const Drawing& drawing, Index side);
/// The sum of weights on the touched patches; `patches` has a weight for each patch.
double weightOn(const std::vector<bool>& touched, const float* patches);

}  // namespace headscope::images
