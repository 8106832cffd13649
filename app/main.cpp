// headscope: see app/cli for what the arguments mean.
#include <iostream>

#include "app/cli/cli.h"

int main(int argc, char** argv) { return headscope::runCli(argc, argv, std::cout, std::cerr); }
