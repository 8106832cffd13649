#include "app/host/clipboard_owner.h"

#include "core/base/error.h"

// XCB is loaded when it is needed, as GLFW loads Xlib. Xlib would end the program where a program
// that asks for the picture closes its window before the answer.
#if defined(__linux__) && !defined(__EMSCRIPTEN__) && __has_include(<xcb/xcb.h>)
#define HEADSCOPE_XCB
#include <poll.h>
#include <xcb/xcb.h>

#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

#include "app/host/loaded_library.h"
#endif

namespace headscope::host {

#ifdef HEADSCOPE_XCB
namespace {

constexpr int kClipboardWaits = 200;         // ms, until the thread looks whether it is to end
constexpr std::size_t kPropertyHeader = 64;  // bytes of a request without its picture

}  // namespace

/// The functions of XCB that an owner of the clipboard needs.
class Xcb {
 public:
  Xcb() {
    const LoadedLibrary& l = library_;
    complete_ = l.load("xcb_connect", connect) && l.load("xcb_disconnect", disconnect) &&
                l.load("xcb_connection_has_error", failed) && l.load("xcb_get_setup", setup) &&
                l.load("xcb_setup_roots_iterator", screens) && l.load("xcb_generate_id", newId) &&
                l.load("xcb_create_window", createWindow) && l.load("xcb_intern_atom", atom) &&
                l.load("xcb_intern_atom_reply", atomReply) &&
                l.load("xcb_set_selection_owner", own) && l.load("xcb_poll_for_event", event) &&
                l.load("xcb_get_file_descriptor", descriptor) &&
                l.load("xcb_change_property", setProperty) && l.load("xcb_send_event", send) &&
                l.load("xcb_flush", flush) && l.load("xcb_get_maximum_request_length", mostWords);
  }
  bool complete() const { return complete_; }

  decltype(&xcb_connect) connect = nullptr;
  decltype(&xcb_disconnect) disconnect = nullptr;
  decltype(&xcb_connection_has_error) failed = nullptr;
  decltype(&xcb_get_setup) setup = nullptr;
  decltype(&xcb_setup_roots_iterator) screens = nullptr;
  decltype(&xcb_generate_id) newId = nullptr;
  decltype(&xcb_create_window) createWindow = nullptr;
  decltype(&xcb_intern_atom) atom = nullptr;
  decltype(&xcb_intern_atom_reply) atomReply = nullptr;
  decltype(&xcb_set_selection_owner) own = nullptr;
  decltype(&xcb_poll_for_event) event = nullptr;
  decltype(&xcb_get_file_descriptor) descriptor = nullptr;
  decltype(&xcb_change_property) setProperty = nullptr;
  decltype(&xcb_send_event) send = nullptr;
  decltype(&xcb_flush) flush = nullptr;
  decltype(&xcb_get_maximum_request_length) mostWords = nullptr;

