// Session lock: the error of a session whose folder stays locked.
#pragma once

#include "core/base/error.h"

namespace headscope::formats {

/// Thrown by loadSession, saveSession and removeSession where another save in the session's folder
/// does not end in time, so that nobody waits without limit.
class SessionLocked : public UserError {
 public:
  using UserError::UserError;
};

}  // namespace headscope::formats
