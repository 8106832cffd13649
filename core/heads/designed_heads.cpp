#include "core/heads/designed_heads.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "core/attention/config.h"
#include "core/base/assets.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/heads/distance_kernel.h"
#include "core/heads/head_builder.h"
#include "core/input/embedding.h"

namespace headscope {

namespace {

const HeadDescriptions& descriptions() {
  static const HeadDescriptions all = parseDesignedHeads(asset("designed_heads.json"));
  return all;
}

bool readsCoordinates(const HeadDescription& d) {
  return d.rows || d.columns || d.peaks || !d.shape.empty() || d.away != 0.0 || !d.meet.empty() ||
         !d.each.empty() || d.identity;
}

bool readsPositions(const HeadDescription& d) {
  const auto position = [](const auto& part) {
    return part.first == "first place" || part.first == "slow position" ||
           part.first == "class token";
  };
  return d.rows || d.columns || d.peaks || !d.shape.empty() || d.away != 0.0 ||
         std::any_of(d.meet.begin(), d.meet.end(), [&](const Meeting& m) {
           return std::any_of(m.query.begin(), m.query.end(), position) ||
                  std::any_of(m.key.begin(), m.key.end(), position);
         });
}

/// The properties that the input lacks for a designed head, in words; empty: none.
std::string whatIsMissing(const HeadDescription& d, Positions positions) {
  if (positions == Positions::sinusoidal && readsCoordinates(d)) {
    return tr("sinusoids are added to all coordinates, so none can be read separately");
  }
  if (positions == Positions::none && readsPositions(d)) {
    return tr("positions are off, and the head reads them");
  }
  return {};
}

/// The descriptions for a kind of input, and its name in words.
std::pair<const std::vector<HeadDescription>&, std::string_view> offered(const InputSource& source,
                                                                         bool across) {
  if (const auto* series = std::get_if<SeriesSource>(&source)) {
    if (isImage(series->items.front()->channels)) return {descriptions().image, tr("an image")};
    return {descriptions().series, "a series"};
  }
  if (across) return {descriptions().across, tr("two texts")};
  return {descriptions().text, "text"};
}

}  // namespace

std::vector<PlannedHead> planHeads(const AttentionConfig& c, const InputSource& source,
                                   Positions positions) {
  std::vector<PlannedHead> plan(static_cast<std::size_t>(c.numHeads));
  if (std::holds_alternative<TensorSource>(source)) {
    for (auto& head : plan)
      head.why = tr("X was given as numbers, whose coordinates have no names");
    return plan;
  }
  const auto& [all, material] = offered(source, c.crossAttention());
  std::size_t next = 0;
  for (Index h = 0; h < c.numHeads; ++h) {
    PlannedHead& head = plan[static_cast<std::size_t>(h)];
    const Index owner = c.kvHead(h) * c.headsPerGroup();
    if (h != owner) {
      head.why =
          trFormat("it shares its keys with head {}, for which they are designed", owner + 1);
    } else if (next == all.size()) {
      head.why = trFormat("only {} heads are designed for {}", all.size(), material);
    } else {
      head.description = &all[next++];
      head.why = whatIsMissing(*head.description, positions);
    }
  }
  return plan;
}

namespace {

/// Names of the columns of X, or of the memory, at a width.
std::vector<std::string> namesAt(const InputSource& source, Index width) {
  if (std::holds_alternative<TextSource>(source)) return textLayout(width).names;
  if (const auto* series = std::get_if<SeriesSource>(&source)) {
    return seriesLayout(series->items.front()->channels, width).names;
  }
  return {};
}

struct Resolved {
  PlannedHead plan;
  HeadMatrices matrices;  // empty where it is drawn

