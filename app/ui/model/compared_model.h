// Compared model: another pass next to that of the page Model, of the same model over another text,
// of two stacks another source or target, or of another model. It is computed in the background,
// and again whenever its text or the page's own changes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/model/model_study.h"

namespace headscope::ui {

struct ModelView;
struct PanelContext;

/// The other pass, as far as it is computed.
struct ComparedPass {
  bool asked = false;                         // a text or a model to compare with is chosen
  std::shared_ptr<const ModelMoment> moment;  // null while it is computed, and where it fails
  std::shared_ptr<const ModelMoment> shown;   // its part whose heads are shown (momentShown)
  std::string problem;                        // why there is none
  std::string whyNoDifference;  // why the shown weights cannot be subtracted from the page's own
  std::shared_ptr<const model::PassPairs> pairs;  // of the shown parts, where they can be

  bool subtracts() const { return moment != nullptr && pairs != nullptr; }
};

/// The pass that the view chooses to compare the live model with.
ComparedPass comparedPass(const PanelContext& panel, const LiveModel& live);

/// The measured heads of the other pass.
Computed<FoundHeads> measuredOther(const PanelContext& panel, const ModelMoment& other);

/// For each head: how much its attention differs between the shown passes (pass_distance.h).
Computed<std::vector<MetricValue>> distancesOfHeads(const PanelContext& panel,
                                                    const ModelMoment& own,
                                                    const ComparedPass& compared);

/// "“the cat sat”", "gpt2": what distinguishes the other pass from the page's own.
std::string comparedName(const ModelView& view, const ModelMoment& other);

}  // namespace headscope::ui
