// CSV: a series, header = feature names, one row a time step.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "core/input/input.h"

namespace headscope::formats {

/// Throws UserError that names file, line and column: ragged rows, words for numbers, NaN/Inf, no
/// rows, too large.
std::shared_ptr<const Series> readSeries(const std::filesystem::path& path);
std::shared_ptr<const Series> parseSeries(std::string_view text, const std::string& name);

}  // namespace headscope::formats
