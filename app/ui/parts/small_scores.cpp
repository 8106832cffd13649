#include "app/ui/parts/small_scores.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "app/ui/parts/matrix.h"
#include "app/ui/parts/reduce.h"
#include "core/base/execution.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

using SmallScoresPtr = std::shared_ptr<const SmallScores>;

constexpr std::array kTensors{TensorId::rawScores, TensorId::scores, TensorId::maskedScores,
                              TensorId::weights};
constexpr Index kBytes = Index{64} << 20;  // the memory of all pictures
constexpr Index kFinest = 512;             // the most cells along a side
constexpr Index kPieces = 32;              // ranges of adjacent rows, which share their blocks

SmallScores noneYet(const Trace& pass, Index item) {
  const Index each = kBytes / (pass.numHeads() * std::ssize(kTensors) * Index{sizeof(float)});
  const Index side = std::min(kFinest, static_cast<Index>(std::sqrt(static_cast<double>(each))));
  SmallScores small;
  small.item = item;
  small.rows = std::min(pass.queries(), side);
  small.cols = std::min(pass.keys(), side);
  small.heads.resize(static_cast<std::size_t>(pass.numHeads()));
  return small;
}

/// Computes the picture of one head; null where cancelled.
std::shared_ptr<const SmallScores::Head> smallHead(const Trace& trace, const SmallScores& of,
                                                   Index head, const std::atomic<bool>& cancelled) {
  SmallScores::Head made;
  std::array<CellRows, kTensors.size()> rows;
  for (std::size_t i = 0; i < kTensors.size(); ++i) {
    made.cells[i].resize(static_cast<std::size_t>(of.rows * of.cols));
    rows[i] = reduced(cellsOf(trace, wholeMatrix(kTensors[i], trace.config(), of.item, head)),
                      of.rows, of.cols);
  }
  const ExecutionContext execution{.cancelled = &cancelled};
  const Index pieces = std::min(of.rows, kPieces);
  parallelFor(pieces, execution, [&](Index piece) {
    const Index end = (piece + 1) * of.rows / pieces;
    for (Index row = piece * of.rows / pieces; row < end && !execution.stop(); ++row) {
      const auto at = static_cast<std::size_t>(row * of.cols);
      for (std::size_t i = 0; i < kTensors.size(); ++i) {
        rows[i].read(row, std::span(made.cells[i]).subspan(at, static_cast<std::size_t>(of.cols)));
      }
    }
  });
  if (execution.stop()) return nullptr;
  return std::make_shared<const SmallScores::Head>(std::move(made));
}

/// Returns the head to compute next: the chosen one, else the first missing one; none where all are
/// ready.
std::optional<Index> nextHead(const SmallScores& small, Index chosen) {
  if (small.heads[static_cast<std::size_t>(chosen)] == nullptr) return chosen;
  const auto found = std::find(small.heads.begin(), small.heads.end(), nullptr);
  if (found == small.heads.end()) return std::nullopt;
  return found - small.heads.begin();
}

}  // namespace

TracePtr BackgroundSmallScores::shown(const TracePtr& pass, Index item, Index head,
                                      Computations& computations) {
  if (pass->holds(TensorId::rawScores)) {
    *this = {};
    return pass;
  }
  struct Known {
    Fingerprint values;
    SmallScoresPtr small;
  };
  constexpr const char* kName = "small scores";
  Fingerprint values(kName, item);
  for (const TensorId id : kTensors) values.add(pass->revision(id));
  SmallScoresPtr small = small_;
  if (small == nullptr || !(values == values_)) {
    small = std::make_shared<SmallScores>(noneYet(*pass, item));
    values_ = values;
  }
  const Known* there = computations.last<Known>(kName);
  if (there != nullptr && there->values == values) small = there->small;
  if (const auto next = nextHead(*small, head)) {
    const Fingerprint key("small scores of a head", values, *next);
    computations.request<Known>(kName, key, Schedule::background, [&] {
      return [=](const std::atomic<bool>& cancelled) -> std::optional<Known> {
        auto made = smallHead(*pass, *small, *next, cancelled);
        if (made == nullptr) return std::nullopt;
        auto with = std::make_shared<SmallScores>(*small);
        with->heads[static_cast<std::size_t>(*next)] = std::move(made);
        return Known{values, std::move(with)};
      };
    });
  }
  if (pass_ != pass || small_ != small) {
    pass_ = pass;
    small_ = small;
    shown_ = withSmallScores(*pass, small);
  }
  return shown_;
}

}  // namespace headscope::ui
