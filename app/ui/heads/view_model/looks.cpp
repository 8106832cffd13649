#include "app/ui/heads/view_model/looks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "app/ui/heads/looks.h"
#include "core/analysis/weight_readings.h"
#include "core/attention/config.h"
#include "core/attention/switches.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/words/cells.h"
#include "core/words/mask.h"

namespace headscope::ui {
namespace {

constexpr std::size_t kNamedParts = 6;  // the most parts named in a sentence about a sum
constexpr double kUnlike = 1e-3;        // relative; larger differences are no rounding

std::string weightText(double weight) {
  const std::string text = fmt::format("{:.2f}", weight);
  return text == "0.00" || text == "-0.00" ? number(weight, 1) : text;
}

bool stronger(const Line& a, const Line& b) {
  if (std::abs(a.weight) != std::abs(b.weight)) return std::abs(a.weight) > std::abs(b.weight);
  if (a.head != b.head) return a.head < b.head;
  return a.query != b.query ? a.query < b.query : a.key < b.key;
}

/// Keeps the `most` strongest lines, in no order.
void keepStrongest(std::vector<Line>& lines, std::size_t most) {
  if (lines.size() <= most) return;
  std::nth_element(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(most), lines.end(),
                   stronger);
  lines.resize(most);
}

/// Returns the value that an ascending order sorts by.
double keySortValue(const QueryKeyProduct& p, KeyColumn by) {
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

/// Returns "2nd".
std::string place(Index rank) {
  const Index tens = rank % 100;
  const char* end = "th";
  if (tens < 11 || tens > 13) {
    end = rank % 10 == 1 ? "st" : rank % 10 == 2 ? "nd" : rank % 10 == 3 ? "rd" : "th";
  }
  return fmt::format("{}{}", rank, end);
}

std::string percent(double share) { return fmt::format("{:.0f} %", share * 100.0); }

}  // namespace

LineChoice chooseLines(const Trace& trace, const LineQuestion& question,
                       const std::atomic<bool>& cancelled) {
  LineChoice choice;
  const auto most = static_cast<std::size_t>(question.most);
  const Index end = question.queries.first + question.queries.count;
  for (const Index head : question.heads) {
    HeadRows weights(trace, TensorId::weights, question.item, head);
    for (Index i = question.queries.first; i < end; ++i) {
      if (cancelled.load(std::memory_order_relaxed)) return {};
      const std::span<const float> row = weights.row(i);
      const auto add = [&](Index j) {
        choice.lines.push_back({head, i, j, row[static_cast<std::size_t>(j)]});
        ++choice.chosen;
      };
      if (question.key >= 0) {
        if (row[static_cast<std::size_t>(question.key)] != 0.0F) ++choice.weights;
        if (isOfMass(row, question.key, question.mass)) add(question.key);
      } else {
        const auto zeros = std::count(row.begin(), row.end(), 0.0F);
        const Index some = static_cast<Index>(row.size()) - static_cast<Index>(zeros);
        choice.weights += some;
        if (some == 0) ++choice.emptyRows;
        for (const Index j : largestOfMass(row, question.mass)) add(j);
      }
      if (choice.lines.size() > 4 * most) keepStrongest(choice.lines, most);
    }
  }
  keepStrongest(choice.lines, most);
  std::sort(choice.lines.begin(), choice.lines.end(),
            [](const Line& a, const Line& b) { return stronger(b, a); });
  return choice;
}

Index workOf(const LineQuestion& question, const AttentionConfig& config) {
  return static_cast<Index>(question.heads.size()) * question.queries.count * config.keys();
}

ValueMix valueMix(const Trace& trace, const ValuePlane& plane, const RowRef& row) {
  ValueMix mix;
  mix.mean = weightedMean(trace, plane, row);
  HeadRows rows(trace, TensorId::weights, row.item, row.head);
  const std::span<const float> weights = rows.row(row.query);
  mix.weights.assign(weights.begin(), weights.end());
  mix.largest = largestOfMass(weights, 1.0, ValueMix::kMostParts);
  const auto zeros = std::count(weights.begin(), weights.end(), 0.0F);
  const Index some = static_cast<Index>(weights.size()) - static_cast<Index>(zeros);
  mix.others = some - static_cast<Index>(mix.largest.size());
  mix.otherWeight = mix.mean.weightSum;
  for (const Index j : mix.largest) mix.otherWeight -= weights[static_cast<std::size_t>(j)];
  return mix;
}

std::vector<Index> KeyProducts::order(KeyColumn by) const {
  std::vector<double> values;
  values.reserve(of.size());
  for (const QueryKeyProduct& p : of) values.push_back(keySortValue(p, by));
  std::vector<Index> keys(of.size());
  std::iota(keys.begin(), keys.end(), Index{0});
  std::stable_sort(keys.begin(), keys.end(), [&](Index a, Index b) {
    return values[static_cast<std::size_t>(a)] < values[static_cast<std::size_t>(b)];
  });
  return keys;
}

Index KeyProducts::rank(KeyColumn by, Index key) const {
  const double own = keySortValue(of[static_cast<std::size_t>(key)], by);
  const auto ahead = std::count_if(
      of.begin(), of.end(), [&](const QueryKeyProduct& p) { return keySortValue(p, by) < own; });
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

Index TokenColumn::at(float y) const {
  const auto token = static_cast<Index>(std::floor(first + (y - top) / pitch));
  return std::clamp(token, range.first, range.first + range.count - 1);
}

TokenRange TokenColumn::visible() const {
  const Index from = at(top + 0.5F);
  return {from, at(bottom - 0.5F) - from + 1};
}

TokenColumn placeColumn(const TokenRange& range, float top, float bottom, float least, float most,
                        float scrolled) {
  TokenColumn column{range, static_cast<float>(range.first), 1.0F, top, bottom};
  const auto count = static_cast<float>(range.count);
  const float height = std::max(bottom - top, 1.0F);
  column.pitch = std::clamp(height / count, least, most);
  const float hidden = count - height / column.pitch;
  if (hidden > 0.0F) {
    column.first += scrolled * hidden;
  } else {  // centred
    const float margin = (height - count * column.pitch) * 0.5F;
    column.top += margin;
    column.bottom = column.top + count * column.pitch;
  }
  return column;
}

float scrolledTo(const TokenColumn& column, Index token) {
  const float hidden = static_cast<float>(column.range.count) - column.shown();
  if (hidden <= 0.0F) return 0.0F;
  const float first = static_cast<float>(token - column.range.first) + 0.5F - column.shown() * 0.5F;
  return std::clamp(first / hidden, 0.0F, 1.0F);
}

std::string linesInWords(const LineChoice& choice, const LineQuestion& question, Index shown) {
  if (question.heads.empty()) return tr("no head chosen: no lines");
  std::string text = trFormat("{} of {}", withThousands(shown),
                              counted(choice.weights, tr("{} weight"), tr("{} weights")));
  if (question.mass >= 1.0) {
    text += tr(": all except zeros");
  } else {
    text += trFormat(": each query's largest that make up {}", percent(question.mass));
  }
  if (shown < choice.chosen) text += trFormat(" ({} do, drawn are the strongest)", choice.chosen);
  if (choice.emptyRows > 0) {
    text += trFormat(" · {} without any: every key masked, or all weights 0",
                     counted(choice.emptyRows, tr("{} row"), tr("{} rows")));
  }
  return text;
}

std::string looksInWords(const Document& document, const LineChoice& choice,
                         const LineQuestion& question, const LooksAt& at) {
  const Index item = question.item;
  const bool byQuery = at.query >= 0;
  if (byQuery && choice.emptyRows > 0 && choice.lines.empty()) {
    const AttentionConfig& c = document.config;
    if (allowedKeys(c.mask, item, at.query, c.keys()).count() == 0) {
      return fullyMaskedSentence(document, item, {at.query});
    }
  }
  const std::string own =
      byQuery ? queryName(document, item, at.query) : keyName(document, item, at.key);
  std::string text = own + (byQuery ? tr(" looks at") : tr(" is looked at by"));
  if (choice.lines.empty()) return text + (byQuery ? " nothing" : tr(" none of these queries"));
  for (const Index head : question.heads) {
    std::string parts;
    for (auto line = choice.lines.rbegin(); line != choice.lines.rend(); ++line) {
      if (line->head != head) continue;
      const std::string other =
          byQuery ? keyName(document, item, line->key) : queryName(document, item, line->query);
      parts += fmt::format("{} {} {}", parts.empty() ? "" : ",", other, weightText(line->weight));
    }
    if (parts.empty()) continue;
    if (question.heads.size() > 1) parts = trFormat(" · head {}:{}", head + 1, parts);
    text += parts;
  }
  return text;
}

std::string mixInWords(const Document& document, const ValueMix& mix, const RowRef& row) {
  const std::string own = queryName(document, row.item, row.query);
  if (mix.largest.empty()) {
    const AttentionConfig& c = document.config;
    if (allowedKeys(c.mask, row.item, row.query, c.keys()).count() == 0) {
      return fullyMaskedSentence(document, row.item, {row.query});
    }
    return trFormat("output of {} = 0: all its weights are 0", own);
  }
  std::string text = trFormat("output of {} =", own);
  double rest = mix.otherWeight;
  Index others = mix.others;
  for (std::size_t n = 0; n < mix.largest.size(); ++n) {
    const Index key = mix.largest[n];
    const double weight = mix.weights[static_cast<std::size_t>(key)];
    if (n >= kNamedParts &&
        mix.largest.size() + static_cast<std::size_t>(mix.others) > kNamedParts + 1) {
      rest += weight;
      ++others;
      continue;
    }
    text += trFormat("{}{} of {}", n == 0 ? " " : " + ", weightText(weight),
                     keyName(document, row.item, key));
  }
  if (others > 0) text += trFormat(" + {} of {} others", weightText(rest), others);
  return text;
}

std::string afterMixInWords(const Document& document, const ValueMix& mix, const RowRef& row) {
  const AttentionConfig& c = document.config;
  std::string text;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : " · ") + part; };
  const double sum = mix.mean.weightSum;
  if (!mix.largest.empty() && std::abs(sum - 1.0) > kUnlike) {
    add(trFormat("the weights add up to {}, not 1", number(sum, 3)));
  }
  const float gain = c.gain(row.head);
  if (gain != 1.0F) {
    add(gain == 0.0F ? std::string(tr("the head is off: it passes on 0 (◆)"))
                     : trFormat("multiplied by its gain {:g} it passes on ◆", gain));
  }
  const auto pins = document.pins.of(TensorId::heads, row.item, row.head, row.query);
  if (!pins.empty()) {
    add(trFormat("{} of its output pinned: it passes on ◆",
                 counted(std::ssize(pins), tr("{} cell"), tr("{} cells"))));
  }
  return text;
}

std::string productInWords(const QueryKeyProduct& p) {
  const std::string lengths =
      fmt::format("‖q‖ {} × ‖k‖ {}", number(p.queryLength, 3), number(p.keyLength, 3));
  if (!p.cosine) return lengths + tr(": no angle, as one of them has no length; q·k = 0");
  return trFormat("{} × cos {:.1f}° {:.3f} = q·k {}", lengths, *p.degrees(), *p.cosine + 0.0,
                  number(p.product, 4));
}

std::string scoreInWords(const Trace& trace, const RowRef& row, Index key,
                         const QueryKeyProduct& product) {
  const AttentionConfig& c = trace.config();
  const auto value = [&](TensorId tensor) {
    return static_cast<double>(trace.value({tensor, row.item, row.head, row.query, key}));
  };
  const double raw = value(TensorId::rawScores);
  const double size = product.queryLength * product.keyLength;
  std::string text;
  if (std::abs(raw - product.product) > kUnlike * std::max(size, 1e-6)) {
    text = trFormat("raw score {}, not q·k: pinned · ", number(raw, 4));
  }
  std::string by =
      c.switches->scale ? fmt::format("÷ √{}", c.dK()) : std::string(tr("not divided by √d_k"));
  if (c.switches->temperature != 1.0) by += fmt::format(" ÷ {:.3g}", c.switches->temperature);
  text += trFormat("{} → score {}", by, number(value(TensorId::scores), 4));
  const bool masked = !allowedKeys(c.mask, row.item, row.query, c.keys())(key);
  text += trFormat(" · {}weight {}", masked ? "masked: " : "", number(value(TensorId::weights), 3));
  return text;
}

std::string largestInWords(const Document& document, const KeyProducts& products, Index item) {
  const auto count = static_cast<Index>(products.of.size());
  const Index key = products.order(KeyColumn::product).front();
  const std::string name = keyName(document, item, key);
  if (count == 1) return trFormat("{} is the only key", name);
  const QueryKeyProduct& best = products.of[static_cast<std::size_t>(key)];
  if (!best.cosine) return tr("q or every k has no length: all products are 0");
  const Index longest = products.rank(KeyColumn::length, key);
  const Index closest = products.rank(KeyColumn::angle, key);
  const std::string from = longest < closest   ? tr("more from length than from direction")
                           : closest < longest ? tr("more from direction than from length")
                                               : tr("from both alike");
  return trFormat("largest product: {}, its k {} in length and {} in direction of {}: {}", name,
                  place(longest), place(closest), count, from);
}

}  // namespace headscope::ui
