// Tables as text: a series as CSV, cells as spreadsheets copy them, and one number as people type
// or paste it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "core/input/input.h"
#include "core/tensor/tensor.h"

namespace headscope {

/// A series: the header has the features' names, each row is a time step. Throws UserError that
/// names file, line and column: ragged rows, words for numbers, NaN/Inf, no rows, over 64 MB.
std::shared_ptr<const Series> readSeries(const std::filesystem::path& path);
std::shared_ptr<const Series> parseSeries(std::string_view text, const std::string& name);

/// One row a line, cells separated by tabs alone: a comma could as well be a decimal one, and is
/// refused in words. Gives (rows, cols). Throws UserError that names row and column of a word, NaN
/// or empty cell, or a row of another length; refuses more than 64 MB.
Tensor parseCellTable(std::string_view text);

/// Writes cells as parseCellTable reads them, each number in the fewest digits that give its float
/// back.
std::string printCellTable(const ConstMatrixView& cells);

/// "0.5", "1e-3", "+2", "−3" with a typographic minus; spaces around it are left aside. Throws
/// UserError that opens with `what` ("W_Q[3, 17]") where it is none, or not a finite 32-bit one.
float parseNumber(std::string_view text, const std::string& what);

}  // namespace headscope
