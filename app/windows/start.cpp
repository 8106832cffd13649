#include "app/windows/start.h"

#include <fcntl.h>
#include <io.h>
#include <windows.h>
// after windows.h, whose types it needs
#include <shellapi.h>

#include <cstdio>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "app/cli/cli.h"

namespace headscope::windows {
namespace {

/// Returns the arguments in UTF-8. Those of main() lack what the system's code page does not have.
std::vector<std::string> arguments() {
  int count = 0;
  wchar_t** wide = ::CommandLineToArgvW(::GetCommandLineW(), &count);
  std::vector<std::string> all;
  for (int i = 0; i < count; ++i) {
    const int length = ::WideCharToMultiByte(CP_UTF8, 0, wide[i], -1, nullptr, 0, nullptr, nullptr);
    std::string text(static_cast<std::size_t>(length), '\0');
    ::WideCharToMultiByte(CP_UTF8, 0, wide[i], -1, text.data(), length, nullptr, nullptr);
    text.pop_back();  // the zero at its end
    all.push_back(std::move(text));
  }
  ::LocalFree(wide);
  return all;
}

/// Makes the console show UTF-8 until the end; the shell gets its own code page back.
class Utf8Console {
 public:
  Utf8Console() : output_(::GetConsoleOutputCP()), input_(::GetConsoleCP()) {
    ::SetConsoleOutputCP(CP_UTF8);
    ::SetConsoleCP(CP_UTF8);
  }
  ~Utf8Console() {
    ::SetConsoleOutputCP(output_);
    ::SetConsoleCP(input_);
  }
  Utf8Console(const Utf8Console&) = delete;
  Utf8Console& operator=(const Utf8Console&) = delete;

 private:
  UINT output_, input_;
};

}  // namespace

int start(std::ostream& out, std::ostream& err) {
  for (std::FILE* stream : {stdin, stdout, stderr}) ::_setmode(::_fileno(stream), _O_BINARY);
  const Utf8Console console;
  const std::vector<std::string> given = arguments();
  std::vector<const char*> argv;
  for (const std::string& argument : given) argv.push_back(argument.c_str());
  return runCli(static_cast<int>(argv.size()), argv.data(), std::cin, out, err);
}

}  // namespace headscope::windows
