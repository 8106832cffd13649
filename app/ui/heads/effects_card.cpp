// Effects card: what goes when a head is taken out, what W^O adds, what more heads bring, and why
// there are several.
#include "app/ui/heads/effects.h"

namespace headscope::ui {
namespace {

class EffectsCard final : public HeadsCard {
 public:
  void draw(const HeadsFrame& frame) override {
    EffectTab& open = frame.panel.view.heads.effectTab;
    const auto chosen = static_cast<std::size_t>(open);
    open = static_cast<EffectTab>(tabs_.drawLine(frame, chosen));
    tabs_.content(chosen).draw(frame);
  }

 private:
  HeadsTabs tabs_{
      "effects tabs",
      {{"Switch a head off", "What each token's output loses without it",
        "change of each token's output, in % of its norm, when one head is set to zero before the "
        "output matrix",
        makeSwitchOffTab},
       {"Output matrix", "Each head's rows of it, and its share of every output",
        "each head has its own rows of it, and adds its share to every token's output",
        makeOutputMatrixTab},
       {"More heads", "The same input and d_model with 1 to 64 heads",
        "the same input and d_model with 1 to 64 heads: what differs, what it costs",
        makeMoreHeadsTab},
       {"Why several heads", "One head asked to do what two do, beside the two",
        "one head asked to do what two heads do, on the same sentence", makeWhySeveralTab}}};
};

}  // namespace

std::unique_ptr<HeadsCard> makeEffectsCard() { return std::make_unique<EffectsCard>(); }

}  // namespace headscope::ui
