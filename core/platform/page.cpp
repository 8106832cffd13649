#include "core/platform/page.h"

#ifdef __EMSCRIPTEN__
#include <emscripten.h>

#include <cstdlib>
#include <memory>
#endif

namespace headscope::platform {

#ifdef __EMSCRIPTEN__

// clang-format off
// A synchronous request: computations run on threads of their own, where it holds up nothing; on a
// page without threads a frame waits for it. Such a request may not ask for bytes, and gets them as
// characters. Returns 0 where there is no answer; else memory for free().
EM_JS(char*, headscope_load_from_page, (const char* path, int* bytes), {
  const request = new XMLHttpRequest();
  request.open('GET', UTF8ToString(path), false);
  request.overrideMimeType('text/plain; charset=x-user-defined');
  try {
    request.send();
  } catch (error) {
    return 0;
  }
  if (request.status !== 200) return 0;
  const text = request.responseText;
  const data = _malloc(text.length + 1);
  for (let i = 0; i < text.length; ++i) HEAP8[data + i] = text.charCodeAt(i);
  HEAP32[bytes >> 2] = text.length;
  return data;
});
// clang-format on

std::optional<std::string> loadFromPage(const std::string& path) {
  int bytes = 0;
  const std::unique_ptr<char, decltype(&std::free)> data(
      headscope_load_from_page(path.c_str(), &bytes), &std::free);
  if (data == nullptr) return std::nullopt;
  return std::string(data.get(), static_cast<std::size_t>(bytes));
}

#else

std::optional<std::string> loadFromPage(const std::string& /*path*/) { return std::nullopt; }

#endif

}  // namespace headscope::platform
