#include "core/images/shapes.h"

#include <algorithm>
#include <cmath>

namespace headscope::images {
namespace {
using training::Draws;

// Only +, −, ·, ÷ and √ give the pixels, which every machine rounds alike.

constexpr double kLeastRadius = 6.5, kMostRadius = 11.0;  // of the circle, in pixels
constexpr double kSquareHalf = 0.8862269254527580;        // √π / 2: half a side, by radius
constexpr double kTriangleInner = 0.7775675137545087;  // √(π / 3√3): the incircle, by radius
constexpr double kReach = 1.56;                        // the farthest corner of any kind, by radius
constexpr double kMostTurn = 0.13;                     // the tangent of half the angle
constexpr double kDark = 0.4, kBright = 0.6;           // a background is darker, a shape brighter
constexpr double kMostSlope = 0.3;                     // of the background's colour, over a side
constexpr double kNoise = 0.1;
constexpr Index kMostDots = 5;

using Colour = std::array<double, 3>;

Colour colourFrom(Draws& draws, double least, double most) {
  Colour colour;
  for (double& part : colour) part = least + (most - least) * draws.uniform();
  return colour;
}

/// A shape's place, size and pen.
struct Figure {
  ShapeKind kind;
  double x, y, radius;
  double cosine, sine;  // of its turn
  double pen;           // the width of its outline; 0: filled

  /// The distance of a point from its edge, below 0 inside, in pixels.
  double distance(double atX, double atY) const {
    const double right = (atX - x) * cosine + (atY - y) * sine;
    const double down = (atY - y) * cosine - (atX - x) * sine;
    const double d = fromEdge(right, down);
    return pen > 0.0 ? std::abs(d + 0.5 * pen) - 0.5 * pen : d;
  }

 private:
  double fromEdge(double right, double down) const {
    constexpr double kHalf = 0.5, kHigh = 0.8660254037844386;  // cos 60°, sin 60°
    switch (kind) {
      case ShapeKind::circle:
        return std::sqrt(right * right + down * down) - radius;
      case ShapeKind::square:
        return std::max(std::abs(right), std::abs(down)) - kSquareHalf * radius;
      case ShapeKind::triangle:
        break;
    }
    return std::max(down, kHigh * std::abs(right) - kHalf * down) - kTriangleInner * radius;
  }
};

Figure figureFrom(Draws& draws, ShapeKind kind) {
  Figure figure{kind, 0.0, 0.0, draws.uniform(kLeastRadius, kMostRadius), 1.0, 0.0, 0.0};
  const double margin = kReach * figure.radius + 1.0;
  const double side = static_cast<double>(kDrawingSide);
  figure.x = margin + (side - 2.0 * margin) * draws.uniform();
  figure.y = margin + (side - 2.0 * margin) * draws.uniform();
  const double t = kMostTurn * (2.0 * draws.uniform() - 1.0);
  figure.cosine = (1.0 - t * t) / (1.0 + t * t);
  figure.sine = 2.0 * t / (1.0 + t * t);
  if (draws.chance(0.5)) figure.pen = 2.0 + 1.25 * draws.uniform();
  return figure;
}

/// Colours of all pixels while they are painted.
class Canvas {
 public:
  Canvas() : pixels_(static_cast<std::size_t>(kDrawingSide * kDrawingSide)) {}

  /// Calls a function with the middle of each pixel and its colour.
  template <typename Function>
  void eachPixel(Function&& function) {
    for (Index y = 0; y < kDrawingSide; ++y) {
      for (Index x = 0; x < kDrawingSide; ++x) {
        function(static_cast<double>(x) + 0.5, static_cast<double>(y) + 0.5,
                 pixels_[static_cast<std::size_t>(y * kDrawingSide + x)]);
      }
    }
  }

  /// Fills it with a colour that changes evenly along a direction.
  void fill(const Colour& colour, Draws& draws) {
    Colour slope;
    for (double& part : slope) part = kMostSlope * (2.0 * draws.uniform() - 1.0);
    const double along = draws.uniform();
    const double up = draws.chance(0.5) ? along - 1.0 : 1.0 - along;
    const double side = static_cast<double>(kDrawingSide);
    eachPixel([&](double x, double y, Colour& pixel) {
      const double way = along * (x / side - 0.5) + up * (y / side - 0.5);
      for (std::size_t i = 0; i < pixel.size(); ++i) pixel[i] = colour[i] + slope[i] * way;
    });
  }

