#include "app/gradient_target.h"

#include <utility>

#include "app/live_model.h"
#include "app/ui/model/model_view.h"
#include "app/ui/model/prediction_views.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace_gradients.h"
#include "core/model/blocks.h"
#include "core/model/model_gradients.h"

namespace headscope {

/// Returns whether `pass` is the attention of the layer that Flow shows, in the model's present
/// pass: another text, or an edit of an earlier layer, gives the layer another X.
bool GradientTargets::isPresentLayer(const Trace& pass, const LiveModel& model) {
  const LayersInFlow::Opened* opened = model.layerInFlow();
  if (opened == nullptr || !model.upToDate()) return false;
  const model::ModelTrace& trace = passOf(*model.moment()->trace, model.stackInFlow());
  const ui::Fingerprint key("layer", pass.pass(), model.moment()->number, opened->layer,
                            model.stackInFlow());
  if (std::exchange(compared_, key) == key) return same_;
  const Tensor& x = pass.document().input->x;
  const Tensor present =
      attentionInput(trace.hidden(2 * opened->layer), *trace.document().model->layer(opened->layer),
                     trace.config(), {});
  return same_ = x.shape() == present.shape() && x.values() == present.values();
}

GradientTarget GradientTargets::of(const Trace& pass, const LiveModel& model,
                                   const ui::ModelView& view) {
  const bool ofModel = isPresentLayer(pass, model);
  const auto chosen = ofModel ? chosenWord(view, *model.moment()) : std::nullopt;
  if (!chosen) {
    return {tr("the output's sum"), ui::Fingerprint("gradients", pass.pass()),
            [config = pass.config()](const ExecutionContext&) {
              return std::optional(gradOutputOfSum(config));
            }};
  }
  const ui::AskedWord asked{model.moment(), chosen->row, chosen->word, chosen->other};
  return {"the " + asked.logitName(),
          asked.key("gradients")
              .add(pass.pass())
              .add(model.layerInFlow()->layer)
              .add(model.stackInFlow()),
          [asked, layer = model.layerInFlow()->layer,
           stack = model.stackInFlow()](const ExecutionContext& e) {
            const model::ModelTracePtr& trace = asked.moment->trace;
            return gradOutputOfLayer(trace, stack, layer,
                                     gradLastOfLogit(*trace, asked.row, asked.word, asked.other, e),
                                     e);
          }};
}

}  // namespace headscope
