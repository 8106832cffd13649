// The clipboard of Windows: pictures that this program copies, and those that others have copied.
// It keeps what it is given, so that no thread answers for it.
#include <windows.h>
//
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/host/clipboard_owner.h"
#include "app/host/clipboard_picture.h"
#include "app/host/image.h"
#include "core/base/error.h"
#include "core/formats/pictures/picture.h"

namespace headscope::host {
namespace {

constexpr LONG kLongestSide = 32768;

/// The format in which Windows' programs exchange PNG files.
UINT pngFormat() { return ::RegisterClipboardFormatW(L"PNG"); }

/// Holds the clipboard open. Another program may hold it for a moment: it is tried again.
class OpenClipboard {
 public:
  OpenClipboard() {
    constexpr int kTries = 20;
    for (int i = 0; i < kTries && !open_; ++i) {
      if (i > 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
      open_ = ::OpenClipboard(::GetActiveWindow()) != 0;
    }
  }
  ~OpenClipboard() {
    if (open_) ::CloseClipboard();
  }
  OpenClipboard(const OpenClipboard&) = delete;
  OpenClipboard& operator=(const OpenClipboard&) = delete;

  bool isOpen() const { return open_; }

 private:
  bool open_ = false;
};

/// Hands bytes over to the clipboard, which owns them afterwards. Returns whether it took them.
bool put(UINT format, const void* bytes, std::size_t size) {
  const HGLOBAL memory = ::GlobalAlloc(GMEM_MOVEABLE, size);
  if (memory == nullptr) return false;
  std::memcpy(::GlobalLock(memory), bytes, size);
  ::GlobalUnlock(memory);
  if (::SetClipboardData(format, memory) != nullptr) return true;
  ::GlobalFree(memory);
  return false;
}

BITMAPINFOHEADER headerOf(Index width, Index height) {
  BITMAPINFOHEADER header{};
  header.biSize = sizeof header;
  header.biWidth = static_cast<LONG>(width);
  header.biHeight = static_cast<LONG>(height);  // positive: the lowest row first
  header.biPlanes = 1;
  header.biBitCount = 32;
  header.biCompression = BI_RGB;
  return header;
}

/// A picture as older programs take it: its header, then rows of blue, green, red and nothing.
std::vector<std::uint8_t> bitmapOf(const formats::Picture& picture) {
  const BITMAPINFOHEADER header = headerOf(picture.width, picture.height);
  std::vector<std::uint8_t> bytes(sizeof header);
  std::memcpy(bytes.data(), &header, sizeof header);
  for (Index y = picture.height - 1; y >= 0; --y) {
    for (Index x = 0; x < picture.width; ++x) {
      const std::uint8_t* rgb = picture.at(x, y);
      bytes.insert(bytes.end(), {rgb[2], rgb[1], rgb[0], 0});
    }
  }
  return bytes;
}

std::string copiedPng() {
  const HANDLE memory = ::GetClipboardData(pngFormat());
  if (memory == nullptr) return {};
  const void* bytes = ::GlobalLock(memory);
  if (bytes == nullptr) return {};
  std::string png(static_cast<const char*>(bytes), ::GlobalSize(memory));
  ::GlobalUnlock(memory);
  return png;
}

/// Returns the copied bitmap as a PNG file; empty where no bitmap was copied.
std::string copiedBitmap() {
  const HANDLE bitmap = ::GetClipboardData(CF_BITMAP);
  BITMAP about{};
  if (bitmap == nullptr || ::GetObjectW(bitmap, sizeof about, &about) == 0) return {};
  if (about.bmWidth < 1 || about.bmHeight < 1) return {};
  if (about.bmWidth > kLongestSide || about.bmHeight > kLongestSide) return {};
  Image image;
  image.width = about.bmWidth;
  image.height = about.bmHeight;
  image.rgba.resize(std::size_t{4} * static_cast<std::size_t>(about.bmWidth) *
                    static_cast<std::size_t>(about.bmHeight));
  BITMAPINFO info{};
  info.bmiHeader = headerOf(about.bmWidth, -Index{about.bmHeight});
  const HDC screen = ::GetDC(nullptr);
  const int rows =
      ::GetDIBits(screen, static_cast<HBITMAP>(bitmap), 0, static_cast<UINT>(about.bmHeight),
                  image.rgba.data(), &info, DIB_RGB_COLORS);
  ::ReleaseDC(nullptr, screen);
  if (rows != about.bmHeight) return {};
  for (std::size_t i = 0; i < image.rgba.size(); i += 4) {
    std::swap(image.rgba[i], image.rgba[i + 2]);
    image.rgba[i + 3] = 255;
  }
  return pngOf(image);
}

std::string copiedPicture() {
  const OpenClipboard clipboard;
  if (!clipboard.isOpen()) return {};
  std::string png = copiedPng();
  return png.empty() ? copiedBitmap() : png;
}

}  // namespace

class ClipboardOwner::Server {};

ClipboardOwner::ClipboardOwner() = default;
ClipboardOwner::~ClipboardOwner() = default;

bool ClipboardOwner::available() { return true; }

void ClipboardOwner::copy(std::string png) {
  const std::vector<std::uint8_t> bitmap = bitmapOf(formats::pictureFrom(png, "the picture"));
  const OpenClipboard clipboard;
  const bool taken = clipboard.isOpen() && ::EmptyClipboard() != 0 &&
                     put(pngFormat(), png.data(), png.size()) &&
                     put(CF_DIB, bitmap.data(), bitmap.size());
  if (!taken) throw UserError("the clipboard cannot be reached: export the picture as a file");
}

std::function<std::string()> clipboardPictures() { return copiedPicture; }

}  // namespace headscope::host
