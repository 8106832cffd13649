#include "app/ui/file_dialog.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "app/ui/compat.h"
#include "app/ui/letters.h"
#include "app/ui/modal.h"
#include "app/ui/number_field.h"
#include "app/ui/text_field.h"
#include "app/ui/widgets.h"
#include "core/base/translation.h"
#include "core/formats/gguf_model.h"
#include "core/formats/lesson_json.h"
#include "core/formats/pictures/picture.h"
#include "core/formats/session.h"
#include "core/formats/text_set.h"
#include "core/platform/folders.h"
#include "core/platform/paths.h"

namespace headscope::ui {
namespace {

namespace fs = std::filesystem;

constexpr ModalFrame kSaveFrame{"file dialog", 520.0F, 0.15F, true};
constexpr ModalFrame kOpenFrame{"file dialog", 860.0F, 0.15F, true};
constexpr std::size_t kMostListed = 1000;
constexpr float kRows = 11.0F;
constexpr const char* kOpened = trLater(
    "sessions (.headscope.json), lessons (.lesson.json), series (.csv), tensors and attention "
    "weights (.safetensors), texts (.jsonl, .txt), pictures (.png, .jpg, .webp), the folders of "
    "models and GGUF files");

/// Returns whether the name ends as that of a file that the program opens.
bool opens(const fs::path& path) {
  const std::string ending = path.extension().string();
  return ending == ".csv" || ending == ".safetensors" || formats::isGguf(path) ||
         formats::isSession(path) || formats::isTextSet(path) || formats::isLesson(path.string()) ||
         formats::isPictureName(path);
}

bool isModelFolder(const fs::path& folder) {
  return platform::isRegularFile(folder / "config.json");
}

}  // namespace

FolderListing listFolder(const fs::path& folder) {
  FolderListing listing;
  std::error_code code;
  for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code)) {
    std::string name = at->path().filename().string();
    const bool isFolder = platform::isFolder(at->path());
    if (name.starts_with('.') || (!isFolder && !opens(at->path()))) continue;
    listing.more = listing.items.size() >= kMostListed;
    if (listing.more) break;
    listing.items.push_back({std::move(name), isFolder, isFolder && isModelFolder(at->path())});
  }
  std::ranges::sort(listing.items, {}, [](const FolderListing::Item& item) {
    return std::tuple(!item.folder, item.name);
  });
  return listing;
}

fs::path typedPath(const std::string& text, const fs::path& folder) {
  const std::size_t from = text.find_first_not_of(' ');
  if (from == std::string::npos) return {};
  const std::string trimmed = text.substr(from, text.find_last_not_of(' ') - from + 1);
  const fs::path home = platform::homeFolder();
  if (trimmed.starts_with("~/") && !home.empty()) return home / trimmed.substr(2);
  return (folder / trimmed).lexically_normal();
}

void FileDialog::appear(Mode mode, std::string path) {
  mode_ = mode;
  appearing_ = focusing_ = true;
  path_ = std::move(path);
  problem_.clear();
  replacing_.clear();
  leavingFor_.clear();
  std::error_code code;
  show(folder_.empty() ? fs::current_path(code) : folder_);
}

void FileDialog::show(const fs::path& folder) {
  folder_ = folder;
  listing_ = listFolder(folder);
}

void FileDialog::askToReplace(const fs::path& path) {
  appear(Mode::replace, path.filename().string());
  replacing_ = path;
}

/// Draws the question asked where the session's file has changed since it was opened or saved here.
FileDialog::Answer FileDialog::askedToReplace(const FrameContext& look, bool& closes) {
  Answer answer;
  heading(look, tr("The file was saved by another program"));
  wrappedLabel(look.fonts.regular, look.theme.text,
               trFormat("{} has changed since it was opened or saved in this window. Saving over "
                        "it loses what was saved there.",
                        path_));
  ImGui::Dummy({0.0F, look.space.thin});
  const float gap = look.px(8);
  if (primaryPill(look, tr("Save under another name …"))) answer.saveElsewhere = true;
  ImGui::SameLine(0.0F, gap);
  if (pill(look, tr("Save over it"))) answer.saveOver = replacing_;
  ImGui::SameLine(0.0F, gap);
  closes = pill(look, tr("Cancel")) || keyPressed(Key::escape, false) || answer.saveElsewhere ||
           answer.saveOver;
  return answer;
}

