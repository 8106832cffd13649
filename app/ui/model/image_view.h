// Image view: the picture that a model reads, cut into its patches, with a row of attention weights
// over them: that of a head, the mean of a layer's heads, or the rollout up to a layer. A click on
// a patch chooses its row.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/live_model.h"
#include "app/ui/parts/token_pictures.h"

namespace headscope::ui {

struct FrameContext;
struct ModelView;
struct PanelContext;

/// The place of each token of an image within a picture drawn at `at`; empty for tokens that are no
/// patches.
std::vector<Rect> patchRects(const ModelMoment& moment, const Rect& at);
std::vector<Rect> patchRects(const model::ImageInput& image, const model::Extent& size,
                             const Rect& at);

/// The patches of a moment's image, as pictures of its tokens.
TokenPictures tokenPictures(const ModelMoment& moment);
/// Those of the layer that Flow shows, where that is one of an image model.
std::optional<TokenPictures> picturesInFlow(const LiveModel& model);

/// "layer 2, head 3: where “class” looks".
std::string mapInWords(const ModelView& view, const ModelMoment& moment);

/// Draws the picture with the shown map, as large as fits into the room.
void drawImage(const PanelContext& panel, const ModelMoment& moment, const ImVec2& room);
/// Draws the picture with a head's row of one token, at the upper left of the room.
void drawRowOnImage(const FrameContext& look, const ModelMoment& moment, const HeadOfLayer& head,
                    Index token, const Rect& room);
/// Draws the choice of the map, and what it shows.
void drawImageChoice(const PanelContext& panel, const ModelMoment& moment);
/// Draws the map's legend, the tokens that are no patches, and the measures of the chosen head.
void drawImageWords(const PanelContext& panel, const ModelMoment& moment);

}  // namespace headscope::ui
