#include "core/tensor/resample.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace headscope {
namespace {

double sinc(double x) {
  if (x == 0.0) return 1.0;
  x *= std::numbers::pi;
  return std::sin(x) / x;
}

/// Keys' cubic kernel (1981).
double cubic(double x, double a) {
  x = std::abs(x);
  if (x < 1.0) return ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0;
  if (x < 2.0) return (((x - 5.0) * x + 8.0) * x - 4.0) * a;
  return 0.0;
}

/// A kernel reaches from −support to support.
double supportOf(Kernel kernel) {
  switch (kernel) {
    case Kernel::bilinear:
    case Kernel::hamming:
      return 1.0;
    case Kernel::bicubic:
    case Kernel::bicubicPoints:
      return 2.0;
    case Kernel::lanczos:
      return 3.0;
    case Kernel::nearest:
    case Kernel::box:
      break;
  }
  return 0.5;
}

double valueOf(Kernel kernel, double x) {
  switch (kernel) {
    case Kernel::bilinear:
      return std::max(0.0, 1.0 - std::abs(x));
    case Kernel::hamming:
      if (std::abs(x) >= 1.0) return 0.0;
      return sinc(x) * (0.54 + 0.46 * std::cos(std::numbers::pi * x));
    case Kernel::bicubic:
      return cubic(x, -0.5);
    case Kernel::bicubicPoints:
      return cubic(x, -0.75);
    case Kernel::lanczos:
      return std::abs(x) < 3.0 ? sinc(x) * sinc(x / 3.0) : 0.0;
    case Kernel::nearest:
    case Kernel::box:
      break;
  }
  return x > -0.5 && x <= 0.5 ? 1.0 : 0.0;
}

Taps pointsAround(double centre, Index from) {
  Taps taps;
  const auto middle = static_cast<Index>(std::floor(centre));
  for (Index i = middle - 1; i <= middle + 2; ++i) {
    taps.push_back({std::clamp<Index>(i, 0, from - 1),
                    valueOf(Kernel::bicubicPoints, static_cast<double>(i) - centre)});
  }
  return taps;
}

Taps tapsAround(double centre, double scale, Index from, Kernel kernel) {
  const double wider = std::max(1.0, scale), support = supportOf(kernel) * wider;
  const Index first = std::max<Index>(0, static_cast<Index>(centre - support + 0.5));
  const Index end = std::min(from, static_cast<Index>(centre + support + 0.5));
  Taps taps;
  double total = 0.0;
  for (Index i = first; i < end; ++i) {
    const double weight = valueOf(kernel, (static_cast<double>(i) - centre + 0.5) / wider);
    taps.push_back({i, weight});
    total += weight;
  }
  for (Tap& tap : taps) tap.weight /= total;
  return taps;
}

}  // namespace

std::vector<Taps> tapsOf(Index from, Index to, Kernel kernel) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  std::vector<Taps> all;
  for (Index i = 0; i < to; ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * scale;
    if (kernel == Kernel::nearest) {
      all.push_back({{std::min(from - 1, static_cast<Index>(centre)), 1.0}});
    } else if (kernel == Kernel::bicubicPoints) {
      all.push_back(pointsAround(centre - 0.5, from));
    } else {
      all.push_back(tapsAround(centre, scale, from, kernel));
    }
  }
  return all;
}

}  // namespace headscope
