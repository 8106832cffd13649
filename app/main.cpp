// headscope: see app/cli for what the arguments mean.
#include <iostream>

#include "app/cli/cli.h"
#include "app/one_heap.h"

int main(int argc, char** argv) {
  headscope::useOneHeap();
  return headscope::runCli(argc, argv, std::cout, std::cerr);
}
