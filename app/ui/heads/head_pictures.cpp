#include "app/ui/heads/head_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/heads/token_zoom.h"
#include "app/ui/matrix_view.h"
#include "core/analysis/norm_weighted.h"

namespace headscope::ui {
namespace {

constexpr Index kAtOnce = 1 << 19;  // cells that a frame may read
constexpr float kOverview = 128.0F;

PictureKey keyOf(const Panel& panel) {
  const Trace& trace = panel.trace;
  const AttentionConfig& c = trace.config();
  const HeadsView& view = panel.view.heads;
  PictureKey key{trace.revision(TensorId::weights),
                 0,
                 0,
                 panel.view.item,
                 c.numHeads,
                 c.seqLen,
                 c.keys(),
                 view.content,
                 view.pooling};
  if (view.content == GridContent::normWeighted) {
    key.values = trace.revision(TensorId::v);
    key.outputMatrix = trace.revision(TensorId::wO);
  }
  return key;
}

std::optional<PictureSet> drawSet(const PictureReader& reader, PictureSpec spec,
                                  std::uint64_t serial, const std::atomic<bool>* cancelled) {
  PictureSet set{std::move(spec), {}, {}, serial};
  for (const Picture& picture : set.spec.pictures) {
    const auto read = [&](Index row, Index col0, std::span<float> cells) {
      reader.row(picture, row, col0, cells);
    };
    auto cells = pooled(set.spec.blocks, set.spec.pool, read, cancelled);
    if (!cells) return std::nullopt;
    set.largest.push_back(largestOf(*cells));
    set.cells.push_back(std::move(*cells));
  }
  return set;
}

PictureSpec overviewSpec(const PictureKey& key) {
  const auto whole = [](Index n) { return blocksFor({0, n}, n, kOverview); };
  PictureSpec spec{cellBlocks(whole(key.queries), whole(key.keys)),
                   key.pooling == Pooling::mean ? Pool::mean : Pool::largest,
                   {}};
  for (Index h = 0; h < key.heads; ++h) spec.pictures.push_back({Picture::Of::head, h, 0});
  return spec;
}

bool hasMean(const PictureSpec& spec) {
  return std::any_of(spec.pictures.begin(), spec.pictures.end(),
                     [](const Picture& p) { return p.of == Picture::Of::mean; });
}

/// `before` may be null; what still holds of it is taken over.
std::optional<HeadPictures::Drawn> draw(const Trace& trace, const PictureKey& key,
                                        const PictureSpec& grid, const PictureSpec& compared,
                                        const HeadPictures::Drawn* before, std::uint64_t serial,
                                        const std::atomic<bool>* cancelled) {
  Execution execution;
  execution.cancelled = cancelled;
  const bool same = before != nullptr && before->key == key;
  const bool withMean = hasMean(grid) || hasMean(compared);
  HeadPictures::Drawn drawn{key, same ? before->parts : nullptr, nullptr, nullptr};
  if (drawn.parts == nullptr || (withMean && drawn.parts->mean.empty())) {
    auto parts = drawn.parts == nullptr ? std::make_shared<PassParts>()
                                        : std::make_shared<PassParts>(*drawn.parts);
    if (withMean) {
      auto mean = meanWeights(trace, key.item, execution);
      if (!mean) return std::nullopt;
      parts->mean = std::move(*mean);
    }
    if (drawn.parts == nullptr) {
      for (Index h = 0; key.content == GridContent::normWeighted && h < key.heads; ++h) {
        if (execution.stop()) return std::nullopt;
        const std::vector<double> norms = valueNorms(trace, key.item, h);
        parts->norms.emplace_back(norms.begin(), norms.end());
      }
      const PictureReader reader(trace, key.item, key.content, *parts);
      auto overview = drawSet(reader, overviewSpec(key), serial, cancelled);
      if (!overview) return std::nullopt;
      parts->overview = std::move(*overview);
    }
    drawn.parts = std::move(parts);
  }
  const PictureReader reader(trace, key.item, key.content, *drawn.parts);
  const auto setOf = [&](const PictureSpec& spec, const std::shared_ptr<const PictureSet>& there,
                         std::shared_ptr<const PictureSet>& out) {
    if (same && there != nullptr && there->spec == spec) {
      out = there;
      return true;
    }
    auto set = drawSet(reader, spec, serial, cancelled);
    if (set) out = std::make_shared<const PictureSet>(std::move(*set));
    return set.has_value();
  };
  const std::shared_ptr<const PictureSet> none;
  if (!setOf(grid, same ? before->grid : none, drawn.grid)) return std::nullopt;
  if (!setOf(compared, same ? before->compared : none, drawn.compared)) return std::nullopt;
  return drawn;
}

}  // namespace

std::string nameOf(const Picture& picture) {
  switch (picture.of) {
    case Picture::Of::mean:
      return "Mean over heads";
    case Picture::Of::difference:
      return fmt::format("Head {} − head {}", picture.head + 1, picture.other + 1);
    case Picture::Of::head:
    case Picture::Of::plain:
    case Picture::Of::shift:
      break;
  }
  return fmt::format("Head {}", picture.head + 1);
}

std::optional<std::size_t> PictureSet::find(const Picture& picture) const {
  const auto& all = spec.pictures;
  const auto found = std::find(all.begin(), all.end(), picture);
  if (found == all.end()) return std::nullopt;
  return static_cast<std::size_t>(found - all.begin());
}

float PictureSet::largestOfAll() const {
  float most = 0.0F;
  for (std::size_t i = 0; i < largest.size(); ++i) {
    const Picture::Of of = spec.pictures[i].of;
    if (of == Picture::Of::head || of == Picture::Of::mean) most = std::max(most, largest[i]);
  }
  return most;
}

bool PictureKey::resembles(const PictureKey& other) const {
  PictureKey same = other;
  same.weights = weights;
  same.values = values;
  same.outputMatrix = outputMatrix;
  return *this == same;
}

void PictureReader::plain(Index head, Index row, Index col0, std::span<float> cells) const {
  trace_.tile(TensorId::weights, item_, head, row, 1, col0, static_cast<Index>(cells.size()),
              cells.data());
}

void PictureReader::head(Index head, Index row, Index col0, std::span<float> cells) const {
  plain(head, row, col0, cells);
  if (content_ != GridContent::normWeighted) return;
  const std::span<const float> norms(parts_.norms[static_cast<std::size_t>(head)]);
  weighByNorms(cells, norms.subspan(static_cast<std::size_t>(col0), cells.size()), cells);
}

/// A row that moves nothing has no shares: they count as 0.
void PictureReader::shift(Index head, Index row, Index col0, std::span<float> cells) const {
  std::vector<float> moved(static_cast<std::size_t>(trace_.config().keys()));
  this->head(head, row, 0, moved);
  const double sum = std::accumulate(moved.begin(), moved.end(), 0.0);
  plain(head, row, col0, cells);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto length = static_cast<double>(moved[static_cast<std::size_t>(col0) + i]);
    const double share = sum > 0.0 ? length / sum : 0.0;
    cells[i] = static_cast<float>(share - static_cast<double>(cells[i]));
  }
}

