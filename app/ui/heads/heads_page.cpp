#include "app/ui/heads/heads_page.h"

#include <algorithm>

namespace headscope::ui {

void HeadsMemory::setWake(const std::function<void()>& wake) {
  figures.task.setWake(wake);
  effects.off.check.task.setWake(wake);
  effects.moreHeads.task.setWake(wake);
  effects.whySeveral.task.setWake(wake);
  looks.setWake(wake);
  allHeads.pictures.setWake(wake);
}

void HeadsMemory::finish() {
  figures.task.wait();
  effects.off.check.task.wait();
  effects.moreHeads.task.wait();
  effects.whySeveral.task.wait();
  looks.finish();
  allHeads.pictures.finish();
}

HeadsLayout layoutHeads(ImVec2 body, float scale, const HeadsView& view) {
  const auto px = [&](float length) { return length * scale; };
  const float margin = px(14);
  const float gap = px(10);
  const ImVec2 inner(body.x - 2 * margin, body.y - margin - px(2));
  // matrices side by side need more height than bars do
  const bool tall = view.effectTab == EffectTab::whySeveral;
  const float effects = tall ? std::clamp(inner.y * 0.42F, px(200), px(560))
                             : std::clamp(inner.y * 0.28F, px(170), px(420));
  const float upper = inner.y - effects - gap;
  const float left = (inner.x - gap) * 0.63F;
  const float right = inner.x - left - gap;
  const float x = margin + left + gap;
  const float looks = upper * 0.48F;
  const float half = (right - gap) * 0.5F;
  const float y = margin + looks + gap;
  HeadsLayout l;
  l.allHeads = {{margin, margin}, {left, upper}};
  l.looks = {{x, margin}, {right, looks}};
  l.figures = {{x, y}, {half, upper - looks - gap}};
  l.similarity = {{x + half + gap, y}, {half, upper - looks - gap}};
  l.effects = {{margin, margin + upper + gap}, {inner.x, effects}};
  if (view.enlarged != EnlargedCard::none) {
    const Box column{{x, margin}, {right, upper}};
    l.looks = {};
    l.figures = view.enlarged == EnlargedCard::figures ? column : Box{};
    l.similarity = view.enlarged == EnlargedCard::similarity ? column : Box{};
  }
  return l;
}

void headsPage(const Panel& panel, HeadsMemory& memory, const Figures* figures,
               Magnitudes& magnitudes, const DrawCard& drawCard, ImVec2 body) {
  const HeadsLayout layout = layoutHeads(body, panel.look.scale, panel.view.heads);
  FiguresMemory& measuring = memory.figures;
  drawCard("all heads", layout.allHeads,
           [&] { allHeadsCard(panel, memory.allHeads, figures, measuring, magnitudes); });
  drawCard("looks", layout.looks,
           [&] { looksCard(panel, memory.looks, figures, measuring, magnitudes); });
  drawCard("figures", layout.figures,
           [&] { figuresCard(panel, memory.figuresCard, figures, measuring, magnitudes); });
  drawCard("similarity", layout.similarity,
           [&] { similarityCard(panel, memory.similarity, figures, measuring, magnitudes); });
  drawCard("effects", layout.effects,
           [&] { effectsCard(panel, memory.effects, figures, measuring, magnitudes); });
}

}  // namespace headscope::ui
