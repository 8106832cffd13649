// FileError: a UserError whose text names the file, so that no caller adds the name again.
#pragma once

#include "core/base/error.h"

namespace headscope {

class FileError : public UserError {
 public:
  using UserError::UserError;
};

}  // namespace headscope
