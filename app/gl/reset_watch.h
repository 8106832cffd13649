// Reset watch: notices that the driver has lost what the context held (a GPU that hung, was
// unplugged, or whose driver was replaced).
#pragma once

namespace headscope::gl {

class ResetWatch {
 public:
  /// Watches the current context, which must be made with "lose context on reset".
  ResetWatch();

  /// Throws Error where the context is lost: whatever is drawn from then on is not seen.
  void check() const;

 private:
  bool watches_;
};

}  // namespace headscope::gl
