#include <fmt/format.h>

#include <algorithm>

#include "app/ui/flow/flow_columns.h"
#include "core/steps/step.h"
#include "core/tensor_id.h"

namespace headscope::ui {
namespace {

/// "(6, 512)", or "(2, 6, 512)" where there is a batch.
std::string flatShape(TensorId id, const AttentionConfig& config) {
  Shape shape = shapeOf(id, config);
  if (shape.size() == 3 && shape.front() == 1) shape = shape.last(2);
  return toString(shape);
}

/// "(6, 64)": one head's matrix.
std::string headShape(TensorId id, const AttentionConfig& config) {
  return toString(shapeOf(id, config).last(2));
}

/// "8 × " heads, or "2 × 8 × " with a batch of 2.
std::string times(TensorId id, const AttentionConfig& config) {
  const Shape shape = shapeOf(id, config);
  return shape[0] > 1 ? fmt::format("{} × {} × ", shape[0], shape[1])
                      : fmt::format("{} × ", shape[1]);
}

std::vector<FlowPhrase> plain(std::string text) { return {{std::move(text), std::nullopt}}; }

std::string textOf(StepId id, const AttentionConfig& config) { return step(id).text(config).flow; }

/// softmax(Q Kᵀ/√64 + mask), each piece with the step it stands for.
std::vector<FlowPhrase> softmaxFormula(const AttentionConfig& config) {
  std::vector<FlowPhrase> phrases = {{textOf(StepId::softmax, config) + "(", StepId::softmax}};
  for (const StepId id : {StepId::score, StepId::scale, StepId::mask}) {
    std::string piece = textOf(id, config);
    if (!piece.empty()) phrases.push_back({std::move(piece), id});
  }
  phrases.push_back({")", StepId::softmax});
  return phrases;
}

/// `long` names with `shapes`, then the shorter names, then without shapes, then nothing.
std::vector<FlowWording> wordings(std::vector<std::vector<FlowPhrase>> names,
                                  const std::vector<std::vector<std::string>>& shapes) {
  std::vector<FlowWording> result;
  for (const auto& name : names) result.push_back({name, shapes.front()});
  for (std::size_t i = 1; i < shapes.size(); ++i) result.push_back({names.back(), shapes[i]});
  result.push_back({names.back(), {}});
  result.push_back({});
  return result;
}

}  // namespace

FlowWordings flowWordings(const AttentionConfig& config) {
  const std::string x = flatShape(TensorId::x, config);
  const std::string q = flatShape(TensorId::qProj, config);
  const std::string k = flatShape(TensorId::kProj, config);
  const std::string headQ = headShape(TensorId::q, config);
  const std::string headK = headShape(TensorId::k, config);
  const std::string timesQ = times(TensorId::q, config);
  const std::string timesK = times(TensorId::k, config);
  const bool alike = q == k && timesQ == timesK;

  const auto weights = times(TensorId::weights, config) + headShape(TensorId::weights, config);
  using Lines = std::vector<std::vector<std::string>>;
  const Lines inputShapes = config.crossAttention()
                                ? Lines{{"X " + x, "memory " + flatShape(TensorId::memory, config)}}
                                : Lines{{x}};
  const Lines projectedShapes = alike ? Lines{{"3 × " + q}, {q}} : Lines{{"Q " + q, "K, V " + k}};
  const Lines headShapes = alike ? Lines{{timesQ + "3 × " + headQ}, {headQ}}
                                 : Lines{{"q " + timesQ + headQ, "k, v " + timesK + headK}};
  const auto inputName = config.crossAttention() ? "X and memory" : "X";

  return {
      wordings({plain(inputName), plain(config.crossAttention() ? "X, mem." : "X")}, inputShapes),
      wordings({plain(textOf(StepId::project, config)),
                plain(step(StepId::project).text(config).formula), plain("Q, K, V")},
               projectedShapes),
      wordings({plain(textOf(StepId::split, config)), plain("q, k, v")}, headShapes),
      wordings({softmaxFormula(config), plain(textOf(StepId::softmax, config)), plain("A")},
               {{weights}, {headShape(TensorId::weights, config)}}),
      wordings({plain(textOf(StepId::weigh, config))},
               {{times(TensorId::heads, config) + headQ}, {headQ}}),
      wordings({plain(textOf(StepId::concat, config)), plain("C")},
               {{flatShape(TensorId::concat, config)}}),
      wordings({plain(textOf(StepId::output, config)), plain("W^O")},
               {{toString(shapeOf(TensorId::wO, config))}}),
      wordings({plain("output")}, {{flatShape(TensorId::output, config)}})};
}

std::size_t shapeLines(const FlowWordings& all) {
  std::size_t lines = 0;
  for (const auto& column : all) lines = std::max(lines, column.front().shapes.size());
  return lines;
}

}  // namespace headscope::ui
