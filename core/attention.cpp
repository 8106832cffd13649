#include "core/attention.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "core/error.h"
#include "core/execution.h"
#include "core/finite.h"
#include "core/ledger.h"
#include "core/platform/memory.h"
#include "core/steps/linear.h"
#include "core/steps/terms.h"

namespace headscope {
namespace {

/// Scores whose rows stay in a core's cache from `score` to `weigh`: beside them lie as many
/// weights, and the head's keys and values.
Index cachedScores() {
  constexpr Index kShare = 4;
  static const Index scores = platform::secondCache() / kShare / static_cast<Index>(sizeof(float));
  return scores;
}
/// Of fewer, a product spends more on laying out the keys than the cache gives back.
constexpr Index kFewestRows = 128;

std::size_t at(TensorId id) { return static_cast<std::size_t>(id); }

bool samePins(std::span<const Pin> a, std::span<const Pin> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

/// Every piece of a head reads all of its keys and values: of many pieces, they take longer in rows
/// that lie far apart.
bool putsHeadsDense(const AttentionConfig& c) { return rowsLoops(c).front().down(c) > 1; }

Index denseBytes(const AttentionConfig& c) {
  if (!putsHeadsDense(c)) return 0;
  return 4 * (elementCount(shapeOf(scoredKeys(c), c)) + elementCount(shapeOf(TensorId::v, c)));
}

/// Fills in the results of one pass, step by step.
class StepsRunner {
 public:
  StepsRunner(AttentionTensors& tensors, const AttentionTensors* before, const Execution& execution)
      : tensors_(tensors),
        config_(tensors.config()),
        before_(before),
        execution_(execution),
        steps_(stepsOf(config_)) {
    for (const Step* step : steps_) done_.steps.push_back({step->id()});
  }

  std::optional<StepsDone> run() {
    noteOperands();
    for (std::size_t first = 0; first < steps_.size();) {
      std::size_t end = first + 1;
      if (steps_[first]->work() == StepWork::rows) {
        while (end < steps_.size() && steps_[end]->work() == StepWork::rows) ++end;
      }
      for (std::size_t i = first; i < end; ++i) begin(i);
      if (steps_[first]->work() == StepWork::linear) runLinear(first);
      if (steps_[first]->work() == StepWork::heads) runHeads(first);
      if (steps_[first]->work() == StepWork::rows) runRows(first, end);
      if (execution_.stop()) return std::nullopt;
      first = end;
      tellDone(first);
    }
    done_.overflowed = overflowed_;
    return std::move(done_);
  }

 private:
  bool changed(TensorId id) const { return done_.changed[at(id)]; }

  void noteOperands() {
    for (std::size_t i = 0; i < kFirstResult; ++i) {
      const auto id = static_cast<TensorId>(i);
      done_.changed[i] = before_ == nullptr || !tensors_.tensor(id).sameAs(before_->tensor(id));
    }
  }

  bool hasToBeComputed(const Step& step, TensorId output) const {
    if (before_ == nullptr) return true;
    const AttentionConfig& then = before_->config();
    if (shapeOf(output, config_) != shapeOf(output, then)) return true;
    if (isStoredScores(output) && tensors_.holdsScores() != before_->holdsScores()) return true;
    if (!step.sameSettings(then, config_)) return true;
    const std::vector<TensorId> operands = step.operands(output, config_);
    return operands != step.operands(output, then) ||
           std::any_of(operands.begin(), operands.end(),
                       [this](TensorId id) { return changed(id); }) ||
           !samePins(before_->pins().of(output), tensors_.pins().of(output));
  }

  /// Settles which outputs of a step are computed, and where they lie.
  void begin(std::size_t place) {
    const Step& step = *steps_[place];
    for (const TensorId output : step.outputs()) {
      if (hasToBeComputed(step, output)) {
        done_.changed[at(output)] = true;
        done_.steps[place].ran = true;
        const bool held = tensors_.holdsScores() || !isStoredScores(output);
        if (held) tensors_.put(output, memoryFor(step, output));
      } else {
        tensors_.put(output, before_->tensor(output));
      }
    }
  }

  Tensor memoryFor(const Step& step, TensorId output) const {
    return step.work() == StepWork::view ? step.view(output, tensors_)
                                         : step.memory(output, config_, execution_.memory);
  }

  /// Only those of products that are to come; the pass before may have done it.
  void packWeights(const std::vector<LinearLayer>& layers) {
    struct Panel {
      std::size_t layer;
      Index number;
    };
    std::vector<Tensor> fresh(layers.size());
    std::vector<Panel> panels;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const TensorId id = layers[i].weight;
      const Tensor& weight = tensors_.tensor(id);
      if (before_ != nullptr && !changed(id) && !before_->packed(id).empty()) {
        tensors_.putPacked(id, before_->packed(id));
      } else if (changed(layers[i].y)) {
        fresh[i] = packedMemory(weight, execution_.memory);
        for (Index n = 0; n < fresh[i].dim(0); ++n) panels.push_back({i, n});
      }
    }
    overPieces(static_cast<Index>(panels.size()), execution_, [&](Index i) {
      const Panel& panel = panels[static_cast<std::size_t>(i)];
      packPanel(tensors_.tensor(layers[panel.layer].weight), panel.number, fresh[panel.layer]);
    });
    if (execution_.stop()) return;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      if (!fresh[i].empty()) tensors_.putPacked(layers[i].weight, std::move(fresh[i]));
    }
  }

