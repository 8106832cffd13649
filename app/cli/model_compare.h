// Model compare: prints what the rounding of a model's weights changed, against the same model in
// another folder.
#pragma once

#include <ostream>
#include <string>

namespace headscope::cli {

/// Throws UserError as weightErrors does.
void compareModels(const std::string& rounded, const std::string& unrounded, bool json,
                   std::ostream& out);

}  // namespace headscope::cli
