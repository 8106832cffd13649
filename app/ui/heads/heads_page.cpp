#include "app/ui/heads/heads_page.h"

#include <algorithm>
#include <array>

namespace headscope::ui {
namespace {

/// A card of the page: a new one is a file and a line.
struct HeadsCardEntry {
  Focus focus;
  const char* id;
  Box HeadsLayout::*place;
  std::unique_ptr<Card> (*make)();
};
constexpr std::array kHeadsCards{
    HeadsCardEntry{Focus::allHeads, "all heads", &HeadsLayout::allHeads, makeAllHeadsCard},
    HeadsCardEntry{Focus::looks, "looks", &HeadsLayout::looks, makeLooksCard},
    HeadsCardEntry{Focus::figures, "figures", &HeadsLayout::figures, makeFiguresCard},
    HeadsCardEntry{Focus::similarity, "similarity", &HeadsLayout::similarity, makeSimilarityCard},
    HeadsCardEntry{Focus::effects, "effects", &HeadsLayout::effects, makeEffectsCard},
};

constexpr float kLeastWidth = 1160.0F;  // points of a page with cards beside each other
constexpr float kLeastHeight = 520.0F;
constexpr float kNarrowest = 560.0F;   // points of one with cards below each other
constexpr float kGridHeight = 470.0F;  // and of its cards
constexpr float kLooksHeight = 280.0F;
constexpr float kFiguresHeight = 300.0F;
constexpr float kEffectsHeight = 240.0F;
constexpr float kTallEffectsHeight = 380.0F;
constexpr float kPageMargin = 14.0F;
constexpr float kCardGap = 10.0F;

bool isNarrow(ImVec2 content, float scale) { return content.x < kLeastWidth * scale; }

/// Matrices side by side need more height than bars do.
bool hasTallEffects(const HeadsView& view) { return view.effectTab == EffectTab::whySeveral; }

float narrowEffects(const HeadsView& view) {
  return hasTallEffects(view) ? kTallEffectsHeight : kEffectsHeight;
}

HeadsLayout layoutNarrow(ImVec2 content, float scale, const HeadsView& view) {
  const auto px = [&](float length) { return length * scale; };
  const float width = content.x - 2 * px(kPageMargin);
  float y = px(kPageMargin);
  const auto next = [&](float height) {
    const Box box{{px(kPageMargin), y}, {width, px(height)}};
    y += px(height + kCardGap);
    return box;
  };
  HeadsLayout l;
  l.allHeads = next(kGridHeight);
  if (view.enlarged == EnlargedCard::none) {
    l.looks = next(kLooksHeight);
    Box both = next(kFiguresHeight);
    both.size.x = (width - px(kCardGap)) * 0.5F;
    l.figures = l.similarity = both;
    l.similarity.at.x += both.size.x + px(kCardGap);
  } else {
    const Box large = next(kLooksHeight + kCardGap + kFiguresHeight);
    (view.enlarged == EnlargedCard::figures ? l.figures : l.similarity) = large;
  }
  l.effects = next(narrowEffects(view));
  return l;
}

}  // namespace

ImVec2 headsContent(ImVec2 body, float scale, float scrollBar, const HeadsView& view) {
  if (!isNarrow(body, scale)) return {body.x, std::max(body.y, kLeastHeight * scale)};
  const float height = kPageMargin + kGridHeight + kLooksHeight + kFiguresHeight +
                       narrowEffects(view) + 4 * kCardGap;
  return {std::max(body.x - scrollBar, kNarrowest * scale), std::max(body.y, height * scale)};
}

HeadsLayout layoutHeads(ImVec2 body, float scale, const HeadsView& view) {
  if (isNarrow(body, scale)) return layoutNarrow(body, scale, view);
  const auto px = [&](float length) { return length * scale; };
  const float margin = px(kPageMargin);
  const float gap = px(kCardGap);
  const ImVec2 inner(body.x - 2 * margin, body.y - margin - px(2));
  const float effects = hasTallEffects(view) ? std::clamp(inner.y * 0.42F, px(200), px(560))
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

HeadsPage::HeadsPage() {
  for (const HeadsCardEntry& entry : kHeadsCards) cards_.push_back(entry.make());
}

void HeadsPage::draw(const Panel& panel, const DrawCard& drawCard, ImVec2 body) {
  const HeadsLayout layout = layoutHeads(body, panel.look.scale, panel.view.heads);
  for (std::size_t i = 0; i < kHeadsCards.size(); ++i) {
    const HeadsCardEntry& entry = kHeadsCards[i];
    drawCard(entry.id, layout.*entry.place, [&] { cards_[i]->draw(panel); });
  }
}

void HeadsPage::drawAlone(const Panel& panel, Focus card) {
  for (std::size_t i = 0; i < kHeadsCards.size(); ++i) {
    if (kHeadsCards[i].focus == card) cards_[i]->draw(panel);
  }
}

void HeadsPage::viewOpened(const ViewState& view) {
  for (const auto& card : cards_) card->viewOpened(view);
}

bool HeadsPage::takesWheel() const {
  return std::any_of(cards_.begin(), cards_.end(),
                     [](const auto& card) { return card->takesWheel(); });
}

}  // namespace headscope::ui
