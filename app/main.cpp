// The entry point of headscope; app/cli handles the arguments.
#include <csignal>
#include <iostream>

#include "app/cli/cli.h"
#include "core/platform/memory.h"

int main(int argc, char** argv) {
#ifdef SIGXFSZ
  // a file that reaches its size limit (ulimit -f) fails like a full disk, instead of ending the
  // process
  std::signal(SIGXFSZ, SIG_IGN);
#endif
  headscope::platform::useOneHeap();
  return headscope::runCli(argc, argv, std::cin, std::cout, std::cerr);
}
