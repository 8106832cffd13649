// Model edits: which heads of a model are switched off and which layers have other edits, for
// lists, sentences and files.
#pragma once

#include <vector>

#include "core/model/model_document.h"

namespace headscope::model {

/// The heads whose gain is 0, layer by layer.
std::vector<HeadOfLayer> headsOff(const ModelDocument& document);

/// Returns whether a layer differs from the model's own by more than switched-off heads. Compares
/// its weights with the model's own, which may have to be read from the disk: do not call it every
/// frame.
bool isEdited(const ModelDocument& document, Index layer);
std::vector<Index> layersEdited(const ModelDocument& document);

}  // namespace headscope::model
