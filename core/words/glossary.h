// Glossary: the terms of the field and what they are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/formats/asset_files.h"

namespace headscope {

/// Every term, in the order in which one meets them.
const std::vector<formats::GlossaryEntry>& glossary();

/// What a term is. Throws std::out_of_range: one that is missing is our mistake.
const std::string& aboutTerm(std::string_view term);

/// "softmax: exp of each score, …"
std::string termText(std::string_view term);

}  // namespace headscope
