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
  /// The numbers of a row that share one root: those of one head, or of all heads (as in OLMo 2).
  enum class Over { head, allHeads };
  /// RMSNorm, or LayerNorm, which first subtracts the mean (as in Cohere).
  enum class Kind { rms, layer };

  HeadNorm() = default;  // nothing is normalised
  /// Gains: d_k for all heads, or d_k for each head, one head after the other.
  HeadNorm(std::vector<float> q, std::vector<float> k, double epsilon, Over over = Over::head,
           Kind kind = Kind::rms)
      : settings_(std::make_shared<const Settings>(
            Settings{std::move(q), std::move(k), epsilon, over, kind})) {}

  bool on() const { return settings_ != nullptr; }
  // only where it is on
  const std::vector<float>& q() const { return settings_->q; }
  const std::vector<float>& k() const { return settings_->k; }
  double epsilon() const { return settings_->epsilon; }
  Over over() const { return settings_->over; }
  Kind kind() const { return settings_->kind; }

  bool operator==(const HeadNorm& other) const {
    return settings_ == other.settings_ || (on() && other.on() && *settings_ == *other.settings_);
  }

 private:
  struct Settings {
    std::vector<float> q, k;
    double epsilon;
    Over over;
    Kind kind;

    bool operator==(const Settings&) const = default;
  };
  std::shared_ptr<const Settings> settings_;  // shared: configurations are copied for every edit
};

}  // namespace headscope
