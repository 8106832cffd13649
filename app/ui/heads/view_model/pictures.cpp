#include "app/ui/heads/view_model/pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>

#include "app/background_task.h"
#include "app/ui/heads/all_heads.h"
#include "app/ui/heads/heads_view.h"
#include "app/ui/parts/computed.h"
#include "app/ui/parts/matrix.h"
#include "app/ui/selection.h"
#include "core/analysis/weight_readings.h"
#include "core/attention/config.h"
#include "core/base/execution.h"
#include "core/base/translation.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

constexpr Index kFewBlocks = 384;  // up to this many blocks, all tokens are drawn
constexpr Index kChunk = 32;       // blocks; larger inputs are drawn in multiples of it
constexpr float kMostBlocks = 1600.0F;
constexpr float kOverviewSide = 128.0F;

Fingerprint fingerprintOf(const PictureSource& source, const PictureSpec& spec) {
  Fingerprint all("pictures", source.values, spec.how);
  for (const AxisBlocks& axis : {spec.blocks.rows, spec.blocks.cols}) {
    all.add(axis.first).add(axis.count).add(axis.step);
  }
  for (const HeadPicture& p : spec.pictures) all.add(p.of).add(p.head).add(p.other);
  return all;
}

PictureSpec overviewSpec(const PictureSource& source, const AttentionConfig& c) {
  const auto whole = [](Index n) { return blocksFor({0, n}, n, kOverviewSide); };
  PictureSpec spec{{whole(c.seqLen), whole(c.keys())},
                   source.pooling == Pooling::mean ? Reduction::mean : Reduction::largest,
                   {}};
  for (Index h = 0; h < c.numHeads; ++h) spec.pictures.push_back({HeadPicture::Of::head, h, 0});
  return spec;
}

bool hasMean(const PictureSpec& spec) {
  return std::any_of(spec.pictures.begin(), spec.pictures.end(),
                     [](const HeadPicture& p) { return p.of == HeadPicture::Of::mean; });
}

/// Computes pictures of heads, one per unit of work.
class DrawingPictures {
 public:
  DrawingPictures(TracePtr trace, PictureSource source, PictureSpec grid, PictureSpec compared,
                  const std::optional<HeadPictures>& before)
      : trace_(std::move(trace)),
        grid_(std::move(grid)),
        compared_(std::move(compared)),
        drawn_{source, nullptr, nullptr, nullptr} {
    if (before && before->source.values == source.values) drawn_ = *before;
  }

  /// Runs one unit. Returns true after the last one; `drawn` stays empty where cancelled.
  bool runUnit(const std::atomic<bool>& cancelled, std::optional<HeadPictures>& drawn) {
    execution_.cancelled = &cancelled;
    if (next_ == 0 && units_.empty()) planUnits();
    if (next_ < units_.size()) units_[next_++]();
    if (cancelled) return true;
    if (next_ < units_.size()) return false;
    drawn = std::move(drawn_);
    return true;
  }

 private:
  void planUnits() {
    addParts(hasMean(grid_) || hasMean(compared_));
    if (drawn_.grid == nullptr || drawn_.grid->spec != grid_) drawn_.grid = addSet(grid_);
    if (drawn_.compared == nullptr || drawn_.compared->spec != compared_) {
      drawn_.compared = addSet(compared_);
    }
  }

  void addParts(bool withMean) {
    const std::shared_ptr<const PassParts> before = drawn_.parts;
    if (before != nullptr && !(withMean && before->mean.empty())) return;
    const auto parts =
        before == nullptr ? std::make_shared<PassParts>() : std::make_shared<PassParts>(*before);
    drawn_.parts = parts;
    const PictureSource& source = drawn_.source;
    if (withMean) {
      units_.push_back([this, parts, item = source.item] {
        auto mean = meanWeights(*trace_, item, execution_);
        if (mean) parts->mean = std::move(*mean);
      });
    }
    if (before != nullptr) return;
    const AttentionConfig& c = trace_->config();
    if (source.content == GridContent::normWeighted) {
      parts->norms.resize(static_cast<std::size_t>(c.numHeads));
      for (Index head = 0; head < c.numHeads; ++head) {
        units_.push_back([this, parts, head, item = source.item] {
          const std::vector<double> norms = valueNorms(*trace_, item, head);
          parts->norms[static_cast<std::size_t>(head)].assign(norms.begin(), norms.end());
        });
      }
    }
    const auto overview = addSet(overviewSpec(source, c));
    units_.push_back([parts, overview] { parts->overview = *overview; });
  }

