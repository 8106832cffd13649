#include "core/model/patching.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "core/attention/config.h"
#include "core/base/error.h"
#include "core/base/memory_budget.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/attention.h"
#include "core/document/document.h"
#include "core/model/blocks.h"
#include "core/model/head_changes.h"
#include "core/model/logit_metric.h"
#include "core/model/logit_parts.h"
#include "core/model/norms.h"
#include "core/model/overflow.h"
#include "core/model/readout.h"
#include "core/model/said_word.h"
#include "core/model/steering.h"

namespace headscope::model {
namespace {

/// Rows of copies that run together: enough for products at their best, few enough for the results
/// of one layer to stay small.
constexpr Index kRowsTogether = 2048;
constexpr Index kLogitsTogether = 64;

void copyRows(const Tensor& from, Index row, Index rows, Tensor& to, Index at) {
  const Index width = to.dim(2);
  std::copy_n(from.data() + row * width, rows * width, to.mutableData() + at * width);
}

/// Row `row` of each of several copies of (T, width), one after the other: (1, copies, width).
Tensor rowOfEach(const Tensor& all, Index copies, Index row) {
  const Index tokens = all.dim(1) / copies;
  Tensor some = Tensor::uninitialised({1, copies, all.dim(2)});
  for (Index copy = 0; copy < copies; ++copy) copyRows(all, copy * tokens + row, 1, some, copy);
  return some;
}

void requirePatch(const ModelTrace& of, const Patch& patch) {
  const ModelTrace& base = passOf(of, patch.stack);
  const ModelConfig& c = base.config();
  const std::string& name = base.document().model->name();
  if (patch.layer < 0 || patch.layer >= c.layers) {
    throw UserError(trFormat("there is no layer {}: {} has the layers 0 to {}", patch.layer, name,
                             c.layers - 1));
  }
  const bool ofHead = isOfHeads(patch.site);
  const bool shared = patch.site == Site::k || patch.site == Site::v;
  const Index heads = shared ? c.kvHeads : c.heads;
  if (ofHead && (patch.head < 0 || patch.head >= heads)) {
    const char* kind = shared ? tr("key/value head") : tr("head");
    throw UserError(trFormat("there is no {0} {1}: each layer of {2} has the {0}s 0 to {3}", kind,
                             patch.head, name, heads - 1));
  }
  const bool one = patch.place != Patch::kEveryPlace;
  const Index tokens =
      shared ? passOf(of, keysOf(of, patch.stack, patch.layer)).tokens() : base.tokens();
  if (one && (patch.place < 0 || patch.place >= tokens)) {
    throw UserError(
        trFormat("there is no token {}: the text has the tokens 0 to {}", patch.place, tokens - 1));
  }
  const Index rows = one ? 1 : tokens, width = ofHead ? c.headDim : c.dModel;
  if (patch.rows.rank() == 2 && patch.rows.dim(0) == rows && patch.rows.dim(1) == width) return;
  throw UserError(
      trFormat("the other values are {} rows, and this text has {} tokens: a part is replaced "
               "token by token, so give a text with equally many tokens",
               patch.rows.empty() ? 0 : patch.rows.dim(0), withThousands(tokens)));
}

}  // namespace

class PatchedRuns::Running {
 public:
  Running(ModelTracePtr base, std::vector<Patch> patches, const AskedWord& asked,
          const ExecutionContext& execution)
      : base_(std::move(base)),
        pass_(base_.get()),
        patches_(std::move(patches)),
        asked_(asked),
        execution_(execution) {
    requireWord(*base_, asked.row, asked.word);
    requireOnePlace(*base_);
    if (asked.other) requireWord(*base_, asked.row, *asked.other);
    for (const Patch& patch : patches_) requirePatch(*base_, patch);
    if (execution_.memory == nullptr) {
      execution_.memory = std::make_shared<BlockStore>();
      execution_.memory->keepFree(defaultMemoryBudget() / 8);
    }
    order_.resize(patches_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::stable_sort(order_, {}, [&](std::size_t i) {
      return std::pair(patches_[i].stack == Stack::decoder, patches_[i].layer);
    });
    Index rows = 0;
    for (const Stack stack : stacksOf(*base_)) rows += passOf(*base_, stack).tokens();
    const Index each = rows * config().dModel * static_cast<Index>(sizeof(float));
    together_ = std::max<Index>(1, defaultMemoryBudget() / 8 / each);
    for (Index from = 0; from < count(); from = groupEnd(from)) units_ += layersOf(patchAt(from));
    found_.resize(patches_.size());
    baseLogits_ = base_->logits(asked.row, 1);
    baseEffect_ = effectOf(baseLogits_.matrix({0}).row(0));
    if (DirectPath::exists(*base_->document().model)) {
      direct_.emplace(*base_, asked.row, asked.word, asked.other);
      baseEffect_.direct = 0.0;
    }
    beginGroup();
  }

  bool runUnit() {
    if (ended_) return true;
    runLayer();
    if (execution_.stop()) {
      found_.clear();
      return ended_ = true;
    }
    ++done_;
    if (++layer_ < config().layers) return ended_;
    if (pass_ != base_.get()) {
      enterDecoder();
    } else {
      readWords();
      group_ = end_;
      beginGroup();
    }
    return ended_;
  }

  Index units() const { return units_; }
  Index unitsDone() const { return done_; }
  const PatchEffect& base() const { return baseEffect_; }
  const std::vector<PatchEffect>& effects() const { return found_; }

 private:
  // of the stack that the copies run through
  const ModelConfig& config() const { return pass_->config(); }
  Index tokens() const { return pass_->tokens(); }
  Index count() const { return std::ssize(patches_); }
  const Patch& patchAt(Index place) const {
    return patches_[order_[static_cast<std::size_t>(place)]];
  }
  /// The end of the group that begins here: copies that fit the memory, in one stack.
  Index groupEnd(Index from) const {
    Index end = from;
    while (end < count() && end - from < together_ && patchAt(end).stack == patchAt(from).stack) {
      ++end;
    }
    return end;
  }
  /// The layers that a copy runs through.
  Index layersOf(const Patch& patch) const {
    const Index own = passOf(*base_, patch.stack).layers() - patch.layer;
    return patch.stack == Stack::decoder ? own : own + base_->layers() - firstOfMemory();
  }
  /// The first layer of the decoder that reads the memory.
  Index firstOfMemory() const {
    Index layer = 0;
    while (!base_->config().readsMemory(layer)) ++layer;
    return layer;
  }
  bool last() const { return pass_ == base_.get() && layer_ + 1 == config().layers; }
  /// The tokens of each copy that a layer gives.
  Index rowsGiven() const { return last() ? 1 : tokens(); }

  void beginGroup() {
    ended_ = group_ >= count();
    if (ended_) return;
    begun_ = group_;
    end_ = groupEnd(group_);
    pass_ = &passOf(*base_, patchAt(group_).stack);
    layer_ = patchAt(group_).layer;
    streams_ = memories_ = Tensor();
  }

  /// The copies leave the encoder: their last states are what they read in the decoder.
  void enterDecoder() {
    const Index all = std::ssize(copies_);
    memories_ = normalized(streams_, pass_->document().model->readout()->norm, config(), execution_)
                    .reshaped({all, tokens(), config().dModel});
    pass_ = base_.get();
    layer_ = firstOfMemory();
    streams_ = copiesOf(base_->hidden(2 * layer_), all);
    for (const Index copy : copies_) {
      if (direct_) foundOf(copy).direct = 0.0;
    }
  }

  /// The copies of the group whose patch is in the present layer, at one of the sites.
  std::vector<Index> beginningAt(bool stream) const {
    std::vector<Index> found;
    for (Index i = begun_; i < end_ && patchAt(i).layer == layer_; ++i) {
      if ((patchAt(i).site == Site::residual) == stream) found.push_back(i);
    }
    return found;
  }

  void runLayer() {
    const LayerWeightsPtr weights = pass_->document().model->layer(layer_);
    std::vector<Index> copies = std::move(copies_);
    copies_.clear();
    const Tensor entering = withStreams(copies, beginningAt(true));
    const std::vector<Index> within = beginningAt(false);
    const Index rows = rowsGiven(), whole = std::ssize(copies), all = whole + std::ssize(within);
    Tensor given = Tensor::uninitialised({1, all * rows, config().dModel}, execution_.memory);
    const Index each = std::max<Index>(1, kRowsTogether / tokens());
    for (Index from = 0; from < whole && !execution_.stop(); from += each) {
      const Index some = std::min(each, whole - from);
      const Tensor part = entering.slice(1, from * tokens(), (from + some) * tokens());
      const std::span<const Index> those(copies.data() + from, static_cast<std::size_t>(some));
      const Tensor memory = memories_.empty() ? Tensor() : memories_.slice(0, from, from + some);
      copyRows(throughLayer(part, those, memory, *weights), 0, some * rows, given, from * rows);
    }
    for (Index from = 0; from < std::ssize(within) && !execution_.stop(); from += each) {
      const Index some = std::min(each, std::ssize(within) - from);
      const std::span<const Index> part(within.data() + from, static_cast<std::size_t>(some));
      copyRows(throughPatch(part, *weights), 0, some * rows, given, (whole + from) * rows);
    }
    copies.insert(copies.end(), within.begin(), within.end());
    copies_ = std::move(copies);
    begun_ += std::ssize(beginningAt(true)) + std::ssize(within);
    if (!execution_.stop())
      requireInRange(given, [&](Index row) {
        const Index copy = copies_[static_cast<std::size_t>(row / rows)];
        const Patch& patch = patchAt(copy);
        return trFormat("{} of a run with a part of {} replaced",
                        layerInWords(base_->config(), stackNow(), layer_),
                        layerInWords(base_->config(), patch.stack, patch.layer));
      });
    streams_ = last() ? given : steered(pass_->document(), layer_ + 1, given, 0, tokens());
    for (Index i = 0; !last() && i < whole; ++i) {
      const Index unchanged = firstChanged(copies_[static_cast<std::size_t>(i)]);
      copyRows(pass_->hidden(2 * (layer_ + 1)), 0, unchanged, streams_, i * tokens());
    }
  }

  /// The first row that a copy's patch can change: under causal masks, none before its place.
  Index firstChanged(Index copy) const {
    const Patch& patch = patchAt(copy);
    const bool causal = config().causal && pass_->document().edited.empty();
    const bool here = patch.stack == stackNow() && patch.place != Patch::kEveryPlace;
    return causal && here ? patch.place : 0;
  }

  Stack stackNow() const { return pass_ == base_.get() ? Stack::decoder : Stack::encoder; }

  /// The streams of the running copies, then of those whose stream is replaced here.
  Tensor withStreams(std::vector<Index>& copies, const std::vector<Index>& beginning) const {
    if (beginning.empty()) return streams_;
    const Index before = std::ssize(copies), own = tokens();
    Tensor all = Tensor::uninitialised({1, (before + std::ssize(beginning)) * own, config().dModel},
                                       execution_.memory);
    if (before > 0) copyRows(streams_, 0, before * own, all, 0);
    Index at = before * own;
    for (const Index copy : beginning) {
      copyRows(pass_->hidden(2 * layer_), 0, own, all, at);
      replaceRows(patchAt(copy), all, at);
      at += own;
    }
    copies.insert(copies.end(), beginning.begin(), beginning.end());
    return all;
  }

  /// Writes a patch's rows over those of one copy, which begins at row `at`.
  void replaceRows(const Patch& patch, Tensor& all, Index at) const {
    const Index place = patch.place == Patch::kEveryPlace ? 0 : patch.place;
    copyRows(patch.rows, 0, patch.rows.dim(0), all, at + place);
  }

  /// Runs the layer on copies of the stream, (1, copies · T, D), with a memory of each, if they
  /// have one. What follows the attention is not computed for rows that have not changed; they are
  /// 0 in the result.
  Tensor throughLayer(const Tensor& streams, std::span<const Index> copies, const Tensor& memory,
                      const LayerWeights& weights) const {
    const Index many = std::ssize(copies);
    const ScopedThreadLimit threads(threadsFor(work(many), execution_.threads));
    Tensor x = attentionInput(streams, weights, config(), execution_);
    x = x.reshaped({many, tokens(), x.dim(2)});
    const TracePtr attention = runLayerAttention(
        layerDocument(pass_->document(), layer_, std::move(x), ScoreStorage::weights, memory),
        nullptr, execution_);
    Tensor given = Tensor::zeros({1, many * rowsGiven(), config().dModel});
    if (attention == nullptr) return given;
    const Tensor& output = attention->tensor(TensorId::output);
    const Tensor outputs = output.reshaped({1, many * tokens(), output.dim(2)});
    const auto changed = [&](const Tensor& rows) {
      return last() ? rowOfEach(rows, many, asked_.row) : changedRows(rows, copies);
    };
    const Tensor entered = changed(streams);
    const Tensor whole = afterNetwork(
        entered, afterAttention(entered, changed(outputs), weights, config(), execution_), weights,
        config(), execution_);
    if (last()) return whole;
    for (Index i = 0, from = 0; i < many; ++i) {
      const Index first = firstChanged(copies[static_cast<std::size_t>(i)]);
      const Index rows = tokens() - first;
      copyRows(whole, from, rows, given, i * tokens() + first);
      from += rows;
    }
    return given;
  }

  /// The rows of (1, copies · T, width) that the copies' patches can change, one after the other.
  Tensor changedRows(const Tensor& rows, std::span<const Index> copies) const {
    Index count = 0;
    for (const Index copy : copies) count += tokens() - firstChanged(copy);
    if (count == rows.dim(1)) return rows;
    Tensor some = Tensor::uninitialised({1, count, rows.dim(2)}, execution_.memory);
    for (Index i = 0, at = 0; i < std::ssize(copies); ++i) {
      const Index first = firstChanged(copies[static_cast<std::size_t>(i)]);
      copyRows(rows, i * tokens() + first, tokens() - first, some, at);
      at += tokens() - first;
    }
    return some;
  }

  Tensor onlyGiven(const Tensor& rows, Index copies) const {
    return last() ? rowOfEach(rows, copies, asked_.row) : rows;
  }

  /// Runs the rest of the layer for copies that begin within it.
  Tensor throughPatch(std::span<const Index> copies, const LayerWeights& weights) {
    const Index many = std::ssize(copies);
    const ScopedThreadLimit threads(threadsFor(work(many), execution_.threads));
    const Tensor stream = onlyGiven(copiesOf(pass_->hidden(2 * layer_), many), many);
    Tensor halves = copiesOf(pass_->hidden(2 * layer_ + 1), many);
    Tensor wholes;
    for (Index i = 0; i < many; ++i) {
      const Patch& patch = patchAt(copies[static_cast<std::size_t>(i)]);
      const Index at = i * tokens();
      if (patch.site == Site::network) {
        if (wholes.empty()) wholes = Tensor::zeros(halves.shape());
        copyRows(patchedWhole(patch, weights), 0, tokens(), wholes, at);
      } else {
        const Index copy = copies[static_cast<std::size_t>(i)];
        copyRows(patchedHalf(copy, weights), 0, tokens(), halves, at);
      }
    }
    Tensor given = afterNetwork(stream, onlyGiven(halves, many), weights, config(), execution_);
    if (wholes.empty()) return given;
    const Tensor replaced = onlyGiven(wholes, many);
    for (Index i = 0; i < many; ++i) {
      if (patchAt(copies[static_cast<std::size_t>(i)]).site != Site::network) continue;
      copyRows(replaced, i * rowsGiven(), rowsGiven(), given, i * rowsGiven());
    }
    return given;
  }

  Tensor copiesOf(const Tensor& rows, Index copies) const {
    Tensor all = Tensor::uninitialised({1, copies * tokens(), rows.dim(2)}, execution_.memory);
    for (Index copy = 0; copy < copies; ++copy) copyRows(rows, 0, tokens(), all, copy * tokens());
    return all;
  }

  /// The stream after the layer's attention, with an attention or a part of a head replaced.
  Tensor patchedHalf(Index copy, const LayerWeights& weights) {
    const Patch& patch = patchAt(copy);
    const Tensor& stream = pass_->hidden(2 * layer_);
    if (patch.site == Site::attention) {
      Tensor addition = valuesInLayer(Site::attention, *pass_, layer_, execution_).clone();
      replaceRows(patch, addition, 0);
      return withAddition(stream, addition, weights.attentionNorm, config(), execution_);
    }
    const std::vector<HeadChange> changes = headChanges(*pass_, patch, execution_);
    if (direct_ && patch.stack == Stack::decoder) {
      foundOf(copy).direct = directOf(patch.layer, changes);
    }
    return halfWithChanges(*pass_, layer_, changes, execution_);
  }

  Tensor patchedWhole(const Patch& patch, const LayerWeights& weights) const {
    Tensor addition = valuesInLayer(Site::network, *pass_, layer_, execution_).clone();
    replaceRows(patch, addition, 0);
    return withAddition(pass_->hidden(2 * layer_ + 1), addition, weights.feedForwardNorm, config(),
                        execution_);
  }

  /// Multiply-adds of a layer over some copies, roughly.
  Index work(Index copies) const {
    return 2 * copies * tokens() * config().dModel *
           (2 * config().ffWidth + 4 * config().heads * config().headDim);
  }

  PatchEffect effectOf(std::span<const float> logits) const {
    PatchEffect effect;
    effect.metric = metricOf(logits, asked_);
    effect.probability = RowProbabilities(logits)(asked_.word).probability;
    effect.divergence = divergenceBetween(baseLogits_.matrix({0}).row(0), logits);
    return effect;
  }

  /// Reads the predictions of the group's copies from the last layer's rows.
  void readWords() {
    const Model& model = *base_->document().model;
    const Index all = std::ssize(copies_);
    for (Index from = 0; from < all && !execution_.stop(); from += kLogitsTogether) {
      const Index some = std::min(kLogitsTogether, all - from);
      const ScopedThreadLimit threads(
          threadsFor(2 * some * config().dModel * config().vocabulary, execution_.threads));
      const Tensor ends = normalized(streams_.slice(1, from, from + some).clone(),
                                     model.readout()->norm, config(), execution_);
      const Tensor logits = logitsOf(ends, *model.readout(), config(), execution_, [&](Index row) {
        return trFormat("the logits of patched run {} of {}", from + row + 1, model.name());
      });
      parallelFor(some, execution_, [&](Index i) {
        PatchEffect& found = foundOf(copies_[static_cast<std::size_t>(from + i)]);
        const std::optional<double> direct = found.direct;
        found = effectOf(logits.matrix({0}).row(i));
        found.direct = direct;
      });
    }
    for (std::size_t i = 0; direct_ && i < copies_.size() && !execution_.stop(); ++i) {
      const Patch& patch = patchAt(copies_[i]);
      if (isOfHeads(patch.site) || patch.stack == Stack::encoder) continue;
      foundOf(copies_[i]).direct = directOf(patch);
    }
    copies_.clear();
  }

  PatchEffect& foundOf(Index copy) { return found_[order_[static_cast<std::size_t>(copy)]]; }

  /// The direct part of what heads of a layer give.
  double directOf(Index layer, const std::vector<HeadChange>& changes) const {
    double sum = 0.0;
    for (const auto& [head, change] : changes) {
      sum += direct_->ofHead({layer, head}, change.matrix().row(asked_.row));
    }
    return sum;
  }

  /// The direct part of a changed stream or addition.
  double directOf(const Patch& patch) const {
    const Index row = asked_.row;
    if (patch.place != Patch::kEveryPlace && patch.place != row) return 0.0;
    const Index in = patch.place == Patch::kEveryPlace ? row : 0;
    const Tensor own = valuesInLayer(patch.site, *base_, patch.layer, execution_);
    std::vector<float> change(patch.rows.matrix().row(in).begin(),
                              patch.rows.matrix().row(in).end());
    const std::span<const float> was = own.matrix({0}).row(row);
    for (std::size_t j = 0; j < change.size(); ++j) change[j] -= was[j];
    return direct_->ofAddition(patch.layer, patch.site == Site::network, change);
  }

  ModelTracePtr base_;
  const ModelTrace* pass_;  // of the stack that the copies run through
  std::vector<Patch> patches_;
  AskedWord asked_;
  ExecutionContext execution_;
  std::vector<std::size_t> order_;  // of the patches: the encoder first, by their layers
  Index together_ = 1;              // copies of a group, whose streams fit the memory
  Index units_ = 0, done_ = 0;
  std::optional<DirectPath> direct_;
  Tensor baseLogits_;
  PatchEffect baseEffect_;
  std::vector<PatchEffect> found_;

  Index group_ = 0;            // the first copy of the group
  Index begun_ = 0, end_ = 0;  // the next copy that begins, and the group's end
  Index layer_ = 0;
  std::vector<Index> copies_;  // that run, in the order of their streams
  Tensor streams_;             // (1, copies · T, D)
  Tensor memories_;            // (copies, M, D); empty: all read that of the base pass
  bool ended_ = false;
};

PatchedRuns::PatchedRuns(ModelTracePtr base, std::vector<Patch> patches, const AskedWord& asked,
                         const ExecutionContext& execution)
    : running_(std::make_unique<Running>(std::move(base), std::move(patches), asked, execution)) {}
PatchedRuns::~PatchedRuns() = default;

bool PatchedRuns::runUnit() { return running_->runUnit(); }
Index PatchedRuns::units() const { return running_->units(); }
Index PatchedRuns::unitsDone() const { return running_->unitsDone(); }
const PatchEffect& PatchedRuns::base() const { return running_->base(); }
const std::vector<PatchEffect>& PatchedRuns::effects() const { return running_->effects(); }

}  // namespace headscope::model
