#include "app/ui/model/swept.h"

#include <algorithm>

#include "core/base/translation.h"

namespace headscope::ui {
namespace {

/// Adds the means and spreads of all parts.
Swept summarised(Swept swept) {
  swept.base = swept.found.effects.base();
  for (std::size_t i = 0; i < swept.found.parts.size(); ++i) {
    swept.parts.push_back(swept.found.effects.mean(i));
    for (std::size_t kind = 0; kind < model::kEffectKinds; ++kind) {
      swept.spreads[kind].push_back(swept.found.effects.spread(i, static_cast<EffectKind>(kind)));
    }
  }
  return swept;
}

constexpr std::array<EffectText, model::kEffectKinds> kEffects{
    EffectText{
        trLater("total"),
        trLater("The change of the logit, or of the difference, where the part is replaced at "
                "the chosen place, or at every one: Why leaves it out at one alone. Negative: "
                "it raised the number; positive: it lowered it")},
    EffectText{
        trLater("direct"),
        trLater("The part of the change that reaches the logit past all later layers, with the "
                "norms on the way, and a masked-word head's activation, as they were. "
                "Negative: the part raised it")},
    EffectText{trLater("probability"), trLater("The change of the probability")},
    EffectText{trLater("KL"),
               trLater("The divergence of the whole prediction from the present one, in nats")},
    EffectText{
        trLater("looks"),
        trLater("How much each head looks, from the word that is predicted from, at the word "
                "that decides: the right word where it stands in the text, else what the "
                "corrupted text, or the other picture, changes")},
    EffectText{
        trLater("adds"),
        trLater("What the part itself adds to the logit, or to the difference, past all later "
                "layers, with the norms, and a masked-word head's activation, as they are: "
                "its attribution, with nothing replaced. Positive: it raises it")},
    EffectText{
        trLater("estimate"),
        trLater("Attribution patching: gradient × difference, exact for small changes alone")}};

}  // namespace

bool Swept::has(EffectKind kind) const {
  // before the patched runs have ended, the effects of patches are those of the base pass
  const bool early =
      kind == EffectKind::estimate || kind == EffectKind::adds || kind == EffectKind::looks;
  if (!found.allReplaced() && !early) return false;
  return std::ranges::any_of(
      parts, [&](const model::PatchEffect& part) { return valueOf(base, part, kind).has_value(); });
}

std::optional<Swept> ShownSweep::news() {
  auto found = ended_ ? sweep_->found() : sweep_->soFar();
  if (!found) return std::nullopt;
  const auto now = std::pair(sweep_->textsDone(), std::ranges::count(found->replaced, true));
  if (!ended_ && shown_ == now) return std::nullopt;
  shown_ = now;
  return summarised({std::move(*found), set_, ofOther_, ended_, {}, {}, {}});
}

EffectText textOf(EffectKind kind) {
  const EffectText& text = kEffects[static_cast<std::size_t>(kind)];
  return {tr(text.title), tr(text.about)};
}

}  // namespace headscope::ui