/// Marks what the mask forbids, save cells that are pinned.
void PictureReader::hide(const Picture& picture, Index row, Index col0,
                         std::span<float> cells) const {
  const AttentionConfig& c = trace_.config();
  if (c.mask.none() || !showsMasked(TensorId::weights, c)) return;
  const AllowedKeys allowed = allowedKeys(c.mask, item_, row, c.keys());
  std::vector<std::pair<std::size_t, float>> pinned;
  for (const Pin& pin : trace_.document().pins.of(TensorId::weights)) {
    const bool own = picture.of == Picture::Of::mean || pin.cell.head == picture.head ||
                     (picture.of == Picture::Of::difference && pin.cell.head == picture.other);
    const Index at = pin.cell.col - col0;
    if (!own || pin.cell.item != item_ || pin.cell.row != row || at < 0) continue;
    const auto place = static_cast<std::size_t>(at);
    if (place < cells.size()) pinned.emplace_back(place, cells[place]);
  }
  const auto end = static_cast<Index>(cells.size());
  const Index from = std::clamp<Index>(allowed.begin - col0, 0, end);
  const Index to = std::clamp<Index>(allowed.end - col0, from, end);
  std::fill(cells.begin(), cells.begin() + from, gl::kMaskedCell);
  std::fill(cells.begin() + to, cells.end(), gl::kMaskedCell);
  if (allowed.painted != nullptr) {
    for (Index i = from; i < to; ++i) {
      if (allowed.painted[col0 + i] == 0) cells[static_cast<std::size_t>(i)] = gl::kMaskedCell;
    }
  }
  for (const auto& [place, value] : pinned) cells[place] = value;
}

void PictureReader::row(const Picture& picture, Index row, Index col0,
                        std::span<float> cells) const {
  switch (picture.of) {
    case Picture::Of::mean:
      std::copy_n(parts_.mean.matrix().row(row).data() + col0, cells.size(), cells.begin());
      break;
    case Picture::Of::plain:
      plain(picture.head, row, col0, cells);
      break;
    case Picture::Of::shift:
      shift(picture.head, row, col0, cells);
      break;
    case Picture::Of::head:
    case Picture::Of::difference:
      head(picture.head, row, col0, cells);
      break;
  }
  if (picture.of == Picture::Of::difference) {
    std::vector<float> other(cells.size());
    head(picture.other, row, col0, other);
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] -= other[i];
  }
  hide(picture, row, col0, cells);
}

float PictureReader::cell(const Picture& picture, Index at, Index col) const {
  float value = 0.0F;
  row(picture, at, col, {&value, 1});
  return value;
}

void HeadPictures::take(const Panel& panel) {
  if (auto outcome = task_.take()) {
    if (inBackground_ && outcome->result) drawn_ = std::move(outcome->result);
    error_ = std::move(outcome->error);
  }
  fits_ = drawn_ && drawn_->key.resembles(keyOf(panel));
}

void HeadPictures::follow(const Panel& panel, const PictureSpec& grid,
                          const PictureSpec& compared) {
  Asked asked{keyOf(panel), grid, compared};
  if (asked_ != asked) {
    asked_ = std::move(asked);
    const PictureKey& key = asked_->key;
    ++serial_;
    const bool little =
        key.content == GridContent::weights && key.heads * key.queries * key.keys <= kAtOnce;
    auto work = [trace = panel.trace, wanted = *asked_, before = drawn_,
                 serial = serial_](const std::atomic<bool>& cancelled) {
      return draw(trace, wanted.key, wanted.grid, wanted.compared, before ? &*before : nullptr,
                  serial, &cancelled);
    };
    inBackground_ = !little;  // what an earlier request still brings is out of date
    if (little) {
      const std::atomic<bool> goesOn{false};
      drawn_ = work(goesOn);
      error_.clear();
    } else {
      task_.request(std::move(work));
    }
  }
  fits_ = drawn_ && drawn_->key.resembles(asked_->key);
}

}  // namespace headscope::ui