  void runLinear(std::size_t place) {
    struct Piece {
      const LinearLayer& layer;
      Box box;
    };
    const double start = clockSeconds();
    const std::vector<LinearLayer> layers = steps_[place]->layers(config_);
    packWeights(layers);
    std::vector<Piece> pieces;
    for (const LinearLayer& layer : layers) {
      if (!changed(layer.y)) continue;
      for (const Box& box : linearPieces(tensors_.tensor(layer.y).shape())) {
        pieces.push_back({layer, box});
      }
    }
    overPieces(static_cast<Index>(pieces.size()), execution_, [&](Index i) {
      const auto& [layer, box] = pieces[static_cast<std::size_t>(i)];
      if (!computeLinear(tensors_, layer, box)) overflowed_ = true;
    });
    done_.steps[place].ms = millisecondsSince(start);
  }

  void runHeads(std::size_t place) {
    const double start = clockSeconds();
    for (const TensorId output : steps_[place]->outputs()) {
      if (!changed(output)) continue;
      overRowsOfAllHeads(tensors_.tensor(output), execution_, [&](const Box& box) {
        if (!steps_[place]->compute(tensors_, output, box)) overflowed_ = true;
      });
    }
    done_.steps[place].ms = millisecondsSince(start);
  }

  /// The steps [first, end), all of which work on rows of single heads.
  void runRows(std::size_t first, std::size_t end) {
    const double start = clockSeconds();
    struct Filled {  // those that have memory to fill
      std::size_t place;
      TensorId result;
      bool changed;
    };
    std::vector<Filled> filled;
    bool any = false;
    for (std::size_t i = first; i < end; ++i) {
      for (const TensorId output : steps_[i]->outputs()) {
        if (isComputedOnDemand(output)) continue;
        filled.push_back({i, output, changed(output)});
        any = any || changed(output);
      }
    }
    if (!any) {
      if (tensors_.holdsScores()) return;
      for (const TensorId id : {scoredKeys(config_), TensorId::v}) {
        tensors_.putDense(id, before_->dense(id));
      }
      return;
    }

    const std::vector<RowsLoop> loops = rowsLoops(config_);
    const bool held = tensors_.holdsScores();
    if (putsHeadsDense(config_)) {
      if (changed(TensorId::rawScores) || !held) putDense(scoredKeys(config_));
      if (changed(TensorId::heads) || !held) putDense(TensorId::v);
    }
    Index pieces = 0;
    for (const RowsLoop& loop : loops) pieces += loop.pieces(config_);
    std::vector<std::atomic<std::int64_t>> nanoseconds(filled.size());
    std::atomic<Index> finished{0};
    for (const RowsLoop& loop : loops) {
      const Index across = loop.across(config_);
      const Index perMatrix = loop.down(config_) * across;
      overPieces(loop.pieces(config_), execution_, [&](Index piece) {
        const Index matrix = piece / perMatrix;
        const Index row = piece % perMatrix / across * loop.rows;
        Box box{matrix / config_.numHeads, matrix % config_.numHeads, row,
                std::min(loop.rows, config_.seqLen - row)};
        double clock = clockSeconds();
        std::optional<AttentionTensors> rowsAtWork;
        if (!held) rowsAtWork.emplace(tensors_.withRows(box, execution_.memory));
        AttentionTensors& tensors = rowsAtWork ? *rowsAtWork : tensors_;
        for (std::size_t s = loop.firstStep; s < loop.firstStep + loop.steps; ++s) {
          // what is not held is there for the steps after it alone
          if (!filled[s].changed && held) continue;
          if (!filled[s].changed && !isStoredScores(filled[s].result)) continue;
          const Index width = shapeOf(filled[s].result, config_).back();
          box.col = across > 1 ? piece % across * loop.cols : 0;
          box.cols = across > 1 ? std::min(loop.cols, width - box.col) : width;
          if (!steps_[filled[s].place]->compute(tensors, filled[s].result, box)) {
            overflowed_ = true;
          }
          const double now = clockSeconds();
          nanoseconds[s] += static_cast<std::int64_t>((now - clock) * 1e9);
          clock = now;
        }
        const auto steps = static_cast<Index>(end - first);
        tellDone(first + static_cast<std::size_t>(steps * ++finished / pieces));
      });
    }

    if (held) {
      for (const TensorId id : {scoredKeys(config_), TensorId::v}) tensors_.putDense(id, {});
    }

    // the threads' time, shared out over the time that went by
    const double elapsed = millisecondsSince(start);
    double all = 0.0;
    for (const auto& n : nanoseconds) all += static_cast<double>(n);
    for (std::size_t s = 0; s < filled.size(); ++s) {
      done_.steps[filled[s].place].ms =
          all > 0.0 ? elapsed * static_cast<double>(nanoseconds[s]) / all : 0.0;
    }
  }

