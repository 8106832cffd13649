// The lesson of an image: its claim on one head of the shipped model, over drawings of each form.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/base/assets.h"
#include "core/document/trace.h"
#include "core/formats/model_directory.h"
#include "core/formats/pictures/image_processor.h"
#include "core/formats/shipped_model.h"
#include "core/formats/shipped_picture.h"
#include "core/images/shapes.h"
#include "core/model/model_trace.h"
#include "tests/core/support/model_folders.h"

namespace headscope::test::models {
namespace {

using images::ShapeKind;

/// The mean share of the class token's row of head 2·1 on the shape, in percent.
double lookAt(const model::ModelPtr& model, ShapeKind kind) {
  constexpr Index kDrawings = 200;
  const model::ImageInput& image = model->config().image;
  const auto processor = formats::imageProcessorOf(formats::kShapesModel, model->config());
  double sum = 0.0;
  for (Index number = 1; number <= kDrawings; ++number) {
    const images::Drawing drawing = images::exampleDrawing(kind, number);
    Tensor pixels = formats::pixelsOf(processor, formats::pictureOf(drawing), image.channels);
    const auto trace = runModel(makeModelDocument(model, imageInput(*model, std::move(pixels))),
                                nullptr, {}, kBudgetBytes);
    std::vector<float> row(static_cast<std::size_t>(trace->tokens()));
    trace->layer(1)->tile(TensorId::weights, 0, 0, 0, 1, 0, std::ssize(row), row.data());
    sum += images::weightOn(images::touchedPatches(drawing, image.patch.height),
                            row.data() + image.firstPatch());
  }
  return 100.0 * sum / static_cast<double>(kDrawings);
}

TEST(ShapeLooks, TheLessonSaysWhereHeadTwoOneLooks) {
  const auto model = formats::openModel(formats::kShapesModel, kBudgetBytes);
  const std::string lesson(asset("lessons/16_an_image_as_words.lesson.json"));
  const std::string said =
      fmt::format("{:.0f} % of its row on squares, {:.0f} % on circles and {:.0f} % on triangles",
                  lookAt(model, ShapeKind::square), lookAt(model, ShapeKind::circle),
                  lookAt(model, ShapeKind::triangle));
  EXPECT_NE(lesson.find(said), std::string::npos) << said;
}

}  // namespace
}  // namespace headscope::test::models
