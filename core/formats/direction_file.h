// Direction file: one vector that a file holds, such as a direction that steers a model: an array
// of NumPy, or a tensor of a safetensors file.
//
//   readDirection("joy.npy"), readDirection("joy.safetensors"),
//   readDirection("all.safetensors:joy")
#pragma once

#include <string>
#include <vector>

namespace headscope::formats {

/// Reads FILE.npy, or FILE.safetensors[:NAME]; the name may be left out where the file has one
/// tensor. Throws UserError that names the file.
std::vector<float> readDirection(const std::string& file);

}  // namespace headscope::formats
