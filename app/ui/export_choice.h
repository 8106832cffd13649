// Export choice: the choices made in the export dialog, and the export that they describe.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "app/film.h"
#include "app/ui/view_state.h"
#include "core/attention/tensor_id.h"
#include "core/base/translation.h"
#include "core/formats/model_tensors.h"

namespace headscope::ui {

inline constexpr Index kMinPictureSide = 64;  // pixels
inline constexpr Index kMaxPictureSide = 8192;

enum class ExportKind { tensor, trace, picture, script, curves, film, worksheet, chain };
/// A picture in pixels, or a vector figure.
enum class PictureFormat { png, svg, pdf };

/// The sizes of films: 1280 × 720, 1920 × 1080 with letters half as large again, and the window's.
enum class FilmSize { hd, fullHd, window };

struct ExportChoice {
  ExportKind kind = ExportKind::tensor;
  bool ofModel = false;                 // the pass of the page Model, else Flow's
  TensorId tensor = TensorId::weights;  // of Flow's pass
  formats::ModelTensor modelTensor = formats::ModelTensor::attentions;
  formats::TensorFormat format = formats::TensorFormat::npy;
  // of a picture; its size is in points at interface scale 1
  PictureFormat pictureFormat = PictureFormat::png;
  std::string view;  // the card; empty: the whole window
  ThemeKind theme = ThemeKind::light;
  Index width = 1600, height = 1000;
  int scale = 1;
  FilmKind filmKind = FilmKind::webp;
  FilmSize filmSize = FilmSize::hd;
  FilmSettings film{.speed = 0.0};  // all that is left of the way
  // of a worksheet; without ofLayer it is of the preset by-hand
  Index seed = 1;
  bool ofLayer = false;
  std::string name;              // the file's name or path, as typed
  bool named = false;            // named by the user: no longer adapted to the other choices
  std::filesystem::path folder;  // the folder that a name is relative to
};

/// An export to write, and the view that it shows.
struct ExportRequest {
  ExportKind kind = ExportKind::tensor;
  bool ofModel = false;  // this and the next two fields as in ExportChoice
  TensorId tensor = TensorId::weights;
  formats::ModelTensor modelTensor = formats::ModelTensor::attentions;
  formats::TensorFormat format = formats::TensorFormat::npy;
  ViewState view;               // the view when the export was requested
  Index width = 0, height = 0;  // in pixels
  Index seed = 1;               // of a worksheet
  bool ofLayer = false;         // of a worksheet: of Flow's layer, else of the preset by-hand
  std::filesystem::path path;
  std::optional<FilmSettings> film{};
  bool copies = false;  // a picture: onto the clipboard, in place of a file
};

/// A subject that a picture may show.
struct PictureView {
  const char* card;    // as in ExportChoice::view
  const char* title;   // null: the open tool's
  const char* suffix;  // the end of the file's name
  // Stage, Train, kStories, kOwnText, kShapes or Model; empty: the other pages of Flow's layer
  const char* page = "";
  bool plays = false;  // it changes while the timeline or the journey plays
};
inline constexpr std::array kPictureViews{
    PictureView{"", trLater("window"), "", "", true},
    PictureView{kSentenceCard, trLater("sentence"), "-sentence", kStagePage, true},
    PictureView{kSmallStagesCard, trLater("all heads"), "-heads", kStagePage},
    PictureView{kToolsCard, nullptr, "-tool"},
    PictureView{kStepViewCard, trLater("step"), "-step", "", true},
    PictureView{kStripCard, trLater("heads"), "-heads"},
    PictureView{kLiveHeadsCard, trLater("all heads"), "-heads", kTrainPage},
    PictureView{kOverStepsCard, trLater("heads over steps"), "-heads-over-steps", kTrainPage},
    PictureView{kCurvesCard, trLater("curves"), "-curves", kTrainPage},
    PictureView{kSentenceHeadsCard, trLater("all heads"), "-heads", kStories},
    PictureView{kWrittenTextCard, trLater("text"), "-text", kStories},
    PictureView{kStoryQuestionsCard, trLater("questions"), "-questions", kStories},
    PictureView{kSentenceHeadsCard, trLater("all heads"), "-heads", kOwnText},
    PictureView{kWrittenTextCard, trLater("text"), "-text", kOwnText},
    PictureView{kTextTokensCard, trLater("tokens"), "-tokens", kOwnText},
    PictureView{kShapePicturesCard, trLater("pictures"), "-pictures", kShapes},
    PictureView{kShapeCurvesCard, trLater("curves"), "-curves", kShapes},
    PictureView{kModelTextCard, trLater("text"), "-text", kModelPage},
    PictureView{kModelHeadsCard, trLater("all layers"), "-layers", kModelPage},
    PictureView{kModelPredictionCard, trLater("prediction"), "-prediction", kModelPage},
    PictureView{kModelChainCard, trLater("chain"), "-chain", kModelPage}};
/// Returns whether a picture is offered on the page of a view.
inline bool isOffered(const PictureView& picture, const ViewState& view) {
  std::string_view page = view.selection.page;
  if (page == kTrainPage && learnsWholeModel(view.train)) page = view.train.task;
  const bool hasOwn = page == kStagePage || page == kTrainPage || page == kStories ||
                      page == kOwnText || page == kShapes || page == kModelPage;
  if (picture.card == std::string_view(kModelChainCard) &&
      view.model.prediction.reading != kWhyReading) {
    return false;
  }
  return *picture.card == '\0' || picture.page == (hasOwn ? page : std::string_view());
}
/// Returns the view of a card, or the whole window where there is no such view.
const PictureView& pictureViewOf(std::string_view card);

/// The name suggested for the file: "weights.npy".
std::string suggestedName(const ExportChoice& choice);

/// Adapts the name to another kind, tensor or format: the suggested name, or the typed one with the
/// matching extension.
void fitName(ExportChoice& choice);
/// Sets the format to the one that the extension of a typed name stands for, if any.
void fitFormat(ExportChoice& choice);

/// The path of the file with its extension; empty where no name is given.
std::filesystem::path exportPath(const ExportChoice& choice);

/// The sides of a film's pictures in pixels, and the scale of its interface.
struct FilmSides {
  Index width, height;
  float scale;
};
FilmSides filmSides(const ExportChoice& choice);

/// Returns whether the sides of the picture are within kMinPictureSide and kMaxPictureSide.
bool pictureFits(const ExportChoice& choice);

/// A sentence that says why the export is impossible; empty where it is possible.
std::string exportProblem(const ExportChoice& choice);

/// A sentence that says that the export replaces existing files; else empty.
std::string exportReplaces(const ExportChoice& choice);

/// Returns the request for a choice; `view` is the view on the screen.
ExportRequest exportRequest(const ExportChoice& choice, const ViewState& view);

}  // namespace headscope::ui
