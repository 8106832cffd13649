#include "core/attention/steps/step.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "core/attention/config.h"
#include "core/attention/gradients.h"
#include "core/attention/steps/terms.h"
#include "core/attention/switches.h"
#include "core/base/translation.h"

namespace headscope {
namespace {

std::vector<NamedShape> withShapes(const std::vector<TensorId>& ids, const AttentionConfig& c) {
  std::vector<NamedShape> shapes;
  shapes.reserve(ids.size());
  for (const TensorId id : ids) shapes.push_back({id, shapeOf(id, c)});
  return shapes;
}

}  // namespace

std::vector<NamedShape> Step::inputShapes(const AttentionConfig& config) const {
  return withShapes(inputs(config), config);
}

std::vector<NamedShape> Step::outputShapes(const AttentionConfig& config) const {
  return withShapes(outputs(), config);
}

std::vector<TensorId> Step::inputs(const AttentionConfig& config) const {
  std::vector<TensorId> ids;
  for (const TensorId output : outputs()) {
    for (const TensorId id : operands(output, config)) {
      if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
    }
  }
  return ids;
}

std::span<const Step* const> allSteps() {
  static const std::array steps{&projectStep(), &splitStep(), &normalizeStep(), &rotateStep(),
                                &scoreStep(),   &scaleStep(), &maskStep(),      &softmaxStep(),
                                &weighStep(),   &gateStep(),  &concatStep(),    &outputStep()};
  return steps;
}

std::span<const Step* const> stepsOf(const AttentionConfig& config) {
  using Steps = std::vector<const Step*>;
  constexpr std::array kOptional{StepId::normalize, StepId::rotate, StepId::gate};
  const auto list = [&](std::size_t present) {  // bit i: the step kOptional[i]
    Steps steps(allSteps().begin(), allSteps().end());
    std::erase_if(steps, [&](const Step* step) {
      const auto found = std::ranges::find(kOptional, step->id());
      return found != kOptional.end() && (present >> (found - kOptional.begin()) & 1U) == 0;
    });
    return steps;
  };
  static const std::array lists{list(0), list(1), list(2), list(3),
                                list(4), list(5), list(6), list(7)};
  return lists[(config.headNorm.on() ? 1U : 0U) + (config.rotary.on() ? 2U : 0U) +
               (config.switches->gate ? 4U : 0U)];
}

std::size_t stepPlace(StepId id, const AttentionConfig& config) {
  const auto steps = stepsOf(config);
  const auto found =
      std::find_if(steps.begin(), steps.end(), [id](const Step* s) { return s->id() == id; });
  if (found == steps.end()) throw std::logic_error("the pass has no such step");
  return static_cast<std::size_t>(found - steps.begin());
}

StepId neighbouringStep(StepId id, int places, const AttentionConfig& config) {
  const auto steps = stepsOf(config);
  const int place = static_cast<int>(stepPlace(id, config)) + places;
  return steps[static_cast<std::size_t>(std::clamp(place, 0, static_cast<int>(steps.size()) - 1))]
      ->id();
}

const Step& step(StepId id) {
  const auto steps = allSteps();
  return **std::find_if(steps.begin(), steps.end(), [id](const Step* s) { return s->id() == id; });
}

const Step& producerOf(TensorId id) {
  for (const Step* s : allSteps()) {
    const auto outputs = s->outputs();
    if (std::find(outputs.begin(), outputs.end(), id) != outputs.end()) return *s;
  }
  throw std::logic_error(std::string(info(id).name) + " is not the result of a step");
}

std::vector<const Step*> consumersOf(TensorId id, const AttentionConfig& config) {
  std::vector<const Step*> steps;
  for (const Step* s : stepsOf(config)) {
    const auto outputs = s->outputs();
    const bool reads = std::ranges::any_of(outputs, [&](TensorId output) {
      return std::ranges::count(s->operands(output, config), id) > 0;
    });
    if (reads) steps.push_back(s);
  }
  return steps;
}

bool hasArithmetic(const CellRef& cell) {
  return cell.gradient ? cell.tensor != TensorId::output : isResult(cell.tensor);
}

Explanation explainCell(const AttentionTensors& tensors, const CellRef& cell) {
  Explanation e = producerOf(cell.tensor).explain(tensors, cell);
  if (const auto pin = tensors.pins().at(cell)) {
    e.pinned = true;
    e.rule = trFormat("pinned at {:g}, which stands for: {}", *pin, e.rule);
  }
  return e;
}

Explanation explainGradientCell(const Gradients& gradients, const CellRef& cell) {
  const auto taking = consumersOf(cell.tensor, gradients.config());
  if (taking.empty()) {
    return startExplanation(gradients, cell, tr("given: the gradient of this output cell"));
  }
  Explanation e = taking.front()->explainGradient(gradients, cell);
  for (std::size_t i = 1; i < taking.size(); ++i) {
    Explanation more = taking[i]->explainGradient(gradients, cell);
    e.rule += " + " + more.rule.substr(more.rule.find("= ") + 2);
    e.terms.insert(e.terms.end(), more.terms.begin(), more.terms.end());
    e.sum += more.sum;
  }
  return e;
}

std::string StepText::pytorchLine() const { return fmt::format("{}", fmt::join(pytorch, "; ")); }

std::string pytorchPerQueryHead(std::string_view name, const AttentionConfig& c) {
  if (c.headsPerGroup() == 1) return std::string(name);
  return fmt::format("{}.repeat_interleave({}, 1)", name, c.headsPerGroup());
}

StepId stepIdFromString(std::string_view name) {
  std::vector<std::string_view> known;
  for (const Step* s : allSteps()) {
    known.push_back(s->text({}).id);
    if (known.back() == name) return s->id();
  }
  throw UserError(trFormat("unknown step '{}'; the steps are: {}", name, fmt::join(known, ", ")));
}

}  // namespace headscope
