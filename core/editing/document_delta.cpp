
#include "core/editing/document_delta.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <string>
#include <tuple>
#include <utility>

#include "core/attention/weight_tensors.h"
#include "core/document/document.h"

namespace headscope {

namespace {

constexpr Index kBlock = 1024;  // cells compared at once: nearly all are equal

bool equalBits(const float* a, const float* b, Index count) {
  return std::memcmp(a, b, static_cast<std::size_t>(count) * sizeof(float)) == 0;
}

std::uint32_t bitsOf(float value) { return std::bit_cast<std::uint32_t>(value); }

Index differing(const float* a, const float* b, Index count) {
  std::uint32_t cells = 0;
  for (Index i = 0; i < count; ++i) cells += bitsOf(a[i]) != bitsOf(b[i]) ? 1 : 0;
  return cells;
}

}  // namespace

std::optional<TensorPatch> TensorPatch::between(const Tensor& from, const Tensor& to) {
  if (from.empty() || from.shape() != to.shape() || !from.contiguous() || !to.contiguous() ||
      from.size() > Index{std::numeric_limits<std::uint32_t>::max()}) {
    return std::nullopt;
  }
  const Index most = from.size() / kMinCellsPerPatched;
  const float* before = from.data();
  const float* after = to.data();
  // Counts first: where all cells differ, as in weights drawn again, no list is built in vain.
  std::vector<Index> blocks;  // that differ, by their first cell
  Index cells = 0;
  const auto endOf = [&](Index begin) { return std::min(begin + kBlock, from.size()); };
  for (Index begin = 0; begin < from.size(); begin += kBlock) {
    const Index count = endOf(begin) - begin;
    if (equalBits(before + begin, after + begin, count)) continue;
    cells += differing(before + begin, after + begin, count);
    if (cells > most) return std::nullopt;
    blocks.push_back(begin);
  }
  TensorPatch patch;
  patch.cells_.reserve(static_cast<std::size_t>(cells));
  for (const Index begin : blocks) {
    for (Index i = begin; i < endOf(begin); ++i) {
      if (bitsOf(before[i]) == bitsOf(after[i])) continue;
      patch.cells_.push_back({static_cast<std::uint32_t>(i), after[i]});
    }
  }
  return patch;
}

void TensorPatch::exchange(Tensor& tensor) {
  assert(tensor.contiguous());
  float* values = tensor.mutableData();
  for (Cell& cell : cells_) {
    assert(Index{cell.offset} < tensor.size());
    std::swap(values[cell.offset], cell.value);
  }
}

namespace {

auto pinKey(const Pin& pin) {
  const CellRef& c = pin.cell;
  return std::tuple(c.tensor, c.item, c.head, c.row, c.col,
                    std::bit_cast<std::uint32_t>(pin.value));
}

bool pinBefore(const Pin& a, const Pin& b) { return pinKey(a) < pinKey(b); }

std::vector<Pin> without(const std::vector<Pin>& pins, const std::vector<Pin>& taken) {
  std::vector<Pin> left;
  std::set_difference(pins.begin(), pins.end(), taken.begin(), taken.end(),
                      std::back_inserter(left), pinBefore);
  return left;
}

}  // namespace

PinPatch::PinPatch(const Pins& from, const Pins& to)
    : gone_(without(from.all(), to.all())), come_(without(to.all(), from.all())) {
  gone_.shrink_to_fit();
  come_.shrink_to_fit();
}

Pins PinPatch::cross(const Pins& pins) {
  if (gone_.empty() && come_.empty()) return pins;
  const std::vector<Pin> kept = without(pins.all(), gone_);
  std::vector<Pin> next(kept.size() + come_.size());
  std::merge(kept.begin(), kept.end(), come_.begin(), come_.end(), next.begin(), pinBefore);
  std::swap(gone_, come_);
  return Pins::from(std::move(next));
}

Index PinPatch::bytes() const {
  return static_cast<Index>((gone_.capacity() + come_.capacity()) * sizeof(Pin));
}

namespace {

constexpr std::size_t kInputTensors = 2;  // the first of DocumentTensors

DocumentTensors tensorsOf(const Document& d) {
  DocumentTensors tensors{d.input->x, d.input->memory};
  for (std::size_t i = 0; i < kWeightTensors.size(); ++i) {
    tensors[kInputTensors + i] = d.weights.*kWeightTensors[i].tensor;
  }
  return tensors;
}

Weights weightsOf(const DocumentTensors& tensors) {
  Weights weights;
  for (std::size_t i = 0; i < kWeightTensors.size(); ++i) {
    weights.*kWeightTensors[i].tensor = tensors[kInputTensors + i];
  }
  return weights;
}

std::shared_ptr<const Input> withTensors(const Input& input, const Tensor& x,
                                         const Tensor& memory) {
  auto next = std::make_shared<Input>(input);
  next->x = x;
  next->memory = memory;
  return next;
}

/// The document without weights and pins, and with another input.
DocumentPtr restOf(Document document, std::shared_ptr<const Input> input) {
  document.weights = {};
  document.pins = {};
  document.input = std::move(input);
  return std::make_shared<const Document>(std::move(document));
}

/// Returns whether two inputs are equal except for X and the memory.
bool sameLabels(const Input& a, const Input& b) {
  return &a == &b ||
         (a.tokens == b.tokens && a.memoryTokens == b.memoryTokens && a.lengths == b.lengths &&
          a.coordinates == b.coordinates && a.notes == b.notes);
}

/// A loaded source holds X and the memory itself: patching them would free nothing.
bool isInSource(const Document& d, const Tensor& tensor) {
  const auto* source = std::get_if<TensorSource>(d.source.get());
  return source != nullptr && !tensor.empty() &&
         (source->x.sharesStorageWith(tensor) || source->memory.sharesStorageWith(tensor));
}

Index bytesOf(const Tensor& tensor) {
  return tensor.empty() ? 0 : tensor.size() * static_cast<Index>(sizeof(float));
}

Index bytesOf(const std::string& text) {
  return static_cast<Index>(sizeof(std::string) + text.capacity());
}

Index bytesOf(const std::shared_ptr<const Series>& series) { return bytesOf(series->values); }

template <typename T>
Index bytesOf(const std::vector<T>& items) {
  Index bytes = 0;
  for (const T& item : items) bytes += bytesOf(item);
  return bytes;
}

Index bytesOf(const TextSource& s) { return bytesOf(s.texts) + bytesOf(s.memoryTexts); }
Index bytesOf(const SeriesSource& s) { return bytesOf(s.items); }
Index bytesOf(const TensorSource& s) {
  Index bytes = bytesOf(s.x) + bytesOf(s.memory) + bytesOf(s.tokens) + bytesOf(s.memoryTokens);
  for (const LearnedRelation& relation : s.relations) {
    for (const auto& keys : relation.partners) {
      bytes += static_cast<Index>(sizeof(keys) + keys.size() * sizeof(Index));
    }
  }
  return bytes;
}

}  // namespace

DocumentDelta::DocumentDelta(const Document& from, const DocumentPtr& to)
    : pins_(from.pins, to->pins), whole_(to) {
  const DocumentTensors before = tensorsOf(from);
  const DocumentTensors after = tensorsOf(*to);
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (after[i].sameAs(before[i])) continue;
    const bool held = i < kInputTensors && from.source != to->source &&
                      (isInSource(from, before[i]) || isInSource(*to, after[i]));
    auto patch = held ? std::nullopt : TensorPatch::between(before[i], after[i]);
    if (patch) {
      changes_.push_back({i, std::move(*patch)});
    } else {
      changes_.push_back({i, after[i]});
    }
  }
  rest_ = restOf(*to, sameLabels(*from.input, *to->input)
                          ? nullptr
                          : withTensors(*to->input, Tensor(), Tensor()));
  measure(from);
}