/// Returns the path if it can be opened; otherwise sets `problem_`, or shows the folder it names.
std::optional<fs::path> FileDialog::acceptedToOpen(fs::path path, const Given& given) {
  if (!platform::exists(path) && platform::exists(formats::withSessionEnding(path))) {
    path = formats::withSessionEnding(path);
  }
  if (!platform::exists(path)) {
    problem_ = trFormat("There is no {}.", path.string());
    return std::nullopt;
  }
  // a desktop's dialog chooses files alone
  if (path.filename() == "config.json") path = path.parent_path();
  if (platform::isFolder(path) && !isModelFolder(path)) {
    show(path);
    path_.clear();
    return std::nullopt;
  }
  if (!platform::isFolder(path) && !opens(path)) {
    problem_ =
        trFormat("{} cannot be opened: headscope opens {}.", path.filename().string(), tr(kOpened));
    return std::nullopt;
  }
  if (formats::isSession(path) && !given.unsaved.empty() && path != leavingFor_) {
    leavingFor_ = path;
    problem_ = trFormat("{}: open again to discard the changes.", given.unsaved);
    return std::nullopt;
  }
  return path;
}

/// Returns the path if the session can be saved there; otherwise sets `problem_`.
std::optional<fs::path> FileDialog::acceptedToSave(fs::path path, const Given& given) {
  if (platform::isFolder(path)) {
    problem_ = tr("Give the name of a file.");
    return std::nullopt;
  }
  path = formats::withSessionEnding(path);
  if (!platform::isFolder(path.parent_path())) {
    problem_ = trFormat("There is no folder {}.", path.parent_path().string());
    return std::nullopt;
  }
  if (platform::exists(path) && path != given.current && path != replacing_) {
    replacing_ = path;
    problem_ = trFormat("{} already exists: save again to replace it.", path.filename().string());
    return std::nullopt;
  }
  return path;
}

std::optional<fs::path> FileDialog::accepted(const Given& given) {
  problem_.clear();
  fs::path path = typedPath(path_, folder_);
  if (path.filename().empty() && !platform::isFolder(path)) {
    problem_ = mode_ == Mode::open ? tr("Choose a file or a folder, or type a path.")
                                   : tr("Give the name of a file.");
    return std::nullopt;
  }
  auto taken = mode_ == Mode::open ? acceptedToOpen(path, given) : acceptedToSave(path, given);
  if (taken) folder_ = taken->parent_path();
  return taken;
}

/// Draws the recent files. A click chooses one; a double click also opens it.
void FileDialog::recentList(const FrameContext& look, const Given& given, bool& taken) {
  label(look.fonts.small, look.theme.textMuted, tr("Opened last"));
  for (const std::string& recent : given.recent) {
    const fs::path path(recent);
    const std::string name = path.filename().empty() ? recent : path.filename().string();
    const float room = ImGui::GetContentRegionAvail().x;
    ImGui::PushID(recent.c_str());
    if (ImGui::Selectable(asLabel(elided(look.fonts.regular, name, room)).c_str(), path_ == recent,
                          ImGuiSelectableFlags_AllowDoubleClick)) {
      path_ = recent;
      taken = taken || ImGui::IsMouseDoubleClicked(0);
    }
    tip(look, recent);
    ImGui::PopID();
  }
}

/// Draws the folder's contents. A double click enters a folder, or opens a file or a model.
void FileDialog::folderList(const FrameContext& look, bool& taken) {
  const auto row = [&](const std::string& shown, bool selected) {
    return ImGui::Selectable(asLabel(shown).c_str(), selected,
                             ImGuiSelectableFlags_AllowDoubleClick);
  };
  fs::path enter;
  if (folder_.has_parent_path() && folder_ != folder_.root_path() && row("↑  ..", false)) {
    enter = folder_.parent_path();
  }
  for (const FolderListing::Item& item : listing_.items) {
    const char* mark = item.model ? "  ·  a model" : "";
    if (!row(item.name + (item.folder ? "/" : "") + mark, path_ == item.name)) continue;
    path_ = item.name;
    problem_.clear();
    if (!ImGui::IsMouseDoubleClicked(0)) continue;
    if (item.folder && !item.model) {
      enter = folder_ / item.name;
    } else {
      taken = true;
    }
  }
  if (listing_.items.empty()) {
    label(look.fonts.small, look.theme.textMuted,
          tr("Nothing that headscope opens is in this folder."));
  }
  if (listing_.more) label(look.fonts.small, look.theme.textMuted, tr("… and more: type the path"));
  if (enter.empty()) return;
  show(enter);
  path_.clear();
}

