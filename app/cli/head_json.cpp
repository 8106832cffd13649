#include "app/cli/head_json.h"

#include <utility>

#include "app/cli/output.h"

namespace headscope::cli {

Json measuredJson(const std::optional<double>& value) {
  return value ? numberJson(*value) : Json(nullptr);
}

std::vector<MetricInfo> listedMetrics(bool patches) {
  if (!patches) return metricsFor(false);
  return {allMetrics().begin(), allMetrics().end()};
}

void addMetrics(Json& head, const HeadMetrics& metrics, bool patches) {
  for (const MetricInfo& m : listedMetrics(patches)) {
    head[m.key] = measuredJson(metrics[m.metric].value);
  }
}

void addLabel(Json& head, const HeadMetrics& metrics, const HeadLabel& label, bool patches) {
  head["label"] = label.defined() ? Json(label.key) : Json(nullptr);
  head["label_score"] = measuredJson(label.score);
  head["label_rows"] = label.rows;
  Json undefined = Json::emptyObject();
  for (const MetricInfo& m : listedMetrics(patches)) {
    if (!metrics[m.metric]) undefined[m.key] = metrics[m.metric].why;
  }
  if (!label.defined()) undefined["label"] = label.rule;
  if (!undefined.fields()->empty()) head["undefined"] = std::move(undefined);
}

}  // namespace headscope::cli
