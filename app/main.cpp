// headscope: see app/cli for what the arguments mean.
#include <csignal>
#include <iostream>

#include "app/cli/cli.h"
#include "core/platform/memory.h"

int main(int argc, char** argv) {
#ifdef SIGXFSZ
  // a file that may not grow (ulimit -f) is refused as a full disk is, not answered with a kill
  std::signal(SIGXFSZ, SIG_IGN);
#endif
  headscope::platform::useOneHeap();
  return headscope::runCli(argc, argv, std::cout, std::cerr);
}
