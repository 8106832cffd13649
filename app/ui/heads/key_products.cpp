#include "app/ui/heads/key_products.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

namespace headscope::ui {
namespace {

/// Sorts ascending.
double sortValue(const QueryKeyProduct& p, KeyColumn by) {
  switch (by) {
    case KeyColumn::length:
      return -p.keyLength;
    case KeyColumn::angle:
      return p.degrees().value_or(std::numeric_limits<double>::infinity());
    case KeyColumn::product:
      return -p.product;
    case KeyColumn::key:
      break;
  }
  return 0.0;
}

}  // namespace

std::vector<Index> KeyProducts::order(KeyColumn by) const {
  std::vector<double> values;
  values.reserve(of.size());
  for (const QueryKeyProduct& p : of) values.push_back(sortValue(p, by));
  std::vector<Index> keys(of.size());
  std::iota(keys.begin(), keys.end(), Index{0});
  std::stable_sort(keys.begin(), keys.end(), [&](Index a, Index b) {
    return values[static_cast<std::size_t>(a)] < values[static_cast<std::size_t>(b)];
  });
  return keys;
}

Index KeyProducts::rank(KeyColumn by, Index key) const {
  const double own = sortValue(of[static_cast<std::size_t>(key)], by);
  const auto ahead = std::count_if(
      of.begin(), of.end(), [&](const QueryKeyProduct& p) { return sortValue(p, by) < own; });
  return static_cast<Index>(ahead) + 1;
}

KeyProducts keyProducts(const Trace& trace, const RowRef& row) {
  KeyProducts products;
  const Index keys = trace.config().keys();
  products.of.reserve(static_cast<std::size_t>(keys));
  for (Index j = 0; j < keys; ++j) products.of.push_back(queryKeyProduct(trace, row, j));
  return products;
}

Arrows arrowsIn(const QueryKeyProduct& product, double width, double height) {
  const double q = product.queryLength;
  const double cosine = std::clamp(product.cosine.value_or(1.0), -1.0, 1.0);
  const double kx = product.keyLength * cosine;
  const double ky = product.keyLength * std::sqrt(1.0 - cosine * cosine);
  const double left = std::min(0.0, kx);
  const double right = std::max(q, kx);
  Arrows a;
  const double across = right - left;
  const double byWidth = across > 0.0 ? width / across : 0.0;
  a.scale = ky > 0.0 ? std::min(byWidth, height / ky) : byWidth;
  a.originX = (width - across * a.scale) * 0.5 - left * a.scale;
  a.originY = height - (height - ky * a.scale) * 0.5;
  a.queryX = a.originX + q * a.scale;
  a.queryY = a.originY;
  a.keyX = a.originX + kx * a.scale;
  a.keyY = a.originY - ky * a.scale;
  return a;
}

}  // namespace headscope::ui
