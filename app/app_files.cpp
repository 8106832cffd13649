// Files: those that are opened, exports, and the settings that are kept
// from one run to the next.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "app/app_state.h"
#include "app/autosave.h"
#include "app/filmed_run.h"
#include "app/read_as.h"
#include "app/ui/export_subject.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/formats/adapter.h"
#include "core/formats/lesson_json.h"
#include "core/formats/model_directory.h"
#include "core/formats/pictures/picture.h"
#include "core/formats/session.h"
#include "core/formats/text_set.h"
#include "core/platform/paths.h"

namespace headscope {
namespace {

/// "/a b.png" of "/a%20b.png", as addresses are written.
std::string withoutEscapes(std::string_view address) {
  std::string text;
  for (std::size_t i = 0; i < address.size(); ++i) {
    unsigned char byte = 0;
    const char* first = address.data() + i + 1;
    const bool escape = address[i] == '%' && address.size() - i > 2 &&
                        std::from_chars(first, first + 2, byte, 16).ptr == first + 2;
    text += escape ? static_cast<char>(byte) : address[i];
    if (escape) i += 2;
  }
  return text;
}

/// The path that a file manager copies: a line, or the address of a file.
std::filesystem::path pathIn(const char* text) {
  constexpr std::string_view kFile = "file://";
  std::string_view line = text != nullptr ? text : "";
  line = line.substr(0, line.find_first_of("\r\n"));
  if (line.substr(0, kFile.size()) == kFile) return withoutEscapes(line.substr(kFile.size()));
  return line;
}

constexpr std::string_view kPasted = "pasted-";
constexpr std::size_t kMostPasted = 16;  // pictures that are kept

/// Removes all pasted pictures but the newest ones. What cannot be removed stays.
void dropOldPictures(const std::filesystem::path& folder) {
  std::vector<std::filesystem::directory_entry> pasted;
  std::error_code failure;
  for (std::filesystem::directory_iterator at(folder, failure), end; !failure && at != end;
       at.increment(failure)) {
    if (at->path().filename().string().starts_with(kPasted)) pasted.push_back(*at);
  }
  std::ranges::sort(pasted, std::greater(),
                    [&](const auto& entry) { return entry.last_write_time(failure); });
  for (std::size_t i = kMostPasted; i < pasted.size(); ++i) {
    std::filesystem::remove(pasted[i], failure);
  }
}

/// Writes a copied picture to a file, which a session can name. The same picture is one file.
std::filesystem::path keptPicture(const std::string& bytes, const std::filesystem::path& folder) {
  const std::string name = fmt::format("{}{:016x}{}", kPasted, std::hash<std::string>()(bytes),
                                       formats::pictureExtension(bytes));
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  writeAtomically(folder / name, [&](std::ostream& out) { out << bytes; });
  dropOldPictures(folder);
  return folder / name;
}

}  // namespace

void App::State::openDropped() {
  if (!linkToOpen.empty()) sessions.openLink(std::exchange(linkToOpen, {}));
  wantsFrame = wantsFrame || !dropped.empty();
  for (const auto& path : std::exchange(dropped, {})) openPath(path);
}

/// Opens a file or a model's folder, and remembers it among the recent ones.
void App::State::openPath(const std::filesystem::path& path) {
  const int said = documents.message().number;
  if (platform::isFolder(path) || formats::isModelFile(path)) {
    if (formats::isAdapter(path) && model.live.moment() != nullptr) {
      model.live.setAdapter({platform::absolutePath(path), 1.0});
    } else {
      model.live.open(path);
    }
    view.selection.page = ui::kModelPage;
  } else if (view.selection.page != ui::kModelPage && path.extension() == ".txt") {
    view.selection.page = ui::kTrainPage;
    view.train.task = ui::kOwnText;
    view.train.text = platform::absolutePath(path).string();
    view.train.sentence.clear();
  } else if (formats::isTextSet(path)) {
    openTexts(path);
  } else if (formats::isPictureName(path)) {
    openPicture(path);
  } else if (formats::isLesson(path.string())) {
    openLesson(path);
  } else {
    formats::isSession(path) ? sessions.open(path) : documents.openFile(path);
  }
  const DocumentEditor::Message& message = documents.message();
  if (message.number == said || !message.isError) noteRecent(settings.now(), path);
}

/// Runs the open model on a picture.
void App::State::openPicture(const std::filesystem::path& path) {
  const auto moment = model.live.moment();
  if (moment == nullptr || !readsPictures(*moment)) {
    documents.say(trFormat("{}: pictures are read by a model of images, such as a ViT: open one "
                           "on the page Model first",
                           path.filename().string()),
                  true);
    return;
  }
  view.selection.page = ui::kModelPage;
  model.live.setText(platform::absolutePath(path).string());
}

/// Runs the open model of images on the picture that was copied, or whose path was. Returns
/// whether the page takes what is pasted.
bool App::State::pastePicture() {
  const auto moment = model.live.moment();
  if (view.selection.page != ui::kModelPage || moment == nullptr || !readsPictures(*moment))
    return false;
  const std::filesystem::path named = pathIn(ImGui::GetClipboardText());
  if (formats::isPictureName(named)) {
    openPath(named);
    return true;
  }
  const std::string copied = copiedPicture != nullptr ? copiedPicture() : std::string();
  if (formats::pictureExtension(copied).empty()) {
    const char* missing =
        copiedPicture != nullptr
            ? tr("ctrl+v: the clipboard has no picture, nor the path of one: copy a picture first")
            : tr("ctrl+v: the clipboard has no path of a picture: copy the picture's file");
    documents.say(missing, true);
    return true;
  }
  if (pastedPictures.empty()) {
    documents.say(noStateFolder(), true);
    return true;
  }
  try {
    openPath(keptPicture(copied, pastedPictures));
  } catch (const UserError& error) {
    documents.say(error.what(), true);
  }
  return true;
}

/// Shows the sweep over a file of texts.
void App::State::openTexts(const std::filesystem::path& path) {
  if (model.live.moment() == nullptr && !model.live.busy()) {
    documents.say(trFormat("{}: texts are read by a model: open one on the page Model first",
                           path.filename().string()),
                  true);
    return;
  }
  view.selection.page = ui::kModelPage;
  view.model.prediction.sweepTexts = platform::absolutePath(path).string();
  view.model.prediction.reading = ui::kEveryPartReading;
  view.model.prediction.folded = false;
}

/// Keeps the settings that the user has changed in this frame.
void App::State::followSettings() {
  if (presenter.on() || embedded) return;
  settings.follow(view.preferences,
                  own.view() != nullptr ? own.view()->selection.page : view.selection.page);
  const std::filesystem::path& session = sessions.store().path();
  if (session != sessionNoted) noteRecent(settings.now(), session);
  sessionNoted = session;
  try {
    settings.keep();
  } catch (const UserError&) {  // NOLINT(bugprone-empty-catch)
    // the autosave, in the same folder, reports why nothing can be stored there
  }
}

/// Opens a teacher's own lesson, which begins with the next frame.
void App::State::openLesson(const std::filesystem::path& path) {
  documents.attempt([&] {
    constexpr std::uintmax_t kMostLessonBytes = std::uintmax_t{4} << 20;
    lesson.ask(
        formats::parseLesson(readText(path, kMostLessonBytes, "lesson"), path.filename().string()));
  });
}

/// Starts the next export once the newest document's pass is computed, so that the file has the
/// requested content.
void App::State::startExport() {
  if (!exports.waits()) return;
  const bool waits =
      exports.waitsForModel() ? model.live.busy() : documents.busy() || documents.learning();
  if (waits || exports.busy()) {
    nextChange = ui::kProgressPace;
    return;
  }
  takeResult();
  model.live.follow();
  const auto asked = exports.start();
  if (!asked) return;
  PictureRequest picture;
  picture.program.history = std::make_shared<const History>(documents.history());
  picture.program.trace = documents.trace();
  picture.program.view = asked->view;
  picture.program.compared = reference.kept();
  picture.program.sessionPath = sessions.store().path();
  picture.program.scenes = sessions.store().scenes();
  picture.program.training = training.moment();
  picture.program.language = language.moment();
  picture.program.shapes = shapes.moment();
  picture.program.headCounts = headCounts.moment();
  picture.program.scaleStudy = scaleStudy.moment();
  if (model.live.moment() != nullptr) {
    picture.program.model = std::make_shared<const ShownModel>(model.live.shown());
  }
  picture.program.memoryBudget = documents.memoryBudget();
  picture.width = static_cast<int>(asked->width);
  picture.height = static_cast<int>(asked->height);
  picture.path = asked->path;
  picture.copies = asked->copies;
  picture.subject = pictureInWords(asked->view);
  picture.film = asked->film;
  if (asked->film) {
    picture.program.filmed =
        std::make_shared<const FilmedRun>(FilmedRun{training.run(), language.run()});
    exports.reportFilmProgress({0, picturesOf(*asked->film)});
  }
  pictureAsked = std::move(picture);
}

/// "all layers of gpt2 (…)", "step of Flow's layer (…)", "curves of the task cards".
std::string App::State::pictureInWords(const ui::ViewState& shown) const {
  const ui::PictureView& card = ui::pictureViewOf(shown.selection.focus);
  const char* title =
      card.title != nullptr ? card.title : tools.open(shown.selection.tool).text().title;
  if (shown.selection.page == ui::kTrainPage && learnsLanguage(shown.train)) {
    return trFormat("{} of the run on {}", title,
                    learnsStories(shown.train)
                        ? "stories"
                        : std::filesystem::path(shown.train.text).filename().string());
  }
  if (shown.selection.page == ui::kTrainPage && learnsShapes(shown.train)) {
    return trFormat("{} of the run on shapes", title);
  }
  if (const auto run = training.moment();
      shown.selection.page == ui::kTrainPage && run != nullptr) {
    return trFormat("{} of the task {}", title, run->task->title);
  }
  if (const auto moment = model.live.moment();
      shown.selection.page == ui::kModelPage && moment != nullptr) {
    return trFormat("{} of {}", title, ui::modelInWords(*moment->trace));
  }
  return trFormat("{} of {}", title, ui::layerInWords(*documents.newest()));
}

/// Lists the subjects of a film that there are at present; the first is on the page.
std::vector<FilmOf> App::State::filmable() const {
  std::vector<FilmOf> found;
  if (filmKinds.empty()) return found;
  const std::string& page = view.selection.page;
  if (page == ui::kFlowPage || page == ui::kStagePage) found.push_back(FilmOf::play);
  const auto task = training.moment();
  const auto text = language.moment();
  const bool taken = learnsLanguage(view.train)
                         ? language.run() != nullptr && text != nullptr && text->stepsTaken > 0
                         : training.run() != nullptr && task != nullptr && task->stepsTaken > 0;
  if (page == ui::kTrainPage && taken) found.push_back(FilmOf::run);
  if (sessions.store().scenes().size() > 1) found.push_back(FilmOf::scenes);
  return found;
}

std::optional<PictureRequest> App::takeNextSlide() {
  auto slide = state_->lecture.takeNextSlide();
  if (!slide) return std::nullopt;
  constexpr int kWidth = 960, kHeight = 540;
  PictureRequest request;
  request.program.document = slide->document;
  request.program.view = std::move(slide->view);
  request.program.view.preferences.scale = ui::presentedScale(1.0F) * kWidth / 1280.0F;
  request.program.view.preferences.animate = false;
  request.program.embedded = true;  // the presented card alone
  request.program.slide = true;
  request.program.memoryBudget = state_->documents.memoryBudget();
  request.program.training = state_->training.moment();
  request.program.language = state_->language.moment();
  request.width = kWidth;
  request.height = kHeight;
  return request;
}

void App::setNextSlide(ImTextureID picture, ImVec2 size) {
  state_->lecture.setNextSlide({picture, size});
  state_->wantsFrame = true;
}

void App::offerFilms(std::vector<FilmKind> kinds) { state_->filmKinds = std::move(kinds); }
bool App::reportFilmProgress(const FilmProgress& progress) {
  return state_->exports.reportFilmProgress(progress);
}
void App::filmStopped() { state_->exports.filmStopped(); }
void App::lookAt(Index step) {
  learnsLanguage(state_->view.train) ? state_->language.lookAt(step)
                                     : state_->training.lookAt(step);
}

std::optional<PictureRequest> App::takePictureRequest() {
  return std::exchange(state_->pictureAsked, std::nullopt);
}

void App::pictureDrawn(const PictureRequest& request, std::function<void()> write) {
  state_->exports.write([write = std::move(write), request] {
    write();
    if (request.film) {
      return trFormat("exported a film of {:g} s, {} pictures of {} × {} pixels, {}, to {}",
                      request.film->seconds, withThousands(picturesOf(*request.film)),
                      request.width, request.height, request.subject, wholePath(request.path));
    }
    if (request.copies) {
      return trFormat("copied a picture of {} × {} pixels, {}: paste it into a document",
                      request.width, request.height, request.subject);
    }
    if (request.path.extension() != ".png") {
      return trFormat("exported a figure, {}, to {}", request.subject, wholePath(request.path));
    }
    return trFormat("exported a picture of {} × {} pixels, {}, to {}", request.width,
                    request.height, request.subject, wholePath(request.path));
  });
}

}  // namespace headscope
