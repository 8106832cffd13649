// View: the part of a session's JSON that describes the view. Any text gives a view, which is
// written and read back unchanged.
#include "app/view_json.h"
#include "tests/fuzz/fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headscope;
  const std::string text(fuzz::textOf(data, size));
  const std::string once = viewToJson(viewFromJson(text, {}));
  fuzz::require(viewToJson(viewFromJson(once, {})) == once);
  return 0;
}
