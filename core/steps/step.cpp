#include "core/steps/step.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "core/steps/steps.h"

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

std::span<const Step* const> allSteps() {
  static const std::array<const Step*, kStepCount> steps{
      &projectStep(), &splitStep(), &scoreStep(),  &scaleStep(), &maskStep(),
      &softmaxStep(), &weighStep(), &concatStep(), &outputStep()};
  return steps;
}

const Step& step(StepId id) { return *allSteps()[static_cast<std::size_t>(id)]; }

const Step& stepGiving(TensorId id) {
  for (const Step* s : allSteps()) {
    const auto outputs = s->outputs();
    if (std::find(outputs.begin(), outputs.end(), id) != outputs.end()) return *s;
  }
  throw std::logic_error(std::string(info(id).name) + " is not the result of a step");
}

Explanation explainCell(const Trace& trace, const CellRef& cell) {
  Explanation e = stepGiving(cell.tensor).explain(trace, cell);
  if (const auto pin = trace.document().pins.at(cell)) {
    e.pinned = true;
    e.rule = fmt::format("pinned at {:g}, which stands for: {}", *pin, e.rule);
  }
  return e;
}

StepId stepIdFromString(std::string_view name) {
  std::vector<std::string_view> known;
  for (const Step* s : allSteps()) {
    known.push_back(s->text({}).id);
    if (known.back() == name) return s->id();
  }
  throw UserError(
      fmt::format("step '{}' is not known; the steps are: {}", name, fmt::join(known, ", ")));
}

}  // namespace headscope
