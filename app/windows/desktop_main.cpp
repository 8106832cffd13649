// The entry point of headscope.exe, which the menu and the files of headscope start: it opens no
// console, so a message of the command line appears in a box.
#include <windows.h>

#include <filesystem>
#include <sstream>
#include <string>

#include "app/windows/start.h"

int WINAPI WinMain(HINSTANCE, HINSTANCE, LPSTR, int) {
  std::ostringstream out, err;
  const int status = headscope::windows::start(out, err);
  const std::string message = status == 0 ? out.str() : err.str();
  if (!message.empty()) {
    // a path reads UTF-8, as any text of the program is
    const std::wstring text = std::filesystem::path(message).wstring();
    ::MessageBoxW(nullptr, text.c_str(), L"headscope",
                  status == 0 ? MB_ICONINFORMATION : MB_ICONERROR);
  }
  return status;
}
