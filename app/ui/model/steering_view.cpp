#include "app/ui/model/steering_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/ui/frame_commands.h"
#include "app/ui/model/chosen_head.h"
#include "app/ui/model/model_view.h"
#include "app/ui/model/prediction_views.h"
#include "app/ui/panel.h"
#include "app/ui/text_field.h"
#include "app/ui/widgets.h"
#include "core/base/error.h"
#include "core/base/memory_budget.h"
#include "core/base/translation.h"
#include "core/formats/direction_file.h"
#include "core/model/steering.h"

namespace headscope::ui {

void wholeSetting(const PanelContext& panel, const char* name, const char* about, Index& value,
                  Index least, Index most, NumberDraft& draft) {
  const FrameContext& look = panel.look;
  flowOn(look, textSize(look.fonts.regular, name).x + look.px(58 + 16 + 14), 14.0F);
  rowCaption(look, name);
  const auto next =
      wholeNumberField(look, {name, value, most, tr("type a whole number")}, draft, [&](Index n) {
        return n >= least && n <= most ? std::string()
                                       : trFormat("{}: {} to {}", name, least, most);
      });
  tip(look, about);
  if (!draft.problem.empty()) panel.commands.say(draft.problem, true);
  if (next) value = *next;
}

bool steers(const GenerationView& view) {
  const bool ofFile = view.steeredBy == SteeredBy::file;
  return view.steered && !(ofFile ? view.steeredFile : view.toward).empty();
}

model::ModelDocumentPtr steeredDocument(const ModelMoment& moment, const ModelView& shown,
                                        const ExecutionContext& execution) {
  const GenerationView& view = shown.prediction.generation;
  const Index budget = defaultMemoryBudget() / 4;
  const model::ModelDocument& document = moment.trace->document();
  const model::ModelConfig& c = moment.config();
  const Index depth = std::min(view.steeredLayer, c.depth() - 1);
  const Index layer = c.crossAttention ? 2 * depth : depth;
  const HeadOfLayer head = chosenHead(shown, c);
  const auto ends = [&](const std::string& text) {
    const auto trace =
        runModel(withInput(document, inputOfText(moment, text)), nullptr, execution, budget);
    if (trace == nullptr) return std::vector<float>();
    const Index last = trace->tokens() - 1;
    return view.steeredBy == SteeredBy::head ? headAdditionAt(*trace, head, last)
                                             : streamAt(*trace, layer, last);
  };
  const bool ofTexts = view.steeredBy != SteeredBy::file;
  const std::vector<float> toward =
      ofTexts ? ends(view.toward) : formats::readDirection(view.steeredFile);
  const std::vector<float> from =
      ofTexts && !view.awayFrom.empty() ? ends(view.awayFrom) : std::vector<float>();
  if (execution.stop()) return nullptr;
  std::vector<float> addition = model::addition(view.strength, toward, from);
  if (view.strength != 0.0 && model::lengthOf(addition) == 0.0) {
    throw UserError(
        ofTexts && !from.empty()
            ? trFormat("the direction is 0: where layer {} begins, both texts are alike at "
                       "their last tokens; choose a later layer, or other texts",
                       depth + 1)
            : std::string(tr("the direction is 0, so that it steers nowhere")));
  }
  const bool there = view.steeredPlace < moment.trace->tokens();
  return withSteering(document, {layer, there ? view.steeredPlace : model::Steering::kEveryPlace,
                                 std::move(addition)});
}

void SteeringControls::draw(const PanelContext& panel, const ModelMoment& moment) {
  const FrameContext& look = panel.look;
  GenerationView& view = panel.modelView.prediction.generation;
  flowOn(look, buttonWidth(look, tr("steer")), 14.0F);
  if (pill(look, tr("steer"), view.steered)) view.steered = !view.steered;
  tip(look,
      tr("Adds a direction to the residual stream that enters a layer, at every token. The "
         "direction is the difference of two texts' streams at their last tokens (Turner et al. "
         "2023), the difference of what the chosen head adds to them, or a vector from a file"));
  if (!view.steered) return;
  if (moment.source != nullptr) {
    flowOn(look, choicesWidth(look, {tr("decoder"), tr("encoder")}), 14.0F);
    const int chosen =
        choices(look, "steered stack", {tr("decoder"), tr("encoder")}, view.steeredEncoder ? 1 : 0);
    if (chosen >= 0) view.steeredEncoder = chosen == 1;
    tip(look, tr("The texts are targets for the decoder, and sources for the encoder"));
  }
  const ModelMoment& steered = view.steeredEncoder ? moment.first() : moment;
  const Index depth = steered.config().depth();
  direction(panel, steered);
  Index layer = std::min(view.steeredLayer, depth - 1) + 1;
  wholeSetting(panel, "layer", tr("the layer that the steered stream enters"), layer, 1, depth,
               layer_);
  view.steeredLayer = layer - 1;
  std::vector<std::string> places{tr("every token")};
  for (Index place = 0; place < steered.trace->tokens(); ++place) {
    places.push_back(fmt::format("{} “{}”", place + 1, steered.tokenName(place)));
  }
  const Index shown = view.steeredPlace < steered.trace->tokens() ? view.steeredPlace : -1;
  const int place = menuOf(look, "at", "##steered place", places, static_cast<int>(shown + 1));
  if (place >= 0) view.steeredPlace = place - 1;
  tip(look,
      tr("Adds the direction at all tokens, also those that are generated, or at this one alone"));
  flowOn(look, look.px(150), 14.0F);
  rowCaption(look, tr("strength"));
  const auto typed =
      realField(look, "strength", 50, view.strength, strength_, tr("give one from −1000 to 1000"));
  tip(look, tr("The direction is multiplied by it; below 0 it leads the other way"));
  if (typed && std::abs(*typed) <= kMostStrength) {
    view.strength = *typed;
    strength_.problem.clear();
  } else if (typed) {
    strength_.problem = trFormat("strength: −{0} to {0}", kMostStrength);
  }
  if (!strength_.problem.empty()) panel.commands.say(strength_.problem, true);
}

/// Draws the choice of the direction, with its texts or its file.
void SteeringControls::direction(const PanelContext& panel, const ModelMoment& moment) {
  const FrameContext& look = panel.look;
  GenerationView& view = panel.modelView.prediction.generation;
  const auto text = [&](const char* caption, const char* id, const char* hint, std::string& value) {
    const float width = look.px(150);
    flowOn(look, width + look.px(90), 14.0F);
    rowCaption(look, caption);
    ImGui::SetNextItemWidth(width);
    textField(look, {id, 0, hint}, value);
  };
  const HeadOfLayer head = chosenHead(panel.modelView, moment.config());
  const std::string ofHead =
      trFormat("{}, head {}", moment.config().layerInWords(head.layer), head.head + 1);
  const std::vector<const char*> ways{"stream", ofHead.c_str(), "file"};
  const float caption = textSize(look.fonts.small, "by").x + look.space.small;
  flowOn(look, caption + choicesWidth(look, ways), 14.0F);
  rowCaption(look, "by");
  const int chosen = choices(look, "steered by", ways, static_cast<int>(view.steeredBy));
  tip(look, tr("The stream that enters the layer, what the chosen head adds to it, or a vector"));
  if (chosen >= 0) view.steeredBy = static_cast<SteeredBy>(chosen);
  if (view.steeredBy == SteeredBy::file) {
    text("file", "##steered file", tr(".npy or .safetensors:name"), view.steeredFile);
    tip(look,
        tr("A tensor of d_model numbers, in .npy or .safetensors; a name after a colon chooses "
           "one of several tensors"));
    return;
  }
  text("toward", "##toward", "a text", view.toward);
  text(tr("away from"), "##away from", "none", view.awayFrom);
}

}  // namespace headscope::ui
