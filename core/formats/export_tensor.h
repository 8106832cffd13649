// exportTensor: writes any tensor of a pass to its own file.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "core/attention/tensor_id.h"
#include "core/document/fwd.h"
#include "core/tensor/tensor.h"

namespace headscope::formats {

enum class TensorFormat { safetensors, npy, csv };
inline constexpr std::array kTensorFormats{TensorFormat::safetensors, TensorFormat::npy,
                                           TensorFormat::csv};

/// "npy": the format's name, and its files' ending.
std::string_view toString(TensorFormat format);
std::optional<TensorFormat> tensorFormatFromName(std::string_view name);
/// The format that a file's ending names.
std::optional<TensorFormat> tensorFormatOf(const std::filesystem::path& path);

/// The tensors of a pass: no memory in self-attention, no biases where none are added.
std::vector<TensorId> tensorsOf(const AttentionConfig& config);

/// The tensor of a name. Throws UserError that lists the names, or gives the reason why a pass
/// lacks it.
TensorId requireTensor(std::string_view name, const AttentionConfig& config);

/// No partial file is left. Throws UserError naming the path.
void exportTensor(const std::filesystem::path& path, const Trace& trace, TensorId id,
                  TensorFormat format);

/// One line per matrix row, for spreadsheets and for pandas. The header names the columns: `item`
/// and `head` where the tensor has such an axis, `row`, `token` where rows are queries or keys,
/// then one column per value, named by its index. All indices count from 0. Numbers read back to
/// the same float32; a masked score is -inf.
///
///   item,head,row,token,0,1,2
///   0,0,0,The,0.25,-inf,-inf
///
/// No partial file is left. Throws UserError naming the path.
void writeTensorCsv(const std::filesystem::path& path, const Trace& trace, TensorId id);

}  // namespace headscope::formats
