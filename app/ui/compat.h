// Compat: one interface to the parts that differ between Dear ImGui 1.86 and 1.92: keys, injected
// input, fonts.
#pragma once

#include <imgui.h>

#include <functional>
#include <string>
#include <utility>

namespace headscope::ui {

/// Keys by their GLFW code, which is what ImGui up to 1.86 indexes its keyboard by (there,
/// IsKeyPressed(ImGuiKey_…) compiles and reads another key). Letters and digits are their ASCII:
/// `Key{'X'}`.
enum class Key : int {
  space = 32,
  comma = 44,
  minus = 45,
  period = 46,
  slash = 47,
  equal = 61,
  escape = 256,
  enter = 257,
  tab = 258,
  backspace = 259,
  insert = 260,
  del = 261,
  right = 262,
  left = 263,
  down = 264,
  up = 265,
  pageUp = 266,
  pageDown = 267,
  home = 268,
  end = 269,
  f1 = 290,
  f2 = 291,
  f5 = 294,
  f6 = 295,
  f10 = 299,
  f11 = 300,
  keypadAdd = 334,
  keypadSubtract = 333,
  keypadEnter = 335,
};

#if IMGUI_VERSION_NUM >= 18700
inline ImGuiKey imguiKey(Key key) {
  const int code = static_cast<int>(key);
  const auto offset = [code](ImGuiKey first, int base) {
    return static_cast<ImGuiKey>(static_cast<int>(first) + code - base);
  };
  if (code >= 'A' && code <= 'Z') return offset(ImGuiKey_A, 'A');
  if (code >= '0' && code <= '9') return offset(ImGuiKey_0, '0');
  if (code >= 290 && code <= 301) return offset(ImGuiKey_F1, 290);
  switch (key) {
    case Key::space:
      return ImGuiKey_Space;
    case Key::comma:
      return ImGuiKey_Comma;
    case Key::minus:
      return ImGuiKey_Minus;
    case Key::period:
      return ImGuiKey_Period;
    case Key::slash:
      return ImGuiKey_Slash;
    case Key::equal:
      return ImGuiKey_Equal;
    case Key::escape:
      return ImGuiKey_Escape;
    case Key::enter:
      return ImGuiKey_Enter;
    case Key::tab:
      return ImGuiKey_Tab;
    case Key::backspace:
      return ImGuiKey_Backspace;
    case Key::insert:
      return ImGuiKey_Insert;
    case Key::del:
      return ImGuiKey_Delete;
    case Key::right:
      return ImGuiKey_RightArrow;
    case Key::left:
      return ImGuiKey_LeftArrow;
    case Key::down:
      return ImGuiKey_DownArrow;
    case Key::up:
      return ImGuiKey_UpArrow;
    case Key::pageUp:
      return ImGuiKey_PageUp;
    case Key::pageDown:
      return ImGuiKey_PageDown;
    case Key::home:
      return ImGuiKey_Home;
    case Key::end:
      return ImGuiKey_End;
    case Key::keypadAdd:
      return ImGuiKey_KeypadAdd;
    case Key::keypadSubtract:
      return ImGuiKey_KeypadSubtract;
    case Key::keypadEnter:
      return ImGuiKey_KeypadEnter;
    default:
      return ImGuiKey_None;
  }
}
#endif

/// Returns whether the key was pressed in this frame, or repeats while it is held.
inline bool keyPressed(Key key, bool repeat = true) {
#if IMGUI_VERSION_NUM >= 18700
  return ImGui::IsKeyPressed(imguiKey(key), repeat);
#else
  return ImGui::IsKeyPressed(static_cast<int>(key), repeat);
#endif
}

inline bool keyDown(Key key) {
#if IMGUI_VERSION_NUM >= 18700
  return ImGui::IsKeyDown(imguiKey(key));
#else
  return ImGui::IsKeyDown(static_cast<int>(key));
#endif
}

/// Returns whether a character was typed, by whichever keys produce it on this keyboard.
inline bool charTyped(ImWchar character) {
  const auto& typed = ImGui::GetIO().InputQueueCharacters;
  return typed.contains(character);
}

/// Returns whether Ctrl and a key were pressed without Alt; other modifiers may be held.
inline bool ctrlPressed(Key key, bool repeat = true) {
  const ImGuiIO& io = ImGui::GetIO();
  return io.KeyCtrl && !io.KeyAlt && keyPressed(key, repeat);
}

/// Returns whether Alt and a key were pressed without Ctrl. Keys that change the layer need Alt, so
/// that text typed outside of a field changes nothing.
inline bool altPressed(Key key, bool repeat = true) {
  const ImGuiIO& io = ImGui::GetIO();
  return io.KeyAlt && !io.KeyCtrl && keyPressed(key, repeat);
}

// Injected input: for hosts without a windowing backend (offscreen, tests).

/// Maps key codes to the keys of ImGui up to 1.86. Call once after the context is created.
inline void prepareInjectedInput(ImGuiIO& io) {
#if IMGUI_VERSION_NUM >= 18700
  (void)io;
#else
  const auto map = [&io](ImGuiKey_ to, Key key) { io.KeyMap[to] = static_cast<int>(key); };
  map(ImGuiKey_Tab, Key::tab);
  map(ImGuiKey_LeftArrow, Key::left);
  map(ImGuiKey_RightArrow, Key::right);
  map(ImGuiKey_UpArrow, Key::up);
  map(ImGuiKey_DownArrow, Key::down);
  map(ImGuiKey_PageUp, Key::pageUp);
  map(ImGuiKey_PageDown, Key::pageDown);
  map(ImGuiKey_Home, Key::home);
  map(ImGuiKey_End, Key::end);
  map(ImGuiKey_Insert, Key::insert);
  map(ImGuiKey_Delete, Key::del);
  map(ImGuiKey_Backspace, Key::backspace);
  map(ImGuiKey_Space, Key::space);
  map(ImGuiKey_Enter, Key::enter);
  map(ImGuiKey_Escape, Key::escape);
  map(ImGuiKey_KeyPadEnter, Key::keypadEnter);
  map(ImGuiKey_A, Key{'A'});
  map(ImGuiKey_C, Key{'C'});
  map(ImGuiKey_V, Key{'V'});
  map(ImGuiKey_X, Key{'X'});
  map(ImGuiKey_Y, Key{'Y'});
  map(ImGuiKey_Z, Key{'Z'});
#endif
}

inline void injectMousePosition(ImGuiIO& io, ImVec2 position) {
#if IMGUI_VERSION_NUM >= 18700
  io.AddMousePosEvent(position.x, position.y);
#else
  io.MousePos = position;
#endif
}

inline void injectMouseButton(ImGuiIO& io, int button, bool down) {
#if IMGUI_VERSION_NUM >= 18700
  io.AddMouseButtonEvent(button, down);
#else
  io.MouseDown[button] = down;
#endif
}

inline void injectWheel(ImGuiIO& io, float lines, float sideways = 0.0F) {
#if IMGUI_VERSION_NUM >= 18700
  io.AddMouseWheelEvent(sideways, lines);
#else
  io.MouseWheel += lines;
  io.MouseWheelH += sideways;
#endif
}

inline void injectKey(ImGuiIO& io, Key key, bool down) {
#if IMGUI_VERSION_NUM >= 18700
  io.AddKeyEvent(imguiKey(key), down);
#else
  io.KeysDown[static_cast<int>(key)] = down;
#endif
}

inline void injectModifiers(ImGuiIO& io, bool ctrl, bool shift, bool alt) {
#if IMGUI_VERSION_NUM >= 18900
  io.AddKeyEvent(ImGuiMod_Ctrl, ctrl);
  io.AddKeyEvent(ImGuiMod_Shift, shift);
  io.AddKeyEvent(ImGuiMod_Alt, alt);
#elif IMGUI_VERSION_NUM >= 18700
  io.AddKeyEvent(ImGuiKey_ModCtrl, ctrl);
  io.AddKeyEvent(ImGuiKey_ModShift, shift);
  io.AddKeyEvent(ImGuiKey_ModAlt, alt);
#else
  io.KeyCtrl = ctrl;
  io.KeyShift = shift;
  io.KeyAlt = alt;
#endif
}

/// Applies all injected input in the next frame. From 1.87 on, Dear ImGui would otherwise spread it
/// over several frames.
inline void takeInputAtOnce(ImGuiIO& io) {
#if IMGUI_VERSION_NUM >= 18700
  io.ConfigInputTrickleEventQueue = false;
#else
  (void)io;
#endif
}

/// Sets whether held keys count as pressed once more in the next frame. Call before
/// ImGui::NewFrame(), with the time of that frame set. Dear ImGui decides by how long a key has
/// been held, so these times are set; mouse buttons do not repeat.
inline void repeatHeldKeys(ImGuiIO& io, bool repeat) {
  // Keyboard navigation waits for 0.72 and 1.25 times the delay. A frame from 1.08 to 2.08 of its
  // own duration passes all three; one from 0 to 1 passes none.
  constexpr float kDelay = 1.6F;
  constexpr float kBeforeRepeat = 1.08F;
  constexpr float kNever = 1e6F;  // seconds to a second step
  io.KeyRepeatDelay = kDelay * io.DeltaTime;
  io.KeyRepeatRate = kNever;
  const float before = repeat ? kBeforeRepeat * io.DeltaTime : 0.0F;
  const auto hold = [](float& duration, float seconds) {
    if (duration >= 0.0F) duration = seconds;
  };
#if IMGUI_VERSION_NUM >= 18700
  for (ImGuiKeyData& key : io.KeysData) hold(key.DownDuration, before);
#else
  for (float& duration : io.KeysDownDuration) hold(duration, before);
  for (float& duration : io.NavInputsDownDuration) hold(duration, before);
#endif
  for (float& duration : io.MouseDownDuration) hold(duration, 0.0F);
}

/// Passes pasted and copied text through functions during its lifetime: each receives a text and
/// returns its replacement.
class ClipboardBetween {
 public:
  using Change = std::function<std::string(const char*)>;

