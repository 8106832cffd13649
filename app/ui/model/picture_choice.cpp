#include "app/ui/model/picture_choice.h"

#include <fmt/format.h>

#include <filesystem>

#include "app/background_task.h"
#include "app/ui/widgets.h"
#include "core/base/translation.h"
#include "core/formats/shipped_picture.h"

namespace headscope::ui {
namespace {

/// Returns nothing for a file, and for a name that is still being typed.
std::optional<formats::ShippedPicture> drawingNamed(const std::string& picture) {
  std::optional<formats::ShippedPicture> drawing;
  const std::string problem = whyNot([&] { drawing = formats::shippedPicture(picture); });
  return problem.empty() ? drawing : std::nullopt;
}

}  // namespace

std::string pictureName(const std::string& path) {
  return path.empty() ? tr("our own picture") : std::filesystem::path(path).filename().string();
}

std::string anotherDrawing(const std::string& picture) {
  formats::ShippedPicture drawing = drawingNamed(picture).value_or(
      formats::ShippedPicture{static_cast<images::ShapeKind>(images::kShapeKinds - 1), 1});
  const Index next = (static_cast<Index>(drawing.kind) + 1) % images::kShapeKinds;
  drawing.kind = static_cast<images::ShapeKind>(next);
  return drawing.name();
}

std::optional<std::string> offerDrawings(const FrameContext& look, const char* id,
                                         const std::string& picture, bool beginsRow) {
  const auto shown = drawingNamed(picture);
  std::optional<std::string> found;
  for (Index i = 0; i < images::kShapeKinds; ++i) {
    const auto kind = static_cast<images::ShapeKind>(i);
    const std::string name(images::kShapeNames[static_cast<std::size_t>(i)]);
    const bool chosen = shown && shown->kind == kind;
    if (i > 0 || !beginsRow) flowOn(look, buttonWidth(look, name), 3.0F);
    if (pill(look, fmt::format("{}##{}", name, id).c_str(), chosen)) {
      const Index number = shown ? shown->number + (chosen ? 1 : 0) : 1;
      found = formats::ShippedPicture{kind, number}.name();
    }
    tip(look, chosen ? tr("Draws another one")
                     : tr("Draws this shape at the same place, in the same colours"));
  }
  return found;
}

}  // namespace headscope::ui
