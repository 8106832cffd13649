// Sweep choices: the menus of a sweep: what replaces a part, where, by which way it acts, and which
// numbers are shown.
#pragma once

#include <optional>

#include "app/ui/frame_context.h"
#include "app/ui/model/prediction_views.h"
#include "app/ui/model/swept.h"
#include "core/model/path_patching.h"

namespace headscope::ui {

struct PanelContext;
struct PredictionView;

/// Draws the choice of what replaces a part in the texts of a set.
Instead chooseInsteadOfSet(const FrameContext& look, PredictionView& view);
/// Draws the choice of the list next to the map.
void chooseList(const FrameContext& look, PredictionView& view);
/// Draws the choice of the number that the map shows.
EffectKind chooseEffect(const FrameContext& look, PredictionView& view, const Swept& swept);
/// Draws the choice of the texts that run where another text's values are put in place: the page's
/// own or a set's clean texts (false), or the others, with values of the first.
bool chooseSwapped(const PanelContext& panel, const ModelMoment& moment, bool ofSet);
/// Draws the choice of the token at which parts are replaced, as model::SweepSetting::place. The
/// tokens are those of the page's text, not of a set's or of the other text.
Index choosePlace(const PanelContext& panel, const AskedWord& asked, model::SweepOver over,
                  bool ofOther);
/// Draws the choice of the way by which a replaced head acts, with the receiver: the head that was
/// chosen when its query, key or value was.
std::optional<model::Receiver> chooseReceiver(const PanelContext& panel, const AskedWord& asked,
                                              model::SweepOver over);

}  // namespace headscope::ui