  ClipboardBetween(Change pasted, Change copied)
      : pasted_(std::move(pasted)), copied_(std::move(copied)), outer_(now()) {
    put({readThrough, writeThrough, this});
  }
  ~ClipboardBetween() { put(outer_); }
  ClipboardBetween(const ClipboardBetween&) = delete;
  ClipboardBetween& operator=(const ClipboardBetween&) = delete;

 private:
#if IMGUI_VERSION_NUM >= 19110
  using Context = ImGuiContext*;
#else
  using Context = void*;
#endif
  struct Functions {
    const char* (*read)(Context);
    void (*write)(Context, const char*);
    void* userData;
  };

#if IMGUI_VERSION_NUM >= 19110
  static Functions now() {
    const ImGuiPlatformIO& io = ImGui::GetPlatformIO();
    return {io.Platform_GetClipboardTextFn, io.Platform_SetClipboardTextFn,
            io.Platform_ClipboardUserData};
  }
  static void put(const Functions& f) {
    ImGuiPlatformIO& io = ImGui::GetPlatformIO();
    io.Platform_GetClipboardTextFn = f.read;
    io.Platform_SetClipboardTextFn = f.write;
    io.Platform_ClipboardUserData = f.userData;
  }
  static ClipboardBetween& self(Context) {
    return *static_cast<ClipboardBetween*>(ImGui::GetPlatformIO().Platform_ClipboardUserData);
  }
  Context context() const { return ImGui::GetCurrentContext(); }
#else
  static Functions now() {
    const ImGuiIO& io = ImGui::GetIO();
    return {io.GetClipboardTextFn, io.SetClipboardTextFn, io.ClipboardUserData};
  }
  static void put(const Functions& f) {
    ImGuiIO& io = ImGui::GetIO();
    io.GetClipboardTextFn = f.read;
    io.SetClipboardTextFn = f.write;
    io.ClipboardUserData = f.userData;
  }
  static ClipboardBetween& self(Context context) {
    return *static_cast<ClipboardBetween*>(context);
  }
  Context context() const { return outer_.userData; }
#endif