 private:
  const LoadedLibrary library_{"libxcb.so.1"};
  bool complete_ = false;
};

/// A connection with a window of its own that owns the clipboard, and the thread that answers.
class ClipboardOwner::Server {
 public:
  explicit Server(std::string png) : png_(std::move(png)) {
    if (!x_.complete()) fail();
    connection_ = x_.connect(nullptr, nullptr);
    if (x_.failed(connection_) != 0) fail();
    const std::size_t most = std::size_t{4} * x_.mostWords(connection_);
    if (png_.size() + kPropertyHeader > most) {
      x_.disconnect(connection_);
      throw UserError(
          "the picture is larger than the display server passes on: choose a smaller scale, or "
          "export it as a file");
    }
    const xcb_screen_t* screen = x_.screens(x_.setup(connection_)).data;
    window_ = x_.newId(connection_);
    x_.createWindow(connection_, XCB_COPY_FROM_PARENT, window_, screen->root, 0, 0, 1, 1, 0,
                    XCB_WINDOW_CLASS_INPUT_OUTPUT, screen->root_visual, 0, nullptr);
    const xcb_atom_t clipboard = atom("CLIPBOARD");
    targets_ = atom("TARGETS");
    pngFormat_ = atom("image/png");
    x_.own(connection_, window_, clipboard, XCB_CURRENT_TIME);
    x_.flush(connection_);
    thread_ = std::jthread([this](const std::stop_token& stop) { serve(stop); });
  }
  ~Server() {
    thread_.request_stop();
    thread_.join();
    x_.disconnect(connection_);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

 private:
  [[noreturn]] void fail() {
    if (connection_ != nullptr) x_.disconnect(connection_);
    throw UserError("the clipboard cannot be reached: export the picture as a file");
  }

  xcb_atom_t atom(const char* name) {
    const auto asked = x_.atom(connection_, 0, static_cast<std::uint16_t>(std::strlen(name)), name);
    const std::unique_ptr<xcb_intern_atom_reply_t, decltype(&std::free)> reply(
        x_.atomReply(connection_, asked, nullptr), &std::free);
    return reply != nullptr ? reply->atom : static_cast<xcb_atom_t>(XCB_ATOM_NONE);
  }

  void serve(const std::stop_token& stop) {
    while (!stop.stop_requested() && x_.failed(connection_) == 0) {
      pollfd waiting{x_.descriptor(connection_), POLLIN, 0};
      ::poll(&waiting, 1, kClipboardWaits);
      while (xcb_generic_event_t* event = x_.event(connection_)) {
        const std::unique_ptr<xcb_generic_event_t, decltype(&std::free)> owned(event, &std::free);
        const int kind = event->response_type & 0x7F;
        if (kind == XCB_SELECTION_CLEAR) return;  // another program has copied something
        if (kind == XCB_SELECTION_REQUEST) {
          answer(*reinterpret_cast<const xcb_selection_request_event_t*>(event));
        }
      }
    }
  }

  void answer(const xcb_selection_request_event_t& asked) {
    xcb_selection_notify_event_t done{};
    done.response_type = XCB_SELECTION_NOTIFY;
    done.time = asked.time;
    done.requestor = asked.requestor;
    done.selection = asked.selection;
    done.target = asked.target;
    done.property = asked.property != XCB_ATOM_NONE ? asked.property : asked.target;
    if (asked.target == targets_) {
      const xcb_atom_t formats[]{targets_, pngFormat_};
      x_.setProperty(connection_, XCB_PROP_MODE_REPLACE, asked.requestor, done.property,
                     XCB_ATOM_ATOM, 32, 2, formats);
    } else if (asked.target == pngFormat_) {
      x_.setProperty(connection_, XCB_PROP_MODE_REPLACE, asked.requestor, done.property, pngFormat_,
                     8, static_cast<std::uint32_t>(png_.size()), png_.data());
    } else {
      done.property = XCB_ATOM_NONE;
    }
    x_.send(connection_, 0, asked.requestor, 0, reinterpret_cast<const char*>(&done));
    x_.flush(connection_);
  }

  const Xcb x_;
  const std::string png_;
  xcb_connection_t* connection_ = nullptr;
  xcb_window_t window_ = 0;
  xcb_atom_t targets_ = 0, pngFormat_ = 0;
  std::jthread thread_;
};

bool ClipboardOwner::available() {
  const char* display = std::getenv("DISPLAY");
  return display != nullptr && *display != '\0' && Xcb().complete();
}

void ClipboardOwner::copy(std::string png) {
  server_ = nullptr;
  server_ = std::make_unique<Server>(std::move(png));
}
#else
class ClipboardOwner::Server {};

bool ClipboardOwner::available() { return false; }

void ClipboardOwner::copy(std::string) {
  throw UserError("pictures cannot be copied on this system: export the picture as a file");
}
#endif

ClipboardOwner::ClipboardOwner() = default;
ClipboardOwner::~ClipboardOwner() = default;

}  // namespace headscope::host
