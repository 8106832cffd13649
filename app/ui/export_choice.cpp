#include "app/ui/export_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <system_error>

#include "app/ui/file_dialog.h"
#include "core/base/translation.h"
#include "core/base/utf8.h"

namespace headscope::ui {
namespace {

namespace fs = std::filesystem;

constexpr std::array kPictureEndings{".png", ".svg", ".pdf"};  // by PictureFormat

/// The format that a name's extension stands for, if any.
std::optional<PictureFormat> pictureFormatOf(const fs::path& name) {
  const auto found = std::ranges::find(kPictureEndings, name.extension());
  if (found == kPictureEndings.end()) return std::nullopt;
  return static_cast<PictureFormat>(found - kPictureEndings.begin());
}

/// "play": the end of a film's name.
const char* filmSuffix(const ExportChoice& choice) {
  switch (choice.film.of) {
    case FilmOf::run:
      return "run";
    case FilmOf::scenes:
      return "scenes";
    case FilmOf::play:
      break;
  }
  return "play";
}

/// The extension of the file: ".npy". A script is a folder and has none.
std::string endingOf(const ExportChoice& choice) {
  switch (choice.kind) {
    case ExportKind::tensor:
      return fmt::format(".{}", toString(choice.format));
    case ExportKind::trace:
      return ".safetensors";
    case ExportKind::picture:
      return kPictureEndings[static_cast<std::size_t>(choice.pictureFormat)];
    case ExportKind::film:
      return std::string(kFilmEndings[static_cast<std::size_t>(choice.filmKind)]);
    case ExportKind::chain:
      return ".json";
    case ExportKind::curves:
      return ".csv";
    case ExportKind::worksheet:
      return ".pdf";
    case ExportKind::script:
      break;
  }
  return {};
}

}  // namespace

const PictureView& pictureViewOf(std::string_view card) {
  const auto found = std::ranges::find(kPictureViews, card, &PictureView::card);
  return found != kPictureViews.end() ? *found : kPictureViews.front();
}

std::string suggestedName(const ExportChoice& choice) {
  switch (choice.kind) {
    case ExportKind::tensor:
      return fmt::format("{}{}",
                         choice.ofModel ? toString(choice.modelTensor) : info(choice.tensor).name,
                         endingOf(choice));
    case ExportKind::trace:
      return "headscope-trace.safetensors";
    case ExportKind::picture:
      return fmt::format("headscope{}{}", pictureViewOf(choice.view).suffix, endingOf(choice));
    case ExportKind::film:
      return fmt::format("headscope-{}{}", filmSuffix(choice), endingOf(choice));
    case ExportKind::chain:
      return "why.json";
    case ExportKind::curves:
      return "headscope-curves.csv";
    case ExportKind::worksheet:
      return fmt::format("worksheet-{}.pdf", choice.seed);
    case ExportKind::script:
      break;
  }
  return "headscope-pytorch";
}

void fitName(ExportChoice& choice) {
  if (!choice.named) {
    choice.name = suggestedName(choice);
    return;
  }
  fs::path name(trimmed(choice.name));
  const std::string ending = endingOf(choice);
  const bool known = formats::tensorFormatOf(name) || pictureFormatOf(name) || filmKindOf(name);
  if (known || (!ending.empty() && !name.has_extension())) name.replace_extension(ending);
  choice.name = name.string();
}

void fitFormat(ExportChoice& choice) {
  if (choice.kind == ExportKind::picture) {
    const auto picture = pictureFormatOf(fs::path(trimmed(choice.name)));
    if (picture) choice.pictureFormat = *picture;
  }
  if (choice.kind == ExportKind::film) {
    choice.filmKind = filmKindOf(fs::path(trimmed(choice.name))).value_or(choice.filmKind);
  }
  if (choice.kind != ExportKind::tensor) return;
  if (const auto format = formats::tensorFormatOf(trimmed(choice.name))) choice.format = *format;
}

fs::path exportPath(const ExportChoice& choice) {
  const std::string_view name = trimmed(choice.name);
  if (name.empty()) return {};
  fs::path path = typedPath(choice.name, choice.folder);
  const std::string ending = endingOf(choice);
  if (!ending.empty() && !path.filename().empty() && path.extension() != ending) {
    path += ending;
  }
  return path;
}

FilmSides filmSides(const ExportChoice& choice) {
  switch (choice.filmSize) {
    case FilmSize::fullHd:
      return {1920, 1080, 1.5F};
    case FilmSize::window:
      return {choice.width, choice.height, 1.0F};
    case FilmSize::hd:
      break;
  }
  return {1280, 720, 1.0F};
}

bool pictureFits(const ExportChoice& choice) {
  const auto fits = [&](Index side) {
    return side >= 1 && side <= kMaxPictureSide / choice.scale &&
           side * choice.scale >= kMinPictureSide;
  };
  return fits(choice.width) && fits(choice.height);
}

std::string exportProblem(const ExportChoice& choice) {
  if (choice.kind == ExportKind::picture && !pictureFits(choice)) {
    return trFormat("{} × {} at {}×: each side must come to {} to {} pixels.", choice.width,
                    choice.height, choice.scale, kMinPictureSide, kMaxPictureSide);
  }
  const fs::path path = exportPath(choice);
  if (path.empty() || path.filename().empty()) {
    return choice.kind == ExportKind::script ? tr("Give the name of a folder.")
                                             : tr("Give the name of a file.");
  }
  std::error_code code;
  const bool folder = fs::is_directory(path, code);
  if (choice.kind == ExportKind::script) {
    if (fs::exists(path, code) && !folder) {
      return trFormat("{} is a file; the script needs a folder.", path.string());
    }
  } else if (folder) {
    return trFormat("{} is a folder; give the name of a file.", path.string());
  }
  if (!fs::is_directory(path.parent_path(), code)) {
    return trFormat("There is no folder {}.", path.parent_path().string());
  }
  return {};
}

std::string exportReplaces(const ExportChoice& choice) {
  const fs::path path = exportPath(choice);
  std::error_code code;
  if (path.empty() || !fs::exists(path, code)) return {};
  if (choice.kind == ExportKind::script && fs::is_empty(path, code)) return {};
  const char* what = choice.kind == ExportKind::script ? tr("an export in it is replaced")
                                                       : tr("exporting replaces it");
  return trFormat("{} already exists: {}.", path.filename().string(), what);
}

ExportRequest exportRequest(const ExportChoice& choice, const ViewState& view) {
  ExportRequest request{choice.kind,
                        choice.ofModel,
                        choice.tensor,
                        choice.modelTensor,
                        choice.format,
                        view,
                        choice.width * choice.scale,
                        choice.height * choice.scale,
                        choice.seed,
                        choice.ofLayer,
                        exportPath(choice)};
  request.view.selection.focus = choice.view;
  request.view.preferences.theme = choice.theme;
  request.view.preferences.scale = static_cast<float>(choice.scale);
  request.view.preferences.animate = false;
  request.view.frame.playing = false;
  request.view.frame.stagePlaying = false;
  request.view.frame.hovered.reset();
  if (choice.kind != ExportKind::film) return request;
  const FilmSides sides = filmSides(choice);
  request.width = sides.width;
  request.height = sides.height;
  request.view.preferences.scale = sides.scale;
  request.film = choice.film;
  if (choice.film.of == FilmOf::scenes) request.view.selection.focus.clear();
  return request;
}

}  // namespace headscope::ui
