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

void headsCard(const Panel& panel, HeadsMemory& memory, const Figures* figures,
               Magnitudes& magnitudes, Focus card, bool alone) {
  FiguresMemory& measuring = memory.figures;
  switch (card) {
    case Focus::allHeads:
      allHeadsCard(panel, memory.allHeads, figures, measuring, magnitudes);
      break;
    case Focus::looks:
      looksCard(panel, memory.looks, figures, measuring, magnitudes);
      break;
    case Focus::figures:
      figuresCard(panel, memory.figuresCard, figures, measuring, alone);
      break;
    case Focus::similarity:
      similarityCard(panel, memory.similarity, figures, measuring, alone);
      break;
    case Focus::effects:
      effectsCard(panel, memory.effects, figures, measuring, magnitudes);
      break;
    default:
      break;
  }
}

void headsPage(const Panel& panel, HeadsMemory& memory, const Figures* figures,
               Magnitudes& magnitudes, const DrawCard& drawCard, ImVec2 body) {
  const HeadsLayout layout = layoutHeads(body, panel.look.scale, panel.view.heads);
  const auto card = [&](const char* id, const Box& box, Focus which) {
    drawCard(id, box, [&, which] { headsCard(panel, memory, figures, magnitudes, which); });
  };
  card("all heads", layout.allHeads, Focus::allHeads);
  card("looks", layout.looks, Focus::looks);
  card("figures", layout.figures, Focus::figures);
  card("similarity", layout.similarity, Focus::similarity);
  card("effects", layout.effects, Focus::effects);
}

}  // namespace headscope::ui
