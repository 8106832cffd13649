// Export choice: what the export dialog has been told, and what is to be written where.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>

#include "app/ui/view_state.h"
#include "core/attention/tensor_id.h"
#include "core/formats/model_tensors.h"

namespace headscope::ui {

inline constexpr Index kMinPictureSide = 64;  // pixels
inline constexpr Index kMaxPictureSide = 8192;

enum class ExportKind { tensor, trace, picture, script, curves };

struct ExportChoice {
  ExportKind kind = ExportKind::tensor;
  bool ofModel = false;                 // of the model's pass on the page Model, else of Flow's
  TensorId tensor = TensorId::weights;  // of Flow's pass
  formats::ModelTensor modelTensor = formats::ModelTensor::attentions;
  formats::TensorFormat format = formats::TensorFormat::npy;
  // of a picture: the size is in points at interface scale 1
  std::string view;  // the card; empty: the whole window
  ThemeKind theme = ThemeKind::light;
  Index width = 1600, height = 1000;
  int scale = 1;
  std::string name;              // of the file, or a path, as typed
  bool named = false;            // by the user: it is no longer made to fit the other choices
  std::filesystem::path folder;  // what a name stands in
};

/// What is to be written, and of what view.
struct ExportRequest {
  ExportKind kind = ExportKind::tensor;
  bool ofModel = false;  // as in ExportChoice, and the two that follow
  TensorId tensor = TensorId::weights;
  formats::ModelTensor modelTensor = formats::ModelTensor::attentions;
  formats::TensorFormat format = formats::TensorFormat::npy;
  ViewState view;               // as it was when the export was asked for
  Index width = 0, height = 0;  // in pixels
  std::filesystem::path path;
};

/// What a picture may be of.
struct PictureView {
  const char* card;       // as in ExportChoice::view
  const char* title;      // null: the open tool's
  const char* suffix;     // of the file's name
  const char* page = "";  // Train or Model; empty: the pages that show the layer in Flow
};
inline constexpr std::array kPictureViews{
    PictureView{"", "window", ""},
    PictureView{kToolsCard, nullptr, "-tool"},
    PictureView{kStageCard, "step", "-step"},
    PictureView{kStripCard, "heads", "-heads"},
    PictureView{kLiveHeadsCard, "all heads", "-heads", kTrainPage},
    PictureView{kOverStepsCard, "heads over steps", "-heads-over-steps", kTrainPage},
    PictureView{kCurvesCard, "curves", "-curves", kTrainPage},
    PictureView{kModelTextCard, "text", "-text", kModelPage},
    PictureView{kModelHeadsCard, "all layers", "-layers", kModelPage},
    PictureView{kModelPredictionCard, "prediction", "-prediction", kModelPage}};
/// Whether it is offered on a page.
inline bool isOffered(const PictureView& picture, std::string_view page) {
  const bool hasOwn = page == kTrainPage || page == kModelPage;
  return *picture.card == '\0' || picture.page == (hasOwn ? page : std::string_view());
}
/// The view of a card; the whole window where there is no such view.
const PictureView& pictureViewOf(std::string_view card);

/// "weights.npy"
std::string suggestedName(const ExportChoice& choice);

/// After another kind, tensor or format was chosen: the suggested name, or the typed one with the
/// ending that goes with it.
void fitName(ExportChoice& choice);
/// After a name was typed: an ending that names a format chooses it.
void fitFormat(ExportChoice& choice);

/// Where it goes, with its ending; empty where no name is given.
std::filesystem::path exportPath(const ExportChoice& choice);

/// Whether its sides are within the bounds above.
bool pictureFits(const ExportChoice& choice);

/// Why it cannot be done so, in a sentence; empty where it can.
std::string exportProblem(const ExportChoice& choice);

/// That something is there already, in a sentence; else empty.
std::string exportReplaces(const ExportChoice& choice);

/// `view` as it is on the screen.
ExportRequest exportRequest(const ExportChoice& choice, const ViewState& view);

}  // namespace headscope::ui
