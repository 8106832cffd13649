// The events of a monkey.
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/compat.h"
#include "core/base/error.h"
#include "edits.h"
#include "extremes.h"
#include "monkey.h"

namespace headscope::monkey {
namespace {

using ui::Key;

constexpr std::array kSpecialKeys{Key::space,      Key::comma,     Key::minus,
                                  Key::period,     Key::slash,     Key::equal,
                                  Key::escape,     Key::enter,     Key::tab,
                                  Key::backspace,  Key::insert,    Key::del,
                                  Key::right,      Key::left,      Key::down,
                                  Key::up,         Key::pageUp,    Key::pageDown,
                                  Key::home,       Key::end,       Key::f1,
                                  Key::f2,         Key::f5,        Key::f6,
                                  Key::f11,        Key::keypadAdd, Key::keypadSubtract,
                                  Key::keypadEnter};

const std::array kSizes{
    ImVec2{1280, 800}, ImVec2{1280, 720},  ImVec2{1600, 1000}, ImVec2{1000, 640}, ImVec2{800, 600},
    ImVec2{1280, 800}, ImVec2{520, 400},   ImVec2{200, 900},   ImVec2{1, 1},      ImVec2{0, 0},
    ImVec2{640, 0},    ImVec2{3840, 2160}, ImVec2{9000, 90}};

std::string words(ImVec2 at) { return fmt::format("({:.5g}, {:.5g})", at.x, at.y); }

std::string shown(const std::string& text) {
  std::string safe;
  for (const char c : text.substr(0, 60)) {
    safe += c >= ' ' && c < '\x7f' ? std::string(1, c)
                                   : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return text.size() > 60 ? fmt::format("{} … ({} bytes)", safe, text.size()) : safe;
}

}  // namespace

// the mouse

void Monkey::clickAt(ImVec2 at, int button) {
  host_.moveMouse(at);
  frames(random_.oneIn(4) ? 1 : 2);
  host_.button(button, true);
  frame();
  host_.button(button, false);
  frame();
}

void Monkey::click() {
  const ImVec2 at = anyPlace();
  const int button = random_.oneIn(10) ? random_.between(1, 4) : 0;
  const bool ctrl = random_.oneIn(12);
  const bool shift = random_.oneIn(12);
  note(fmt::format("click {} at {}{}{}", button, words(at), ctrl ? " ctrl" : "",
                   shift ? " shift" : ""));
  host_.modifiers(ctrl, shift);
  clickAt(at, button);
  host_.modifiers(false);
}

void Monkey::doubleClick() {
  const ImVec2 at = anyPlace();
  note("double click at " + words(at));
  host_.moveMouse(at);
  frames(2);
  for (int i = random_.oneIn(5) ? 3 : 2; i > 0; --i) {
    host_.button(0, true);
    frame();
    host_.button(0, false);
    frame();
  }
}

void Monkey::hover() {
  const ImVec2 at = anyPlace();
  note("hover " + words(at));
  host_.moveMouse(at);
  if (random_.oneIn(3)) host_.advance(1.0);  // tips and the tour of what is hovered
  frame();
}

void Monkey::drag() {
  const ImVec2 from = anyPlace();
  const ImVec2 to = anyPlace();
  const int button = random_.oneIn(12) ? 2 : 0;
  const bool shift = random_.oneIn(5);
  const bool held = random_.oneIn(30);
  note(fmt::format("drag {} {} to {}{}{}", button, words(from), words(to), shift ? " shift" : "",
                   held ? ", held" : ""));
  host_.modifiers(random_.oneIn(12), shift);
  host_.moveMouse(from);
  frames(2);
  host_.button(button, true);
  frame();
  const int moves = random_.between(1, 5);
  for (int i = 1; i <= moves; ++i) {
    const float t = static_cast<float>(i) / static_cast<float>(moves);
    host_.moveMouse({from.x + (to.x - from.x) * t, from.y + (to.y - from.y) * t});
    frame();
  }
  if (!held) {
    host_.button(button, false);
    host_.modifiers(false);
  }
  frame();
}

void Monkey::wheel() {
  const ImVec2 at = anyPlace();
  const float lines = random_.of(std::array{1.0F, -1.0F, 3.0F, -3.0F, 0.1F, 50.0F, -50.0F});
  const bool ctrl = random_.oneIn(6);
  note(fmt::format("wheel {} at {}{}", lines, words(at), ctrl ? " ctrl" : ""));
  host_.modifiers(ctrl, random_.oneIn(6));
  host_.moveMouse(at);
  frame();
  host_.wheel(lines);
  frame();
  host_.modifiers(false);
}

// the keyboard

void Monkey::press(Key key, bool ctrl, bool shift, bool alt, int held) {
  host_.modifiers(ctrl, shift, alt);
  host_.key(key, true);
  frames(held);
  host_.key(key, false);
  host_.modifiers(false);
  takeInput();
}

void Monkey::key() {
  Key key = random_.of(kSpecialKeys);
  if (random_.below(5) < 3) key = static_cast<Key>('A' + random_.between(0, 25));
  if (random_.oneIn(8)) key = static_cast<Key>('0' + random_.between(0, 9));
  const std::size_t kind = random_.below(20);
  const bool ctrl = kind < 4;
  const bool shift = kind >= 3 && kind < 7;
  const bool alt = kind == 7;
  const int held = random_.oneIn(15) ? 30 : 1;  // long enough to repeat
  const int code = static_cast<int>(key);
  const std::string name = code > 32 && code < 127 ? std::string(1, static_cast<char>(code))
                                                   : fmt::format("key {}", code);
  note(fmt::format("press {}{}{}{}{}", ctrl ? "ctrl " : "", shift ? "shift " : "",
                   alt ? "alt " : "", name, held > 1 ? " long" : ""));
  // no slash is typed: a file's name stays in the current folder
  if (!ctrl && !alt && code >= 32 && code < 127 && (key != Key::slash || shift)) {
    char typed = static_cast<char>(code);
    if (typed == '/') typed = '?';
    if (!shift && typed >= 'A' && typed <= 'Z') typed = static_cast<char>(typed - 'A' + 'a');
    ImGui::GetIO().AddInputCharacter(static_cast<unsigned char>(typed));
  }
  press(key, ctrl, shift, alt, held);
}

void Monkey::type(const std::string& text) {
  ImGui::GetIO().AddInputCharactersUTF8(text.c_str());
  frame();
}

void Monkey::typeText() {
  const std::string text = random_.oneIn(4) ? anyName(random_) : anyText(random_);
  const bool sentence = random_.oneIn(2);
  note(fmt::format("{} '{}'", sentence ? "ctrl E, type" : "type", shown(text)));
  if (sentence) press(Key{'E'}, true);
  if (random_.oneIn(2)) press(Key{'A'}, true);
  if (random_.oneIn(6)) {
    ImGui::SetClipboardText(text.c_str());
    press(Key{'V'}, true);
  } else {
    type(text);
  }
  if (random_.oneIn(2)) press(random_.of(std::array{Key::enter, Key::tab, Key::escape}));
}

void Monkey::typeNumber() {
  const std::string number = anyNumber(random_);
  const auto at = anyWord(true);
  note(fmt::format("type the number '{}' {}", shown(number), at ? "at " + words(*at) : ""));
  if (at) clickAt(*at, 0);
  if (random_.oneIn(3)) press(Key::enter);  // into a chosen cell
  press(Key{'A'}, true);
  type(number);
  press(random_.of(std::array{Key::enter, Key::enter, Key::tab, Key::escape, Key::up, Key::down}));
}

// the rest

void Monkey::drop() {
  std::vector<std::filesystem::path> paths{zoo_.any(random_)};
  if (random_.oneIn(5)) paths.push_back(zoo_.any(random_));
  if (random_.oneIn(3)) paths.push_back(paths.front());  // what is asked once is done twice
  std::string names;
  for (const auto& path : paths) names += " " + path.string();
  note("drop" + names);
  app_->dropFiles(paths);
  frame();
}

void Monkey::edit() {
  const bool gesture = random_.oneIn(3);
  for (int i = random_.oneIn(10) ? 5 : 1; i > 0; --i) {
    const DocumentPtr before = app_->document();
    try {
      const Edit edit = anyEdit(random_, before);
      app_->apply(edit, gesture ? "monkey" : "");
      const bool taken = before != app_->document();
      note(fmt::format("edit {}: {}", edit.index(),
                       taken ? nameOf(edit, *before) : app_->message()));
    } catch (const UserError& error) {
      note(fmt::format("no such edit: {}", error.what()));
    }
    if (pace_ == Pace::waits) rest();
  }
}

void Monkey::resize() {
  const ImVec2 size = random_.of(kSizes);
  const float density = random_.oneIn(4) ? 2.0F : 1.0F;
  note("resize to " + words(size));
  host_.resize(static_cast<int>(size.x), static_cast<int>(size.y));
  ImGui::GetIO().DisplayFramebufferScale = {density, density};
  frame();
  if (size.x < 500 || size.y < 300) {  // not for long: little can be reached there
    frame();
    host_.resize(1280, 800);
  }
}

/// Changes a setting of the view that belongs to no panel: a key or the host sets it.
void Monkey::look() {
  ui::ViewState& view = app_->view();
  switch (random_.below(4)) {
    case 0:
      view.preferences.scale = random_.of(std::array{1.0F, 1.0F, 1.25F, 2.0F, 3.0F});
      note(fmt::format("scale {}", view.preferences.scale));
      break;
    case 1:
      view.preferences.animate = !view.preferences.animate;
      note("animation on or off");
      break;
    default:
      view.preferences.theme = view.preferences.theme == ui::ThemeKind::dark ? ui::ThemeKind::light
                                                                             : ui::ThemeKind::dark;
      note("the other theme");
  }
}

void Monkey::wait() {
  const double seconds = random_.of(std::array{0.1, 0.7, 3.0, 100.0});
  note(fmt::format("wait {} s", seconds));
  host_.advance(seconds);
  frames(random_.between(1, 4));
}

/// Closes the window, perhaps during a computation, and opens it again.
void Monkey::restart() {
  note("restart");
  letGo();
  if (random_.oneIn(2)) host_.frame(*app_);
  start();
}

void Monkey::letGo() {
  for (int button = 0; button < 5; ++button) host_.button(button, false);
  host_.modifiers(false);
}

/// Draws the picture that an export asks the host for: another program, in a context of its own.
void Monkey::drawPicture() {
  const auto request = app_->takePictureRequest();
  if (!request) return;
  if (random_.oneIn(4)) {
    app_->pictureDrawn(*request, [] { throw UserError("the picture cannot be written"); });
    return;
  }
  ImGuiContext* const context = ImGui::GetCurrentContext();
  {
    App program(request->program);
    program.finish();
    host::Headless host(std::min(request->width, 2000), std::min(request->height, 2000));
    host.frames(program, 3);
    program.finish();
  }
  ImGui::SetCurrentContext(context);
  app_->pictureDrawn(*request, [] {});
}

void Monkey::undoToTheStart() {
  note("undo to the start, and redo");
  letGo();
  host_.resize(1280, 800);
  app_->leaveLesson();  // it has a history of its own
  frame();
  // the page Model has a history of its own, Train and Learn have none
  std::string& page = app_->view().selection.page;
  if (page != ui::kStagePage && page != ui::kHeadsPage) page = ui::kFlowPage;
  frame();
  constexpr int kOut = 12;
  for (int i = 0; i < kOut; ++i) {
    press(Key::escape);
    if (!ImGui::GetIO().WantTextInput &&
        !ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel)) {
      break;
    }
    if (i + 1 == kOut) {
      const ImGuiContext& context = *ImGui::GetCurrentContext();
      const ImGuiWindow* open = context.ActiveIdWindow;
      for (const ImGuiPopupData& popup : context.OpenPopupStack) open = popup.Window;
      throw Fault(fmt::format("escape does not lead out of {}", open ? open->Name : "a field"));
    }
  }
  rest();
  std::vector<std::uint64_t> prints{fingerprint(*app_->document())};
  const auto travel = [&](Key key) {
    const DocumentPtr before = app_->document();
    press(key, true);
    rest();
    return before != app_->document();
  };
  while (travel(Key{'Z'})) prints.push_back(fingerprint(*app_->document()));
  note(fmt::format("{} undone", prints.size() - 1));
  if (prints.back() != fingerprint(*first_)) {
    throw Fault("undo did not lead to the first document: " + app_->message());
  }
  for (std::size_t i = prints.size() - 1; i-- > 0;) {
    if (!travel(Key{'Y'})) {
      // what was never computed, another edit having come first, may be refused now
      if (app_->message().find("undone") != std::string::npos) break;
      throw Fault(fmt::format("redo stops before the last {} states: {}", i + 1, app_->message()));
    }
    if (fingerprint(*app_->document()) != prints[i]) throw Fault("redo leads to another document");
  }
  if (app_->trace()) checkAgainstFreshPass(*app_->trace());
}

}  // namespace headscope::monkey
