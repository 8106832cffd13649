// Output: tables, words and JSON that several commands print.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/similarity.h"
#include "core/base/json.h"
#include "core/document/fwd.h"

namespace headscope {
struct AttentionConfig;
struct NamedShape;
namespace training {
class LayerLearner;
}  // namespace training
}  // namespace headscope

namespace headscope::cli {

enum class Align { left, right };

/// A table whose columns fit their widest cell, two spaces apart.
class TextTable {
 public:
  explicit TextTable(std::vector<Align> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  void print(std::ostream& out) const;

 private:
  std::vector<Align> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// The number of terminal columns that a text takes.
std::size_t displayWidth(const std::string& text);

/// "d_model 512, 8 heads, 6 tokens, batch 1".
std::string sizeInWords(const AttentionConfig& config);
/// "d_k = 512 / 8 = 64, √64 = 8, d_v = d_k".
std::string headWidthInWords(const AttentionConfig& config);
/// "q, k, v (1, 8, 6, 64)"; groups tensors of equal shape.
std::string shapesInWords(const std::vector<NamedShape>& shapes);

/// Prints the input of a pass, its steps with their times, and its cost. `memoryNote`: see
/// pass_input.h.
void printSummary(std::ostream& out, const Trace& trace, const std::string& memoryNote);

/// Prints the progress of learning on stderr, with a line from time to time.
void tellLearning(const training::LayerLearner& learner);

Json shapesJson(const std::vector<NamedShape>& shapes);
/// Converts a number to JSON; non-finite values become "-inf", "inf" and "nan".
Json numberJson(double value);
/// The rows of a similarity; a cell is null where it is not defined.
Json rowsJson(const HeadSimilarity& similarity);
/// Returns an object with "schema": "headscope.NAME/1" before its fields, which the manual page of
/// the command lists. The version is raised where a field changes its meaning or goes.
Json withSchema(std::string_view name, const Json& json);
void printJson(std::ostream& out, const Json& json);

}  // namespace headscope::cli
