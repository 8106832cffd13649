#include "core/platform/process.h"

#include <io.h>
#include <windows.h>

#include <cstdio>

namespace headscope::platform {

long processId() { return static_cast<long>(::GetCurrentProcessId()); }

bool processRuns(long id) {
  HANDLE process = ::OpenProcess(SYNCHRONIZE, FALSE, static_cast<DWORD>(id));
  if (process == nullptr) return ::GetLastError() != ERROR_INVALID_PARAMETER;  // another user's
  const bool runs = ::WaitForSingleObject(process, 0) == WAIT_TIMEOUT;
  ::CloseHandle(process);
  return runs;
}

bool errorsGoToTerminal() { return ::_isatty(::_fileno(stderr)) != 0; }

}  // namespace headscope::platform
