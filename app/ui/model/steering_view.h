// Steering view: what steers a generation: two texts whose streams, or whose head's outputs,
// differ, or a vector of a file; the layer, and the strength.
#pragma once

#include "app/live_generation.h"
#include "app/model_moment.h"
#include "app/ui/number_field.h"

namespace headscope::ui {

struct PanelContext;
struct GenerationView;
struct ModelView;

class SteeringControls {
 public:
  void draw(const PanelContext& panel, const ModelMoment& moment);

 private:
  void direction(const PanelContext& panel, const ModelMoment& moment);

  NumberDraft layer_, strength_;
};

/// Returns whether the view steers.
bool steers(const GenerationView& view);
/// The document of a moment with the stream steered as the view says. Null where cancelled.
model::ModelDocumentPtr steeredDocument(const ModelMoment& moment, const ModelView& view,
                                        const ExecutionContext& execution);

/// Draws a whole number with its name on the current line.
void wholeSetting(const PanelContext& panel, const char* name, const char* about, Index& value,
                  Index least, Index most, NumberDraft& draft);

}  // namespace headscope::ui
