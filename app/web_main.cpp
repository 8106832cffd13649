// The entry point in a browser: the page starts the program (app/host/web.h).
#include <emscripten.h>

#include <memory>

#include "app/cli/open_options.h"
#include "app/host/web.h"

extern "C" {

/// Starts the program. `stateFolder`: a folder that the browser stores; empty: none. `embedded`:
/// shows one card inside another page. Returns null and informs the page where it cannot start.
EMSCRIPTEN_KEEPALIVE headscope::host::WebHost* headscope_start(int dark, float scale,
                                                               const char* address,
                                                               const char* stateFolder,
                                                               int embedded) {
  using namespace headscope;
  try {
    AppOptions options = cli::optionsToOpen({});
    options.view.preferences.theme = dark != 0 ? ui::ThemeKind::dark : ui::ThemeKind::light;
    options.view.preferences.scale = scale;
    options.firstLook = embedded == 0;
    options.linkBase = address;
    options.stateFolder = stateFolder;
    options.embedded = embedded != 0;
    return std::make_unique<host::WebHost>(std::move(options)).release();
  } catch (const std::exception& error) {
    EM_ASM({ Module.host.failed(UTF8ToString($0)); }, error.what());
    return nullptr;
  }
}
}

int main() { return 0; }