  static const char* readThrough(Context context) {
    ClipboardBetween& c = self(context);
    const Functions inner = now();
    put(c.outer_);
    const char* text = c.outer_.read != nullptr ? c.outer_.read(c.context()) : nullptr;
    put(inner);
    c.text_ = text != nullptr ? c.pasted_(text) : std::string();
    return c.text_.c_str();
  }
  static void writeThrough(Context context, const char* text) {
    ClipboardBetween& c = self(context);
    const Functions inner = now();
    put(c.outer_);
    if (c.outer_.write != nullptr) c.outer_.write(c.context(), c.copied_(text).c_str());
    put(inner);
  }

  Change pasted_, copied_;
  Functions outer_;
  std::string text_;  // last text read, to which Dear ImGui keeps a pointer
};

// Widgets and fonts.

/// Keeps what is seen of the current window in its place when the interface becomes larger or
/// smaller: its middle; at either end, that end. Call it once a frame.
inline void keepScrolledPlace() {
  constexpr ImGuiID kLetters = 0x5ca1ed01;  // in the window's storage
  const float now = ImGui::GetFontSize();   // grows with the interface
  float* before = ImGui::GetStateStorage()->GetFloatRef(kLetters, now);
  if (*before == now) return;
  const float grown = now / *before;
  *before = now;
  const auto moved = [grown](float scroll, float most, float length) {
    const float kept = most > 0.0F ? length * scroll / most : 0.0F;
    return (scroll + kept) * grown - kept;
  };
  const ImVec2 size = ImGui::GetWindowSize();
  ImGui::SetScrollX(moved(ImGui::GetScrollX(), ImGui::GetScrollMaxX(), size.x));
  ImGui::SetScrollY(moved(ImGui::GetScrollY(), ImGui::GetScrollMaxY(), size.y));
}

/// Begins a part of a card that scrolls by itself; arrow keys move into it and out of it.
inline bool beginPart(const char* id, ImVec2 size, ImGuiWindowFlags flags = 0) {
#if IMGUI_VERSION_NUM >= 19090
  const bool seen = ImGui::BeginChild(id, size, ImGuiChildFlags_NavFlattened, flags);
#else
  const bool seen = ImGui::BeginChild(id, size, false, flags | ImGuiWindowFlags_NavFlattened);
#endif
  keepScrolledPlace();
  return seen;
}

/// Gives the keyboard to the next item, from anywhere (from 1.90 on only within the focused
/// window).
inline void focusNextItem() {
  ImGui::SetWindowFocus();
  ImGui::SetKeyboardFocusHere();
}

/// Lets other items overlap an item: call `before` it from 1.89.4 on, `after` it up to then.
inline void allowOverlapBefore() {
#if IMGUI_VERSION_NUM >= 18940
  ImGui::SetNextItemAllowOverlap();
#endif
}
inline void allowOverlapAfter() {
#if IMGUI_VERSION_NUM < 18940
  ImGui::SetItemAllowOverlap();
#endif
}

/// Adds an invisible item over a whole row of a table, below the items in its cells. Returns true
/// if it was clicked.
inline bool selectableRow(const char* id, float height) {
#if IMGUI_VERSION_NUM >= 18960
  constexpr ImGuiSelectableFlags kUnder = ImGuiSelectableFlags_AllowOverlap;
#else
  constexpr ImGuiSelectableFlags kUnder = ImGuiSelectableFlags_AllowItemOverlap;
#endif
  for (const ImGuiCol color : {ImGuiCol_Header, ImGuiCol_HeaderHovered, ImGuiCol_HeaderActive}) {
    ImGui::PushStyleColor(color, 0);
  }
  ImGui::PushID(id);
  const bool clicked = ImGui::Selectable(
      "##row", false, ImGuiSelectableFlags_SpanAllColumns | kUnder, {0.0F, height});
  ImGui::PopID();
  ImGui::PopStyleColor(3);
  return clicked;
}

/// The size a font was loaded at.
inline float fontSize(const ImFont* font) {
#if IMGUI_VERSION_NUM >= 19200
  return font->LegacySize;
#else
  return font->FontSize;
#endif
}

/// The distance from the top of a line to its baseline, at the size the font was loaded at.
inline float fontAscent(ImFont* font) {
#if IMGUI_VERSION_NUM >= 19200
  return font->GetFontBaked(font->LegacySize)->Ascent;
#else
  return font->Ascent;
#endif
}

inline void pushFont(ImFont* font) {
#if IMGUI_VERSION_NUM >= 19200
  ImGui::PushFont(font, font != nullptr ? font->LegacySize : 0.0F);
#else
  ImGui::PushFont(font);
#endif
}

/// Begins an empty draw list that belongs to no window of Dear ImGui, for a picture of this size.
inline void beginOwnList(ImDrawList& list, ImVec2 size) {
  list._ResetForNewFrame();
#if IMGUI_VERSION_NUM >= 19200
  list.PushTexture(ImGui::GetIO().Fonts->TexRef);
#else
  list.PushTextureID(ImGui::GetIO().Fonts->TexID);
#endif
  list.PushClipRect({0.0F, 0.0F}, size);
}

}  // namespace headscope::ui
