#include "app/host/clipboard_picture.h"

// Xlib is loaded when it is needed, as GLFW loads it: the program does not link to it.
#if defined(__linux__) && !defined(__EMSCRIPTEN__) && __has_include(<X11/Xlib.h>)
#define HEADSCOPE_X11
#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <poll.h>

#include <chrono>
#include <memory>
#include <string>

#include "app/host/loaded_library.h"
#endif

namespace headscope::host {

#ifdef HEADSCOPE_X11
namespace {

using Clock = std::chrono::steady_clock;

// An owner that does not answer would halt the window.
constexpr std::chrono::milliseconds kPatience{800};
constexpr std::size_t kMostBytes = std::size_t{256} << 20;

/// The functions of Xlib that a copied picture needs.
class Xlib {
 public:
  Xlib() {
    const LoadedLibrary& l = library_;
    complete_ = l.load("XOpenDisplay", open) && l.load("XCloseDisplay", close) &&
                l.load("XCreateSimpleWindow", createWindow) && l.load("XSelectInput", select) &&
                l.load("XInternAtom", atom) && l.load("XGetSelectionOwner", owner) &&
                l.load("XConvertSelection", convert) && l.load("XCheckTypedWindowEvent", check) &&
                l.load("XGetWindowProperty", property) &&
                l.load("XDeleteProperty", deleteProperty) && l.load("XFree", free);
  }
  bool complete() const { return complete_; }

  decltype(&XOpenDisplay) open = nullptr;
  decltype(&XCloseDisplay) close = nullptr;
  decltype(&XCreateSimpleWindow) createWindow = nullptr;
  decltype(&XSelectInput) select = nullptr;
  decltype(&XInternAtom) atom = nullptr;
  decltype(&XGetSelectionOwner) owner = nullptr;
  decltype(&XConvertSelection) convert = nullptr;
  decltype(&XCheckTypedWindowEvent) check = nullptr;
  decltype(&XGetWindowProperty) property = nullptr;
  decltype(&XDeleteProperty) deleteProperty = nullptr;
  decltype(&XFree) free = nullptr;

 private:
  const LoadedLibrary library_{"libX11.so.6"};
  bool complete_ = false;
};

/// A connection with a window of its own, to which the clipboard's owner hands what it has.
class Receiver {
 public:
  explicit Receiver(const Xlib& x) : x_(x), display_(x.open(nullptr)) {
    if (display_ == nullptr) return;
    window_ = x.createWindow(display_, DefaultRootWindow(display_), 0, 0, 1, 1, 0, 0, 0);
    x.select(display_, window_, PropertyChangeMask);
    clipboard_ = atom("CLIPBOARD");
    place_ = atom("HEADSCOPE_PICTURE");
    pieces_ = atom("INCR");
  }
  ~Receiver() {
    if (display_ != nullptr) x_.close(display_);
  }
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;

  /// Returns whether some program has copied something.
  bool hasOwner() const { return display_ != nullptr && x_.owner(display_, clipboard_) != None; }
  /// Returns whether the owner answered the last request.
  bool answered() const { return answered_; }

  /// Returns what was copied in a format, such as "image/png"; empty where it has no such form.
  std::string copied(const char* format) {
    x_.deleteProperty(display_, window_, place_);
    x_.convert(display_, clipboard_, atom(format), place_, window_, CurrentTime);
    XEvent event;
    answered_ = await(SelectionNotify, event);
    if (!answered_ || event.xselection.property == None) return {};
    discardNews();  // the deletion of the property, and its new value, which is read now
    std::string bytes;
    if (take(bytes) != pieces_) return bytes;
    bytes.clear();
    while (await(PropertyNotify, event)) {
      if (event.xproperty.atom != place_ || event.xproperty.state != PropertyNewValue) continue;
      const std::size_t before = bytes.size();
      take(bytes);
      if (bytes.size() == before) return bytes;  // an empty piece ends it
      if (bytes.size() > kMostBytes) return {};
    }
    return {};
  }

 private:
  Atom atom(const char* name) const { return x_.atom(display_, name, False); }

  /// Returns false where no such event comes in time.
  bool await(int type, XEvent& event) {
    const auto end = Clock::now() + kPatience;
    while (x_.check(display_, window_, type, &event) == False) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
      if (left.count() <= 0) return false;
      pollfd connection{ConnectionNumber(display_), POLLIN, 0};
      ::poll(&connection, 1, static_cast<int>(left.count()));
    }
    return true;
  }

  void discardNews() {
    XEvent event;
    while (x_.check(display_, window_, PropertyNotify, &event) != False) {
    }
  }

  /// Appends the property's bytes, removes it, which asks for the next piece, and returns its type.
  Atom take(std::string& bytes) {
    Atom type = None;
    int bits = 0;
    unsigned long count = 0;
    unsigned long left = 0;
    unsigned char* data = nullptr;
    constexpr long kWords = kMostBytes / 4;
    const int status = x_.property(display_, window_, place_, 0, kWords, True, AnyPropertyType,
                                   &type, &bits, &count, &left, &data);
    if (data == nullptr) return type;
    const std::unique_ptr<unsigned char, decltype(&XFree)> owned(data, x_.free);
    if (status == Success && bits == 8) bytes.append(reinterpret_cast<const char*>(data), count);
    return type;
  }

  const Xlib& x_;
  Display* display_;
  Window window_ = None;
  Atom clipboard_ = None;
  Atom place_ = None;
  Atom pieces_ = None;  // the type of an answer that comes in pieces
  bool answered_ = false;
};

std::string copiedPicture() {
  const Xlib xlib;
  if (!xlib.complete()) return {};
  Receiver receiver(xlib);
  if (!receiver.hasOwner()) return {};
  for (const char* format : {"image/png", "image/jpeg", "image/webp"}) {
    std::string bytes = receiver.copied(format);
    if (!bytes.empty() || !receiver.answered()) return bytes;
  }
  return {};
}

}  // namespace

std::function<std::string()> clipboardPictures() { return copiedPicture; }
#else
std::function<std::string()> clipboardPictures() { return nullptr; }
#endif

}  // namespace headscope::host
