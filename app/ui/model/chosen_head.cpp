#include "app/ui/model/chosen_head.h"

#include <algorithm>

#include "app/ui/model/model_view.h"
#include "core/model/stacks.h"

namespace headscope::ui {

HeadOfLayer chosenHead(const ModelView& view, const model::ModelConfig& config) {
  const Index head = std::clamp<Index>(view.head, 0, config.heads - 1);
  if (config.crossAttention && view.attention == AttentionShown::encoder) {
    return {2 * std::clamp<Index>(view.layer, 0, config.depth() - 1) + 1, head};
  }
  return {std::clamp<Index>(view.layer, 0, config.layers - 1), head};
}

void chooseHead(ModelView& view, const model::ModelConfig& config, const HeadOfLayer& head) {
  view.layer = head.layer;
  view.head = head.head;
  if (!config.crossAttention) return;
  view.attention = config.readsMemory(head.layer) ? AttentionShown::cross : AttentionShown::decoder;
}

void chooseHead(ModelView& view, const model::ModelConfig& config, model::Stack stack,
                const HeadOfLayer& head) {
  chooseHead(view, config, head);
  if (stack == model::Stack::encoder) view.attention = AttentionShown::encoder;
}

bool isChosenLayer(const ModelView& view, const model::ModelConfig& config, model::Stack stack,
                   Index layer) {
  const bool encoder = config.crossAttention && view.attention == AttentionShown::encoder;
  return view.layer == layer && encoder == (stack == model::Stack::encoder);
}

}  // namespace headscope::ui
