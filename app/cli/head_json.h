// Head JSON: the measurements of a head, as every command prints them.
#pragma once

#include <optional>
#include <vector>

#include "core/analysis/head_report.h"
#include "core/base/json.h"

namespace headscope::cli {

/// A number, or null.
Json measuredJson(const std::optional<double>& value);
/// The metrics by their keys: all of them, and those on a grid where the tokens are patches of an
/// image.
std::vector<MetricInfo> listedMetrics(bool patches);
void addMetrics(Json& head, const HeadMetrics& metrics, bool patches);
/// Adds "label", "label_score" and "label_rows"; where metrics or the label are null, also
/// "undefined" with the reasons.
void addLabel(Json& head, const HeadMetrics& metrics, const HeadLabel& label, bool patches);

}  // namespace headscope::cli
