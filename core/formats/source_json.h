// Sources of input as JSON and tensors: texts, series, and X itself as loaded; and the reading and
// writing of one tensor of a document.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "core/attention/tensor_id.h"
#include "core/base/json.h"
#include "core/formats/tensor_table.h"
#include "core/input/input.h"

namespace headscope {
struct AttentionConfig;
}  // namespace headscope

namespace headscope::formats {

/// Adds tensors to a file as "NAME.what", and returns their names; null for a missing one.
class AddTensor {
 public:
  AddTensor(const std::string& name, TensorsToSave& tensors) : name_(name), tensors_(tensors) {}
  Json operator()(const Tensor& tensor, std::string_view what) const {
    if (tensor.empty()) return nullptr;
    return tensors_.add(tensor, fmt::format("{}.{}", name_, what));
  }

 private:
  const std::string& name_;
  TensorsToSave& tensors_;
};

/// Reads a tensor of a document with the shape that the configuration gives it; empty where the
/// configuration has none. Throws UserError that names the field, as sourceFrom does.
Tensor tensorFrom(const JsonField& field, const char* name, TensorId id,
                  const AttentionConfig& config, TensorsToRead& tensors);

Json sourceJson(const InputSource& source, const AddTensor& add);
InputSource sourceFrom(const JsonField& field, const AttentionConfig& config,
                       TensorsToRead& tensors);

}  // namespace headscope::formats
