#include "core/base/error.h"

#include <fmt/format.h>

#include <filesystem>
#include <new>
#include <system_error>

namespace headscope {

std::string sentenceFor(const std::exception& error) {
  if (dynamic_cast<const UserError*>(&error) != nullptr) return error.what();
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    return "there is not enough memory for this: choose fewer tokens or heads or a smaller "
           "d_model, or close other programs";
  }
  if (const auto* system = dynamic_cast<const std::system_error*>(&error)) {
    if (system->code() == std::errc::resource_unavailable_try_again) {
      return "no thread can be started: close other programs, or raise the limits of processes and "
             "memory (ulimit -u, -v)";
    }
    const auto* file = dynamic_cast<const std::filesystem::filesystem_error*>(&error);
    return fmt::format("{}: {}; check that it exists, is accessible and has room, and try again",
                       file != nullptr ? file->path1().string() : "the system refuses it",
                       system->code().message());
  }
  return "an internal error in headscope stopped this, and your document is unchanged: try another "
         "way, or restart headscope";
}

}  // namespace headscope