  bool drawn() const { return matrices.q.empty(); }
  const std::string& why() const { return plan.why.empty() ? matrices.why : plan.why; }
};

std::vector<Resolved> resolve(const AttentionConfig& c, const InputSource& source,
                              Positions positions) {
  const Coordinates query(namesAt(source, c.dModel));
  const Coordinates key(namesAt(source, c.kvWidth()));
  std::vector<Resolved> heads;
  for (PlannedHead& plan : planHeads(c, source, positions)) {
    Resolved& head = heads.emplace_back(Resolved{std::move(plan), {}});
    if (head.plan.description == nullptr || !head.plan.why.empty()) continue;
    head.matrices = buildHead(*head.plan.description, query, key, c.dK());
  }
  return heads;
}

void put(const Tensor& rows, Tensor& target, Index firstRow) {
  const ConstMatrixView from = rows.matrix();
  const MatrixView to = target.mutableMatrix();
  for (Index r = 0; r < from.rows; ++r) {
    std::copy(from.row(r).begin(), from.row(r).end(), to.row(firstRow + r).begin());
  }
}

bool tellsWhere(const std::string& name) {
  return name == "constant" || name == "slow position" || name.starts_with("cos ω") ||
         name.starts_with("sin ω");
}

/// Adds one row per coordinate of the token's identity until d_k is full. Entries of identity are
/// ±1/√width; the copies are normalised to 1.
Tensor copyingRows(const std::vector<std::string>& names, Index dK) {
  Tensor rows = Tensor::zeros({dK, static_cast<Index>(names.size())});
  const MatrixView to = rows.mutableMatrix();
  Index row = 0;
  for (std::size_t column = 0; column < names.size() && row < dK; ++column) {
    if (tellsWhere(names[column])) continue;
    to(row++, static_cast<Index>(column)) = 1.0F;
  }
  const auto identity = static_cast<Index>(std::count_if(
      names.begin(), names.end(), [](const auto& n) { return n.starts_with("identity "); }));
  const Index first = static_cast<Index>(names.size()) - identity;
  Index copied = 0;
  for (Index r = 0; r < row; ++r) {
    for (Index c = first; c < to.cols; ++c) copied += to(r, c) != 0.0F ? 1 : 0;
  }
  if (copied == 0) return rows;
  const auto scale =
      static_cast<float>(std::sqrt(static_cast<double>(identity) / static_cast<double>(copied)));
  for (Index r = 0; r < row; ++r) {
    for (Index c = first; c < to.cols; ++c) to(r, c) *= scale;
  }
  return rows;
}

bool isDesigned(const Document& d) {
  return d.weightSource.drawn() && d.weightSource.init == WeightInit::designed &&
         d.source != nullptr;
}

/// The keys that the mask hides from a designed head, in words; empty: none.
std::string whatTheMaskHides(const HeadDescription& d, const Mask& mask) {
  if (!mask.causal || (d.looks != Looks::right && d.looks != Looks::both)) return {};
  return d.looks == Looks::right
             ? tr("the causal mask hides keys after the query, including the target")
             : tr("the causal mask hides keys after the query: the head sees only earlier keys");
}

/// The distances beyond the reach of a designed head, in words; empty: none.
std::string whatIsTooFar(const HeadDescription& d, Index tokens) {
  const bool readsDistances = d.peaks || !d.shape.empty() || d.away != 0.0;
  if (!readsDistances || tokens - 1 <= kKernelReach) return {};
  return trFormat("some positions are more than {} apart, where its distance kernel repeats",
                  kKernelReach);
}

}  // namespace

Weights designedWeights(const AttentionConfig& c, const InputSource& source, Positions positions,
                        std::uint64_t seed) {
  Weights w = drawWeights(c, WeightInit::xavier, seed);
  const Tensor values = copyingRows(namesAt(source, c.kvWidth()), c.dK());
  const std::vector<Resolved> heads = resolve(c, source, positions);
  for (std::size_t i = 0; i < heads.size(); ++i) {
    if (heads[i].drawn()) continue;
    const auto head = static_cast<Index>(i);
    put(heads[i].matrices.q, w.wQ, head * c.dK());
    put(heads[i].matrices.k, w.wK, c.kvHead(head) * c.dK());
    put(values, w.wV, c.kvHead(head) * c.dK());
  }
  return w;
}

std::vector<DesignedHead> designedHeads(const Document& document) {
  std::vector<DesignedHead> heads;
  if (!isDesigned(document)) return heads;
  for (Resolved& found : resolve(document.config, *document.source, document.positions)) {
    const HeadDescription* d = found.plan.description;
    DesignedHead head;
    head.drawn = found.drawn();
    if (head.drawn) {
      head.title = tr("Drawn at random");
      head.about = tr("Drawn as xavier.");
      if (d != nullptr) head.instead = d->title;
      head.why = found.why();
    } else {
      head.title = d->title;
      head.about = d->about;
      head.structure = std::move(found.matrices.structure);
      head.why = whatTheMaskHides(*d, document.config.mask);
      const std::string tooFar = whatIsTooFar(*d, document.config.seqLen);
      if (!head.why.empty() && !tooFar.empty()) head.why += "; and ";
      head.why += tooFar;
    }
    heads.push_back(std::move(head));
  }
  return heads;
}

bool sameDesign(const Document& a, const Document& b) {
  const AttentionConfig& x = a.config;
  const AttentionConfig& y = b.config;
  return a.positions == b.positions && x.dModel == y.dModel && x.numHeads == y.numHeads &&
         x.dK() == y.dK() && x.numKvHeads == y.numKvHeads && x.kvWidth() == y.kvWidth() &&
         x.crossAttention() == y.crossAttention() && a.source->index() == b.source->index() &&
         namesAt(*a.source, x.dModel) == namesAt(*b.source, y.dModel);
}

}  // namespace headscope