  /// Paints a pixel by the share of it that lies inside an edge.
  static double cover(double distance, const Colour& colour, Colour& pixel) {
    const double share = std::clamp(0.5 - distance, 0.0, 1.0);
    for (std::size_t i = 0; i < pixel.size(); ++i) pixel[i] += share * (colour[i] - pixel[i]);
    return share;
  }

  std::vector<std::uint8_t> withNoise(Draws& draws) {
    std::vector<std::uint8_t> rgb;
    rgb.reserve(3 * pixels_.size());
    for (const Colour& pixel : pixels_) {
      for (const double part : pixel) {
        const double noisy = part + kNoise * (2.0 * draws.uniform() - 1.0);
        rgb.push_back(static_cast<std::uint8_t>(255.0 * std::clamp(noisy, 0.0, 1.0) + 0.5));
      }
    }
    return rgb;
  }

 private:
  std::vector<Colour> pixels_;
};

void addDot(Canvas& canvas, Draws& draws) {
  const double side = static_cast<double>(kDrawingSide);
  const double x = side * draws.uniform();
  const double y = side * draws.uniform();
  const double radius = 0.75 + draws.uniform();
  const Colour colour = colourFrom(draws, 0.0, 1.0);
  canvas.eachPixel([&](double atX, double atY, Colour& pixel) {
    const double right = atX - x, down = atY - y;
    Canvas::cover(std::sqrt(right * right + down * down) - radius, colour, pixel);
  });
}

}  // namespace

Drawing drawShape(Draws& draws) {
  const auto kind = static_cast<ShapeKind>(draws.below(kShapeKinds));
  return drawShape(draws, kind);
}

Drawing drawShape(Draws& draws, ShapeKind kind) {
  const Figure figure = figureFrom(draws, kind);
  const Colour background = colourFrom(draws, 0.0, kDark);
  const Colour colour = colourFrom(draws, kBright, 1.0);
  Canvas canvas;
  canvas.fill(background, draws);
  const Index dots = draws.below(kMostDots + 1);
  for (Index dot = 0; dot < dots; ++dot) addDot(canvas, draws);
  Drawing drawing{kind, figure.pen == 0.0, {}, {}};
  canvas.eachPixel([&](double x, double y, Colour& pixel) {
    const double share = Canvas::cover(figure.distance(x, y), colour, pixel);
    drawing.shape.push_back(share >= 0.5 ? 1 : 0);
  });
  drawing.rgb = canvas.withNoise(draws);
  return drawing;
}

Drawing exampleDrawing(ShapeKind kind, Index number) {
  Draws draws(static_cast<std::uint64_t>(number) + 1, "example shape");
  return drawShape(draws, kind);
}

std::vector<Drawing> heldOutDrawings(Index count) {
  std::vector<Drawing> drawings;
  Draws draws(0, "held-out shapes");
  for (Index i = 0; i < count; ++i) drawings.push_back(drawShape(draws));
  return drawings;
}

std::vector<bool> touchedPatches(const Drawing& drawing, Index side) {
  const Index columns = kDrawingSide / side;
  std::vector<bool> touched(static_cast<std::size_t>(columns * columns));
  for (Index y = 0; y < kDrawingSide; ++y) {
    for (Index x = 0; x < kDrawingSide; ++x) {
      if (drawing.shape[static_cast<std::size_t>(y * kDrawingSide + x)] == 0) continue;
      touched[static_cast<std::size_t>(y / side * columns + x / side)] = true;
    }
  }
  return touched;
}

double weightOn(const std::vector<bool>& touched, const float* patches) {
  double sum = 0.0;
  for (std::size_t i = 0; i < touched.size(); ++i) {
    if (touched[i]) sum += static_cast<double>(patches[i]);
  }
  return sum;
}

}  // namespace headscope::images
