// Cairo bytes: what sources that draw with cairo share: the release of its objects, and a stream
// into memory.
#pragma once

#include <cairo.h>

#include <string>

namespace headscope {

struct CairoRelease {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* context) const { cairo_destroy(context); }
};

/// Appends to the std::string `to`: for cairo_…_surface_create_for_stream.
inline cairo_status_t appendBytes(void* to, const unsigned char* bytes, unsigned int count) {
  static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(bytes), count);
  return CAIRO_STATUS_SUCCESS;
}

}  // namespace headscope
