#include "app/cli/output.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "core/attention/config.h"
#include "core/attention/steps/step.h"
#include "core/attention/switches.h"
#include "core/base/numbers.h"
#include "core/training/learned_layer.h"

namespace headscope::cli {

std::size_t displayWidth(const std::string& text) {
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  auto left = static_cast<utf8proc_ssize_t>(text.size());
  std::size_t width = 0;
  while (left > 0) {
    utf8proc_int32_t point = 0;
    const auto used = std::max<utf8proc_ssize_t>(utf8proc_iterate(bytes, left, &point), 1);
    width += static_cast<std::size_t>(std::max(utf8proc_charwidth(point), 0));
    bytes += used;
    left -= used;
  }
  return width;
}

void TextTable::print(std::ostream& out) const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], displayWidth(row[i]));
    }
  }
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string gap(widths[i] - displayWidth(row[i]), ' ');
      if (i > 0) line += "  ";
      line += columns_[i] == Align::right ? gap + row[i] : row[i] + gap;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  }
}

std::string sizeInWords(const AttentionConfig& c) {
  std::string words = fmt::format("d_model {}, {} head{}", withThousands(c.dModel), c.numHeads,
                                  c.numHeads == 1 ? "" : "s");
  if (c.numKvHeads != c.numHeads)
    words += fmt::format(" sharing {} of keys and values", c.numKvHeads);
  words += fmt::format(", {} token{}", withThousands(c.seqLen), c.seqLen == 1 ? "" : "s");
  if (c.crossAttention()) words += fmt::format(" attending to {} of the memory", c.memoryLen);
  return words + fmt::format(", batch {}{}", c.batch, c.switches->bias ? "" : ", no bias");
}

std::string headWidthInWords(const AttentionConfig& c) {
  const double root = c.rootDk();
  const bool whole = root == std::floor(root);
  const std::string dK = c.dKDivides() ? fmt::format("{} / {} = {}", c.dModel, c.numHeads, c.dK())
                                       : fmt::format("{} (head_dim)", c.dK());
  return fmt::format("d_k = {}, √{} {} {:.{}f}, d_v = d_k", dK, c.dK(), whole ? "=" : "≈", root,
                     whole ? 0 : 3);
}

std::string shapesInWords(const std::vector<NamedShape>& shapes) {
  std::string words;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (i > 0) words += ", ";
    words += info(shapes[i].tensor).name;
    const bool last = i + 1 == shapes.size() || shapes[i + 1].shape != shapes[i].shape;
    if (last) words += " " + toString(shapes[i].shape);
  }
  return words;
}

void tellLearning(const training::LayerLearner& learner) {
  constexpr Index kStepsBetweenLines = 20;
  if (learner.stepsDone() % kStepsBetweenLines != 0 && !learner.done()) return;
  std::cerr << fmt::format("learning, step {} of {}: loss {:.3f}\n",
                           withThousands(learner.stepsDone()),
                           withThousands(learner.settings().steps), learner.loss());
}

Json shapesJson(const std::vector<NamedShape>& shapes) {
  Json list = Json::emptyList();
  for (const NamedShape& s : shapes) {
    list.push_back({{"name", info(s.tensor).name}, {"shape", s.shape}});
  }
  return list;
}

Json numberJson(double value) {
  if (std::isfinite(value)) return value;
  if (std::isnan(value)) return "nan";
  return value < 0.0 ? "-inf" : "inf";
}

Json rowsJson(const HeadSimilarity& similarity) {
  Json rows = Json::emptyList();
  for (Index a = 0; a < similarity.heads; ++a) {
    Json row = Json::emptyList();
    for (Index b = 0; b < similarity.heads; ++b) {
      row.push_back(similarity.defined() ? numberJson(similarity(a, b)) : Json());
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Json withSchema(std::string_view name, const Json& json) {
  Json::Fields fields{{"schema", fmt::format("headscope.{}/1", name)}};
  fields.insert(fields.end(), json.fields()->begin(), json.fields()->end());
  return Json::objectOf(std::move(fields));
}
void printJson(std::ostream& out, const Json& json) { out << json.dump(2) << '\n'; }

}  // namespace headscope::cli
