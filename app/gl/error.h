// gl::Error: the GL side cannot do what it must; the text says what and where.
#pragma once

#include <stdexcept>
#include <string_view>

namespace headscope::gl {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws Error when GL has recorded one, naming `where`. For debug builds and tests.
void checkErrors(std::string_view where);

}  // namespace headscope::gl
