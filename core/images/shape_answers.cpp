#include "core/images/shape_answers.h"

#include <algorithm>
#include <utility>

#include "core/images/image_pass.h"
#include "core/images/shape_batch.h"

namespace headscope::images {
namespace {

constexpr Index kAtOnce = 100;  // drawings of one pass

/// Adds the looks of all heads at one drawing's shape.
void addLooks(const ImagePass& pass, Index image, const std::vector<bool>& touched, Index heads,
              ShapeAnswers& answers) {
  for (std::size_t h = 0; h < answers.onShape.size(); ++h) {
    const auto head = static_cast<Index>(h);
    const auto row = pass.weights(head / heads).matrix({image, head % heads}).row(0);
    answers.onClass[h] += static_cast<double>(row[0]);
    answers.onShape[h] += weightOn(touched, row.data() + 1);
  }
}

/// Counts the drawings of each kind and those of them that are named right.
class Named {
 public:
  /// `logits`: those of the drawing, one for each kind.
  void add(const Drawing& drawing, const float* logits) {
    const auto kind = static_cast<std::size_t>(drawing.kind);
    const auto said = std::max_element(logits, logits + kShapeKinds) - logits;
    ++asked_[kind];
    right_[kind] += said == drawing.kindIndex() ? 1 : 0;
  }

  void put(ShapeAnswers& answers) const {
    const auto share = [](Index right, Index asked) {
      return static_cast<double>(right) / static_cast<double>(asked);
    };
    Index right = 0;
    for (std::size_t kind = 0; kind < asked_.size(); ++kind) {
      right += right_[kind];
      answers.rightOf[kind] = share(right_[kind], asked_[kind]);
    }
    answers.right = share(right, kHeldOutDrawings);
  }

 private:
  std::array<Index, kShapeKinds> asked_{}, right_{};
};

}  // namespace

std::size_t ShapeAnswers::looksMost() const {
  return static_cast<std::size_t>(std::ranges::max_element(onShape) - onShape.begin());
}

std::optional<ShapeAnswers> shapeAnswers(const ImageModel& model, const ExecutionContext& execution,
                                         std::optional<HeadOfLayer> off) {
  const ImageModelSettings& s = model.settings();
  ShapeAnswers answers;
  answers.onShape.resize(static_cast<std::size_t>(s.layers * s.heads));
  answers.onClass = answers.onShape;
  Named named;
  const std::vector<Drawing> drawings = heldOutDrawings(kHeldOutDrawings);
  for (Index first = 0; first < kHeldOutDrawings; first += kAtOnce) {
    const ShapeBatch batch({drawings.begin() + first, drawings.begin() + first + kAtOnce}, s,
                           execution);
    ImagePass pass(model, batch.patches);
    if (off) pass.switchOff(*off);
    if (!pass.forward(execution)) return std::nullopt;
    answers.loss += batch.losses(pass.logits(), execution).loss * kAtOnce / kHeldOutDrawings;
    if (execution.stop()) return std::nullopt;
    for (Index i = 0; i < kAtOnce; ++i) {
      const Drawing& drawing = drawings[static_cast<std::size_t>(first + i)];
      named.add(drawing, pass.logits().data() + i * kShapeKinds);
      if (first + i >= kLookedAtDrawings) continue;
      addLooks(pass, i, touchedPatches(drawing, s.patch), s.heads, answers);
    }
  }
  named.put(answers);
  for (std::vector<double>* looks : {&answers.onShape, &answers.onClass}) {
    for (double& look : *looks) look /= kLookedAtDrawings;
  }
  return answers;
}

std::optional<std::vector<double>> rightWithoutEach(const ImageModel& model,
                                                    const ExecutionContext& execution) {
  std::vector<double> right;
  for (Index layer = 0; layer < model.settings().layers; ++layer) {
    for (Index head = 0; head < model.settings().heads; ++head) {
      const auto answers = shapeAnswers(model, execution, HeadOfLayer{layer, head});
      if (!answers) return std::nullopt;
      right.push_back(answers->right);
    }
  }
  return right;
}

double touchedShare(const ImageModelSettings& settings) {
  Index touched = 0;
  const model::ImageInput image = inputOf(settings);
  for (const Drawing& drawing : heldOutDrawings(kLookedAtDrawings)) {
    touched += std::ranges::count(touchedPatches(drawing, settings.patch), true);
  }
  return static_cast<double>(touched) /
         static_cast<double>(kLookedAtDrawings * image.tokensOf(image.size));
}

}  // namespace headscope::images
