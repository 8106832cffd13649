#include "app/host/window.h"

// epoxy declares OpenGL, so GLFW must not.
#include <epoxy/gl.h>
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/background_task.h"
#include "app/gl/reset_watch.h"
#include "app/host/clipboard_owner.h"
#include "app/host/clipboard_picture.h"
#include "app/host/figure.h"
#include "app/host/film_between_frames.h"
#include "app/host/image.h"
#include "app/host/imgui_session.h"
#include "app/host/monitor.h"
#include "app/host/offscreen.h"
#include "app/host/pace.h"
#include "app/host/painter.h"
#include "app/host/speaker_window.h"
#include "app/host/system_libraries.h"
#include "app/settings.h"
#include "app/ui/frame_context.h"
#include "core/base/error.h"

namespace headscope::host {
namespace {

constexpr int kOwedFrames = 3;   // after an event: ImGui needs two frames to settle
constexpr int kWokenFrames = 2;  // after another thread's news, which may change the layout
constexpr double kPicturePatience = 0.02;  // seconds per frame for reading pictures' values
constexpr double kFilmPace = 0.004;        // the longest wait between two pictures of a film
constexpr int kLeastWidth = 320;           // a smaller window was hardly meant to open again
constexpr int kLeastHeight = 240;
constexpr const char* kNotDrawn = "headscope: there is not enough memory to draw all of this";
constexpr const char* kWindowWayOut = "use `headscope render --out F.png` to draw without a window";

/// Throws UserError where system libraries are missing; callers check this before driver errors.
void refuseWithoutLibraries() {
  const std::string missing = missingForWindow();
  if (missing.empty()) return;
  throw UserError(fmt::format("the window needs {}, or {}", missing, kWindowWayOut));
}

struct GlfwLibrary {
  GlfwLibrary() {
    if (glfwInit() == GLFW_TRUE) return;
    const char* reason = nullptr;
    glfwGetError(&reason);
    refuseWithoutLibraries();
    throw UserError(fmt::format("no display to open a window on ({}); {}",
                                reason != nullptr ? reason : "GLFW does not start", kWindowWayOut));
  }
  ~GlfwLibrary() { glfwTerminate(); }
  GlfwLibrary(const GlfwLibrary&) = delete;
  GlfwLibrary& operator=(const GlfwLibrary&) = delete;
};

using WindowPtr = std::unique_ptr<GLFWwindow, decltype(&glfwDestroyWindow)>;

WindowPtr tryWindow(int width, int height) {
  return {glfwCreateWindow(width, height, "headscope", nullptr, nullptr), &glfwDestroyWindow};
}

/// The OpenGL version of a driver that lacks 3.3.
std::string versionFound() {
  glfwDefaultWindowHints();
  glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
  const std::string none = fmt::format("no OpenGL at all: {}", driverAdvice());
  const WindowPtr window = tryWindow(64, 64);
  if (!window) return none;
  glfwMakeContextCurrent(window.get());
  const auto* version = reinterpret_cast<const char*>(glGetString(GL_VERSION));
  return version != nullptr ? fmt::format("OpenGL {}", version) : none;
}

/// Opens the window at the size that it had when it was last closed, or at `scale` times that of
/// the options.
WindowPtr openWindow(const WindowOptions& options, const Settings& kept, float scale) {
  GLFWmonitor* monitor = glfwGetPrimaryMonitor();
  const bool known = kept.windowWidth >= kLeastWidth && kept.windowHeight >= kLeastHeight;
  int width =
      known ? kept.windowWidth : static_cast<int>(static_cast<float>(options.width) * scale);
  int height =
      known ? kept.windowHeight : static_cast<int>(static_cast<float>(options.height) * scale);
  if (monitor != nullptr) {
    int x = 0;
    int y = 0;
    int availableWidth = 0;
    int availableHeight = 0;
    glfwGetMonitorWorkarea(monitor, &x, &y, &availableWidth, &availableHeight);
    if (availableWidth > 0) width = std::min(width, availableWidth);
    if (availableHeight > 0) height = std::min(height, availableHeight);
  }
  glfwWindowHint(GLFW_MAXIMIZED, kept.maximized ? GLFW_TRUE : GLFW_FALSE);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_CONTEXT_ROBUSTNESS, GLFW_LOSE_CONTEXT_ON_RESET);
  WindowPtr window = tryWindow(width, height);
  if (!window) {  // not every driver supports robustness
    glfwWindowHint(GLFW_CONTEXT_ROBUSTNESS, GLFW_NO_ROBUSTNESS);
    window = tryWindow(width, height);
  }
  if (!window) {
    refuseWithoutLibraries();
    throw UserError(fmt::format("the window needs OpenGL 3.3, and the driver here offers {}; {}",
                                versionFound(), kWindowWayOut));
  }
  glfwMakeContextCurrent(window.get());
  glfwSwapInterval(1);
  return window;
}

/// The data that callbacks pass to the loop.
struct Events {
  InputQueue& input;
  int owedFrames = kOwedFrames;
  std::atomic<bool> woken{false};  // set by another thread; no callback reports it
  std::vector<std::filesystem::path> dropped{};
  std::optional<float> contentScale{};  // the content scale of the window's new monitor
  double drewFrom = 0.0;   // the start of the present drawing; events are not processed since
  double waitsFrom = 0.0;  // the end of the present drawing, when waiting for events begins
};

Events& eventsOf(GLFWwindow* window) {
  return *static_cast<Events*>(glfwGetWindowUserPointer(window));
}

/// Records the arrival of an event. GLFW does not give its time: an event that arrives as soon as
/// the program waits may have happened since drawing began.
Events& noteEvent(GLFWwindow* window) {
  constexpr double kAtOnce = 0.002;  // seconds
  Events& events = eventsOf(window);
  events.owedFrames = kOwedFrames;
  const double now = glfwGetTime();
  events.input.setTime(now - events.waitsFrom < kAtOnce ? events.drewFrom : now, now);
  return events;
}

void addKey(InputQueue& input, int key, int scancode, int action, int mods) {
  input.addKey({key, scancode, static_cast<KeyAction>(action), mods});
}

void addMouse(GLFWwindow* window, InputQueue& input) {
  double x = 0.0;
  double y = 0.0;
  glfwGetCursorPos(window, &x, &y);
  input.addMousePosition({static_cast<float>(x), static_cast<float>(y)});
}

/// Sets all callbacks; Dear ImGui's backend sets none.
void watchEvents(GLFWwindow* window, Events& events) {
  glfwSetWindowUserPointer(window, &events);
  glfwSetCursorPosCallback(window, [](GLFWwindow* w, double x, double y) {
    noteEvent(w).input.addMousePosition({static_cast<float>(x), static_cast<float>(y)});
  });
  glfwSetCursorEnterCallback(window, [](GLFWwindow* w, int entered) {
    InputQueue& input = noteEvent(w).input;
    if (entered == GLFW_TRUE) return addMouse(w, input);  // leaving reported no move
    // while a button is held, the window also gets moves outside of it
    if (!ImGui::IsAnyMouseDown()) input.loseMouse();
  });
  glfwSetMouseButtonCallback(window, [](GLFWwindow* w, int button, int action, int) {
    noteEvent(w).input.addMouseButton(button, action == GLFW_PRESS);
  });
  glfwSetScrollCallback(window, [](GLFWwindow* w, double x, double y) {
    noteEvent(w).input.addWheel({static_cast<float>(x), static_cast<float>(y)});
  });
  glfwSetKeyCallback(window, [](GLFWwindow* w, int key, int scancode, int action, int mods) {
    addKey(noteEvent(w).input, key, scancode, action, mods);
  });
  glfwSetCharCallback(window, [](GLFWwindow* w, unsigned codepoint) {
    noteEvent(w).input.addCharacter(codepoint);
  });
  glfwSetWindowFocusCallback(window, [](GLFWwindow* w, int focused) {
    noteEvent(w).input.addFocus(focused == GLFW_TRUE);
  });
  glfwSetWindowIconifyCallback(window, [](GLFWwindow* w, int) { noteEvent(w); });
  glfwSetWindowRefreshCallback(window, [](GLFWwindow* w) { noteEvent(w); });
  glfwSetFramebufferSizeCallback(window, [](GLFWwindow* w, int, int) { noteEvent(w); });
  glfwSetWindowContentScaleCallback(
      window, [](GLFWwindow* w, float x, float) { noteEvent(w).contentScale = x; });
  glfwSetDropCallback(window, [](GLFWwindow* w, int count, const char** paths) {
    auto& dropped = noteEvent(w).dropped;
    for (int i = 0; i < count; ++i) dropped.emplace_back(paths[i]);
  });
}

/// Passes keys through the backend, which knows the keyboard's layout.
void giveKeysToBackend(GLFWwindow* window, InputQueue& input) {
  input.onKey([window](const InputQueue::KeyEvent& k) {
    ImGui_ImplGlfw_KeyCallback(window, k.key, k.scancode, static_cast<int>(k.action), k.mods);
  });
}

bool visible(GLFWwindow* window) {
  int width = 0;
  int height = 0;
  glfwGetFramebufferSize(window, &width, &height);
  return width > 0 && height > 0 && glfwGetWindowAttrib(window, GLFW_ICONIFIED) == GLFW_FALSE;
}

struct WindowNow {
  bool visible = true;
  bool films = false;
};

/// Sleeps until a frame is due, or a picture of a film. `drawn`: the time of the last frame.
void waitForEvents(const App& app, Events& events, const WindowNow& window, double drawn) {
  const ImGuiIO& io = ImGui::GetIO();
  const double due =
      glfwGetTime() +
      secondsToWait({window.visible, events.owedFrames, app.wantsFrame(), app.nextChange(),
                     ImGui::IsAnyMouseDown(), io.WantTextInput, glfwGetTime() - drawn});
  events.waitsFrom = glfwGetTime();
  double left = due - events.waitsFrom;
  if (window.films) left = std::min(left, kFilmPace);
  if (!std::isfinite(left)) {
    glfwWaitEvents();
  } else if (left > 0.0) {
    glfwWaitEventsTimeout(left);
  } else {
    glfwPollEvents();
  }
  events.drewFrom = glfwGetTime();
  if (events.woken.exchange(false)) events.owedFrames = std::max(events.owedFrames, kWokenFrames);
  if (events.drewFrom >= due) events.owedFrames = std::max(events.owedFrames, 1);
}

class WindowBackend {
 public:
  explicit WindowBackend(GLFWwindow* window) { ImGui_ImplGlfw_InitForOpenGL(window, false); }
  ~WindowBackend() { ImGui_ImplGlfw_Shutdown(); }
  WindowBackend(const WindowBackend&) = delete;
  WindowBackend& operator=(const WindowBackend&) = delete;
};

/// Lets the worker wake the loop for the lifetime of this object.
class Waker {
 public:
  Waker(App& app, Events& events) : app_(app) {
    app_.onWake([&events] {
      events.woken = true;
      glfwPostEmptyEvent();
    });
  }
  ~Waker() { app_.onWake({}); }
  Waker(const Waker&) = delete;
  Waker& operator=(const Waker&) = delete;

