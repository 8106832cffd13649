#include "app/ui/model/generation_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/frame_commands.h"
#include "app/ui/model/model_view.h"
#include "app/ui/model/prediction_views.h"
#include "app/ui/panel.h"
#include "app/ui/parts/computed.h"
#include "app/ui/parts/layout.h"
#include "app/ui/parts/table.h"
#include "app/ui/text_field.h"
#include "app/ui/widgets.h"
#include "core/base/memory_budget.h"
#include "core/base/numbers.h"
#include "core/model/steering.h"
#include "core/model/tokenized.h"

namespace headscope::ui {

std::string millisecondsInWords(double ms) { return fmt::format("{:.{}f}", ms, ms < 1.0 ? 2 : 1); }

TextGoneOn textGoneOn(const ModelMoment& moment, const std::vector<Index>& made) {
  std::vector<Index> all = moment.trace->document().input.ids;
  if (moment.tokenizer == nullptr) {
    TextGoneOn on{moment.text, {}, true};
    for (const Index id : made) on.added += fmt::format(", {}", id);
    on.text += on.added;
    return on;
  }
  const auto textOf = [&](const std::vector<Index>& ids) {
    return moment.tokenizer->decode(std::vector<tokenizer::TokenId>(ids.begin(), ids.end()));
  };
  // the addition is the difference of the whole texts: alone, the first token might lose its space
  const std::string before = textOf(all);
  all.insert(all.end(), made.begin(), made.end());
  const std::string whole = textOf(all);
  TextGoneOn on;
  on.added = whole.starts_with(before) ? whole.substr(before.size()) : textOf(made);
  on.text = moment.text + on.added;
  const std::string why = whyNot([&] { on.sameTokens = inputOfText(moment, on.text).ids == all; });
  if (!why.empty()) on.sameTokens = false;
  return on;
}

namespace {

/// Draws a whole number with its name on the current line.
void wholeSetting(const PanelContext& panel, const char* name, const char* about, Index& value,
                  Index least, Index most, NumberDraft& draft) {
  const FrameContext& look = panel.look;
  flowOn(look, textSize(look.fonts.regular, name).x + look.px(58 + 16 + 14), 14.0F);
  rowCaption(look, name);
  const auto next =
      wholeNumberField(look, {name, value, most, "type a whole number"}, draft, [&](Index n) {
        return n >= least && n <= most ? std::string()
                                       : fmt::format("{}: {} to {}", name, least, most);
      });
  tip(look, about);
  if (!draft.problem.empty()) panel.commands.say(draft.problem, true);
  if (next) value = *next;
}

/// The pass of the moment's text with the stream steered as the view says; nothing where it is not.
LiveGeneration::OtherPass steeredPass(const ModelMoment& moment, const GenerationView& view) {
  if (!view.steered || view.toward.empty()) return nullptr;
  return [moment, view](const ExecutionContext& execution) -> model::ModelTracePtr {
    const Index budget = defaultMemoryBudget() / 4;
    const model::ModelDocument& document = moment.trace->document();
    const Index layer = std::min(view.steeredLayer, moment.config().layers - 1);
    const auto ends = [&](const std::string& text) {
      const auto trace =
          runModel(withInput(document, inputOfText(moment, text)), nullptr, execution, budget);
      return trace == nullptr ? std::vector<float>() : streamAt(*trace, layer, trace->tokens() - 1);
    };
    const std::vector<float> toward = ends(view.toward);
    const std::vector<float> from =
        view.awayFrom.empty() ? std::vector<float>() : ends(view.awayFrom);
    if (execution.stop()) return nullptr;
    const auto steered = withSteering(document, {layer, model::Steering::kEveryPlace,
                                                 model::addition(view.strength, toward, from)});
    return runModel(steered, moment.trace, execution, budget);
  };
}

}  // namespace

void GenerationTab::draw(const PanelContext& panel, const ModelMoment& moment) {
  const FrameContext& look = panel.look;
  const std::string why = model::whyNoGeneration(*moment.trace->document().model);
  if (!why.empty()) return wrappedLabel(look.fonts.regular, look.theme.textMuted, why);
  if (full(panel, moment)) return;
  controls(panel, moment);
  if (!generation_.problem().empty()) {
    wrappedLabel(look.fonts.regular, look.theme.bad, generation_.problem());
  }
  const auto now = generation_.moment();
  Rect room = Rect::rest();
  const float left = std::clamp(room.width() * 0.42F, look.px(240), look.px(460));
  const Rect cache = [&] {
    Rect right = room;
    right.cutLeft(left, look.space.large);
    return right;
  }();
  ImGui::BeginChild("made", {std::min(left, room.width()), 0.0F});
  if (now != nullptr) {
    made(panel, moment, *now);
  } else {
    wrappedLabel(
        look.fonts.small, look.theme.textMuted,
        generation_.playing()
            ? "being computed …"
            : "Each new token is chosen from the model's prediction after the previous token.");
  }
  ImGui::EndChild();
  if (cache.width() < look.px(160)) return;
  ImGui::SetCursorScreenPos(cache.a);
  ImGui::BeginChild("cache", cache.size());
  const Index text = moment.trace->tokens();
  CacheShown shown{
      text, 0,
      std::min(text + panel.modelView.prediction.generation.tokens, mostTokens(moment.config())),
      0.0};
  if (now != nullptr) {
    shown = {text, now->tokens - text, now->room, now->made.empty() ? 0.0 : now->made.back().ms};
  }
  drawKvCache(panel, moment, shown);
  ImGui::EndChild();
}

/// Returns whether no further token fits; reports it then.
bool GenerationTab::full(const PanelContext& panel, const ModelMoment& moment) {
  const FrameContext& look = panel.look;
  const Index tokens = moment.trace->tokens(), most = mostTokens(moment.config());
  if (tokens < most) return false;
  wrappedLabel(look.fonts.regular, look.theme.textMuted,
               fmt::format("The text has {} tokens, the model's maximum: shorten it to continue.",
                           withThousands(tokens)));
  const Index some = most * 3 / 4;
  if (moment.tokenizer == nullptr || some == 0) return true;
  if (pill(look, fmt::format("use the first {} tokens", withThousands(some)).c_str())) {
    model_.setText(std::string(model::firstTokens(moment.text, *moment.tokenizer, some)));
  }
  return true;
}

void GenerationTab::controls(const PanelContext& panel, const ModelMoment& moment) {
  const FrameContext& look = panel.look;
  GenerationView& view = panel.modelView.prediction.generation;
  const int chosen = choices(look, "sampling", {"most probable", "sampled"}, view.sampled ? 1 : 0);
  if (chosen >= 0) view.sampled = chosen == 1;
  wholeSetting(panel, "tokens", "the maximum number of new tokens", view.tokens, 1, kMostNewTokens,
               tokens_);
  if (view.sampled) {
    flowOn(look, look.px(150), 14.0F);
    rowCaption(look, "temperature");
    const auto typed = realField(look, "temperature", 50, view.temperature, temperature_,
                                 "give one from 0.01 to 10");
    tip(look,
        "Logits are divided by it: below 1 favours the most probable tokens, above 1 the others");
    if (typed && *typed >= kLeastSampling && *typed <= kMostSampling) {
      view.temperature = *typed;
      temperature_.problem.clear();
    } else if (typed) {
      temperature_.problem = fmt::format("temperature: {} to {}", kLeastSampling, kMostSampling);
    }
    if (!temperature_.problem.empty()) panel.commands.say(temperature_.problem, true);
    wholeSetting(panel, "top-k",
                 "samples only from this many of the most probable tokens; 0: from all", view.topK,
                 0, moment.config().vocabulary, topK_);
    auto seed = static_cast<Index>(view.seed);
    wholeSetting(panel, "seed", "the same seed gives the same tokens", seed, 0,
                 static_cast<Index>(kMostSeed), seed_);
    view.seed = static_cast<std::uint64_t>(seed);
  }
  steering(panel, moment);
  const auto now = generation_.moment();
  const bool rest = now != nullptr && !now->finished && generation_.problem().empty();
  flowOn(look, buttonWidth(look, "generate"), 14.0F);
  if (generation_.playing()) {
    if (primaryPill(look, "stop")) generation_.play(false);
  } else {
    if (pill(look, now == nullptr ? "generate" : "generate again", now == nullptr)) {
      model::Sampling sampling;
      if (view.sampled) sampling = {view.temperature, view.topK, view.seed};
      generation_.begin(moment.trace, sampling, view.tokens, steeredPass(moment, view));
    }
    if (rest && flowingPill(look, "go on", "up to the requested number of tokens")) {
      generation_.play(true);
    }
  }
  ImGui::Dummy({0.0F, look.space.tight});
}

/// Draws what the stream is steered by: two texts, a layer and a strength.
void GenerationTab::steering(const PanelContext& panel, const ModelMoment& moment) {
  const FrameContext& look = panel.look;
  GenerationView& view = panel.modelView.prediction.generation;
  flowOn(look, buttonWidth(look, "steer"), 14.0F);
  if (pill(look, "steer", view.steered)) view.steered = !view.steered;
  tip(look,
      "Adds a direction to the residual stream that enters a layer, at every token: the stream at "
      "the end of one text minus that of another (Turner et al. 2023)");
  if (!view.steered) return;
  const auto text = [&](const char* caption, const char* id, const char* hint, std::string& value) {
    const float width = look.px(150);
    flowOn(look, width + look.px(90), 14.0F);
    rowCaption(look, caption);
    ImGui::SetNextItemWidth(width);
    textField(look, {id, 0, hint}, value);
  };
  text("toward", "##toward", "a text", view.toward);
  text("away from", "##away from", "none", view.awayFrom);
  Index layer = std::min(view.steeredLayer, moment.config().layers - 1) + 1;
  wholeSetting(panel, "layer", "the layer that the steered stream enters", layer, 1,
               moment.config().layers, layer_);
  view.steeredLayer = layer - 1;
  flowOn(look, look.px(150), 14.0F);
  rowCaption(look, "strength");
  const auto typed =
      realField(look, "strength", 50, view.strength, strength_, "give one from −1000 to 1000");
  tip(look, "The difference is multiplied by it; below 0 it leads the other way");
  if (typed && std::abs(*typed) <= kMostStrength) {
    view.strength = *typed;
    strength_.problem.clear();
  } else if (typed) {
    strength_.problem = fmt::format("strength: −{0} to {0}", kMostStrength);
  }
  if (!strength_.problem.empty()) panel.commands.say(strength_.problem, true);
}

void GenerationTab::made(const PanelContext& panel, const ModelMoment& moment,
                         const GenerationMoment& now) {
  const FrameContext& look = panel.look;
  take(panel, moment, now);
  Table table(look, {.id = "made", .height = ImGui::GetContentRegionAvail().y, .dense = true},
              {{"", "its place in the text, from 1", true, 34, 0, false},
               {"token", {}, false, 90, 1, false},
               {"p", "its probability there, at temperature 1", true, 54, 0, false},
               {"", {}, false, 50, 1, false},
               {"ms", "its row through all layers, and the logits after it", true, 50, 0, false}});
  table.rows(std::ssize(now.made), [&](Index i) {
    const auto& each = now.made[static_cast<std::size_t>(i)];
    table.row(i);
    table.number(std::to_string(moment.trace->tokens() + i + 1), look.theme.textMuted);
    table.text(moment.nameOf(each.token.id));
    table.number(probabilityInWords(each.token.probability));
    table.bar(static_cast<float>(each.token.probability), look.theme.accent);
    table.number(millisecondsInWords(each.ms), look.theme.textMuted);
  });
}

/// Draws the generated text, and the button that appends it to the model's text.
void GenerationTab::take(const PanelContext& panel, const ModelMoment& moment,
                         const GenerationMoment& now) {
  const FrameContext& look = panel.look;
  const Fingerprint key("gone on", moment.number, now.begun, now.made.size());
  const TextGoneOn* on = panel.computations.computeNow<TextGoneOn>(
      "text gone on", key, [&] { return textGoneOn(moment, now.ids()); });
  if (on == nullptr) return;
  // bytes; shows the end of the text, which is new
  const std::size_t most = Rect::rest().height() > look.px(160) ? 300 : 40;
  std::size_t from = on->added.size() > most ? on->added.size() - most : 0;
  while (from < on->added.size() &&
         (static_cast<unsigned char>(on->added[from]) & 0xC0U) == 0x80U) {
    ++from;
  }
  wrappedLabel(look.fonts.regular, look.theme.text, "…" + on->added.substr(from));
  if (generation_.playing()) return;
  if (now.ended) {
    label(look.fonts.small, look.theme.textMuted,
          fmt::format("“{}”: with it the model ends a text.",
                      moment.nameOf(now.made.back().token.id)));
  } else if (now.tokens == mostTokens(moment.config())) {
    label(look.fonts.small, look.theme.textMuted,
          fmt::format("{} tokens are this model's maximum.", withThousands(now.tokens)));
  }
  if (pill(look, "take into the text")) model_.setText(on->text);
  tip(look, "Appends these tokens to the model's text");
  if (!on->sameTokens) {
    wrappedLabel(look.fonts.small, look.theme.textMuted,
                 "The tokenizer splits this text into other tokens than the generated ones.");
  }
}

}  // namespace headscope::ui
