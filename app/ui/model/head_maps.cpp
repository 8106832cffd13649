#include "app/ui/model/head_maps.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/ui/model/model_heads.h"
#include "app/ui/model/model_view.h"
#include "app/ui/model/model_words.h"
#include "core/analysis/head_metrics.h"
#include "core/base/translation.h"
#include "core/model/position_patterns.h"

namespace headscope::ui {
std::vector<HeadMap> headMaps(const ModelMoment& moment, bool compared, bool predicts) {
  std::vector<HeadMap> maps;
  for (const MetricInfo& metric : metricsFor(moment.ofImage())) {
    maps.push_back(
        {std::string(tr(metric.title)), std::string(metric.key), std::string(tr(metric.words))});
  }
  maps.push_back({tr("tokens you choose"), kTokensMap,
                  tr("How much weight each head puts on tokens you choose")});
  if (!moment.shapePatches.empty()) {
    maps.push_back({tr("on the shape"), kShapeMap,
                    tr("The share of the class token's weights that lies on the patches that the "
                       "drawn shape touches")});
  }
  if (compared) {
    maps.push_back(
        {"moved", kDistanceMap,
         tr("The share of each head's attention that lies on other tokens in the other "
            "pass: ½ Σ |A − A′| over the keys, the mean over the tokens (total variation "
            "distance)")});
  }
  const model::Model& model = *moment.trace->document().model;
  if (hasPositionPatterns(model)) {
    maps.push_back(
        {tr("by position alone"), kPositionMap,
         tr("The share of each head's attention in this text that positions account for: "
            "1 − ½ Σ |A − P|, the mean over the tokens, where P are its weights in a text "
            "of as many equal tokens")});
  }
  if (model.adapter() != nullptr) {
    maps.push_back(
        {tr("changed by the adapter"), kAdapterMap,
         tr("How much the adapter changes each head's weights: ‖ΔW‖ / ‖W‖ of its rows of "
            "W_Q, W_K and W_V and its columns of W_O (Frobenius)")});
  }
  if (!predicts) return maps;
  if (model.hasReadout() && !moment.config().latent.on() && !moment.ofImage()) {
    maps.push_back({"copying", kCopyingMap,
                    tr("By the weights alone: Σ Re λ / Σ |λ| over the eigenvalues of W_U W_OV W_E, "
                       "from −1 to 1; above 0 where a head raises the logit of the tokens that it "
                       "reads (Elhage et al. 2021)")});
  }
  const auto [given, asked] = nounsOf(moment);
  maps.push_back({trFormat("gradient of the {}", asked), kGradientMap,
                  trFormat("How strongly the logit of the chosen {0}, or the difference of the "
                           "two chosen {0}s, depends on each head's output: the length of its "
                           "derivative with respect to that output at all tokens",
                           asked)});
  return maps;
}

std::string orderInWords(const std::string& order) {
  if (order.empty()) return tr("in place");
  if (order == kLabelMap) return tr("sorted by what they do");
  if (order == kTokensMap) return tr("sorted by weight on tokens");
  if (order == kCopyingMap) return tr("sorted by copying");
  if (order == kPositionMap) return tr("sorted by position alone");
  if (order == kGradientMap) return tr("sorted by gradient");
  if (order == kShapeMap) return tr("sorted by weight on the shape");
  if (order == kAdapterMap) return tr("sorted by the adapter's change");
  if (order == kDistanceMap) return tr("sorted by what moved");
  const auto metric = metricFromKey(order);
  return trFormat("sorted by {}", metric ? tr(info(*metric).title) : order);
}

}  // namespace headscope::ui