  std::shared_ptr<const PictureSet> addSet(PictureSpec spec) {
    const auto set = std::make_shared<PictureSet>();
    set->spec = std::move(spec);
    set->revision = fingerprintOf(drawn_.source, set->spec);
    for (const HeadPicture& picture : set->spec.pictures) {
      units_.push_back([this, set, &picture] { draw(picture, *set); });
    }
    return set;
  }

  void draw(const HeadPicture& picture, PictureSet& set) const {
    const PictureReader reader(*trace_, drawn_.source.item, drawn_.source.content, *drawn_.parts);
    const auto& rows = set.spec.blocks.rows;
    const auto& cols = set.spec.blocks.cols;
    const CellRows part{rows.count, cols.count, [&](Index row, std::span<float> cells) {
                          reader.row(picture, rows.first + row, cols.first, cells);
                        }};
    std::vector<float> cells(static_cast<std::size_t>(rows.blocks() * cols.blocks()));
    if (!reduce(part, Blocks::stepped(0, rows.count, rows.step),
                Blocks::stepped(0, cols.count, cols.step), set.spec.how, cells.data(),
                execution_.cancelled)) {
      return;
    }
    set.largest.push_back(largestFinite(cells));
    set.cells.push_back(std::move(cells));
  }

  TracePtr trace_;
  PictureSpec grid_, compared_;
  ExecutionContext execution_;
  HeadPictures drawn_;
  std::vector<std::function<void()>> units_;
  std::size_t next_ = 0;
};

}  // namespace

AxisBlocks blocksFor(const TokenRange& shown, Index n, float pixels) {
  const auto most = static_cast<Index>(std::clamp(pixels, 1.0F, kMostBlocks));
  const Index step = (shown.count + most - 1) / most;
  if ((n + step - 1) / step <= kFewBlocks) return {0, n, step};
  const Index chunk = kChunk * step;
  const Index first = std::max<Index>(0, (shown.first / chunk - 1) * chunk);
  const Index end = std::min(n, ((shown.first + shown.count + chunk - 1) / chunk + 1) * chunk);
  return {first, end - first, step};
}

std::string nameOf(const HeadPicture& picture) {
  if (picture.of == HeadPicture::Of::mean) return tr("Mean over heads");
  if (picture.of == HeadPicture::Of::difference) {
    return trFormat("Head {} − head {}", picture.head + 1, picture.other + 1);
  }
  return trFormat("Head {}", picture.head + 1);
}

std::optional<std::size_t> PictureSet::find(const HeadPicture& picture) const {
  const auto& all = spec.pictures;
  const auto found = std::find(all.begin(), all.end(), picture);
  if (found == all.end()) return std::nullopt;
  return static_cast<std::size_t>(found - all.begin());
}

float PictureSet::largestOf(const HeadPicture& picture) const {
  const auto at = find(picture);
  return at ? largest[*at] : 0.0F;
}

float PictureSet::largestOf(HeadPicture::Of of) const {
  float most = 0.0F;
  for (std::size_t i = 0; i < largest.size(); ++i) {
    if (spec.pictures[i].of == of) most = std::max(most, largest[i]);
  }
  return most;
}

float PictureSet::largestOfAll() const {
  return std::max(largestOf(HeadPicture::Of::head), largestOf(HeadPicture::Of::mean));
}

