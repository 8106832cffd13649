#include "core/platform/desktop_dialog.h"

// windows.h first: the others need its types
#include <windows.h>
//
#include <commdlg.h>

#include <algorithm>
#include <array>
#include <utility>

namespace headscope::platform {
namespace {

namespace fs = std::filesystem;

class ClosedDialog final : public DesktopDialog {
 public:
  explicit ClosedDialog(fs::path chosen) : chosen_(std::move(chosen)) {}
  bool ended() override { return true; }
  fs::path chosen() override { return chosen_; }

 private:
  fs::path chosen_;
};

}  // namespace

bool DesktopDialog::available() { return true; }

std::unique_ptr<DesktopDialog> DesktopDialog::open(const Asked& asked) {
  constexpr std::size_t kLongestPath = 32768;
  std::wstring path = fs::path(asked.name).wstring();
  path.resize(kLongestPath);
  const std::wstring folder = fs::path(asked.folder).make_preferred().wstring();
  const std::wstring title = fs::path(asked.title).wstring();
  OPENFILENAMEW dialog{};
  dialog.lStructSize = sizeof dialog;
  dialog.hwndOwner = ::GetActiveWindow();
  dialog.lpstrFile = path.data();
  dialog.nMaxFile = static_cast<DWORD>(path.size());
  dialog.lpstrInitialDir = folder.c_str();
  dialog.lpstrTitle = title.c_str();
  // a session's folder is not to become the program's
  dialog.Flags = OFN_EXPLORER | OFN_NOCHANGEDIR | OFN_HIDEREADONLY |
                 (asked.saves ? OFN_PATHMUSTEXIST : OFN_FILEMUSTEXIST);
  const bool taken =
      asked.saves ? ::GetSaveFileNameW(&dialog) != 0 : ::GetOpenFileNameW(&dialog) != 0;
  return std::make_unique<ClosedDialog>(taken ? fs::path(path.c_str()) : fs::path());
}

}  // namespace headscope::platform
