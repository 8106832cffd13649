// Web: the host in a browser. The page (web_page.html) owns canvas, pointer, keyboard and files. It
// calls this host through the C functions at the end of web.cpp; the host calls the page through
// its `host` object.
#pragma once

#include <memory>
#include <string>

#include "app/app.h"
#include "app/host/imgui_session.h"
#include "app/host/painter.h"

namespace headscope::host {

/// A WebGL 2 context on the page's canvas.
class WebContext {
 public:
  /// Throws UserError where the browser has no WebGL 2.
  WebContext();
  ~WebContext();
  WebContext(const WebContext&) = delete;
  WebContext& operator=(const WebContext&) = delete;

 private:
  long context_ = 0;
};

class WebHost {
 public:
  /// Throws UserError without WebGL 2, and where the first pass is refused.
  explicit WebHost(AppOptions options);
  ~WebHost();
  WebHost(const WebHost&) = delete;
  WebHost& operator=(const WebHost&) = delete;

  /// Draws a frame if one is due at `now` seconds. Returns the number of seconds until the next
  /// one; negative: it waits for an event.
  double frame(double now);

  // Events. Positions are in pixels of the canvas.
  void resize(int width, int height, float scale);
  void mouse(float x, float y);
  void button(int which, bool down, double at);  // seconds, on the clock of frames
  void wheel(float lines);
  void key(int key, KeyAction action, bool ctrl, bool shift, bool alt);  // 0: modifiers only
  void text(const std::string& utf8);
  void paste(std::string text) { pasted_ = std::move(text); }
  void open(const std::string& path);
  void openLink(const std::string& link);
  void copyLink() {
    app_.copyLink();
    owed();
  }
  void focus(bool has);

 private:
  void wokenFromAnyThread();
  InputQueue& input();
  void owed();
  void tellPage();
  void drawIfAsked();

  WebContext context_;
  App app_;
  ImGuiSession session_;
  Painter painter_;
  int width_ = 1, height_ = 1;  // pixels
  int owedFrames_ = 0;
  double drawn_ = 0.0, due_ = 0.0;
  std::string pasted_, title_;
  bool wantsText_ = false, fullScreen_ = false;
  int cursor_ = 0;
};

}  // namespace headscope::host
