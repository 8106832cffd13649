// Watch: the properties that must hold after every frame.
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
  /// Checks the program after a frame; throws Fault where a check fails. Slow checks run only after
  /// a change.
  void frame(App& app);

 private:
  DocumentPtr document_;
  TracePtr trace_;
  Printed printed_;
};

/// Checks that the trace equals that of a fresh pass; a patched trace may differ by rounding.
void checkAgainstFreshPass(const Trace& trace);

}  // namespace headscope::monkey
