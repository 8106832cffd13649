// Heads over steps: every head at several moments of the run, side by side, with the relation that
// it was learning at each. Each head has a row.
#include <fmt/format.h>

#include <algorithm>

#include "app/ui/compat.h"
#include "app/ui/ids.h"
#include "app/ui/panel.h"
#include "app/ui/train/train_page.h"
#include "app/ui/widgets.h"
#include "core/base/numbers.h"
#include "core/words/head_place.h"

namespace headscope::ui {
namespace {

class OverSteps {
 public:
  OverSteps(const PanelContext& panel, const TrainingMoment& moment, Rect room)
      : panel_(panel),
        look_(panel.look),
        moment_(moment),
        heads_(moment.settings.model.heads * moment.layers()),
        line_(fontSize(look_.fonts.small) + look_.space.thin) {
    for (Index n = 0; n < heads_; ++n) {
      names_ = std::max(names_, textSize(look_.fonts.semibold, name(n)).x);
    }
    room.cutLeft(names_ + look_.space.medium);
    room.cutTop(2.0F * line_ + look_.space.small);
    const auto columns = static_cast<float>(moment.strip.size());
    const auto rows = static_cast<float>(heads_);
    const float gap = look_.space.medium;
    // the relation of a head stands below each picture that is large enough
    const float below = room.height() / rows - line_ - gap;
    words_ = below >= look_.px(36) ? line_ : 0.0F;
    side_ = std::max(look_.px(8), std::min(room.width() / columns - gap,
                                           room.height() / rows - words_ - look_.space.small));
    origin_ = room.a;
  }

  void draw() const {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ColorScale scale = sequentialScale(look_, 0.0F, 1.0F);
    Heatmaps heatmaps(look_);
    for (std::size_t m = 0; m < moment_.strip.size(); ++m) {
      for (Index n = 0; n < heads_; ++n) {
        heatmaps.add(Fingerprint("over steps", m, n),
                     Fingerprint("moment", moment_.number, moment_.strip[m].step),
                     weightCells(weights(m, n), head(n).head, moment_.settings.model.causal), scale,
                     at(m, n));
      }
    }
    heatmaps.draw(list);
    for (std::size_t m = 0; m < moment_.strip.size(); ++m) column(list, m);
    for (Index n = 0; n < heads_; ++n) {
      const float y = at(0, n).centre().y - 0.5F * fontSize(look_.fonts.semibold);
      drawText(list, look_.fonts.semibold, {origin_.x - names_ - look_.space.medium, y},
               headColor(look_.theme, static_cast<std::size_t>(n)), name(n));
    }
  }

 private:
  HeadOfLayer head(Index n) const {
    return {n / moment_.settings.model.heads, n % moment_.settings.model.heads};
  }
  const Tensor& weights(std::size_t m, Index n) const {
    return moment_.strip[m].weights[static_cast<std::size_t>(head(n).layer)];
  }
  std::string name(Index n) const {
    return moment_.layers() == 1 ? fmt::format("Head {}", n + 1) : shortName(head(n));
  }
  Rect at(std::size_t m, Index n) const {
    const float gap = look_.space.medium;
    return Rect::at({origin_.x + static_cast<float>(m) * (side_ + gap),
                     origin_.y + static_cast<float>(n) * (side_ + words_ + look_.space.small)},
                    {side_, side_});
  }

  void column(ImDrawList* list, std::size_t m) const {
    const Theme& t = look_.theme;
    const training::StripMoment& moment = moment_.strip[m];
    const Rect top = at(m, 0);
    ImFont* font = look_.fonts.small;
    const auto line = [&](float y, const std::string& text, ImU32 color) {
      drawText(list, font, {top.a.x, y}, color, elided(font, text, side_ + look_.space.medium));
    };
    line(top.a.y - 2.0F * line_ - look_.space.thin,
         fmt::format("step {}", withThousands(moment.step)), t.text);
    line(top.a.y - line_ - look_.space.thin,
         fmt::format("loss {:.2f}", moment.evaluation.losses.loss), t.textMuted);
    for (Index n = 0; n < heads_; ++n) {
      const Rect picture = at(m, n);
      list->AddRect(picture.a, picture.b, t.panelBorder);
      const auto role = training::becoming(moment.evaluation.roles, head(n));
      if (!role) continue;
      const auto& relation = moment_.task->relations[role->relation];
      const bool found = role->mass >= training::kFoundMass;
      const std::string text = fmt::format("{} {:.2f}", relation.name, role->mass);
      if (words_ > 0.0F) {
        // the number is never cut
        const std::string mass = fmt::format(" {:.2f}", role->mass);
        const float room = side_ + look_.space.small - textSize(font, mass).x;
        line(picture.b.y + look_.space.hair, elided(font, relation.name, room) + mass,
             found ? headColor(t, static_cast<std::size_t>(n)) : t.textMuted);
      }
      if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(picture.a, picture.b)) {
        tipNow(fmt::format("{} at step {}: {}", name(n), withThousands(moment.step), text),
               picture);
      }
    }
  }

  const PanelContext& panel_;
  const FrameContext& look_;
  const TrainingMoment& moment_;
  Index heads_;
  float line_, names_ = 0.0F, words_ = 0.0F, side_ = 0.0F;
  ImVec2 origin_;
};

class OverStepsCard final : public Card {
 public:
  explicit OverStepsCard(LiveTraining& training)
      : Card({kOverStepsCard, "Over steps", "every head at moments of the run"}),
        training_(training) {}

  void draw(const PanelContext& panel) override {
    const FrameContext& look = panel.look;
    training_.request(LiveTraining::Extra::strip);
    const auto moment = training_.moment();
    const std::string run =
        moment == nullptr || !panel.alone
            ? std::string()
            : fmt::format("{} · seed {}", moment->task->title, moment->settings.seed);
    middleTabs(panel, TrainTab::overSteps, run.empty() ? nullptr : run.c_str());
    if (moment == nullptr) return;
    if (!panel.alone) runButtons(panel, training_, *moment);
    wrappedLabel(look.fonts.small, look.theme.textMuted,
                 "The start, the newest step, those at which relations were found, and between "
                 "them where the loss changed most (that of the fixed examples). Below each head: "
                 "the relation it has most of its weight on.");
    if (!moment->strip.empty()) OverSteps(panel, *moment, Rect::rest()).draw();
  }

 private:
  LiveTraining& training_;
};

}  // namespace

std::unique_ptr<Card> makeOverStepsCard(LiveTraining& training) {
  return std::make_unique<OverStepsCard>(training);
}

}  // namespace headscope::ui