void DocumentDelta::measure(const Document& from) {
  // the document of whole_ is allocated apart from its counts, so the weak pointer does not keep it
  bytes_ = static_cast<Index>(sizeof(DocumentDelta) + sizeof(Document) +
                              changes_.capacity() * sizeof(Change)) +
           pins_.bytes();
  for (const Change& change : changes_) {
    if (const auto* patch = std::get_if<TensorPatch>(&change.to)) {
      bytes_ += patch->bytes();
    } else if (const auto& tensor = std::get<Tensor>(change.to); !isInSource(*rest_, tensor)) {
      bytes_ += bytesOf(tensor);
    }
  }
  if (rest_->input != nullptr) {
    const Input& input = *rest_->input;
    for (const auto* labels : {&input.tokens, &input.memoryTokens}) bytes_ += bytesOf(*labels);
    for (const auto* words : {&input.coordinates, &input.notes}) bytes_ += bytesOf(*words);
  }
  if (rest_->source != from.source && rest_->source != nullptr) {
    bytes_ += std::visit([](const auto& s) { return bytesOf(s); }, *rest_->source);
  }
  const PairBias& bias = rest_->config.pairBias;
  if (bias.ofPairs() && bias != from.config.pairBias) {
    // as the setting and as the operand
    bytes_ += 2 * std::ssize(bias.settings().values) * static_cast<Index>(sizeof(float));
  }
  const auto& painted = rest_->config.mask.painted;
  if (painted != nullptr && painted != from.config.mask.painted) {
    bytes_ += static_cast<Index>(painted->allowed.size());
  }
}

