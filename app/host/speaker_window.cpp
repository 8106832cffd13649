#include "app/host/speaker_window.h"

// epoxy declares OpenGL, so GLFW must not.
#include <epoxy/gl.h>
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_opengl3.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <exception>

#include "app/host/monitor.h"
#include "app/host/offscreen.h"

namespace headscope::host {
namespace {

constexpr float kSpeakerWidth = 560.0F;  // at interface scale 1
constexpr float kSpeakerHeight = 340.0F;

SpeakerWindow::Events& speakerEvents(GLFWwindow* window) {
  return *static_cast<SpeakerWindow::Events*>(glfwGetWindowUserPointer(window));
}

/// Places the speaker's window at the lower right of another screen than the first window's, if
/// there is one.
void placeSpeaker(GLFWwindow* window, GLFWwindow* first, int width, int height) {
  GLFWmonitor* other = otherMonitor(first);
  if (other == nullptr) return;
  int x = 0;
  int y = 0;
  int screenWidth = 0;
  int screenHeight = 0;
  glfwGetMonitorWorkarea(other, &x, &y, &screenWidth, &screenHeight);
  glfwSetWindowPos(window, x + std::max(0, screenWidth - width),
                   y + std::max(0, screenHeight - height));
}

ImTextureID textureId(GLuint name) {
#if IMGUI_VERSION_NUM >= 19140
  return static_cast<ImTextureID>(name);
#else
  return reinterpret_cast<ImTextureID>(static_cast<std::intptr_t>(name));  // NOLINT
#endif
}

/// Wraps one draw list as draw data for Dear ImGui's renderers.
ImDrawData drawDataOf(ImDrawList*& list, ImVec2 size, ImVec2 pixels) {
  ImDrawData data;
  data.Valid = true;
  data.DisplaySize = size;
  data.FramebufferScale = {pixels.x / size.x, pixels.y / size.y};
#if IMGUI_VERSION_NUM >= 18980
  data.AddDrawList(list);
#else
  list->_PopUnusedDrawCmd();
  data.CmdLists = &list;
  data.CmdListsCount = 1;
  data.TotalVtxCount = list->VtxBuffer.Size;
  data.TotalIdxCount = list->IdxBuffer.Size;
#endif
#if IMGUI_VERSION_NUM >= 19200
  data.Textures = &ImGui::GetPlatformIO().Textures;
#endif
  return data;
}

}  // namespace

SpeakerWindow::~SpeakerWindow() { close(); }

void SpeakerWindow::follow(App& app) {
  if (window_ != nullptr && glfwWindowShouldClose(window_) == GLFW_TRUE) {
    close();
    app.speakerWindowGone();
  }
  if (!app.wantsSpeakerWindow()) {
    if (window_ != nullptr) app.setSpeakerWindow(nullptr);
    close();
    return;
  }
  if (window_ == nullptr) {
    if (const std::string why = open(app.scale()); !why.empty()) return app.speakerWindowGone(why);
  }
  int width = 0;
  int height = 0;
  glfwGetWindowSize(window_, &width, &height);
  app.setSpeakerWindow(list_.get(), {static_cast<float>(width), static_cast<float>(height)});
}

/// Opens the window. Returns the reason of a failure; empty on success.
std::string SpeakerWindow::open(float scale) {
  const int width = static_cast<int>(kSpeakerWidth * scale);
  const int height = static_cast<int>(kSpeakerHeight * scale);
  glfwDefaultWindowHints();
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  // shared contexts must have equal robustness
  glfwWindowHint(GLFW_CONTEXT_ROBUSTNESS, glfwGetWindowAttrib(first_, GLFW_CONTEXT_ROBUSTNESS));
  glfwWindowHint(GLFW_FLOATING, GLFW_TRUE);  // stays above the first window on a single screen
  glfwWindowHint(GLFW_FOCUS_ON_SHOW, GLFW_FALSE);
  glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
  window_ = glfwCreateWindow(width, height, "headscope: speaker", nullptr, first_);
  if (window_ == nullptr) {
    const char* reason = nullptr;
    glfwGetError(&reason);
    return fmt::format(
        "a second window cannot be opened here ({}): the lesson's panel shows the speaker's lines, "
        "outside of F11",
        reason != nullptr ? reason : "no reason is given");
  }
  glfwSetWindowUserPointer(window_, &events_);
  glfwSetKeyCallback(window_, [](GLFWwindow* w, int key, int scancode, int action, int mods) {
    speakerEvents(w).key(key, scancode, action, mods);
  });
  glfwSetWindowRefreshCallback(window_, [](GLFWwindow* w) { speakerEvents(w).any(); });
  glfwSetWindowCloseCallback(window_, [](GLFWwindow* w) { speakerEvents(w).any(); });
  glfwSetFramebufferSizeCallback(window_, [](GLFWwindow* w, int, int) { speakerEvents(w).any(); });
  placeSpeaker(window_, first_, width, height);
  glfwShowWindow(window_);
  glfwMakeContextCurrent(window_);
  glfwSwapInterval(0);  // the first window's frames set the pace
  glfwMakeContextCurrent(first_);
  list_ = std::make_unique<ImDrawList>(ImGui::GetDrawListSharedData());
  events_.any();
  return {};
}

void SpeakerWindow::close() {
  if (window_ == nullptr) return;
  list_.reset();
  glfwDestroyWindow(window_);
  window_ = nullptr;
  events_.closed();
}

void SpeakerWindow::paint() {
  if (window_ == nullptr || list_->CmdBuffer.Size == 0) return;
  int width = 0;
  int height = 0;
  int pixelWidth = 0;
  int pixelHeight = 0;
  glfwGetWindowSize(window_, &width, &height);
  glfwGetFramebufferSize(window_, &pixelWidth, &pixelHeight);
  if (width < 1 || height < 1 || pixelWidth < 1 || pixelHeight < 1) return;  // minimized
  glfwMakeContextCurrent(window_);
  glViewport(0, 0, pixelWidth, pixelHeight);
  glClearColor(0.0F, 0.0F, 0.0F, 1.0F);
  glClear(GL_COLOR_BUFFER_BIT);
  ImDrawList* list = list_.get();
  ImDrawData data = drawDataOf(list, {static_cast<float>(width), static_cast<float>(height)},
                               {static_cast<float>(pixelWidth), static_cast<float>(pixelHeight)});
  ImGui_ImplOpenGL3_RenderDrawData(&data);
  glfwSwapBuffers(window_);
  glfwMakeContextCurrent(first_);
}

void SpeakerWindow::drawNextSlide(App& app, const std::filesystem::path& shaderDir) {
  if (window_ == nullptr) return;
  const std::optional<PictureRequest> request = app.takeNextSlide();
  if (!request) return;
  glfwMakeContextCurrent(nullptr);
  Image image;
  try {
    image = drawPicture(*request, shaderDir);
  } catch (const std::exception&) {
    image = {};  // the notes then show the words of the slide
  }
  glfwMakeContextCurrent(first_);
  if (image.rgba.empty()) return;
  if (!slide_) slide_.emplace();
  glBindTexture(GL_TEXTURE_2D, slide_->id());
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, image.width, image.height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
               image.rgba.data());
  glBindTexture(GL_TEXTURE_2D, 0);
  app.setNextSlide(textureId(slide_->id()),
                   {static_cast<float>(image.width), static_cast<float>(image.height)});
}

}  // namespace headscope::host
