// Watch: what must hold after every frame, whatever was done.
#pragma once

#include <cstdint>
#include <stdexcept>

#include "app/app.h"
#include "printed.h"

namespace headscope::monkey {

struct Fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A number made of every bit of a document that edits can change.
std::uint64_t fingerprint(const Document& document);

class Watch {
 public:
  /// After a frame: throws Fault where something does not hold. What takes long is looked at only
  /// where it has changed.
  void frame(App& app);

 private:
  DocumentPtr document_;
  TracePtr trace_;
  Printed printed_;
};

/// The trace is the one that a pass of the document alone gives; to rounding where it was patched.
void checkAgainstFreshPass(const Trace& trace);

}  // namespace headscope::monkey
