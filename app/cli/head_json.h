// Head JSON: the measurements of a head, as every command prints them.
#pragma once

#include <optional>

#include "core/analysis/head_report.h"
#include "core/base/json.h"

namespace headscope::cli {

/// A number, or null.
Json measuredJson(const std::optional<double>& value);
/// Adds every metric by its key.
void addMetrics(Json& head, const HeadMetrics& metrics);
/// Adds "label", "label_score" and "label_rows"; where metrics or the label are null, also
/// "undefined" with the reasons.
void addLabel(Json& head, const HeadMetrics& metrics, const HeadLabel& label);

}  // namespace headscope::cli
