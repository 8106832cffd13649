#include "last_words.h"

#include <csignal>
#include <cstdio>
#include <utility>

// Functions of the sanitizers' runtime, null where the program is built without sanitizers.
extern "C" {
void __attribute__((weak)) __sanitizer_set_death_callback(void (*callback)());
void __attribute__((weak)) __sanitizer_print_stack_trace();
}

namespace headscope::monkey {
namespace {

std::function<std::string()>& lastWords() {
  static std::function<std::string()> words;
  return words;
}

void say() {
  const auto words = std::exchange(lastWords(), nullptr);
  if (words) std::fprintf(stderr, "\n%s\n", words().c_str());
}

void onSignal(int signal) {
  std::signal(signal, SIG_DFL);
  if (__sanitizer_print_stack_trace != nullptr) __sanitizer_print_stack_trace();
  say();
  std::raise(signal);
}

}  // namespace

LastWords::LastWords(std::function<std::string()> words) {
  lastWords() = std::move(words);
  std::signal(SIGABRT, onSignal);
  std::signal(SIGTERM, onSignal);
  if (__sanitizer_set_death_callback != nullptr) {
    __sanitizer_set_death_callback(say);
  } else {
    std::signal(SIGSEGV, onSignal);
    std::signal(SIGFPE, onSignal);
  }
}

LastWords::~LastWords() {
  lastWords() = nullptr;
  for (const int signal : {SIGABRT, SIGTERM}) std::signal(signal, SIG_DFL);
}

}  // namespace headscope::monkey
