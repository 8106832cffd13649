#include "app/host/web.h"

#include <emscripten.h>
#include <emscripten/html5.h>
#ifdef __EMSCRIPTEN_PTHREADS__
#include <emscripten/threading.h>
#endif
#include <epoxy/gl.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <utility>

#include "app/host/image.h"
#include "app/host/offscreen.h"
#include "app/ui/compat.h"
#include "core/base/error.h"

namespace headscope::host {
namespace {

constexpr double kPicturePatience = 0.02;  // seconds per frame for reading pictures' values
constexpr int kOwedFrames = 3;             // frames after an event: layout, hovering, final state
constexpr double kAnimation = 1.0 / 60;    // seconds between frames
constexpr double kHeldButton = 1.0 / 30;
constexpr double kCaretBlink = 0.4;

// Functions that the page implements.
EM_JS(void, pageWake, (), { Module.host.wake(); });
EM_JS(void, pageTitle, (const char* title), { Module.host.title(UTF8ToString(title)); });
EM_JS(void, pageCopy, (const char* text), { Module.host.copy(UTF8ToString(text)); });
EM_JS(void, pageWantsText, (int wants), { Module.host.wantsText(!!wants); });
EM_JS(void, pageFullScreen, (int wants), { Module.host.fullScreen(!!wants); });
EM_JS(void, pageChoose, (int folder), { Module.host.choose(!!folder); });
EM_JS(void, pageCursor, (int cursor), { Module.host.cursor(cursor); });

}  // namespace

OffscreenContext::OffscreenContext() = default;
OffscreenContext::~OffscreenContext() = default;
void OffscreenContext::makeCurrent() {}
void OffscreenContext::release() {}

WebContext::WebContext() {
  EmscriptenWebGLContextAttributes wanted;
  emscripten_webgl_init_context_attributes(&wanted);
  wanted.majorVersion = 2;
  wanted.alpha = EM_FALSE;
  wanted.depth = EM_FALSE;
  wanted.antialias = EM_FALSE;
  context_ = emscripten_webgl_create_context("#canvas", &wanted);
  if (context_ <= 0) {
    throw UserError("this browser has no WebGL 2, which draws the pictures: use a newer one");
  }
  emscripten_webgl_make_context_current(context_);
}

WebContext::~WebContext() { emscripten_webgl_destroy_context(context_); }

WebHost::WebHost(AppOptions options)
    : app_(std::move(options)), session_({}), painter_(session_, {}, kPicturePatience) {
  ImGuiIO& io = ImGui::GetIO();
  ui::prepareInjectedInput(io);
  io.BackendPlatformName = "web";
  io.ClipboardUserData = this;
  io.SetClipboardTextFn = [](void*, const char* text) { pageCopy(text); };
  io.GetClipboardTextFn = [](void* self) { return static_cast<WebHost*>(self)->pasted_.c_str(); };
  app_.onChooseFiles([](bool folder) { pageChoose(folder ? 1 : 0); });
  app_.onWake([this] { wokenFromAnyThread(); });
  app_.awaitFirst();
}

WebHost::~WebHost() { app_.onWake({}); }

double WebHost::frame(double now) {
  if (owedFrames_ <= 0 && now < due_) return std::isfinite(due_) ? due_ - now : -1.0;
  ImGuiIO& io = ImGui::GetIO();
  io.DeltaTime = static_cast<float>(std::clamp(now - drawn_, 1e-4, 1.0));
  drawn_ = now;
  io.DisplaySize = {static_cast<float>(width_), static_cast<float>(height_)};
  session_.frame(app_, now);
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  painter_.paint(app_, width_, height_);
  tellPage();
  drawIfAsked();
  if (session_.input().waiting()) owedFrames_ = kOwedFrames;
  --owedFrames_;
  if (painter_.renderer().stats().putOff > 0) owedFrames_ = std::max(owedFrames_, 1);
  double wait = app_.nextChange();
  if (app_.wantsFrame() || owedFrames_ > 0) wait = 0.0;
  if (ImGui::IsAnyMouseDown()) wait = std::min(wait, kHeldButton);
  if (io.WantTextInput) wait = std::min(wait, kCaretBlink);
  due_ = now + (wait > 0.0 ? std::max(wait, kAnimation) : 0.0);
  return std::isfinite(due_) ? due_ - now : -1.0;
}

void WebHost::resize(int width, int height, float scale) {
  width_ = std::max(width, 1);
  height_ = std::max(height, 1);
  app_.view().preferences.scale = std::clamp(scale, ui::kMinScale, ui::kMaxScale);
  owed();
}

InputQueue& WebHost::input() {
  owed();
  return session_.input();
}

void WebHost::mouse(float x, float y) { input().addMousePosition({x, y}); }

void WebHost::button(int which, bool down, double at) {
  input().setTime(at, at);
  input().addMouseButton(which, down);
}

void WebHost::wheel(float lines) { input().addWheel({0.0F, lines}); }

void WebHost::key(int key, KeyAction action, bool ctrl, bool shift, bool alt) {
  const int mods = (ctrl ? kModCtrl : 0) | (shift ? kModShift : 0) | (alt ? kModAlt : 0);
  input().addKey({key, 0, key == 0 ? KeyAction::release : action, mods});
}

void WebHost::text(const std::string& utf8) { input().addText(utf8); }

void WebHost::open(const std::string& path) {
  app_.dropFiles({path});
  owed();
}

void WebHost::openLink(const std::string& link) {
  app_.openLink(link);
  owed();
}

void WebHost::focus(bool has) { input().addFocus(has); }

/// Requests frames, on the first thread, because only it may use the page.
void WebHost::wokenFromAnyThread() {
#ifdef __EMSCRIPTEN_PTHREADS__
  const auto wake = [](void* self) { static_cast<WebHost*>(self)->owed(); };
  emscripten_async_run_in_main_runtime_thread(EM_FUNC_SIG_VI, static_cast<void (*)(void*)>(wake),
                                              this);
#else
  owed();
#endif
}

void WebHost::owed() {
  owedFrames_ = kOwedFrames;
  pageWake();
}

void WebHost::tellPage() {
  // WantTextInput says so a frame later, and that frame may not come
  const bool wantsText = ImGui::GetCurrentContext()->WantTextInputNextFrame > 0;
  if (std::exchange(wantsText_, wantsText) != wantsText) pageWantsText(wantsText ? 1 : 0);
  const bool full = app_.wantsFullScreen();
  if (std::exchange(fullScreen_, full) != full) pageFullScreen(full ? 1 : 0);
  const int cursor = ImGui::GetMouseCursor();
  if (std::exchange(cursor_, cursor) != cursor) pageCursor(cursor);
  if (std::string title = app_.title(); title != title_) {
    title_ = std::move(title);
    pageTitle(title_.c_str());
  }
}

/// Draws a requested picture in the page's context.
void WebHost::drawIfAsked() {
  const auto request = app_.takePictureRequest();
  if (!request) return;
  std::function<void()> write;
  try {
    write = [path = request->path, image = drawPicture(*request)] { writePng(path, image); };
  } catch (const std::exception&) {
    write = [error = std::current_exception()] { std::rethrow_exception(error); };
  }
  app_.pictureDrawn(*request, std::move(write));
  owed();
}

}  // namespace headscope::host

