// The image model that ships with the program: it opens, names shapes, its heads look at them, and
// some shapes need one head.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/formats/pictures/image_processor.h"
#include "core/formats/shipped_model.h"
#include "core/formats/shipped_picture.h"
#include "core/formats/tokenizer_files.h"
#include "core/images/measured_shapes.h"
#include "core/images/shapes.h"
#include "core/model/model_document.h"
#include "tests/core/support/model_folders.h"

namespace headscope::test {
namespace {
using namespace headscope::images;
using formats::ShippedPicture;

constexpr Index kPatch = 6;

class ShippedShapes : public testing::Test {
 protected:
  model::ModelTracePtr run(const Drawing& drawing) const {
    const auto processor = formats::imageProcessorOf(formats::kShapesModel, model_->config());
    const Tensor pixels = formats::pixelsOf(processor, formats::pictureOf(drawing), 3);
    return model::runModel(model::makeModelDocument(model_, imageInput(*model_, pixels)), nullptr,
                           {}, kBudgetBytes);
  }
  std::string said(const model::ModelTrace& trace) const {
    return model_->config().labels[static_cast<std::size_t>(trace.predictions(0, 1).front().id)];
  }
  std::string saidWithout(const model::ModelTracePtr& trace, const HeadOfLayer& head) const {
    const auto off = model::withoutHeads(trace->document(), {head});
    return said(*model::runModel(off, trace, {}, kBudgetBytes));
  }

  model::ModelPtr model_ = formats::openModel(formats::kShapesModel, kBudgetBytes);
};

TEST_F(ShippedShapes, NamesShapesAndItsHeadsLookAtThem) {
  EXPECT_TRUE(model_->notes().empty());
  constexpr Index kDrawings = 100;
  Index right = 0;
  std::vector<double> onShape(8);
  for (const Drawing& drawing : heldOutDrawings(kDrawings)) {
    const auto trace = run(drawing);
    right += said(*trace) == kShapeNames[static_cast<std::size_t>(drawing.kind)] ? 1 : 0;
    const std::vector<bool> touched = touchedPatches(drawing, kPatch);
    std::vector<float> row(static_cast<std::size_t>(trace->tokens()));
    for (std::size_t h = 0; h < onShape.size(); ++h) {
      const auto head = static_cast<Index>(h);
      trace->layer(head / 4)->tile(TensorId::weights, 0, head % 4, 0, 1, 0, trace->tokens(),
                                   row.data());
      onShape[h] += weightOn(touched, row.data() + 1) / kDrawings;
    }
  }
  EXPECT_GE(right, 95);
  // as assets/shape_run.json says of 200 pictures, half of which are these
  const MeasuredShapes& measured = measuredShapes();
  EXPECT_GE(measured.right, 0.97);
  ASSERT_EQ(measured.heads.size(), onShape.size());
  for (std::size_t h = 0; h < onShape.size(); ++h) {
    EXPECT_NEAR(onShape[h], measured.heads[h].onShape, 0.05) << h;
  }
  for (std::size_t h = 0; h < 4; ++h) EXPECT_GE(onShape[h], 3.0 * measured.touched) << h;
}

/// The lesson shows these pictures and says so of them.
TEST_F(ShippedShapes, ACircleNeedsTheHeadThatFollowsItsEdge) {
  const auto circle = run(exampleDrawing(ShapeKind::circle, 1));
  EXPECT_EQ(said(*circle), "circle");
  EXPECT_EQ(saidWithout(circle, {0, 0}), "square");
  EXPECT_EQ(saidWithout(circle, {1, 0}), "circle");
  for (std::size_t kind = 0; kind < kShapeNames.size(); ++kind) {
    for (Index number = 1; number <= 5; ++number) {
      EXPECT_EQ(said(*run(exampleDrawing(static_cast<ShapeKind>(kind), number))), kShapeNames[kind])
          << number;
    }
  }
}

TEST_F(ShippedShapes, HasNoTokenizer) {
  EXPECT_FALSE(formats::hasTokenizer(formats::kShapesModel));
  expectUserError([] { formats::openTokenizer(formats::kShapesModel); }, "reads pictures");
}

}  // namespace
}  // namespace headscope::test