  void putDense(TensorId id) {
    const Tensor& from = tensors_.tensor(id);
    Tensor dense = Tensor::uninitialised(from.shape(), execution_.memory);
    const Index heads = dense.dim(1);
    overPieces(dense.dim(0) * heads, execution_, [&](Index piece) {
      const ConstMatrixView rows = from.matrix({piece / heads, piece % heads});
      const MatrixView to = dense.mutableMatrix({piece / heads, piece % heads});
      for (Index row = 0; row < rows.rows; ++row) {
        std::copy_n(rows.row(row).data(), rows.cols, to.row(row).data());
      }
    });
    tensors_.putDense(id, std::move(dense));
  }

  void tellDone(std::size_t steps) const {
    if (execution_.stepsDone == nullptr) return;
    const auto now = static_cast<int>(steps);
    int told = execution_.stepsDone->load();
    while (told < now && !execution_.stepsDone->compare_exchange_weak(told, now)) {
    }
  }

  AttentionTensors& tensors_;
  const AttentionConfig& config_;
  const AttentionTensors* before_;
  const Execution& execution_;
  std::span<const Step* const> steps_;
  StepsDone done_;
  std::atomic<bool> overflowed_{false};
};

[[noreturn]] void refuseOverflow(TensorId id, const Shape& index) {
  throw UserError(fmt::format("{}[{}] does not fit a 32-bit float (it overflows 3.4e38): {}",
                              info(id).name, fmt::join(index, ", "),
                              id == TensorId::scores
                                  ? "the temperature is too low for these scores, raise it"
                                  : "the input or the weights are too large, scale them down"));
}

/// Of scores that are not stored.
void checkRows(const AttentionTensors& tensors, TensorId id) {
  const AttentionConfig& c = tensors.config();
  Tensor row = Tensor::uninitialised({c.keys()});
  for (Index item = 0; item < c.batch; ++item) {
    for (Index head = 0; head < c.numHeads; ++head) {
      for (Index i = 0; i < c.seqLen; ++i) {
        tensors.tile(id, item, head, i, 1, 0, c.keys(), row.mutableData());
        if (const auto j = firstNotFinite(row)) refuseOverflow(id, {item, head, i, j->front()});
      }
    }
  }
}

/// The first result that overflowed, for a pass where some did.
void refuseNotFinite(const AttentionTensors& tensors) {
  for (const TensorId id : {TensorId::qProj, TensorId::kProj, TensorId::vProj, TensorId::qNorm,
                            TensorId::kNorm, TensorId::qRot, TensorId::kRot, TensorId::rawScores,
                            TensorId::scores, TensorId::heads, TensorId::output}) {
    if (id == TensorId::scores || (isStoredScores(id) && !tensors.holdsScores())) {
      // finite raw scores, multiplied up
      const bool mayOverflow = id != TensorId::scores || tensors.config().scoreMultiplier() > 1.0F;
      if (mayOverflow) checkRows(tensors, id);
      continue;
    }
    // heads lie in memory as (B,T,H,d_k): read in that order, named in their own
    const Tensor& tensor = tensors.tensor(id);
    const bool turned = !tensor.contiguous();
    auto index = firstNotFinite(turned ? tensor.transposed(1, 2) : tensor);
    if (!index) continue;
    if (turned) std::swap((*index)[1], (*index)[2]);
    refuseOverflow(id, *index);
  }
}

std::vector<FullyMaskedRow> fullyMaskedRows(const AttentionConfig& c) {
  std::vector<FullyMaskedRow> rows;
  if (c.mask.none() || c.mistakes.zeroForMasked) return rows;
  for (Index item = 0; item < c.batch; ++item) {
    for (Index row = 0; row < c.seqLen; ++row) {
      if (allowedKeys(c.mask, item, row, c.keys()).any()) continue;
      for (Index head = 0; head < c.numHeads; ++head) rows.push_back({item, head, row});
    }
  }
  return rows;
}

}  // namespace

