// Pass input: what the flags of a pass say is attended over.
#pragma once

#include "app/cli/pass_options.h"

namespace headscope::cli {

/// The source, fitted to --batch and --memory-len. Throws UserError.
InputSource sourceFrom(const PassOptions& options);

/// Which memory --memory-len is about where no --memory-text is given; else empty.
std::string memoryNote(const PassOptions& options);

/// Tensors fix the dimensions, as `config` has them from `source`: flags may only repeat them.
void requireAgreement(const PassOptions& options, const TensorSource& source,
                      const AttentionConfig& config);

/// Throws UserError where a flag was given another value than `where` has.
void requireSame(const std::optional<Index>& asked, Index found, const char* flag,
                 const std::string& where);

Positions positionsFrom(const PassOptions& options);

}  // namespace headscope::cli
