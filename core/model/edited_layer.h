// EditedLayer: what edits have changed in one layer of a model.
#pragma once

#include "core/attention/config.h"
#include "core/attention/pins.h"
#include "core/attention/weights.h"

namespace headscope::model {

/// The parts of a layer's document that can be edited: all but its X.
struct EditedLayer {
  AttentionConfig config;
  Weights weights;
  Pins pins;
};

struct ModelDocument;

/// The settings of a layer as the model has them, for the text of a document and its memory.
AttentionConfig ownSettings(const ModelDocument& document, Index layer);

}  // namespace headscope::model
