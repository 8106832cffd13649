// Loaded library: a library of the system that the program does not link to, and is loaded when it
// is needed.
//
//   const LoadedLibrary x("libX11.so.6");
//   decltype(&XFlush) flush = nullptr;
//   const bool there = x.load("XFlush", flush);
#pragma once

#include <dlfcn.h>

#include <memory>

namespace headscope::host {

class LoadedLibrary {
 public:
  explicit LoadedLibrary(const char* file) : library_(dlopen(file, RTLD_LAZY | RTLD_LOCAL)) {}

  /// Finds a function. Returns false, and sets null, where the library or the function is missing.
  template <typename Function>
  bool load(const char* name, Function& function) const {
    void* found = library_ != nullptr ? dlsym(library_.get(), name) : nullptr;
    function = reinterpret_cast<Function>(found);
    return function != nullptr;
  }

 private:
  struct Close {
    void operator()(void* library) const { dlclose(library); }
  };
  std::unique_ptr<void, Close> library_;
};

}  // namespace headscope::host
