#include "app/ui/heads/effect_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "app/ui/widgets.h"
#include "core/analysis/head_effect.h"
#include "core/attention.h"

namespace headscope::ui {
namespace {

constexpr double kRounding = 1e-5;  // of values about 1

void take(EffectCheckMemory& memory) {
  auto outcome = memory.task.take();
  if (!outcome) return;
  memory.checked = std::move(outcome->result);
  memory.error = std::move(outcome->error);
}

}  // namespace

bool CheckedEffect::agrees() const { return largest <= kRounding * std::max(1.0, magnitude); }

std::optional<CheckedEffect> checkEffect(const TracePtr& trace, Index item, Index head,
                                         const Execution& execution) {
  CheckedEffect checked;
  checked.head = head;
  checked.gain = trace->config().gain(head) == 0.0F ? 1.0F : 0.0F;
  const SetHeadGain edit{head, checked.gain};
  const DocumentPtr document =
      apply(trace->document(), edit, std::numeric_limits<Index>::max()).document;
  const TracePtr real = runAttention(document, trace, execution);
  if (real == nullptr) return std::nullopt;
  const Tensor byTerm = outputWithGain(*trace, item, head, checked.gain);
  const ConstMatrixView expected = byTerm.matrix();
  const ConstMatrixView found = real->tensor(TensorId::output).matrix({item});
  for (Index i = 0; i < found.rows; ++i) {
    for (Index d = 0; d < found.cols; ++d) {
      const double value = found(i, d);
      checked.largest = std::max(checked.largest, std::abs(expected(i, d) - value));
      checked.magnitude = std::max(checked.magnitude, std::abs(value));
    }
  }
  return checked;
}

CheckWords effectCheck(const Panel& panel, EffectCheckMemory& memory) {
  take(memory);
  const EffectCheckMemory::Subject subject{panel.trace.pass(), panel.view.item, panel.view.head};
  if (memory.asked != subject) {
    memory.asked = subject;
    memory.checked.reset();
    memory.error.clear();
    memory.task.request([trace = std::make_shared<const Trace>(panel.trace),
                         subject](const std::atomic<bool>& cancelled) {
      Execution execution;
      execution.cancelled = &cancelled;
      return checkEffect(trace, subject.item, subject.head, execution);
    });
  }
  if (!memory.error.empty()) return {"not checked against a real run: " + memory.error, true};
  if (!memory.checked) return {"being checked against a real run …", false};
  const CheckedEffect& c = *memory.checked;
  return {fmt::format("checked against a run {} head {}: largest difference {} of outputs up to {}",
                      c.gain == 0.0F ? "without" : "with", c.head + 1, number(c.largest, 2),
                      number(c.magnitude, 3)),
          !c.agrees()};
}

}  // namespace headscope::ui
