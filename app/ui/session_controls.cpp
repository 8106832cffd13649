#include "app/ui/session_controls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "app/ui/compat.h"
#include "app/ui/frame_commands.h"
#include "app/ui/menu.h"
#include "app/ui/number_field.h"
#include "app/ui/panel.h"
#include "app/ui/selection.h"
#include "app/ui/text_field.h"
#include "app/ui/widgets.h"
#include "core/formats/session.h"

namespace headscope::ui {
namespace {

std::string buttonText(const FrameContext& look, const SessionMenu& menu) {
  const std::string name =
      menu.name.empty() ? "session" : elided(look.fonts.regular, menu.name, look.px(120));
  return (menu.unsaved ? "• " : "") + name + " ▾";
}

}  // namespace

float sessionMenuWidth(const FrameContext& look, const SessionMenu& menu) {
  return buttonWidth(look, buttonText(look, menu));
}

void sessionMenu(const PanelContext& panel, const SessionMenu& menu) {
  const FrameContext& look = panel.look;
  if (pill(look, (buttonText(look, menu) + "###session").c_str())) openMenu("session menu");
  tip(look, menu.unsaved ? "The session: • marks unsaved changes"
                         : "The session: everything on the screen, as a file");
  if (!beginPopup("session menu")) return;
  sessionItems(panel);
  ImGui::EndPopup();
}

void sessionItems(const PanelContext& panel) {
  if (ImGui::MenuItem("Open session …", "ctrl+o")) panel.commands.add(AskForSession{});
  if (ImGui::MenuItem("Save session", "ctrl+s")) panel.commands.add(SaveSession{});
  if (ImGui::MenuItem("Save session as …", "ctrl+shift+s")) {
    panel.commands.add(SaveSession{.elsewhere = true});
  }
  if (ImGui::MenuItem("Copy link")) panel.commands.add(CopyLink{});
  tip(panel.look, "Copies the current state as a link that headscope in a browser opens");
  ImGui::Separator();
  if (ImGui::MenuItem("Scenes", "1 – 9")) panel.selection.inspectorTab = InspectorTab::scenes;
}

namespace {

namespace fs = std::filesystem;

constexpr ModalFrame kSessionFrame{"session dialog", 520.0F, 0.15F, true};
constexpr std::size_t kMostFound = 200;

std::vector<std::string> sessionsIn(const fs::path& folder) {
  std::vector<std::pair<fs::file_time_type, std::string>> all;
  std::error_code code;
  for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code)) {
    if (!formats::isSession(at->path())) continue;
    std::error_code ignored;
    all.emplace_back(fs::last_write_time(at->path(), ignored), at->path().filename().string());
    if (all.size() >= kMostFound) break;
  }
  std::sort(all.rbegin(), all.rend());
  std::vector<std::string> names;
  for (auto& [time, name] : all) names.push_back(std::move(name));
  return names;
}

}  // namespace

void SessionDialog::appear(Mode mode, std::string path) {
  mode_ = mode;
  appearing_ = focusing_ = true;
  path_ = std::move(path);
  problem_.clear();
  replacing_.clear();
  leavingFor_.clear();
  std::error_code code;
  if (folder_.empty()) folder_ = fs::current_path(code);
  found_ = sessionsIn(folder_);
}

void SessionDialog::askToReplace(const fs::path& path) {
  appear(Mode::replace, path.filename().string());
  replacing_ = path;
}

/// Draws the question asked where the session's file has changed since it was opened or saved here.
SessionDialog::Answer SessionDialog::askedToReplace(const FrameContext& look, bool& closes) {
  Answer answer;
  heading(look, "The file was saved by another program");
  wrappedLabel(
      look.fonts.regular, look.theme.text,
      fmt::format("{} has changed since it was opened or saved in this window. Saving over "
                  "it loses what was saved there.",
                  path_));
  ImGui::Dummy({0.0F, look.space.thin});
  const float gap = look.px(8);
  if (pill(look, "Save under another name …", true)) answer.saveElsewhere = true;
  ImGui::SameLine(0.0F, gap);
  if (pill(look, "Save over it")) answer.saveOver = replacing_;
  ImGui::SameLine(0.0F, gap);
  closes = pill(look, "Cancel") || keyPressed(Key::escape, false) || answer.saveElsewhere ||
           answer.saveOver;
  return answer;
}

/// Returns the path if it can be used; otherwise sets `problem_`.
std::optional<fs::path> SessionDialog::accepted(const fs::path& current,
                                                const std::string& unsaved) {
  const bool opens = mode_ == Mode::open;
  fs::path path = typedPath(path_, folder_);
  std::error_code code;
  if (path.filename().empty() || fs::is_directory(path, code)) {
    problem_ = "Give the name of a file.";
    return std::nullopt;
  }
  if (!opens || !fs::exists(path, code)) path = formats::withSessionEnding(path);
  const bool there = fs::exists(path, code);
  if (opens && !there) {
    problem_ = fmt::format("There is no {}.", path.string());
    return std::nullopt;
  }
  if (!opens && !fs::is_directory(path.parent_path(), code)) {
    problem_ = fmt::format("There is no folder {}.", path.parent_path().string());
    return std::nullopt;
  }
  if (!opens && there && path != current && path != replacing_) {
    replacing_ = path;
    problem_ =
        fmt::format("{} already exists: save again to replace it.", path.filename().string());
    return std::nullopt;
  }
  if (opens && !unsaved.empty() && path != leavingFor_) {
    leavingFor_ = path;
    problem_ = fmt::format("{}: open again to discard the changes.", unsaved);
    return std::nullopt;
  }
  folder_ = path.parent_path();
  return path;
}

