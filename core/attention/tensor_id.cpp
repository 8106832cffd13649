#include "core/attention/tensor_id.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "core/attention/config.h"
#include "core/attention/switches.h"
#include "core/base/translation.h"
#include "core/base/utf8.h"

namespace headscope {
namespace {

constexpr std::array<TensorInfo, kEveryTensorCount> kInfo{{
    // name, symbol, perItem, perHead, kvHeads, rows, cols, word
    {"x", "X", true, false, false, Axis::query, Axis::feature, "input"},
    {"memory", "memory", true, false, false, Axis::key, Axis::memoryFeature, "input"},
    {"W_Q", "W^Q", false, false, false, Axis::queryFeature, Axis::feature},
    {"W_K", "W^K", false, false, false, Axis::kvFeature, Axis::memoryFeature},
    {"W_V", "W^V", false, false, false, Axis::kvFeature, Axis::memoryFeature},
    {"W_O", "W^O", false, false, false, Axis::feature, Axis::queryFeature},
    {"b_Q", "b_Q", false, false, false, Axis::none, Axis::queryFeature},
    {"b_K", "b_K", false, false, false, Axis::none, Axis::kvFeature},
    {"b_V", "b_V", false, false, false, Axis::none, Axis::kvFeature},
    {"b_O", "b_O", false, false, false, Axis::none, Axis::feature},
    {"q_proj", "Q", true, false, false, Axis::query, Axis::queryFeature, "query"},
    {"k_proj", "K", true, false, false, Axis::key, Axis::kvFeature, "key"},
    {"v_proj", "V", true, false, false, Axis::key, Axis::kvFeature, "value"},
    {"q", "Q", true, true, false, Axis::query, Axis::headFeature, "query"},
    {"k", "K", true, true, true, Axis::key, Axis::headFeature, "key"},
    {"v", "V", true, true, true, Axis::key, Axis::headFeature, "value"},
    {"raw_scores", "S", true, true, false, Axis::query, Axis::key, "score"},
    {"scores", "S'", true, true, false, Axis::query, Axis::key, "divided score"},
    {"masked_scores", "S\"", true, true, false, Axis::query, Axis::key, "score after the mask"},
    {"weights", "A", true, true, false, Axis::query, Axis::key},
    {"heads", "head", true, true, false, Axis::query, Axis::headFeature, "mix of values"},
    {"concat", "C", true, false, false, Axis::query, Axis::queryFeature, "row of all heads"},
    {"output", "output", true, false, false, Axis::query, Axis::feature, "output"},
    {"q_norm", "Q", true, true, false, Axis::query, Axis::headFeature, "query"},
    {"k_norm", "K", true, true, true, Axis::key, Axis::headFeature, "key"},
    {"q_rot", "Q", true, true, false, Axis::query, Axis::headFeature, "query"},
    {"k_rot", "K", true, true, true, Axis::key, Axis::headFeature, "key"},
    {"gate", "G", true, true, false, Axis::query, Axis::headFeature, "gate"},
    {"gated", "head", true, true, false, Axis::query, Axis::headFeature, "gated mix of values"},
    {"W_G", "W^G", false, false, false, Axis::queryFeature, Axis::feature},
    {"b_G", "b_G", false, false, false, Axis::none, Axis::queryFeature},
    {"pair_bias", "B", false, true, false, Axis::query, Axis::key, "bias"},
}};

constexpr std::string_view kGradient = "grad.";

Index lengthOf(Axis axis, const AttentionConfig& c) {
  switch (axis) {
    case Axis::query:
      return c.seqLen;
    case Axis::key:
      return c.keys();
    case Axis::feature:
      return c.dModel;
    case Axis::memoryFeature:
      return c.kvWidth();
    case Axis::queryFeature:
      return c.queryWidth();
    case Axis::kvFeature:
      return c.dKv();
    case Axis::headFeature:
      return c.dK();
    case Axis::none:
      break;
  }
  return 1;
}

bool ofKeysOrValues(TensorId id) {
  const TensorInfo& t = info(id);
  return t.kvHeads || t.rows == Axis::kvFeature || t.cols == Axis::kvFeature;
}

std::optional<Index> wholeNumber(std::string_view text) {
  Index value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

const TensorInfo& info(TensorId id) { return kInfo[static_cast<std::size_t>(id)]; }

std::optional<TensorId> tensorIdFromName(std::string_view name) {
  for (std::size_t i = 0; i < kEveryTensorCount; ++i) {
    if (kInfo[i].name == name) return static_cast<TensorId>(i);
  }
  return std::nullopt;
}

Index headIn(TensorId tensor, Index head, const AttentionConfig& config) {
  return ofKeysOrValues(tensor) ? config.kvHead(head) : head;
}

Index headCount(TensorId tensor, const AttentionConfig& config) {
  return ofKeysOrValues(tensor) ? config.numKvHeads : config.numHeads;
}

Index firstColumnOf(TensorId perHead, Index head, const AttentionConfig& config) {
  if (perHead != TensorId::heads && config.mistakes.sharedHead) return 0;
  return headIn(perHead, head, config) * config.dK();
}

std::string headName(TensorId tensor, Index head, const AttentionConfig& config) {
  const bool shared = ofKeysOrValues(tensor) && config.headsPerGroup() > 1;
  return fmt::format(fmt::runtime(shared ? tr("key/value head {}") : tr("head {}")), head + 1);
}

Shape shapeOf(TensorId id, const AttentionConfig& c) {
  const TensorInfo& t = info(id);
  Shape shape;
  if (t.perItem) shape.append(c.batch);
  if (t.perHead) shape.append(headCount(id, c));
  if (t.rows != Axis::none) shape.append(lengthOf(t.rows, c));
  shape.append(lengthOf(t.cols, c));
  return shape;
}

bool has(const AttentionConfig& c, TensorId id) {
  switch (id) {
    case TensorId::memory:
      return c.crossAttention();
    case TensorId::qNorm:
    case TensorId::kNorm:
      return c.headNorm.on();
    case TensorId::qRot:
    case TensorId::kRot:
      return c.rotary.on();
    case TensorId::gate:
    case TensorId::gated:
    case TensorId::wG:
    case TensorId::bG:
      return c.switches->gate;
    case TensorId::pairBias:
      return c.pairBias.on();
    default:
      return true;
  }
}

TensorId scoredQueries(const AttentionConfig& c) {
  return c.rotary.on() ? TensorId::qRot : c.headNorm.on() ? TensorId::qNorm : TensorId::q;
}

TensorId scoredKeys(const AttentionConfig& c) {
  return c.rotary.on() ? TensorId::kRot : c.headNorm.on() ? TensorId::kNorm : TensorId::k;
}

TensorId joinedHeads(const AttentionConfig& c) {
  return c.switches->gate ? TensorId::gated : TensorId::heads;
}

std::vector<Index> CellRef::index() const {
  std::vector<Index> all;
  const TensorInfo& t = info(tensor);
  if (t.perItem) all.push_back(item);
  if (t.perHead) all.push_back(head);
  if (t.rows != Axis::none) all.push_back(row);
  all.push_back(col);
  return all;
}

bool exists(const CellRef& cell, const AttentionConfig& c) {
  const TensorInfo& t = info(cell.tensor);
  if (!has(c, cell.tensor)) return false;
  const auto within = [](Index index, Index count) { return index >= 0 && index < count; };
  const bool itemFits = t.perItem ? within(cell.item, c.batch) : cell.item < 0;
  const bool headFits = t.perHead ? within(cell.head, headCount(cell.tensor, c)) : cell.head < 0;
  return itemFits && headFits && within(cell.row, lengthOf(t.rows, c)) &&
         within(cell.col, lengthOf(t.cols, c));
}

std::string tensorName(const CellRef& cell) {
  const std::string layer = cell.layer < 0 ? "" : fmt::format("layers.{}.", cell.layer);
  return fmt::format("{}{}{}", layer, cell.gradient ? kGradient : "", info(cell.tensor).name);
}

std::string toString(const CellRef& cell) {
  return fmt::format("{}[{}]", tensorName(cell), fmt::join(cell.index(), ", "));
}

std::optional<CellRef> cellFromString(std::string_view text) {
  text = trimmed(text);
  Index layer = -1;
  if (constexpr std::string_view kLayers = "layers."; text.starts_with(kLayers)) {
    text.remove_prefix(kLayers.size());
    const std::size_t dot = text.find('.');
    const auto number = wholeNumber(text.substr(0, dot));
    if (dot == std::string_view::npos || !number) return std::nullopt;
    layer = *number;
    text.remove_prefix(dot + 1);
  }
  const bool gradient = text.starts_with(kGradient);
  if (gradient) text.remove_prefix(kGradient.size());
  const std::size_t open = text.find('[');
  if (open == std::string_view::npos || !text.ends_with(']')) return std::nullopt;
  const auto tensor = tensorIdFromName(trimmed(text.substr(0, open)));
  if (!tensor) return std::nullopt;
  std::vector<Index> index;
  std::string_view rest = text.substr(open + 1, text.size() - open - 2);
  for (bool more = true; more;) {
    const std::size_t comma = rest.find(',');
    more = comma != std::string_view::npos;
    const auto number = wholeNumber(trimmed(rest.substr(0, comma)));
    if (!number) return std::nullopt;
    index.push_back(*number);
    if (more) rest.remove_prefix(comma + 1);
  }
  CellRef cell{*tensor, -1, -1, 0, 0, layer, gradient};
  const TensorInfo& t = info(*tensor);
  std::vector<Index*> places;
  if (t.perItem) places.push_back(&cell.item);
  if (t.perHead) places.push_back(&cell.head);
  if (t.rows != Axis::none) places.push_back(&cell.row);
  places.push_back(&cell.col);
  if (places.size() != index.size()) return std::nullopt;
  for (std::size_t i = 0; i < index.size(); ++i) *places[i] = index[i];
  return cell;
}

}  // namespace headscope
