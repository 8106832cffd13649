// Pass input: the input of attention that the flags of a pass describe.
#pragma once

#include "app/cli/pass_options.h"
#include "core/input/input.h"

namespace headscope::cli {

/// Returns the source, fitted to --batch and --memory-len. Throws UserError.
InputSource sourceFrom(const PassOptions& options);

/// A note that names the memory to which --memory-len applies without --memory-text; else empty.
std::string memoryNote(const PassOptions& options);

/// Throws UserError where flags contradict the dimensions of the tensors, which `config` has.
void requireAgreement(const PassOptions& options, const TensorSource& source,
                      const AttentionConfig& config);

/// Throws UserError where a flag's value differs from the one in `where`.
void requireSame(const std::optional<Index>& asked, Index found, const char* flag,
                 const std::string& where);

Positions positionsFrom(const PassOptions& options);

}  // namespace headscope::cli