 private:
  App& app_;
};

/// Draws a frame. Returns false where memory ran out; a later frame draws the rest.
bool paintWhole(Painter& painter, App& app, int width, int height) {
  try {
    painter.paint(app, width, height);
    return true;
  } catch (const std::bad_alloc&) {
    app.scene().renderer = nullptr;
    return false;
  }
}

/// Remembers the window's size for the next start.
void keepWindow(Settings& settings, GLFWwindow* window, const FullScreen& fullScreen) {
  settings.maximized = glfwGetWindowAttrib(window, GLFW_MAXIMIZED) == GLFW_TRUE;
  if (!settings.maximized) fullScreen.size(settings.windowWidth, settings.windowHeight);
}

/// Draws a requested picture between two frames, and another thread writes it; or begins a film.
void drawIfAsked(App& app, GLFWwindow* window, const std::filesystem::path& shaderDir,
                 FilmBetweenFrames& film, const std::shared_ptr<ClipboardOwner>& clipboard) {
  std::optional<PictureRequest> request = app.takePictureRequest();
  if (!request) return;
  if (request->film) return film.begin(*std::move(request));
  glfwMakeContextCurrent(nullptr);
  std::function<void()> write;
  try {
    if (request->copies) {
      write = [clipboard, image = drawPicture(*request, shaderDir)] {
        clipboard->copy(pngOf(image));
      };
    } else if (isFigure(request->path)) {
      writeFigure(*request);
      write = [] {};
    } else {
      write = [path = request->path, image = drawPicture(*request, shaderDir)] {
        writePng(path, image);
      };
    }
  } catch (const std::exception&) {
    write = writeThatFails();
  }
  glfwMakeContextCurrent(window);
  app.pictureDrawn(*request, std::move(write));
}

}  // namespace

