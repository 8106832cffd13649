// Drawn shapes: the same pictures on every machine, of every kind as often, with nothing but the
// form to tell them apart.
#include "core/images/shapes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/formats/shipped_picture.h"
#include "tests/core/test_files.h"

namespace headscope::test {
namespace {
using namespace headscope::images;

std::uint64_t hashOfDrawings(const std::vector<Drawing>& drawings) {
  std::string bytes;
  for (const Drawing& drawing : drawings) {
    bytes.append(drawing.rgb.begin(), drawing.rgb.end());
    bytes.append(drawing.shape.begin(), drawing.shape.end());
  }
  return hashBytes(bytes);
}

Index areaOf(const Drawing& drawing) { return std::ranges::count(drawing.shape, 1); }

TEST(Shapes, AreTheSamePicturesOnEveryMachine) {
  EXPECT_EQ(hashOfDrawings(heldOutDrawings(50)), 7934724477651078316U);
}

TEST(Shapes, HaveEqualAreasAndChancesOfEveryPlace) {
  struct OfKind {
    double area = 0.0, right = 0.0, down = 0.0;
    Index filled = 0, pixels = 0;
  };
  std::array<OfKind, kShapeKinds> all;
  constexpr Index kEach = 300;
  training::Draws draws(7, "shapes of a test");
  for (std::size_t kind = 0; kind < all.size(); ++kind) {
    for (Index i = 0; i < kEach; ++i) {
      const Drawing drawing = drawShape(draws, static_cast<ShapeKind>(kind));
      EXPECT_EQ(drawing.kindIndex(), static_cast<Index>(kind));
      ASSERT_EQ(std::ssize(drawing.rgb), 3 * kDrawingSide * kDrawingSide);
      ASSERT_EQ(std::ssize(drawing.shape), kDrawingSide * kDrawingSide);
      OfKind& of = all[kind];
      for (Index pixel = 0; pixel < std::ssize(drawing.shape); ++pixel) {
        if (drawing.shape[static_cast<std::size_t>(pixel)] == 0) continue;
        of.right += static_cast<double>(pixel % kDrawingSide);
        of.down += static_cast<double>(pixel / kDrawingSide);
        ++of.pixels;
      }
      if (!drawing.filled) continue;
      ++of.filled;
      of.area += static_cast<double>(areaOf(drawing));
    }
  }
  for (const OfKind& of : all) {
    EXPECT_NEAR(static_cast<double>(of.filled) / kEach, 0.5, 0.1);
    EXPECT_NEAR(of.area / static_cast<double>(of.filled), 245.0, 25.0);
    EXPECT_NEAR(of.right / static_cast<double>(of.pixels), 23.5, 1.5);
    EXPECT_NEAR(of.down / static_cast<double>(of.pixels), 23.5, 1.5);
  }
}

/// A shape stays within its picture and touches a part of the patches.
TEST(Shapes, TouchThePatchesWithTheirPixels) {
  for (const Drawing& drawing : heldOutDrawings(100)) {
    for (Index i = 0; i < kDrawingSide; ++i) {
      for (const Index edge : {i, (kDrawingSide - 1) * kDrawingSide + i, i * kDrawingSide,
                               i * kDrawingSide + kDrawingSide - 1}) {
        EXPECT_EQ(drawing.shape[static_cast<std::size_t>(edge)], 0);
      }
    }
    const std::vector<bool> touched = touchedPatches(drawing, 6);
    ASSERT_EQ(touched.size(), 64U);
    EXPECT_GE(std::ranges::count(touched, true), 4);
    EXPECT_LE(std::ranges::count(touched, true), 36);
    const auto pixel = std::ranges::find(drawing.shape, 1) - drawing.shape.begin();
    const Index patch = pixel / kDrawingSide / 6 * 8 + pixel % kDrawingSide / 6;
    EXPECT_TRUE(touched[static_cast<std::size_t>(patch)]);
  }
}

TEST(ShippedPicture, IsFoundByItsName) {
  const auto second = formats::shippedPicture("headscope:shapes/square-2");
  ASSERT_TRUE(second);
  EXPECT_EQ(second->kind, ShapeKind::square);
  EXPECT_EQ(second->number, 2);
  EXPECT_EQ(second->name(), "headscope:shapes/square-2");
  EXPECT_EQ(formats::shippedPicture("headscope:shapes/circle")->name(), "headscope:shapes/circle");
  EXPECT_FALSE(formats::shippedPicture("shapes/circle"));
  const formats::Picture picture = formats::readPicture("headscope:shapes/square-2");
  EXPECT_EQ(picture.width, kDrawingSide);
  EXPECT_EQ(picture.rgb, exampleDrawing(ShapeKind::square, 2).rgb);
  EXPECT_NE(picture.rgb, exampleDrawing(ShapeKind::square, 1).rgb);
  for (const char* wrong : {"headscope:shapes/star", "headscope:stories/circle",
                            "headscope:shapes/circle-0", "headscope:shapes/circle-x"}) {
    expectUserError([&] { formats::readPicture(wrong); }, wrong, "headscope:shapes/triangle");
  }
}

}  // namespace
}  // namespace headscope::test
