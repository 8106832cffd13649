#include "app/ui/model/sweep_choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/ui/model/chosen_head.h"
#include "app/ui/model/model_view.h"
#include "app/ui/model/model_words.h"
#include "app/ui/panel.h"
#include "app/ui/widgets.h"
#include "core/base/translation.h"

namespace headscope::ui {

using model::Patch;
using model::Site;
using model::SweepOver;

namespace {

constexpr const char* kChooseReceiver = trLater("paths: choose a head above layer 1");
constexpr const char* kAboutPaths = trLater(
    "Path patching (Wang et al. 2022): the effect of each head of an earlier layer through the "
    "query, key or value of the chosen head alone; the heads between are held. A head of the first "
    "layer reads no other head");

}  // namespace

Instead chooseInsteadOfSet(const FrameContext& look, PredictionView& view) {
  view.instead = std::clamp(view.instead, 0, 2);
  const int chosen = menuOf(look, "by", "##instead",
                            {"nothing", tr("its mean"), tr("as corrupted")}, view.instead);
  if (chosen >= 0) view.instead = chosen;
  return static_cast<Instead>(view.instead);
}

void chooseList(const FrameContext& look, PredictionView& view) {
  flowOn(look, look.px(150), 14.0F);
  rowCaption(look, tr("list"));
  const int chosen =
      choices(look, "sweep list", {tr("parts"), tr("texts")}, view.sweepListsTexts ? 1 : 0);
  tip(look, tr("All parts, or the texts in which the chosen part matters most"));
  if (chosen >= 0) view.sweepListsTexts = chosen == 1;
}

EffectKind chooseEffect(const FrameContext& look, PredictionView& view, const Swept& swept) {
  const auto chosen = static_cast<EffectKind>(
      std::clamp(view.sweepShown, 0, static_cast<int>(model::kEffectKinds) - 1));
  const EffectKind none = !swept.found.allReplaced() ? EffectKind::estimate : EffectKind::total;
  const EffectKind shown = swept.has(chosen) ? chosen : none;
  std::vector<EffectKind> offered;
  std::vector<std::string> titles;
  for (std::size_t i = 0; i < model::kEffectKinds; ++i) {
    if (!swept.has(static_cast<EffectKind>(i))) continue;
    offered.push_back(static_cast<EffectKind>(i));
    titles.emplace_back(textOf(offered.back()).title);
  }
  const auto at = std::ranges::find(offered, shown) - offered.begin();
  const int clicked = menuOf(look, "show", "##effect", titles, static_cast<int>(at));
  if (clicked >= 0) {
    view.sweepShown = static_cast<int>(offered[static_cast<std::size_t>(clicked)]);
  }
  tip(look, textOf(shown).about);
  return shown;
}

bool chooseSwapped(const PanelContext& panel, const ModelMoment& moment, bool ofSet) {
  const FrameContext& look = panel.look;
  PredictionView& view = panel.modelView.prediction;
  const char* given = nounsOf(moment).given;
  const std::vector<std::string> texts =
      ofSet ? std::vector<std::string>{tr("clean texts"), tr("corrupted texts")}
            : std::vector<std::string>{trFormat("this {}", given), trFormat("the other {}", given)};
  const int chosen = menuOf(look, "in", "##sweep runs", texts, view.sweepSwapped ? 1 : 0);
  tip(look,
      trFormat("The {0} that is run. Noising puts values of a corrupted {0} into the clean one, "
               "and shows which parts the answer needs; denoising puts clean values into the "
               "corrupted {0}, and shows which parts suffice for it",
               given));
  if (chosen >= 0) view.sweepSwapped = chosen == 1;
  return view.sweepSwapped;
}

Index choosePlace(const PanelContext& panel, const AskedWord& asked, SweepOver over, bool ofOther) {
  PredictionView& view = panel.modelView.prediction;
  if (over == SweepOver::places) return Patch::kEveryPlace;
  const FrameContext& look = panel.look;
  std::vector<std::string> titles{tr("every token"), tr("each token in turn"),
                                  tr("the token that is read")};
  std::vector<Index> places{Patch::kEveryPlace, model::kEachPlace, model::kAskedPlace};
  if (view.sweepTexts.empty() && !ofOther) {
    for (Index place = 0; place < asked.moment->trace->tokens(); ++place) {
      titles.push_back(fmt::format("{} “{}”", place + 1, asked.moment->tokenName(place)));
      places.push_back(place);
    }
  }
  const auto found = std::ranges::find(places, view.sweptPlace);
  const auto shown = found == places.end() ? places.begin() : found;
  const int chosen =
      menuOf(look, "at", "##sweep at", titles, static_cast<int>(shown - places.begin()));
  if (chosen >= 0) view.sweptPlace = places[static_cast<std::size_t>(chosen)];
  tip(look, tr("Replaces a part at all tokens at once, at each token in turn (a map of parts and "
               "places), "
               "or at one token alone"));
  return *shown;
}

std::optional<model::Receiver> chooseReceiver(const PanelContext& panel, const AskedWord& asked,
                                              SweepOver over) {
  PredictionView& view = panel.modelView.prediction;
  const model::ModelConfig& c = asked.moment->config();
  const HeadOfLayer chosen = chosenHead(panel.modelView, c);
  const bool through = view.sweptThrough != SweptThrough::all;
  const FrameContext& look = panel.look;
  if (over != SweepOver::heads) return std::nullopt;
  if (chosen.layer == 0 && !through) {
    flowOn(look, textSize(look.fonts.small, tr(kChooseReceiver)).x, 14.0F);
    inlineLabel(look, look.fonts.small, look.theme.textMuted, tr(kChooseReceiver));
    tip(look, tr(kAboutPaths));
    return std::nullopt;
  }
  const HeadOfLayer shown = through ? HeadOfLayer{view.sweptToLayer, view.sweptToHead} : chosen;
  const std::string of = trFormat("of {}, head {}", c.layerInWords(shown.layer), shown.head + 1);
  const int way = menuOf(
      look, "through", "##swept through",
      {tr("all that follows"), tr("the query ") + of, tr("the key ") + of, tr("the value ") + of},
      static_cast<int>(view.sweptThrough));
  tip(look, tr(kAboutPaths));
  if (way >= 0) {
    view.sweptThrough = static_cast<SweptThrough>(way);
    view.sweptToLayer = chosen.layer;
    view.sweptToHead = chosen.head;
  }
  const bool exists =
      view.sweptToLayer > 0 && view.sweptToLayer < c.layers && view.sweptToHead < c.heads;
  if (view.sweptThrough == SweptThrough::all || !exists) return std::nullopt;
  const bool ofQuery = view.sweptThrough == SweptThrough::query;
  const Site site = ofQuery ? Site::q : view.sweptThrough == SweptThrough::key ? Site::k : Site::v;
  const Index shared = c.heads / c.kvHeads;
  return model::Receiver{site, view.sweptToLayer,
                         ofQuery ? view.sweptToHead : view.sweptToHead / shared};
}

}  // namespace headscope::ui