bool displayNamed() {
#ifdef __linux__
  const auto named = [](const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value != '\0';
  };
  return named("DISPLAY") || named("WAYLAND_DISPLAY");
#else
  return true;
#endif
}

int runWindow(App& app, const WindowOptions& options) {
  const GlfwLibrary library;
  Settings& settings = app.settings();
  float monitorScale = scaleOf(glfwGetPrimaryMonitor());
  if (!options.keepScale) {
    app.view().preferences.scale =
        settings.scale ? rescaled(*settings.scale, settings.monitorScale, monitorScale)
                       : interfaceScale(monitorScale);
  }
  settings.monitorScale = monitorScale;
  BackgroundTask<LoadedFonts> fonts(app.scheduler());
  fonts.request([scale = app.scale()](const auto&) { return std::optional(loadFonts(scale)); });
  const WindowPtr window = openWindow(options, settings, app.scale());
  if (const auto missing = missingFromGl(); !missing.empty()) {
    throw UserError(fmt::format("{}; {}", missing, kWindowWayOut));
  }

  fonts.wait();
  auto loaded = fonts.take();  // without a result the session loads them itself
  ImGuiSession session(loaded && loaded->result ? std::move(*loaded->result) : LoadedFonts());
  Events events{session.input()};
  watchEvents(window.get(), events);
  const WindowBackend backend(window.get());
  giveKeysToBackend(window.get(), session.input());
  if (glfwGetWindowAttrib(window.get(), GLFW_HOVERED) == GLFW_TRUE) {
    addMouse(window.get(), session.input());
  }
  Painter painter(session, options.shaderDir, kPicturePatience);
  const gl::ResetWatch reset;
  const Waker waker(app, events);
  FullScreen fullScreen(window.get());
  SpeakerWindow speaker(window.get(), {[&events] { events.owedFrames = kOwedFrames; },
                                       [&events](int key, int scancode, int action, int mods) {
                                         events.owedFrames = kOwedFrames;
                                         addKey(events.input, key, scancode, action, mods);
                                       },
                                       [&events] { events.input.addFocus(false); }});
  app.offerFilms(filmKinds());
  app.onPastePicture(clipboardPictures());
  const auto clipboard = std::make_shared<ClipboardOwner>();
  if (ClipboardOwner::available()) app.offerCopies();
  FilmBetweenFrames film(app, options.shaderDir, [&window](bool on) {
    glfwMakeContextCurrent(on ? window.get() : nullptr);
  });
  app.awaitFirst();

  std::string shownTitle;
  double drawn = 0.0;
  while (true) {
    waitForEvents(app, events, {visible(window.get()), film.busy()}, drawn);
    if (glfwWindowShouldClose(window.get()) == GLFW_TRUE) {
      keepWindow(settings, window.get(), fullScreen);
      glfwHideWindow(window.get());
      app.stop();  // computations would slow down the remaining work
      return 0;
    }
    if (!events.dropped.empty()) {
      app.dropFiles(events.dropped);
      events.dropped.clear();
    }
    if (const auto now = std::exchange(events.contentScale, std::nullopt)) {
      const float scale = *now > ui::kMinScale ? *now : scaleOf(monitorOf(window.get()));
      const float before = std::exchange(monitorScale, scale);
      if (!options.keepScale)
        app.view().preferences.scale = rescaled(app.view().preferences.scale, before, scale);
      settings.monitorScale = scale;
    }
    if (film.busy()) {
      film.work();
      const bool due = glfwGetTime() - drawn > ui::kProgressPace || !film.busy();
      if (due) events.owedFrames = std::max(events.owedFrames, 1);
    }
    if (!visible(window.get()) || events.owedFrames <= 0) continue;
    drawn = glfwGetTime();
    speaker.follow(app);
    ImGui_ImplGlfw_NewFrame();
    session.frame(app, drawn);
    if (events.input.waiting()) events.owedFrames = kOwedFrames;
    int width = 0;
    int height = 0;
    glfwGetFramebufferSize(window.get(), &width, &height);
    const bool whole = paintWhole(painter, app, width, height);
    if (const std::string title = whole ? app.title() : kNotDrawn; title != shownTitle) {
      glfwSetWindowTitle(window.get(), title.c_str());
      shownTitle = title;
    }
    glfwSwapBuffers(window.get());
    speaker.paint();
    reset.check();
    --events.owedFrames;
    if (painter.renderer().stats().putOff > 0) events.owedFrames = std::max(events.owedFrames, 1);
    drawIfAsked(app, window.get(), options.shaderDir, film, clipboard);
    speaker.drawNextSlide(app, options.shaderDir);
    fullScreen.set(app.wantsFullScreen());
  }
}

}  // namespace headscope::host