DocumentWalk::DocumentWalk(const DocumentPtr& start)
    : rest_(restOf(*start, start->input)),
      pins_(start->pins),
      tensors_(tensorsOf(*start)),
      whole_(start) {}

void DocumentWalk::cross(DocumentDelta& delta) {
  for (DocumentDelta::Change& change : delta.changes_) {
    Tensor& tensor = tensors_[change.tensor];
    bool& copied = copied_[change.tensor];
    if (auto* whole = std::get_if<Tensor>(&change.to)) {
      std::swap(tensor, *whole);
      copied = false;
      continue;
    }
    auto& patch = std::get<TensorPatch>(change.to);
    if (patch.empty()) continue;
    if (!std::exchange(copied, true)) tensor = tensor.clone();
    patch.exchange(tensor);
  }
  pins_ = delta.pins_.cross(pins_);
  std::swap(rest_, delta.rest_);
  std::swap(whole_, delta.whole_);
  const auto left = delta.rest_->input;
  if (rest_->input == nullptr) {
    rest_ = restOf(*rest_, left);
    delta.rest_ = restOf(*delta.rest_, nullptr);
  } else if (!left->x.empty() || !left->memory.empty()) {
    delta.rest_ = restOf(*delta.rest_, withTensors(*left, Tensor(), Tensor()));
  }
  delta.measure(*rest_);
}

/// Returns whether all tensors without a patch are the original objects. A pass compares these to
/// decide which steps to run again.
bool DocumentWalk::leadsTo(const Document& document) const {
  const DocumentTensors tensors = tensorsOf(document);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (!copied_[i] && !tensors[i].sameAs(tensors_[i])) return false;
  }
  return true;
}

DocumentPtr DocumentWalk::document() const {
  if (auto whole = whole_.lock(); whole != nullptr && leadsTo(*whole)) return whole;
  Document next = *rest_;
  next.pins = pins_;
  next.weights = weightsOf(tensors_);
  const Input& input = *next.input;
  if (!input.x.sameAs(tensors_[0]) || !input.memory.sameAs(tensors_[1])) {
    next.input = withTensors(input, tensors_[0], tensors_[1]);
  }
  return DocumentPtr(std::make_unique<const Document>(std::move(next)));
}

}  // namespace headscope