PictureSource pictureSource(const Trace& trace, const HeadsView& view, Index item) {
  const AttentionConfig& c = trace.config();
  PictureSource source{item, view.content, view.pooling, {}, {}};
  source.kind = Fingerprint("kind", source.item, source.content, source.pooling, c.numHeads,
                            c.seqLen, c.keys());
  source.values = Fingerprint("values", source.kind, trace.revision(TensorId::weights));
  if (source.content == GridContent::normWeighted) {
    source.values.add(trace.revision(TensorId::v)).add(trace.revision(TensorId::wO));
  }
  return source;
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

/// Computes row shares minus weights. Where the row's lengths sum to 0, its shares count as 0.
void PictureReader::shift(Index head, Index row, Index col0, std::span<float> cells) const {
  std::vector<float> lengths(static_cast<std::size_t>(trace_.config().keys()));
  this->head(head, row, 0, lengths);
  const double sum = std::accumulate(lengths.begin(), lengths.end(), 0.0);
  plain(head, row, col0, cells);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto length = static_cast<double>(lengths[static_cast<std::size_t>(col0) + i]);
    const double share = sum > 0.0 ? length / sum : 0.0;
    cells[i] = static_cast<float>(share - static_cast<double>(cells[i]));
  }
}

/// Marks the cells that the mask forbids, except pinned cells.
void PictureReader::hide(const HeadPicture& picture, Index row, Index col0,
                         std::span<float> cells) const {
  const AttentionConfig& c = trace_.config();
  if (c.mask.none() || !showsMasked(TensorId::weights, c)) return;
  std::vector<std::pair<std::size_t, float>> pinned;
  for (const Pin& pin : trace_.pins().of(TensorId::weights)) {
    const bool own = picture.of == HeadPicture::Of::mean || pin.cell.head == picture.head ||
                     (picture.of == HeadPicture::Of::difference && pin.cell.head == picture.other);
    const Index at = pin.cell.col - col0;
    if (!own || pin.cell.item != item_ || pin.cell.row != row || at < 0) continue;
    const auto place = static_cast<std::size_t>(at);
    if (place < cells.size()) pinned.emplace_back(place, cells[place]);
  }
  hideMasked(trace_, item_, row, col0, cells);
  for (const auto& [place, value] : pinned) cells[place] = value;
}

void PictureReader::row(const HeadPicture& picture, Index row, Index col0,
                        std::span<float> cells) const {
  switch (picture.of) {
    case HeadPicture::Of::mean:
      std::copy_n(parts_.mean.matrix().row(row).data() + col0, cells.size(), cells.begin());
      break;
    case HeadPicture::Of::plain:
      plain(picture.head, row, col0, cells);
      break;
    case HeadPicture::Of::shift:
      shift(picture.head, row, col0, cells);
      break;
    case HeadPicture::Of::head:
    case HeadPicture::Of::difference:
      head(picture.head, row, col0, cells);
      break;
  }
  if (picture.of == HeadPicture::Of::difference) {
    std::vector<float> other(cells.size());
    head(picture.other, row, col0, other);
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] -= other[i];
  }
  hide(picture, row, col0, cells);
}

float PictureReader::cell(const HeadPicture& picture, Index at, Index col) const {
  float value = 0.0F;
  row(picture, at, col, {&value, 1});
  return value;
}

Computed<HeadPictures> headPictures(Computations& computations, const TracePtr& trace,
                                    const PictureSource& source, const PictureSpec& grid,
                                    const PictureSpec& compared,
                                    const std::optional<HeadPictures>& before) {
  constexpr Index kAtOnce = 1 << 19;  // the most cells that a frame reads
  const AttentionConfig& c = trace->config();
  const bool little =
      source.content == GridContent::weights && c.numHeads * c.seqLen * c.keys() <= kAtOnce;
  const Fingerprint key("head pictures", fingerprintOf(source, grid),
                        fingerprintOf(source, compared));
  return computations.request<HeadPictures>(
      "head pictures", key, little ? Schedule::now : Schedule::background, [&] {
        return [drawing = std::make_shared<DrawingPictures>(trace, source, grid, compared, before)](
                   const std::atomic<bool>& cancelled, std::optional<HeadPictures>& drawn) {
          return drawing->runUnit(cancelled, drawn);
        };
      });
}

}  // namespace headscope::ui
