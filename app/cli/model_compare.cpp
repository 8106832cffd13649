#include "app/cli/model_compare.h"

#include <fmt/format.h>

#include "app/cli/output.h"
#include "core/formats/weight_errors.h"

namespace headscope::cli {
namespace {

/// An error relative to the tensor's largest value; 0 for a tensor of zeros that kept them.
double relative(double error, double size) { return error == 0.0 ? 0.0 : error / size; }

}  // namespace

void compareModels(const std::string& rounded, const std::string& unrounded, bool json,
                   std::ostream& out) {
  const auto errors = formats::weightErrors(rounded, unrounded);
  if (json) {
    Json tensors = Json::emptyList();
    for (const formats::WeightError& each : errors) {
      tensors.push_back({{"tensor", each.tensor},
                         {"type", each.type},
                         {"shape", each.shape},
                         {"size", each.size},
                         {"largest_error", numberJson(relative(each.largest, each.size))},
                         {"mean_error", numberJson(relative(each.mean, each.size))}});
    }
    return printJson(
        out,
        withSchema("compare", {{"model", rounded}, {"against", unrounded}, {"tensors", tensors}}));
  }
  out << fmt::format("{} against {}\n", rounded, unrounded)
      << "errors are absolute differences, relative to the largest value of the tensor\n\n";
  TextTable table({Align::left, Align::left, Align::left, Align::right, Align::right});
  table.add({"tensor", "kept as", "shape", "largest error", "mean error"});
  for (const formats::WeightError& each : errors) {
    table.add({each.tensor, each.type, toString(each.shape),
               fmt::format("{:.2e}", relative(each.largest, each.size)),
               fmt::format("{:.2e}", relative(each.mean, each.size))});
  }
  table.print(out);
}

}  // namespace headscope::cli
