#include "core/platform/child_process.h"

#include <windows.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace headscope::platform {
namespace {

namespace fs = std::filesystem;

/// A handle that is closed with it.
class Held {
 public:
  explicit Held(HANDLE handle = nullptr) : handle_(handle) {}
  ~Held() { close(); }
  Held(Held&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Held& operator=(Held&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  bool open() const { return handle_ != nullptr && handle_ != INVALID_HANDLE_VALUE; }
  HANDLE get() const { return handle_; }
  void close() {
    if (open()) ::CloseHandle(handle_);
    handle_ = nullptr;
  }

 private:
  HANDLE handle_;
};

std::string beginningOf(const Held& file) {
  std::string text(4096, '\0');
  OVERLAPPED start{};
  DWORD read = 0;
  const bool is =
      ::ReadFile(file.get(), text.data(), static_cast<DWORD>(text.size()), &read, &start) != 0;
  text.resize(is ? read : 0);
  return text;
}

class WindowsChild final : public ChildProcess {
 public:
  WindowsChild(Held process, Held input, Held output, Held errors)
      : process_(std::move(process)),
        input_(std::move(input)),
        output_(std::move(output)),
        errors_(std::move(errors)) {}
  ~WindowsChild() override {
    input_.close();
    if (ended_) return;
    ::TerminateProcess(process_.get(), 1);
    ::WaitForSingleObject(process_.get(), INFINITE);
  }
  WindowsChild(const WindowsChild&) = delete;
  WindowsChild& operator=(const WindowsChild&) = delete;

  bool write(std::span<const char> bytes) override {
    constexpr std::size_t kAtOnce = std::size_t{1} << 20;
    while (!bytes.empty()) {
      const auto some = static_cast<DWORD>(std::min(bytes.size(), kAtOnce));
      DWORD written = 0;
      if (::WriteFile(input_.get(), bytes.data(), some, &written, nullptr) == 0) return false;
      bytes = bytes.subspan(written);
    }
    return true;
  }

  bool finish() override {
    input_.close();
    ::WaitForSingleObject(process_.get(), INFINITE);
    ended_ = true;
    DWORD status = 1;
    return ::GetExitCodeProcess(process_.get(), &status) != 0 && status == 0;
  }

  bool ended() override {
    ended_ = ended_ || ::WaitForSingleObject(process_.get(), 0) == WAIT_OBJECT_0;
    return ended_;
  }

  std::string output() const override { return beginningOf(output_); }
  std::string errors() const override { return beginningOf(errors_); }

 private:
  Held process_, input_, output_, errors_;
  bool ended_ = false;
};

/// An argument as the C library of Windows takes it apart again.
std::wstring quoted(const std::wstring& argument) {
  std::wstring text = L"\"";
  std::size_t slashes = 0;
  for (const wchar_t letter : argument) {
    if (letter == L'"') text.append(slashes + 1, L'\\');
    slashes = letter == L'\\' ? slashes + 1 : 0;
    text += letter;
  }
  return text.append(slashes, L'\\') + L'"';
}

/// A file of this process alone, which goes when it is closed.
Held temporaryFile() {
  wchar_t folder[MAX_PATH + 1], name[MAX_PATH + 1];
  if (::GetTempPathW(MAX_PATH + 1, folder) == 0) return Held();
  if (::GetTempFileNameW(folder, L"hs", 0, name) == 0) return Held();
  return Held(::CreateFileW(
      name, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
      nullptr, CREATE_ALWAYS, FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, nullptr));
}

/// A copy of a handle that a child process may have.
Held inherited(HANDLE handle) {
  HANDLE copy = nullptr;
  ::DuplicateHandle(::GetCurrentProcess(), handle, ::GetCurrentProcess(), &copy, 0, TRUE,
                    DUPLICATE_SAME_ACCESS);
  return Held(copy);
}

}  // namespace

fs::path findProgram(const std::string& name) {
  wchar_t found[MAX_PATH + 1];
  // only the folders of PATH: others would find a program that came with somebody's files
  const wchar_t* folders = ::_wgetenv(L"PATH");
  const DWORD length =
      ::SearchPathW(folders, fs::path(name).c_str(), L".exe", MAX_PATH + 1, found, nullptr);
  if (folders == nullptr || length == 0 || length > MAX_PATH) return {};
  const fs::path program(found);
  return program.is_absolute() ? program : fs::path();
}

std::unique_ptr<ChildProcess> ChildProcess::start(const fs::path& program,
                                                  const std::vector<std::string>& arguments) {
  std::wstring line = quoted(program.wstring());
  for (const std::string& word : arguments) line += L' ' + quoted(fs::path(word).wstring());
  HANDLE reads = nullptr, writes = nullptr;
  if (::CreatePipe(&reads, &writes, nullptr, 0) == 0) return nullptr;
  Held input(writes), given(reads), output = temporaryFile(), errors = temporaryFile();
  if (!output.open() || !errors.open()) return nullptr;
  const Held childInput = inherited(given.get()), childOutput = inherited(output.get()),
             childErrors = inherited(errors.get());
  STARTUPINFOW start{};
  start.cb = sizeof start;
  start.dwFlags = STARTF_USESTDHANDLES;
  start.hStdInput = childInput.get();
  start.hStdOutput = childOutput.get();
  start.hStdError = childErrors.get();
  PROCESS_INFORMATION made{};
  if (::CreateProcessW(program.c_str(), line.data(), nullptr, nullptr, TRUE, CREATE_NO_WINDOW,
                       nullptr, nullptr, &start, &made) == 0) {
    return nullptr;
  }
  ::CloseHandle(made.hThread);
  return std::make_unique<WindowsChild>(Held(made.hProcess), std::move(input), std::move(output),
                                        std::move(errors));
}

}  // namespace headscope::platform