std::vector<RowsLoop> rowsLoops(const AttentionConfig& c) {
  const auto share = [](Index across, Index along) {
    return std::clamp(cachedScores() / across, kFewestRows, std::max(along, kFewestRows));
  };
  constexpr std::size_t kFilling = 3;  // score, softmax and weigh fill memory
  const Index rows = share(c.keys(), c.seqLen);
  if (!c.mistakes.softmaxOverQueries) return {{0, kFilling, rows, c.keys()}};
  return {
      {0, 1, rows, c.keys()}, {1, 1, c.seqLen, share(c.seqLen, c.keys())}, {2, 1, rows, c.keys()}};
}

Index recentBlocks(const AttentionConfig& c) {
  constexpr Index kBytes = Index{256} << 20;
  const RowsLoop loop = rowsLoops(c).front();
  const Index each = 8 * loop.rows * c.keys();
  // one row of every head is often looked at together
  return std::min(loop.pieces(c), std::max(c.numHeads, kBytes / each));
}

std::optional<StepsDone> runSteps(AttentionTensors& tensors, const AttentionTensors* before,
                                  const Execution& execution) {
  return StepsRunner(tensors, before, execution).run();
}

TracePtr runAttention(const DocumentPtr& document, const TracePtr& previous,
                      const Execution& execution) {
  if (execution.memory != nullptr) {
    const Ledger cost = ledger(document->config, document->holdsScores);
    execution.memory->keepFree(cost.resultBytes + denseBytes(document->config));
  }
  return runLayerAttention(document, previous, execution);
}

TracePtr runLayerAttention(const DocumentPtr& document, const TracePtr& previous,
                           const Execution& execution) {
  const double start = clockSeconds();
  const Ledger cost = ledger(document->config);
  const ThreadCount threads(threadsFor(cost.flops, execution.threads, execution.flopsPerThread));
  const auto trace = std::make_shared<Trace>(document);
  std::optional<StepsDone> done = runSteps(*trace, previous.get(), execution);
  if (!done) return nullptr;
  if (done->overflowed) refuseNotFinite(*trace);
  trace->steps = std::move(done->steps);
  trace->setPass(previous != nullptr ? previous->pass() + 1 : 1);
  for (std::size_t i = 0; i < kEveryTensorCount; ++i) {
    const auto id = static_cast<TensorId>(i);
    // what a pass does not have, the first one has not either
    const bool fresh = previous == nullptr || done->changed[i];
    trace->setRevision(id, fresh ? trace->pass() : previous->revision(id));
  }
  trace->fullyMaskedRows = done->changed[at(TensorId::maskedScores)]
                               ? fullyMaskedRows(document->config)
                               : previous->fullyMaskedRows;
  trace->ms = millisecondsSince(start);
  return trace;
}

}  // namespace headscope
