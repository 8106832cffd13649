// Gradient target: the number whose gradients the step view shows. Of a layer of the model it is
// the chosen word's logit, or the difference of two, of the page Model; of another document it is
// the sum of the output.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "app/ui/parts/fingerprint.h"
#include "core/base/execution.h"
#include "core/document/trace.h"

namespace headscope::ui {
struct ModelView;
}  // namespace headscope::ui

namespace headscope {

class LiveModel;

struct GradientTarget {
  std::string inWords;  // "the output's sum", "the logit of “cat”"
  ui::Fingerprint key;
  /// Computes the gradient of the number with respect to the output, (B, T, D_out). Nothing where
  /// cancelled.
  std::function<std::optional<Tensor>(const ExecutionContext&)> gradOutput;
};

class GradientTargets {
 public:
  /// The target for a finished pass, which may be that of a layer of the model.
  GradientTarget of(const Trace& pass, const LiveModel& model, const ui::ModelView& view);

 private:
  bool isPresentLayer(const Trace& pass, const LiveModel& model);

  ui::Fingerprint compared_;  // the passes that were compared last
  bool same_ = false;         // and whether they read the same X
};

}  // namespace headscope
