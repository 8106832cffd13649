#include "core/pass.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/clock.h"
#include "core/finite.h"
#include "core/ledger.h"
#include "core/steps/linear.h"
#include "core/steps/over_pieces.h"

namespace headscope {
namespace {

/// Scores whose rows stay in a core's cache from `score` to `weigh`.
constexpr Index kCachedScores = 1 << 16;
constexpr Index kFewestRows = 16;

constexpr std::size_t at(TensorId id) { return static_cast<std::size_t>(id); }

/// A weight matrix and the rows that are multiplied by it.
struct Product {
  TensorId weight, result;
};
constexpr std::array kProducts{
    Product{TensorId::wQ, TensorId::qProj}, Product{TensorId::wK, TensorId::kProj},
    Product{TensorId::wV, TensorId::vProj}, Product{TensorId::wO, TensorId::output}};

/// The steps of the sweep that fill memory, with their results.
struct Swept {
  StepId step;
  TensorId result;
};
constexpr std::array kSwept{Swept{StepId::score, TensorId::rawScores},
                            Swept{StepId::softmax, TensorId::weights},
                            Swept{StepId::weigh, TensorId::heads}};

/// So many times larger numbers than the result may a patch go through: 4 of a float's 24 bits.
constexpr float kDigitsLost = 16.0F;
/// Then all of it is computed: rounding adds up while a hand moves on and on.
constexpr int kMostPatches = 200;

template <typename Value>
void raise(std::atomic<Value>& largest, Value value) {
  Value held = largest.load();
  while (held < value && !largest.compare_exchange_weak(held, value)) {
  }
}

/// The boxes of a change in each (item, head).
using BoxesByHead = std::vector<std::vector<Box>>;

BoxesByHead byHead(const Change& change, const AttentionConfig& c) {
  BoxesByHead boxes(static_cast<std::size_t>(c.batch * c.numHeads));
  for (const Box& box : change.boxes()) {
    boxes[static_cast<std::size_t>(box.item * c.numHeads + box.head)].push_back(box);
  }
  return boxes;
}

}  // namespace

std::vector<SweepLoop> sweepLoops(const AttentionConfig& c) {
  const auto share = [](Index across, Index along) {
    return std::clamp(kCachedScores / across, kFewestRows, std::max(along, kFewestRows));
  };
  const Index rows = share(c.keys(), c.seqLen);
  if (!c.mistakes.softmaxOverQueries) return {{0, kSwept.size(), rows, c.keys()}};
  return {
      {0, 1, rows, c.keys()}, {1, 1, c.seqLen, share(c.seqLen, c.keys())}, {2, 1, rows, c.keys()}};
}

Pass::Pass(const DocumentPtr& document, const Trace* before, const Execution& execution)
    : execution_(execution),
      before_(before),
      trace_(std::make_shared<Trace>(document)),
      patching_(!execution.whole && ledger(document->config).flops >= execution.patchFrom) {
  trace_->setPass(before != nullptr ? before->pass() + 1 : 1);
}

std::shared_ptr<Trace> Pass::run() {
  noteOperands();
  begin(step(StepId::project));
  runLinear(step(StepId::project));
  begin(step(StepId::split));
  done(2);
  if (execution_.stop()) return nullptr;
  for (const StepId id :
       {StepId::score, StepId::scale, StepId::mask, StepId::softmax, StepId::weigh}) {
    begin(step(id));
  }
  sweep();
  begin(step(StepId::concat));
  begin(step(StepId::output));
  done(8);
  if (execution_.stop()) return nullptr;
  runLinear(step(StepId::output));
  if (execution_.stop()) return nullptr;
  finish();
  done(9);
  return std::move(trace_);
}

void Pass::note(TensorId id, Change change) {
  trace_->setRevision(id, change.isNone() ? before_->revision(id) : trace_->pass());
  trace_->setChange(id, change);
  changes_[at(id)] = std::move(change);
}

void Pass::noteOperands() {
  for (std::size_t i = 0; i < kFirstResult; ++i) {
    const auto id = static_cast<TensorId>(i);
    const Tensor& now = trace_->tensor(id);
    Change change = Change::all();
    if (before_ != nullptr) {
      const Tensor& old = before_->tensor(id);
      change = now.sameAs(old) ? Change::none() : now.since(old);
    }
    note(id, std::move(change));
  }
}

Change Pass::changeOf(const Step& step, TensorId output) const {
  if (before_ == nullptr || execution_.whole) return Change::all();
  const Shape shape = shapeOf(output, trace_->config());
  if (shape != shapeOf(output, before_->config())) return Change::all();
  Change change = step.affected(output, {before_->document(), trace_->document(), changes_});
  const bool worthIt = mayPatch(output) && change.cells() * 2 <= elementCount(shape);
  return change.inPart() && !worthIt ? Change::all() : change;
}

Tensor Pass::memoryFor(const Step& step, TensorId output, const Change& change) const {
  if (Tensor view = step.view(output, *trace_); !view.empty()) return view;
  const AttentionConfig& c = trace_->config();
  if (before_ != nullptr) {
    const Tensor& old = before_->tensor(output);
    if (!old.empty() && old.shape() == shapeOf(output, c)) return old.next(change);
  }
  return step.memory(output, c);
}

void Pass::begin(const Step& step) {
  StepRun& run = trace_->steps[static_cast<std::size_t>(step.id())];
  for (const TensorId output : step.outputs()) {
    Change change = changeOf(step, output);
    trace_->put(output,
                change.isNone() ? before_->tensor(output) : memoryFor(step, output, change));
    run.ran = run.ran || !change.isNone();
    note(output, std::move(change));
  }
}

/// Only where a whole product is to come; the trace before may have done it.
void Pass::packWeights(const Step& step) {
  struct Panel {
    std::size_t product;
    Index number;
  };
  std::array<Tensor, kProducts.size()> fresh;
  std::vector<Panel> panels;
  const std::vector<TensorId> outputs = step.outputs();
  for (std::size_t i = 0; i < kProducts.size(); ++i) {
    const auto [id, result] = kProducts[i];
    if (std::find(outputs.begin(), outputs.end(), result) == outputs.end()) continue;
    const Tensor& weight = trace_->tensor(id);
    if (before_ != nullptr && weight.sameAs(before_->tensor(id)) && !before_->packed(id).empty()) {
      trace_->putPacked(id, before_->packed(id));
    } else if (changes_[at(result)].isAll()) {
      fresh[i] = packedMemory(weight);
      for (Index n = 0; n < fresh[i].dim(0); ++n) panels.push_back({i, n});
    }
  }
  overPieces(static_cast<Index>(panels.size()), execution_, [&](Index i) {
    const Panel& panel = panels[static_cast<std::size_t>(i)];
    packPanel(trace_->tensor(kProducts[panel.product].weight), panel.number, fresh[panel.product]);
  });
  if (execution_.stop()) return;
  for (std::size_t i = 0; i < kProducts.size(); ++i) {
    if (!fresh[i].empty()) trace_->putPacked(kProducts[i].weight, std::move(fresh[i]));
  }
}

void Pass::compute(const Step& step, TensorId output, const Box& box) {
  if (patch(step, output, box)) {
    patched_ = true;
  } else if (!step.compute(*trace_, output, box)) {
    overflowed_ = true;
  }
}

bool Pass::mayPatch(TensorId output) const {
  return patching_ && before_ != nullptr && before_->patches[at(output)].passes < kMostPatches;
}

/// What an edit makes far smaller than it was is computed: what is left of a difference of large
/// numbers is their rounding.
bool Pass::patch(const Step& step, TensorId output, const Box& box) {
  if (!mayPatch(output)) return false;
  const std::optional<float> patched = step.patch(*trace_, *before_, output, box);
  if (!patched) return false;
  const float through = std::max(*patched, before_->patches[at(output)].through);
  const float largest = largestMagnitude(trace_->tensor(output).matrixOf(box));
  if (!std::isfinite(largest) || !(through <= kDigitsLost * largest)) return false;
  raise(patchedThrough_[at(output)], through);
  return true;
}

void Pass::runLinear(const Step& step) {
  struct Piece {
    TensorId result;
    Box box;
  };
  const double start = clockSeconds();
  packWeights(step);
  std::vector<Piece> pieces;
  for (const TensorId result : step.outputs()) {
    const Change& change = changes_[at(result)];
    std::vector<Box> boxes;
    if (change.isAll()) {
      const Shape& shape = trace_->tensor(result).shape();
      cutLinear({0, 0, 0, shape[0] * shape[1], 0, shape[2]}, boxes);
    }
    for (const Box& box : change.boxes()) cutLinear(box, boxes);
    for (const Box& box : boxes) pieces.push_back({result, box});
  }
  overPieces(static_cast<Index>(pieces.size()), execution_, [&](Index i) {
    const auto& [result, box] = pieces[static_cast<std::size_t>(i)];
    compute(step, result, box);
  });
  trace_->steps[static_cast<std::size_t>(step.id())].ms = millisecondsSince(start);
}

void Pass::sweep() {
  const AttentionConfig& c = trace_->config();
  const double start = clockSeconds();
  std::array<BoxesByHead, kSwept.size()> parts;
  bool any = false;
  for (std::size_t s = 0; s < kSwept.size(); ++s) {
    const Change& change = changes_[at(kSwept[s].result)];
    any = any || !change.isNone();
    if (change.inPart()) parts[s] = byHead(change, c);
  }
  if (!any) return;

  const std::vector<SweepLoop> loops = sweepLoops(c);
  Index pieces = 0;
  for (const SweepLoop& loop : loops) pieces += loop.pieces(c);
  std::array<std::atomic<std::int64_t>, kSwept.size()> nanoseconds{};
  std::atomic<Index> finished{0};
  for (const SweepLoop& loop : loops) {
    const Index across = loop.across(c);
    const Index perMatrix = loop.down(c) * across;
    overPieces(loop.pieces(c), execution_, [&](Index piece) {
      const Index matrix = piece / perMatrix;
      const Index begin = piece % perMatrix / across * loop.rows;
      const Index end = std::min(begin + loop.rows, c.seqLen);
      double clock = clockSeconds();
      for (std::size_t s = loop.firstStep; s < loop.firstStep + loop.steps; ++s) {
        const auto [id, result] = kSwept[s];
        const Index width = trace_->tensor(result).dim(3);
        const Index left = piece % across * loop.cols;
        const Index cols = across > 1 ? std::min(loop.cols, width - left) : width;
        if (changes_[at(result)].isAll()) {
          compute(step(id), result,
                  {matrix / c.numHeads, matrix % c.numHeads, begin, end - begin, left, cols});
        } else if (!parts[s].empty()) {
          for (const Box& box : parts[s][static_cast<std::size_t>(matrix)]) {
            Box part = box.within(begin, end);
            if (across > 1) {  // where rows are not cut either: such a box is the whole matrix
              part.col = left;
              part.cols = cols;
            }
            if (part.rows > 0) compute(step(id), result, part);
          }
        }
        const double now = clockSeconds();
        nanoseconds[s] += static_cast<std::int64_t>((now - clock) * 1e9);
        clock = now;
      }
      done(2 + static_cast<int>(5 * ++finished / pieces));
    });
  }

  // the threads' time, shared out over the time that went by
  const double elapsed = millisecondsSince(start);
  double all = 0.0;
  for (const auto& n : nanoseconds) all += static_cast<double>(n);
  for (std::size_t s = 0; s < kSwept.size(); ++s) {
    trace_->steps[static_cast<std::size_t>(kSwept[s].step)].ms =
        all > 0.0 ? elapsed * static_cast<double>(nanoseconds[s]) / all : 0.0;
  }
}

void Pass::finish() {
  bool whole = true;
  trace_->patched = patched_;
  for (std::size_t i = kFirstResult; i < kTensorCount; ++i) {
    trace_->patched = trace_->patched || changes_[i].inPart();
    whole = whole && changes_[i].isAll();
    Trace::Patches& patches = trace_->patches[i];
    const float through = patchedThrough_[i];
    if (before_ != nullptr && (!changes_[i].isAll() || through > 0.0F)) {
      patches = before_->patches[i];
    }
    if (through > 0.0F) ++patches.passes;
    patches.through = std::max(patches.through, through);
  }
  if (before_ != nullptr && before_->patched && !whole) trace_->patched = true;
}

void Pass::done(int steps) {
  if (execution_.stepsDone == nullptr) return;
  raise(*execution_.stepsDone, steps);
}

}  // namespace headscope