/// Draws the list of the folder's sessions. Returns true if one was double-clicked.
bool SessionDialog::foundList(const FrameContext& look) {
  if (found_.empty()) return false;
  constexpr float kRows = 6.0F;
  bool chosen = false;
  const float rows = std::min(kRows, static_cast<float>(found_.size()));
  ImGui::BeginChild("found", {0.0F, rows * ImGui::GetTextLineHeightWithSpacing() + look.px(8)},
                    false, ImGuiWindowFlags_NoBackground);
  for (const std::string& name : found_) {
    const bool selected = path_ == name;
    if (ImGui::Selectable(name.c_str(), selected, ImGuiSelectableFlags_AllowDoubleClick)) {
      path_ = name;
      chosen = chosen || ImGui::IsMouseDoubleClicked(0);
    }
  }
  ImGui::EndChild();
  return chosen;
}

fs::path typedPath(const std::string& text, const fs::path& folder) {
  const std::size_t from = text.find_first_not_of(' ');
  if (from == std::string::npos) return {};
  const std::string trimmed = text.substr(from, text.find_last_not_of(' ') - from + 1);
  const char* home = std::getenv("HOME");
  if (trimmed.starts_with("~/") && home != nullptr) return fs::path(home) / trimmed.substr(2);
  return (folder / trimmed).lexically_normal();
}

SessionDialog::Answer SessionDialog::draw(const FrameContext& look, const fs::path& current,
                                          const std::string& unsaved) {
  Answer answer;
  if (mode_ == Mode::closed) return answer;
  if (!beginModal(look, kSessionFrame, std::exchange(appearing_, false))) {
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
  const bool opens = mode_ == Mode::open;
  heading(look, opens ? "Open a session" : "Save the session");
  label(look.fonts.small, look.theme.textMuted,
        elided(look.fonts.small, "in " + folder_.string(), ImGui::GetContentRegionAvail().x));
  if (std::exchange(focusing_, false)) focusNextItem();
  ImGui::SetNextItemWidth(-1.0F);
  pushFieldStyle(look, false);
  constexpr ImGuiInputTextFlags kFlags =
      ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll;
  bool taken = textField(look, {"##session path", kFlags, "a name, or a path"}, path_);
  popFieldStyle();
  if (opens && foundList(look)) taken = true;
  // also in the list: opens the file chosen there
  const bool entered = keyPressed(Key::enter, false) || keyPressed(Key::keypadEnter, false);
  taken = taken || (entered && !ImGui::IsWindowAppearing());
  ImGui::Dummy({0.0F, look.space.thin});
  taken = pill(look, opens ? "Open" : "Save", true) || taken;
  ImGui::SameLine(0.0F, look.px(8));
  bool closes = pill(look, "Cancel") || keyPressed(Key::escape, false);
  // below the buttons, so that they stay under the mouse when a confirmation appears
  if (!problem_.empty()) {
    wrappedLabel(look.fonts.regular, look.theme.bad, problem_);
  }
  if (taken && !closes) {
    (opens ? answer.open : answer.save) = accepted(current, unsaved);
    closes = answer.open || answer.save;
    focusing_ = !closes;
  }
  if (closes) mode_ = Mode::closed;
  endModal(closes);
  return answer;
}

Recovery recoveryBanner(const FrameContext& look, const std::string& question, float top,
                        float& height) {
  constexpr const char* kRestore = "Restore (ctrl+shift+r)";
  constexpr const char* kDiscard = "Discard (ctrl+shift+x)";
  const Theme& t = look.theme;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float pad = look.space.large;
  const float gap = look.px(10);
  const float buttons = buttonWidth(look, kRestore) + buttonWidth(look, kDiscard) + gap;
  const float text = textSize(look.fonts.regular, question).x;
  const float width = std::min(text + gap + buttons + 2 * pad + look.px(8), display.x - 2 * pad);
  const bool oneRow = width >= text + gap + buttons + 2 * pad;

  Recovery answer = Recovery::undecided;
  ImGui::SetNextWindowPos({(display.x - width) * 0.5F, top + look.space.small});
  ImGui::SetNextWindowSize({width, 0.0F});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, t.panel);
  ImGui::PushStyleColor(ImGuiCol_Border, t.accent);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(pad, look.space.medium));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, look.space.hair);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, look.px(8));
  ImGui::Begin("recovery", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav |
                   ImGuiWindowFlags_NoSavedSettings);
  if (oneRow) {
    inlineLabel(look, look.fonts.regular, t.text, question);
    ImGui::SameLine(width - pad - buttons);
  } else {
    wrappedLabel(look.fonts.regular, t.text, question);
  }
  if (pill(look, kRestore, true)) answer = Recovery::restore;
  ImGui::SameLine(0.0F, gap);
  if (pill(look, kDiscard)) answer = Recovery::discard;
  height = ImGui::GetWindowHeight() + 2 * look.space.small;
  ImGui::End();
  ImGui::PopStyleVar(3);
  ImGui::PopStyleColor(2);
  return answer;
}

}  // namespace headscope::ui
