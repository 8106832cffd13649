#include "core/training/snapshots.h"

#include <algorithm>

namespace headscope::training {
namespace {

Tensor copyOf(const Tensor& tensor) { return tensor.empty() ? Tensor() : tensor.clone(); }

/// Copies into the existing memory of `to`, which may be a view of a larger tensor.
void putBack(const Tensor& from, Tensor& to) {
  if (from.empty()) {
    to = Tensor();
    return;
  }
  if (to.empty()) to = Tensor::uninitialised(from.shape());
  std::copy_n(from.data(), from.size(), to.mutableData());
}

Index bytesOf(std::span<const Tensor> tensors) {
  Index bytes = 0;
  for (const Tensor& tensor : tensors) {
    if (!tensor.empty()) bytes += tensor.size() * static_cast<Index>(sizeof(float));
  }
  return bytes;
}

}  // namespace

Index Snapshot::bytes() const { return bytesOf(values) + bytesOf(means) + bytesOf(squares); }

void putInto(const Snapshot& snapshot, std::span<Parameter> parameters) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    putBack(snapshot.values[i], parameters[i].value);
    putBack(snapshot.means[i], parameters[i].mean);
    putBack(snapshot.squares[i], parameters[i].square);
  }
}

template <typename Wanted>
void Snapshots::keep(Wanted wanted) {
  std::erase_if(all_, [&](const Snapshot& each) {
    if (wanted(each)) return false;
    bytes_ -= each.bytes();
    return true;
  });
}

void Snapshots::add(Index step, std::span<const Parameter> parameters, bool stays) {
  if (all_.empty()) stays = true;
  if (!stays && step % every_ != 0) return;
  if (!all_.empty() && all_.back().step == step) return;
  Snapshot snapshot{step, stays, {}, {}, {}};
  for (const Parameter& parameter : parameters) {
    snapshot.values.push_back(copyOf(parameter.value));
    snapshot.means.push_back(copyOf(parameter.mean));
    snapshot.squares.push_back(copyOf(parameter.square));
  }
  bytes_ += snapshot.bytes();
  all_.push_back(std::move(snapshot));
  const auto mayGo = [](const Snapshot& each) { return !each.stays; };
  while (bytes_ > mostBytes_ && std::ranges::any_of(all_, mayGo)) {
    every_ *= 2;
    keep([this](const Snapshot& each) { return each.stays || each.step % every_ == 0; });
  }
}

void Snapshots::dropAfter(Index step) {
  keep([step](const Snapshot& each) { return each.step <= step; });
}

const Snapshot* Snapshots::atMost(Index step) const {
  const auto after = std::find_if(all_.begin(), all_.end(),
                                  [step](const Snapshot& each) { return each.step > step; });
  return after == all_.begin() ? nullptr : &*std::prev(after);
}

}  // namespace headscope::training
