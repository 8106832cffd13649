#include "core/lessons/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "core/analysis/head_metrics.h"
#include "core/analysis/similarity.h"
#include "core/attention/config.h"
#include "core/attention/ledger.h"
#include "core/attention/mistakes.h"
#include "core/attention/switches.h"
#include "core/base/numbers.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/input/input.h"
#include "core/presets/presets.h"

namespace headscope::lessons {
namespace {

std::string_view withoutSpaces(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

/// Splits at commas, except at one within quotes: `0, "slept", ","`.
std::vector<std::string_view> splitAtCommas(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::string_view part = withoutSpaces(text);
    const std::size_t quoted = part.starts_with('"') ? text.find('"', text.find('"') + 1) : 0;
    const std::size_t comma = text.find(',', quoted == std::string_view::npos ? 0 : quoted);
    parts.push_back(withoutSpaces(text.substr(0, comma)));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

std::string_view unquoted(std::string_view word) {
  const bool quoted = word.size() > 2 && word.starts_with('"') && word.ends_with('"');
  return quoted ? word.substr(1, word.size() - 2) : word;
}

std::optional<Index> indexIn(std::string_view text) {
  Index value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

/// The words at the places of an axis; null where the axis does not count tokens.
const std::vector<std::string>* wordsOf(Axis axis, const FactSource& source) {
  const Input& input = *source.trace.document().input;
  const auto item = static_cast<std::size_t>(source.item);
  const auto& items = axis == Axis::key ? input.keyTokens() : input.tokens;
  if ((axis != Axis::query && axis != Axis::key) || item >= items.size()) return nullptr;
  return &items[item];
}

/// The place that a text names: a number, or a further fact that is one.
std::optional<Index> placeIn(std::string_view text, const FactSource& source) {
  if (const auto written = indexIn(text)) return written;
  const auto found = source.others.find(text);
  if (found == source.others.end()) return std::nullopt;
  const auto* value = std::get_if<double>(&found->second);
  if (value == nullptr || *value < 0.0 || *value != std::floor(*value)) return std::nullopt;
  return static_cast<Index>(*value);
}

/// The place on an axis that a text names: as a number, by a word that stands there, or by a
/// further fact.
std::optional<Index> placeOf(std::string_view text, Axis axis, const FactSource& source) {
  const auto* words = indexIn(text) ? nullptr : wordsOf(axis, source);
  if (words != nullptr) {
    const auto at = std::ranges::find_if(*words, [&](const std::string& word) {
      return lowerCased(word) == lowerCased(std::string(unquoted(text)));
    });
    if (at != words->end()) return at - words->begin();
  }
  return placeIn(text, source);
}

/// All cells of a tensor whose indices begin as given.
struct TensorSlice {
  CellRef first;
  std::vector<Index> counts;  // of the axes that are left free: the last ones
  TensorId tensor = TensorId::x;
};

std::optional<TensorSlice> sliceOf(std::string_view text, const FactSource& source) {
  text = withoutSpaces(text);
  const bool gradient = text.starts_with("grad.");
  if (gradient) text.remove_prefix(5);
  if (gradient && source.trace.gradients() == nullptr) return std::nullopt;
  const std::size_t open = text.find('[');
  const auto tensor = tensorIdFromName(withoutSpaces(text.substr(0, open)));
  if (!tensor) return std::nullopt;
  std::vector<std::string_view> given;
  if (open != std::string_view::npos) {
    if (!text.ends_with(']')) return std::nullopt;
    given = splitAtCommas(text.substr(open + 1, text.size() - open - 2));
  }
  TensorSlice slice{{*tensor, -1, -1, 0, 0, -1, gradient}, {}, *tensor};
  const TensorInfo& t = info(*tensor);
  std::vector<std::pair<Index*, Axis>> places;
  if (t.perItem) places.emplace_back(&slice.first.item, Axis::none);
  if (t.perHead) places.emplace_back(&slice.first.head, Axis::none);
  if (t.rows != Axis::none) places.emplace_back(&slice.first.row, t.rows);
  places.emplace_back(&slice.first.col, t.cols);
  const AttentionConfig& config = source.trace.config();
  const Shape shape = shapeOf(*tensor, config);
  if (given.size() > places.size()) return std::nullopt;
  for (std::size_t i = 0; i < places.size(); ++i) {
    auto& [index, axis] = places[i];
    if (i >= given.size()) {
      *index = 0;
      slice.counts.push_back(shape[i]);
      continue;
    }
    if (given[i] == "head" && index == &slice.first.head) {
      *index = headIn(*tensor, source.head, config);
      continue;
    }
    const auto place = placeOf(given[i], axis, source);
    if (!place) return std::nullopt;
    *index = *place;
  }
  return exists(slice.first, config) ? std::optional(slice) : std::nullopt;
}

/// Calls a function with every row of the slice; with one fixed row, with its single cell or free
/// columns.
template <typename Take>
void forEachRow(const TensorSlice& slice, const AttentionConfig& config, const Trace& trace,
                Take&& take) {
  const TensorInfo& t = info(slice.tensor);
  CellRef cell = slice.first;
  const auto free = slice.counts.size();
  const auto countOf = [&](std::size_t fromTheEnd) {
    return free >= fromTheEnd ? slice.counts[free - fromTheEnd] : Index{1};
  };
  const bool rows = t.rows != Axis::none;
  const Index columns = countOf(1);
  const Index rowCount = rows ? countOf(2) : 1;
  const Index heads = t.perHead ? countOf(rows ? 3 : 2) : 1;
  const Index items = t.perItem ? countOf((rows ? 2U : 1U) + (t.perHead ? 1U : 0U) + 1U) : 1;
  std::vector<float> values(static_cast<std::size_t>(columns));
  for (Index item = 0; item < items; ++item) {
    for (Index head = 0; head < heads; ++head) {
      for (Index row = 0; row < rowCount; ++row) {
        if (t.perItem) cell.item = slice.first.item + item;
        if (t.perHead) cell.head = slice.first.head + head;
        cell.row = slice.first.row + row;
        for (Index col = 0; col < columns; ++col) {
          cell.col = slice.first.col + col;
          values[static_cast<std::size_t>(col)] = exists(cell, config) ? trace.value(cell) : 0.0F;
        }
        cell.col = slice.first.col;
        take(cell, values);
      }
    }
  }
}

struct Sums {
  double count = 0.0, sum = 0.0, squares = 0.0;
  double largest = -std::numeric_limits<double>::infinity();
  double smallest = std::numeric_limits<double>::infinity();
  double aboveDiagonal = 0.0, rows = 0.0, saturatedRows = 0.0;
  Index largestAt = 0;  // its column
};

Sums sumsOf(const TensorSlice& slice, const Trace& trace) {
  Sums sums;
  forEachRow(slice, trace.config(), trace, [&](const CellRef& at, const std::vector<float>& row) {
    double largestOfRow = -std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < row.size(); ++j) {
      const auto value = static_cast<double>(row[j]);
      if (!std::isfinite(value)) continue;  // what a mask forbids
      const auto col = at.col + static_cast<Index>(j);
      sums.count += 1.0;
      sums.sum += value;
      sums.squares += value * value;
      sums.smallest = std::min(sums.smallest, value);
      if (value > sums.largest) sums.largestAt = col;
      sums.largest = std::max(sums.largest, value);
      largestOfRow = std::max(largestOfRow, value);
      if (col > at.row) sums.aboveDiagonal += value;
    }
    sums.rows += 1.0;
    if (largestOfRow > 0.99) sums.saturatedRows += 1.0;
  });
  return sums;
}

std::optional<Fact> aggregate(std::string_view what, std::string_view cells,
                              const FactSource& source) {
  const auto slice = sliceOf(cells, source);
  if (!slice) return std::nullopt;
  const Sums sums = sumsOf(*slice, source.trace);
  if (sums.count == 0.0) return std::nullopt;
  const double mean = sums.sum / sums.count;
  if (what == "sum") return sums.sum;
  if (what == "mean") return mean;
  if (what == "largest") return sums.largest;
  if (what == "smallest") return sums.smallest;
  if (what == "spread") return std::sqrt(std::max(0.0, sums.squares / sums.count - mean * mean));
  if (what == "saturated") return sums.saturatedRows / sums.rows;
  if (what == "above_diagonal") return sums.aboveDiagonal;
  if (what != "argmax") return std::nullopt;
  const auto* words = wordsOf(info(slice->tensor).cols, source);
  const auto at = static_cast<std::size_t>(sums.largestAt);
  if (words == nullptr || at >= words->size()) return std::nullopt;
  return (*words)[at];
}

double onOrOff(bool on) { return on ? 1.0 : 0.0; }

Index headsOff(const AttentionConfig& config) {
  Index off = 0;
  for (Index h = 0; h < config.numHeads; ++h) off += config.gain(h) == 0.0F ? 1 : 0;
  return off;
}

std::optional<Fact> ofTheConfiguration(std::string_view name, const FactSource& source) {
  const AttentionConfig& c = source.trace.config();
  const std::map<std::string_view, double> facts{
      {"d_model", static_cast<double>(c.dModel)},
      {"heads", static_cast<double>(c.numHeads)},
      {"kv_heads", static_cast<double>(c.numKvHeads)},
      {"d_k", static_cast<double>(c.dK())},
      {"sqrt_d_k", std::sqrt(static_cast<double>(c.dK()))},
      {"tokens", static_cast<double>(c.seqLen)},
      {"keys", static_cast<double>(c.keys())},
      {"memory", onOrOff(c.crossAttention())},
      {"causal", onOrOff(c.mask.causal)},
      {"window", static_cast<double>(c.mask.window)},
      {"masked", onOrOff(!c.mask.none())},
      {"heads_off", static_cast<double>(headsOff(c))},
      {"pins", static_cast<double>(source.trace.document().pins.all().size())},
      {"fully_masked_rows", static_cast<double>(source.trace.fullyMaskedRows.size())}};
  if (const auto found = facts.find(name); found != facts.end()) return found->second;
  for (const Switch& each : allSwitches()) {
    if (each.key == name) return valueOf(each, c);
  }
  const Ledger costs = ledger(c);
  if (name == "parameters") return static_cast<double>(costs.parameters.total);
  if (name == "flops") return static_cast<double>(costs.flops);
  if (name == "kv_cache_bytes") return static_cast<double>(costs.kvCacheBytes);
  if (name != "mistake") return std::nullopt;
  const auto on = mistakesOn(c);
  return std::string(on.empty() ? "none" : textOf(on.front()).id);
}

std::string wordAt(Axis axis, Index place, const FactSource& source) {
  const auto* words = wordsOf(axis, source);
  const auto at = static_cast<std::size_t>(place);
  return words != nullptr && at < words->size() ? (*words)[at] : std::to_string(place);
}

/// The head that a column of all heads' columns belongs to, from 1; 0: the tensor has none such.
Index blockOf(const CellRef& cell, const AttentionConfig& c) {
  switch (cell.tensor) {
    case TensorId::qProj:
    case TensorId::kProj:
    case TensorId::vProj:
    case TensorId::concat:
    case TensorId::wO:
      return cell.col / c.dK() + 1;
    default:
      return 0;
  }
}

std::optional<Fact> ofTheView(std::string_view name, const FactSource& source) {
  if (name == "page") return source.page;
  if (name == "step") return source.step;
  if (name == "tool") return source.tool;
  const AttentionConfig& config = source.trace.config();
  if (name == "head") return static_cast<double>(source.head + 1);
  if (name == "first_column") return static_cast<double>(source.head * config.dK());
  if (name == "last_column") return static_cast<double>((source.head + 1) * config.dK() - 1);
  if (name == "chosen") return source.chosen ? tensorName(*source.chosen) : std::string("none");
  if (!source.chosen || !exists(*source.chosen, config)) return std::nullopt;
  const TensorInfo& t = info(source.chosen->tensor);
  if (name == "matrix") return std::string(t.symbol);
  if (name == "value") return static_cast<double>(source.trace.value(*source.chosen));
  if (name == "query" && t.rows == Axis::query) return wordAt(t.rows, source.chosen->row, source);
  if (name == "key" && t.cols == Axis::key) return wordAt(t.cols, source.chosen->col, source);
  if (name == "row" && t.rows != Axis::none) return static_cast<double>(source.chosen->row);
  if (name == "column") return static_cast<double>(source.chosen->col);
  const Index block = name == "block" ? blockOf(*source.chosen, config) : 0;
  return block > 0 ? std::optional<Fact>(static_cast<double>(block)) : std::nullopt;
}

/// The number of distinct heads. Heads above the program's default similarity count as one.
std::optional<Fact> distinctHeads(const FactSource& source) {
  constexpr double kAlike = 0.9;
  const auto similarity = headSimilarity(source.trace, source.item);
  if (!similarity || !similarity->defined()) return std::nullopt;
  return static_cast<double>(clustersAt(clusterHeads(*similarity), kAlike).count);
}

/// "ablation[3]", "head_off[3]", "token[2]".
std::optional<Fact> ofOne(std::string_view name, const FactSource& source) {
  const std::size_t open = name.find('[');
  if (open == std::string_view::npos || !name.ends_with(']')) return std::nullopt;
  const std::string_view what = name.substr(0, open);
  const std::string_view inside = withoutSpaces(name.substr(open + 1, name.size() - open - 2));
  const auto at = inside == "head" ? std::optional(source.head) : placeIn(inside, source);
  if (!at) return std::nullopt;
  const AttentionConfig& c = source.trace.config();
  if (what == "token") {
    if (*at >= c.seqLen) return std::nullopt;
    return wordAt(Axis::query, *at, source);
  }
  if (*at >= c.numHeads) return std::nullopt;
  if (what == "head_off") return onOrOff(c.gain(*at) == 0.0F);
  const auto metric = metricFromKey(what);
  if (!metric) return std::nullopt;
  const auto metrics = headMetrics(source.trace, source.item);
  const MetricValue& measured = (*metrics)[static_cast<std::size_t>(*at)][*metric];
  if (!measured) return std::nullopt;
  return *measured;
}

/// "any_head[bank, river]"
std::optional<Fact> ofAnyHead(std::string_view name, const FactSource& source) {
  constexpr std::string_view kName = "any_head[";
  if (!name.starts_with(kName) || !name.ends_with(']')) return std::nullopt;
  const std::string_view words = name.substr(kName.size(), name.size() - kName.size() - 1);
  std::optional<Fact> largest;
  for (Index head = 0; head < source.trace.config().numHeads; ++head) {
    const auto cell = cellOf(fmt::format("weights[{}, {}, {}]", source.item, head, words), source);
    if (!cell) return std::nullopt;
    const auto weight = static_cast<double>(source.trace.value(*cell));
    if (!largest || weight > std::get<double>(*largest)) largest = weight;
  }
  return largest;
}

/// "preset_heads[bert-base]"
std::optional<Fact> ofPreset(std::string_view name) {
  const std::size_t open = name.find('[');
  if (!name.starts_with("preset_") || open == std::string_view::npos) return std::nullopt;
  const std::string_view what = name.substr(0, open);
  for (const Preset& preset : presets()) {
    if (name.substr(open + 1) != preset.name + "]") continue;
    const AttentionConfig& c = preset.config;
    if (what == "preset_heads") return static_cast<double>(c.numHeads);
    if (what == "preset_d_model") return static_cast<double>(c.dModel);
    if (what == "preset_d_k") return static_cast<double>(c.dK());
  }
  return std::nullopt;
}

std::string inWords(const Fact& fact, std::string_view form) {
  if (const auto* word = std::get_if<std::string>(&fact)) return *word;
  const double value = std::get<double>(fact);
  if (form == "%") {  // a small share is not shown as 0
    const double percent = 100.0 * value;
    if (percent > 0.0 && percent < 0.05) return "less than 0.1 %";
    return fmt::format("{:.{}f} %", percent, percent > 0.0 && percent < 0.95 ? 1 : 0);
  }
  if (const auto decimals = indexIn(form)) {
    return cellNumber(value, static_cast<int>(std::min<Index>(*decimals, 9)));
  }
  if (value == std::round(value) && std::abs(value) < 1e15) {
    return withThousands(static_cast<Index>(value));
  }
  return number(value);
}

}  // namespace

std::optional<CellRef> cellOf(std::string_view text, const FactSource& source) {
  const auto slice = sliceOf(text, source);
  if (!slice || !slice->counts.empty()) return std::nullopt;
  return slice->first;
}

std::optional<Fact> factOf(std::string_view name, const FactSource& source) {
  name = withoutSpaces(name);
  if (const std::size_t space = name.find(' '); space != std::string_view::npos) {
    if (auto found = aggregate(name.substr(0, space), name.substr(space + 1), source)) return found;
  }
  if (const auto cell = cellOf(name, source)) {
    return static_cast<double>(source.trace.value(*cell));
  }
  if (auto found = ofTheConfiguration(name, source)) return found;
  if (auto found = ofTheView(name, source)) return found;
  if (auto found = ofOne(name, source)) return found;
  if (auto found = ofAnyHead(name, source)) return found;
  if (auto found = ofPreset(name)) return found;
  if (name == "distinct_heads") return distinctHeads(source);
  const auto other = source.others.find(name);
  return other != source.others.end() ? std::optional(other->second) : std::nullopt;
}

static std::string filledIn(std::string_view text, const FactSource& source, std::string_view only,
                            bool& known) {
  std::string filled;
  while (!text.empty()) {
    const std::size_t open = text.find('{');
    filled += text.substr(0, open);
    if (open == std::string_view::npos) break;
    const bool raised = open > 0 && (text[open - 1] == '^' || text[open - 1] == '_');
    text.remove_prefix(open + 1);
    const std::size_t close = text.find('}');
    if (close == std::string_view::npos) break;
    if (raised) {
      filled += fmt::format("{{{}}}", text.substr(0, close));
      text.remove_prefix(close + 1);
      continue;
    }
    std::string_view name = text.substr(0, close), form;
    if (!name.starts_with(only)) {
      filled += fmt::format("{{{}}}", name);
      text.remove_prefix(close + 1);
      continue;
    }
    name.remove_prefix(only.size());
    if (const std::size_t colon = name.rfind(':'); colon != std::string_view::npos) {
      form = name.substr(colon + 1);
      name = name.substr(0, colon);
    }
    const auto fact = factOf(name, source);
    filled += fact ? inWords(*fact, form) : "–";
    known = known && fact.has_value();
    text.remove_prefix(close + 1);
  }
  return filled;
}

std::string filledIn(std::string_view text, const FactSource& source) {
  bool known = true;
  return filledIn(text, source, {}, known);
}

std::string filledInBefore(std::string_view text, const FactSource& source) {
  bool known = true;
  return filledIn(text, source, "before ", known);
}

std::string filledInIfKnown(std::string_view text, const FactSource& source) {
  bool known = true;
  std::string filled = filledIn(text, source, {}, known);
  return known ? filled : std::string();
}

bool holds(const Condition& condition, const FactSource& source) {
  const auto fact = factOf(condition.fact, source);
  if (!fact || fact->index() != condition.value.index()) return false;
  if (std::holds_alternative<std::string>(*fact)) {
    return (*fact == condition.value) == (condition.is == Condition::Is::equal);
  }
  const double is = std::get<double>(*fact), wanted = std::get<double>(condition.value);
  const bool same = std::abs(is - wanted) <= 1e-6 * std::max(1.0, std::abs(wanted));
  switch (condition.is) {
    case Condition::Is::equal:
      return same;
    case Condition::Is::unequal:
      return !same;
    case Condition::Is::atLeast:
      return same || is > wanted;
    case Condition::Is::atMost:
      return same || is < wanted;
  }
  return false;
}

bool allHold(const std::vector<Condition>& conditions, const FactSource& source) {
  return std::ranges::all_of(conditions,
                             [&](const Condition& condition) { return holds(condition, source); });
}

}  // namespace headscope::lessons
