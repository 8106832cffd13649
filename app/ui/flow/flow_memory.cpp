#include "app/ui/flow/flow_memory.h"

namespace headscope::ui {
namespace {

constexpr double kSeconds = 0.25;

float easeOut(double t) {
  const auto left = static_cast<float>(1 - t);
  return 1 - left * left * left;
}

}  // namespace

const FlowLayout& FlowMemory::update(const Wanted& wanted, const FlowMetrics& metrics) {
  const bool sameSize =
      width_ == wanted.width && height_ == wanted.height && scale_ == metrics.scale;
  if (!sameSize || config_ != wanted.config || head_ != wanted.head) {
    const bool first = !config_.has_value();
    to_ = layoutFlow(wanted.config, wanted.head, wanted.width, wanted.height, metrics);
    moving_ = !first && sameSize;
    from_ = std::move(shown_);
    since_ = wanted.now;
    config_ = wanted.config;
    head_ = wanted.head;
    width_ = wanted.width;
    height_ = wanted.height;
    scale_ = metrics.scale;
    shown_ = to_;
  }
  if (!moving_) return shown_;
  const double t = (wanted.now - since_) / kSeconds;
  moving_ = wanted.animate && t < 1;
  shown_ = moving_ ? blend(from_, to_, easeOut(t)) : to_;
  return shown_;
}

}  // namespace headscope::ui
