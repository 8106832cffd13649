#include "core/attention/run_steps.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "core/attention/config.h"
#include "core/attention/steps/linear.h"
#include "core/attention/steps/terms.h"
#include "core/attention/switches.h"
#include "core/platform/memory.h"

namespace headscope {
namespace {

/// The number of scores that stay in a core's cache from `score` to `weigh`, with as many weights
/// and the head's keys and values.
Index cachedScores() {
  constexpr Index kShare = 4;
  static const Index scores = platform::secondCache() / kShare / static_cast<Index>(sizeof(float));
  return scores;
}
/// The fewest rows of a piece. With fewer, packing the keys for the product costs more than the
/// cache saves.
constexpr Index kFewestRows = 128;

std::size_t at(TensorId id) { return static_cast<std::size_t>(id); }

bool samePins(std::span<const Pin> a, std::span<const Pin> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

/// Returns whether keys and values are copied to dense rows. Every piece of a head reads all of
/// them, so with several pieces distant rows would cost more.
bool putsHeadsDense(const AttentionConfig& c) { return rowsLoops(c).front().down(c) > 1; }

/// One run of the steps of a configuration over the operands in `tensors`.
class StepsRun {
 public:
  StepsRun(AttentionTensors& tensors, const AttentionTensors* before,
           const ExecutionContext& execution)
      : tensors_(tensors),
        config_(tensors.config()),
        before_(before),
        execution_(execution),
        steps_(stepsOf(config_)) {
    for (const Step* step : steps_) done_.steps.push_back({step->id()});
    noteOperands();
  }

  /// Runs all steps. Returns nothing where cancelled.
  std::optional<StepsDone> run() {
    while (next_ < steps_.size()) {
      reportProgress(next_);
      if (!runNext()) return std::nullopt;
    }
    reportProgress(next_);
    done_.overflowed = overflowed_;
    return std::move(done_);
  }

 private:
  /// Runs the next step, or all of the next steps that work on rows together. False where the run
  /// was cancelled.
  bool runNext() {
    const std::size_t first = next_++;
    const StepWork work = steps_[first]->work();
    if (work == StepWork::rows) {
      while (next_ < steps_.size() && steps_[next_]->work() == StepWork::rows) ++next_;
    }
    for (std::size_t i = first; i < next_; ++i) begin(i);
    if (work == StepWork::linear) return runLinear(first);
    if (work == StepWork::heads) return runHeads(first);
    if (work == StepWork::rows) return runRows(first, next_);
    return !execution_.stop();
  }

  /// Runs one parallel loop of a step and adds its time to the step. False where the run was
  /// cancelled.
  template <typename Function>
  bool runLoop(std::size_t place, Index pieces, Function&& piece) {
    const double start = clockSeconds();
    parallelFor(pieces, execution_, piece);
    done_.steps[place].ms += millisecondsSince(start);
    return !execution_.stop();
  }

  bool changed(TensorId id) const { return done_.changed[at(id)]; }

  void noteOperands() {
    for (std::size_t i = 0; i < kEveryTensorCount; ++i) {
      const auto id = static_cast<TensorId>(i);
      if (isResult(id)) continue;
      done_.changed[i] = before_ == nullptr || !tensors_.tensor(id).sameAs(before_->tensor(id));
    }
  }

  bool hasToBeComputed(const Step& step, TensorId output) const {
    if (before_ == nullptr) return true;
    const AttentionConfig& then = before_->config();
    if (shapeOf(output, config_) != shapeOf(output, then)) return true;
    if (tensors_.holds(output) != before_->holds(output)) return true;
    if (!sameSwitches(step.id(), then, config_) || !step.sameSettings(then, config_)) return true;
    const std::vector<TensorId> operands = step.operands(output, config_);
    return operands != step.operands(output, then) ||
           std::any_of(operands.begin(), operands.end(),
                       [this](TensorId id) { return changed(id); }) ||
           !samePins(before_->pins().of(output), tensors_.pins().of(output));
  }

  /// Determines which outputs of a step are computed, and provides their memory.
  void begin(std::size_t place) {
    const Step& step = *steps_[place];
    for (const TensorId output : step.outputs()) {
      if (hasToBeComputed(step, output)) {
        done_.changed[at(output)] = true;
        done_.steps[place].ran = true;
        if (tensors_.holds(output)) tensors_.put(output, memoryFor(step, output));
      } else {
        tensors_.put(output, before_->tensor(output));
      }
    }
  }

  Tensor memoryFor(const Step& step, TensorId output) const {
    return step.work() == StepWork::view ? step.view(output, tensors_)
                                         : step.memory(output, config_, execution_.memory);
  }

  /// Packs the weights of the computed products, unless the previous pass has packed them.
  bool pack(std::size_t place, const std::vector<LinearLayer>& layers) {
    struct PanelContext {
      TensorId weight;
      Index number;
      Tensor packed;
    };
    std::vector<PanelContext> panels;
    for (const LinearLayer& layer : layers) {
      const TensorId id = layer.weight;
      if (before_ != nullptr && !changed(id) && !before_->packed(id).empty()) {
        tensors_.putPacked(id, before_->packed(id));
      } else if (changed(layer.y)) {
        const Tensor fresh = packedMemory(tensors_.tensor(id), execution_.memory);
        for (Index n = 0; n < fresh.dim(0); ++n) panels.push_back({id, n, fresh});
      }
    }
    const bool packed = runLoop(place, std::ssize(panels), [&](Index i) {
      PanelContext& panel = panels[static_cast<std::size_t>(i)];
      packPanel(tensors_.tensor(panel.weight), panel.number, panel.packed);
    });
    if (!packed) return false;
    for (PanelContext& panel : panels) tensors_.putPacked(panel.weight, std::move(panel.packed));
    return true;
  }

  bool runLinear(std::size_t place) {
    struct Piece {
      LinearLayer layer;
      Box box;
    };
    const std::vector<LinearLayer> layers = steps_[place]->layers(config_);
    if (!pack(place, layers)) return false;
    std::vector<Piece> pieces;
    for (const LinearLayer& layer : layers) {
      if (!changed(layer.y)) continue;
      for (const Box& box : linearPieces(tensors_.tensor(layer.y).shape())) {
        pieces.push_back({layer, box});
      }
    }
    // Q, K and V of the first heads come first: the thread that computes them continues with these
    // heads' scores
    if (layers.size() > 1) {
      std::ranges::stable_sort(pieces, {}, [this](const Piece& piece) {
        return static_cast<double>(piece.box.col) /
               static_cast<double>(tensors_.tensor(piece.layer.y).dim(2));
      });
    }
    return runLoop(place, std::ssize(pieces), [&](Index i) {
      const auto& [layer, box] = pieces[static_cast<std::size_t>(i)];
      if (!computeLinear(tensors_, layer, box)) overflowed_ = true;
    });
  }

  bool runHeads(std::size_t place) {
    const Step& step = *steps_[place];
    for (const TensorId output : step.outputs()) {
      if (!changed(output)) continue;
      const RowsOfAllHeads rows(tensors_.tensor(output).shape());
      const bool ran = runLoop(place, rows.pieces(), [&](Index i) {
        if (!step.compute(tensors_, output, rows.box(i))) overflowed_ = true;
      });
      if (!ran) return false;
    }
    return !execution_.stop();
  }

  /// The results that the steps on rows of single heads fill in together.
  struct RowsWork {
    struct Filled {
      std::size_t place;
      TensorId result;
      bool computed;  // it changed; or it is not stored and the next result needs it
    };
    std::size_t first, end;  // of the steps
    std::vector<Filled> filled = {};
    std::vector<std::atomic<std::int64_t>> nanoseconds = {};  // of all threads, as `filled`
    Index pieces = 0;
    std::atomic<Index> finished{0};
  };

  bool runRows(std::size_t first, std::size_t end) {
    RowsWork work{first, end};
    bool any = false;
    for (std::size_t i = first; i < end; ++i) {
      for (const TensorId output : steps_[i]->outputs()) {
        if (isComputedOnDemand(output)) continue;
        work.filled.push_back({i, output, changed(output)});
        any = any || changed(output);
      }
    }
    bool nextComputed = false;
    for (auto filled = work.filled.rbegin(); filled != work.filled.rend(); ++filled) {
      filled->computed = filled->computed || (nextComputed && !tensors_.holds(filled->result));
      nextComputed = filled->computed;
    }
    for (const RowsWork::Filled& filled : work.filled) {
      if (!layDense(filled)) return false;
    }
    if (!any) return true;

    work.nanoseconds = std::vector<std::atomic<std::int64_t>>(work.filled.size());
    const std::vector<RowsLoop> loops = rowsLoops(config_);
    for (const RowsLoop& loop : loops) work.pieces += loop.pieces(config_);
    const double start = clockSeconds();
    for (const RowsLoop& loop : loops) {
      parallelFor(loop.pieces(config_), execution_,
                  [&](Index piece) { rowsPiece(work, loop, piece); });
      if (execution_.stop()) return false;
    }
    endRows(work, millisecondsSince(start));
    return true;
  }

  void rowsPiece(RowsWork& work, const RowsLoop& loop, Index piece) {
    const Index across = loop.across(config_);
    const Index perMatrix = loop.down(config_) * across;
    const Index matrix = piece / perMatrix;
    const Index row = piece % perMatrix / across * loop.rows;
    Box box{matrix / config_.numHeads, matrix % config_.numHeads, row,
            std::min(loop.rows, config_.seqLen - row)};
    double clock = clockSeconds();
    std::optional<AttentionTensors> rowsAtWork;
    if (!tensors_.holds(TensorId::rawScores)) {
      rowsAtWork.emplace(tensors_.withRows(box, execution_.memory));
    }
    AttentionTensors& tensors = rowsAtWork ? *rowsAtWork : tensors_;
    for (std::size_t s = loop.firstStep; s < loop.firstStep + loop.steps; ++s) {
      const RowsWork::Filled& filled = work.filled[s];
      if (!filled.computed) continue;
      const Index width = shapeOf(filled.result, config_).back();
      box.col = across > 1 ? piece % across * loop.cols : 0;
      box.cols = across > 1 ? std::min(loop.cols, width - box.col) : width;
      if (!steps_[filled.place]->compute(tensors, filled.result, box)) overflowed_ = true;
      const double now = clockSeconds();
      work.nanoseconds[s] += static_cast<std::int64_t>((now - clock) * 1e9);
      clock = now;
    }
    const auto steps = static_cast<Index>(work.end - work.first);
    reportProgress(work.first + static_cast<std::size_t>(steps * ++work.finished / work.pieces));
  }

  /// Divides the elapsed time among the steps in proportion to their threads' time.
  void endRows(const RowsWork& work, double elapsed) {
    if (tensors_.holds(TensorId::rawScores)) tensors_.putDense(scoredKeys(config_), {});
    tensors_.putDense(TensorId::v, {});
    double all = 0.0;
    for (const auto& n : work.nanoseconds) all += static_cast<double>(n);
    for (std::size_t s = 0; s < work.filled.size(); ++s) {
      done_.steps[work.filled[s].place].ms +=
          all > 0.0 ? elapsed * static_cast<double>(work.nanoseconds[s]) / all : 0.0;
    }
  }

  /// Makes a dense copy of the keys or values that a result is computed from, where that pays. It
  /// serves this pass and, for keys where raw scores are not stored, later readers of scores. False
  /// where the run was cancelled.
  bool layDense(const RowsWork::Filled& filled) {
    const auto& [place, result, computed] = filled;
    if (result != TensorId::rawScores && result != TensorId::heads) return true;
    const bool keys = result == TensorId::rawScores;
    const TensorId id = keys ? scoredKeys(config_) : TensorId::v;
    if (!computed) {
      if (keys && !tensors_.holds(result)) tensors_.putDense(id, before_->dense(id));
      return true;
    }
    if (!putsHeadsDense(config_)) return true;
    const Tensor from = tensors_.tensor(id);
    Tensor dense = Tensor::uninitialised(from.shape(), execution_.memory);
    const Index heads = from.dim(1);
    const bool ran = runLoop(place, from.dim(0) * heads, [&](Index piece) {
      const ConstMatrixView rows = from.matrix({piece / heads, piece % heads});
      const MatrixView to = dense.mutableMatrix({piece / heads, piece % heads});
      for (Index row = 0; row < rows.rows; ++row) {
        std::copy_n(rows.row(row).data(), rows.cols, to.row(row).data());
      }
    });
    if (ran) tensors_.putDense(id, std::move(dense));
    return ran;
  }

  void reportProgress(std::size_t steps) const {
    if (execution_.stepsDone == nullptr) return;
    const auto now = static_cast<int>(steps);
    int reported = execution_.stepsDone->load();
    while (reported < now && !execution_.stepsDone->compare_exchange_weak(reported, now)) {
    }
  }

  AttentionTensors& tensors_;
  const AttentionConfig& config_;
  const AttentionTensors* before_;
  const ExecutionContext& execution_;
  std::span<const Step* const> steps_;
  std::size_t next_ = 0;  // the step that is begun next
  StepsDone done_;
  std::atomic<bool> overflowed_{false};
};

}  // namespace

std::optional<StepsDone> runSteps(AttentionTensors& tensors, const AttentionTensors* before,
                                  const ExecutionContext& execution) {
  return StepsRun(tensors, before, execution).run();
}

Index denseBytes(const AttentionConfig& c) {
  if (!putsHeadsDense(c)) return 0;
  return 4 * (elementCount(shapeOf(scoredKeys(c), c)) + elementCount(shapeOf(TensorId::v, c)));
}

Index RowsLoop::down(const AttentionConfig& c) const { return (c.seqLen + rows - 1) / rows; }

Index RowsLoop::across(const AttentionConfig& c) const { return (c.keys() + cols - 1) / cols; }

Index RowsLoop::pieces(const AttentionConfig& c) const {
  return c.batch * c.numHeads * down(c) * across(c);
}

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

Index recentBlockBytes(const AttentionConfig& c, ScoreStorage held) {
  const Index tensors = held == ScoreStorage::none ? 2 : 1;
  return 4 * tensors * rowsLoops(c).front().rows * c.keys();
}

Index recentBlocks(const AttentionConfig& c, ScoreStorage held) {
  constexpr Index kBytes = Index{256} << 20;
  if (held == ScoreStorage::all) return 0;
  // readers often use one row of every head together
  const Index fewest = c.numHeads;
  const Index most = held == ScoreStorage::none ? kBytes / recentBlockBytes(c, held) : fewest;
  return std::min(rowsLoops(c).front().pieces(c), std::max(fewest, most));
}

}  // namespace headscope
