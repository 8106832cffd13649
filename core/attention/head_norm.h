// HeadNorm: the normalisation of queries and keys, head by head.
#pragma once

#include <memory>
#include <utility>
#include <vector>

namespace headscope {

/// RMSNorm of Q and K: each head's query and key is divided by its root mean square and multiplied
/// by a gain per coordinate, before the rotation (as in Qwen3; Henry et al. 2020).
class HeadNorm {
 public:
  HeadNorm() = default;  // nothing is normalised
  /// Gains, d_k each.
  HeadNorm(std::vector<float> q, std::vector<float> k, double epsilon)
      : settings_(std::make_shared<const Settings>(Settings{std::move(q), std::move(k), epsilon})) {
  }

  bool on() const { return settings_ != nullptr; }
  // only where it is on
  const std::vector<float>& q() const { return settings_->q; }
  const std::vector<float>& k() const { return settings_->k; }
  double epsilon() const { return settings_->epsilon; }

  bool operator==(const HeadNorm& other) const {
    return settings_ == other.settings_ || (on() && other.on() && *settings_ == *other.settings_);
  }

 private:
  struct Settings {
    std::vector<float> q, k;
    double epsilon;

    bool operator==(const Settings&) const = default;
  };
  std::shared_ptr<const Settings> settings_;  // shared: configurations are copied for every edit
};

}  // namespace headscope
