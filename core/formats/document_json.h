// A document as JSON and tensors: everything it holds, so that it comes back bit for bit.
#pragma once

#include <string>

#include "core/document.h"
#include "core/formats/json_field.h"
#include "core/formats/tensor_table.h"

namespace headscope::formats {

/// `name` stands before its tensors' names: "scene 3" gives "scene 3.W_Q".
Json documentJson(const Document& document, const std::string& name, TensorsToSave& tensors);

/// A valid document within the budget, or UserError that names file and field.
DocumentPtr documentFrom(const JsonField& field, TensorsOnDisk& tensors, Index memoryBudget);

/// All fields of a configuration. Reading checks them, and the sizes against the budget.
Json wholeConfigJson(const AttentionConfig& config);
AttentionConfig wholeConfigFrom(const JsonField& field, Index memoryBudget);

}  // namespace headscope::formats