// Functions that the page calls with the host that headscope_start (app/web_main.cpp) returned.
using headscope::host::WebHost;
extern "C" {

EMSCRIPTEN_KEEPALIVE double headscope_frame(WebHost* host, double now) { return host->frame(now); }
EMSCRIPTEN_KEEPALIVE void headscope_resize(WebHost* host, int width, int height, float scale) {
  host->resize(width, height, scale);
}
EMSCRIPTEN_KEEPALIVE void headscope_mouse(WebHost* host, float x, float y) { host->mouse(x, y); }
EMSCRIPTEN_KEEPALIVE void headscope_button(WebHost* host, int which, int down, double at) {
  host->button(which, down != 0, at);
}
EMSCRIPTEN_KEEPALIVE void headscope_wheel(WebHost* host, float lines) { host->wheel(lines); }
EMSCRIPTEN_KEEPALIVE void headscope_key(WebHost* host, int key, int action, int modifiers) {
  using headscope::host::KeyAction;
  host->key(key, static_cast<KeyAction>(action), (modifiers & 1) != 0, (modifiers & 2) != 0,
            (modifiers & 4) != 0);
}
EMSCRIPTEN_KEEPALIVE void headscope_text(WebHost* host, const char* utf8) { host->text(utf8); }
EMSCRIPTEN_KEEPALIVE void headscope_paste(WebHost* host, const char* utf8) { host->paste(utf8); }
EMSCRIPTEN_KEEPALIVE void headscope_open(WebHost* host, const char* path) { host->open(path); }
EMSCRIPTEN_KEEPALIVE void headscope_link(WebHost* host, const char* link) { host->openLink(link); }
EMSCRIPTEN_KEEPALIVE void headscope_copy_link(WebHost* host) { host->copyLink(); }
EMSCRIPTEN_KEEPALIVE void headscope_focus(WebHost* host, int has) { host->focus(has != 0); }
}
