// The entry point of headscope.com: shells prefer it to headscope.exe where one types `headscope`.
#include <iostream>

#include "app/windows/start.h"

int main() { return headscope::windows::start(std::cout, std::cerr); }
