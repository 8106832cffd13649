#include "app/cli/model_compare.h"

#include <fmt/format.h>

#include "app/cli/output.h"
#include "core/formats/weight_errors.h"

namespace headscope::cli {

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
                         {"largest_error", numberJson(each.relativeLargest())},
                         {"mean_error", numberJson(each.relativeMean())}});
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
               fmt::format("{:.2e}", each.relativeLargest()),
               fmt::format("{:.2e}", each.relativeMean())});
  }
  table.print(out);
}

}  // namespace headscope::cli