/// Draws the button of the desktop's own dialog and follows that dialog. Returns whether a path was
/// chosen in it.
bool FileDialog::desktopDialog(const FrameContext& look) {
  if (!platform::DesktopDialog::available()) return false;
  ImGui::SameLine(0.0F, look.px(8));
  const bool opening = mode_ == Mode::open;
  if (pill(look, tr("The desktop's dialog …"), false, desktop_ == nullptr)) {
    desktop_ = platform::DesktopDialog::open({!opening, folder_, opening ? std::string() : path_,
                                              opening ? tr("Open") : tr("Save the session")});
    if (desktop_ == nullptr) problem_ = tr("The desktop's dialog does not open.");
  }
  if (desktop_ == nullptr) return false;
  look.changesIn(0.1);
  if (!desktop_->ended()) return false;
  const fs::path chosen = std::exchange(desktop_, nullptr)->chosen();
  if (!chosen.empty()) path_ = chosen.string();
  return !chosen.empty();
}

FileDialog::Answer FileDialog::draw(const FrameContext& look, const Given& given) {
  Answer answer;
  if (mode_ == Mode::closed) return answer;
  const bool opening = mode_ == Mode::open;
  if (!beginModal(look, opening ? kOpenFrame : kSaveFrame, std::exchange(appearing_, false))) {
    mode_ = Mode::closed;
    return answer;
  }
  if (mode_ == Mode::replace) {
    bool closes = false;
    answer = askedToReplace(look, closes);
    if (closes) mode_ = Mode::closed;
    endModal(closes);
    return answer;
  }
  heading(look, opening ? tr("Open") : tr("Save the session"));
  bool taken = false;
  if (opening) {
    wrappedLabel(
        look.fonts.small, look.theme.textMuted,
        trFormat("headscope opens {}. Dropping one on the window does so too.", tr(kOpened)));
  }
  label(look.fonts.small, look.theme.textMuted,
        elided(look.fonts.small, "in " + folder_.string(), ImGui::GetContentRegionAvail().x));
  if (opening) {
    const float height = kRows * ImGui::GetTextLineHeightWithSpacing();
    const bool recent = !given.recent.empty() && ImGui::GetContentRegionAvail().x > look.px(500);
    if (recent) {
      ImGui::BeginChild("recent", {look.px(260), height}, false, ImGuiWindowFlags_NoBackground);
      recentList(look, given, taken);
      ImGui::EndChild();
      ImGui::SameLine(0.0F, look.space.large);
    }
    ImGui::BeginChild("found", {0.0F, height}, false, ImGuiWindowFlags_NoBackground);
    folderList(look, taken);
    ImGui::EndChild();
  }
  if (std::exchange(focusing_, false)) focusNextItem();
  ImGui::SetNextItemWidth(-1.0F);
  pushFieldStyle(look, false);
  constexpr ImGuiInputTextFlags kFlags =
      ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll;
  taken = textField(look, {"##session path", kFlags, tr("a name, or a path")}, path_) || taken;
  popFieldStyle();
  // enter also opens what was chosen in a list
  const bool entered = keyPressed(Key::enter, false) || keyPressed(Key::keypadEnter, false);
  taken = taken || (entered && !ImGui::IsWindowAppearing());
  ImGui::Dummy({0.0F, look.space.thin});
  taken = primaryPill(look, opening ? tr("Open") : tr("Save")) || taken;
  ImGui::SameLine(0.0F, look.px(8));
  bool closes = pill(look, tr("Cancel")) || keyPressed(Key::escape, false);
  taken = desktopDialog(look) || taken;
  // below the buttons, so that they stay under the mouse when a confirmation appears
  if (!problem_.empty()) wrappedLabel(look.fonts.regular, look.theme.bad, problem_);
  if (taken && !closes) {
    (opening ? answer.open : answer.save) = accepted(given);
    closes = answer.open || answer.save;
    focusing_ = !closes;
  }
  if (closes) {
    mode_ = Mode::closed;
    desktop_.reset();
  }
  endModal(closes);
  return answer;
}

}  // namespace headscope::ui
