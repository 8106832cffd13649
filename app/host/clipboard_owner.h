// Clipboard owner: offers a picture to other programs, as image/png, until one of them copies
// something else. X11 asks the owner itself for what was copied, so that a thread answers for it;
// Windows keeps what was copied.
#pragma once

#include <memory>
#include <string>

namespace headscope::host {

class ClipboardOwner {
 public:
  ClipboardOwner();
  ~ClipboardOwner();
  ClipboardOwner(const ClipboardOwner&) = delete;
  ClipboardOwner& operator=(const ClipboardOwner&) = delete;

  /// Returns whether this system's clipboard can take a picture.
  static bool available();
  /// Puts a PNG file's bytes onto the clipboard, in place of what was copied before. Throws
  /// UserError with a sentence where the display server does not take it.
  void copy(std::string png);

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

}  // namespace headscope::host
