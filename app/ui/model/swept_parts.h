// Swept parts: the parts that a sweep replaces, by name, as cells of a map and as a choice on the
// page Model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/ui/model/part_map.h"
#include "app/ui/model/swept.h"
#include "app/ui/parts/token_pictures.h"

namespace headscope::ui {

struct ModelView;
struct PanelContext;

/// The names of the places in each stack, and their pictures where they are patches.
struct PlaceNames {
  std::vector<std::string> own, ofSource;
  std::optional<TokenPictures> pictures;

  const std::string& of(const model::Patch& part) const {
    const auto& names = part.stack == model::Stack::encoder ? ofSource : own;
    return names[static_cast<std::size_t>(part.place)];
  }
};
/// The tokens of the text that is run, or numbers for a set, whose texts differ.
PlaceNames placesOf(const ModelMoment& moment, const Swept& swept);

/// "layer 2, head 3", of two stacks "cross 2, head 3"; with a place "layer 2, FFN, “cat”".
std::string partInWords(const model::Patch& part, const PlaceNames& tokens,
                        const model::ModelConfig& config);

/// Selects the part in the page: its layer, and the head, the half or the place in it.
void choosePart(ModelView& view, const model::ModelConfig& config, const model::Patch& part);
bool isChosenPart(const ModelView& view, const model::ModelConfig& config,
                  const model::Patch& part);

/// The map of a number: a row for each layer, or for each part where parts are replaced at each
/// token in turn. `config` is of the model whose parts they are.
PartMap sweepMap(const PanelContext& panel, const model::ModelConfig& config, const Swept& swept,
                 EffectKind kind, const PlaceNames& tokens);

}  // namespace headscope::ui
