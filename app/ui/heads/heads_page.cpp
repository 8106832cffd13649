#include "app/ui/heads/heads_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "app/ui/compat.h"
#include "app/ui/head_purposes.h"
#include "app/ui/heads/figures.h"
#include "app/ui/heads/heads_card.h"
#include "app/ui/heads/heads_view.h"
#include "app/ui/heads/view_model/choice.h"
#include "app/ui/panel.h"
#include "app/ui/parts/fingerprint.h"
#include "app/ui/rich_text.h"
#include "app/ui/selection.h"
#include "core/attention/config.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/trace.h"
#include "core/words/cells.h"

namespace headscope::ui {
namespace {

constexpr float kLeastWidth = 1160.0F;  // points; narrower pages stack their cards
constexpr float kLeastHeight = 520.0F;
constexpr float kNarrowest = 560.0F;   // points; the least width of stacked cards
constexpr float kGridHeight = 470.0F;  // heights of stacked cards
constexpr float kLooksHeight = 280.0F;
constexpr float kFiguresHeight = 300.0F;
constexpr float kEffectsHeight = 380.0F;  // of any tab: the page keeps its length
constexpr float kPageMargin = 14.0F;
constexpr float kCardGap = 10.0F;

bool isNarrow(ImVec2 content, float scale) { return content.x < kLeastWidth * scale; }

/// Returns whether the effects tab needs more height than bars do: it shows matrices side by side,
/// or sentences next to a table.
bool hasTallEffects(const HeadsView& view) {
  return view.effectTab == EffectTab::whySeveral || view.effectTab == EffectTab::howLearned;
}

/// Gives the enlarged card the whole place; the other card gets none.
void placeEnlarged(HeadsLayout& layout, EnlargedCard enlarged, const Rect& place) {
  layout.figures = enlarged == EnlargedCard::figures ? place : Rect{};
  layout.similarity = enlarged == EnlargedCard::similarity ? place : Rect{};
}

HeadsLayout layoutNarrow(Rect room, float scale, const HeadsView& view) {
  const float gap = kCardGap * scale;
  const auto next = [&](float height) { return room.cutTop(height * scale, gap); };
  HeadsLayout l;
  l.allHeads = next(kGridHeight);
  if (view.enlarged == EnlargedCard::none) {
    l.looks = next(kLooksHeight);
    const Rect both = next(kFiguresHeight);
    l.figures = both.column(0, 2, gap);
    l.similarity = both.column(1, 2, gap);
  } else {
    placeEnlarged(l, view.enlarged, next(kLooksHeight + kCardGap + kFiguresHeight));
  }
  l.effects = next(kEffectsHeight);
  return l;
}

class HeadsPage final : public Page {
 public:
  HeadsPage()
      : Page({kHeadsPage, tr("Heads"), tr("All heads at once"), kAllHeadsCard, kAllHeadsCard},
             Cards::of(makeAllHeadsCard(), makeLooksCard(), makeFiguresCard(), makeSimilarityCard(),
                       makeEffectsCard())) {}

  /// An enlarged card hides others.
  void reveal(const PanelContext& panel, std::string_view /*card*/) const override {
    panel.headsView.enlarged = EnlargedCard::none;
  }
  ImVec2 content(const PanelContext& panel, ImVec2 body) const override {
    return headsContent(body, panel.look.scale, ImGui::GetStyle().ScrollbarSize);
  }
  std::vector<Rect> layout(const PanelContext& panel, ImVec2 content) const override {
    const HeadsLayout l = layoutHeads(content, panel.look.scale, panel.headsView);
    return {l.allHeads, l.looks, l.figures, l.similarity, l.effects};
  }
  bool keys(const PanelContext& panel) const override {
    if (!keyPressed(Key::enter, false)) return false;
    openHead(panel.view, panel.selection.head);
    return true;
  }
  std::string placeInWords(const PanelContext& panel, std::string_view /*card*/) const override {
    const AttentionConfig& c = panel.trace.config();
    const std::string item = c.batch > 1 ? trFormat(" · item {}", panel.selection.item + 1) : "";
    const std::string title =
        purposeTitle(panel.purposes, panel.selection.head).empty()
            ? std::string()
            : inOneLine(captionHere(panel, measuredHeads(panel), panel.selection.head));
    return trFormat("Head {} of {}{}{}{}", panel.selection.head + 1, c.numHeads, item,
                    title.empty() ? "" : ": ", title);
  }
  std::string sentenceInWords(const PanelContext& panel, std::string_view /*card*/) const override {
    const Fingerprint of("largest weight", panel.trace.revision(TensorId::weights),
                         panel.selection.item, panel.selection.head);
    if (!(sentenceOf_ == of)) {
      sentence_ = asRichText(largestWeightInWords(headsState(panel)));
      sentenceOf_ = of;
    }
    return sentence_;
  }
  std::string keysInWords(const ViewState& /*view*/) const override {
    return tr("H next head · X off, on");
  }

 private:
  // computed once per pass and head
  mutable std::optional<Fingerprint> sentenceOf_;
  mutable std::string sentence_;
};

}  // namespace

ImVec2 headsContent(ImVec2 body, float scale, float scrollBar) {
  if (!isNarrow(body, scale)) return {body.x, std::max(body.y, kLeastHeight * scale)};
  const float height =
      kPageMargin + kGridHeight + kLooksHeight + kFiguresHeight + kEffectsHeight + 4 * kCardGap;
  return {std::max(body.x - scrollBar, kNarrowest * scale), std::max(body.y, height * scale)};
}

HeadsLayout layoutHeads(ImVec2 content, float scale, const HeadsView& view) {
  const auto px = [&](float length) { return length * scale; };
  const float margin = px(kPageMargin);
  const float gap = px(kCardGap);
  Rect room{{margin, margin}, {content.x - margin, content.y - px(2)}};
  if (isNarrow(content, scale)) return layoutNarrow(room, scale, view);
  HeadsLayout l;
  l.effects =
      room.cutBottom(hasTallEffects(view) ? std::clamp(room.height() * 0.42F, px(200), px(560))
                                          : std::clamp(room.height() * 0.28F, px(170), px(420)),
                     gap);
  l.allHeads = room.cutLeft((room.width() - gap) * 0.63F, gap);
  if (view.enlarged != EnlargedCard::none) {
    placeEnlarged(l, view.enlarged, room);
    return l;
  }
  l.looks = room.cutTop(room.height() * 0.48F, gap);
  l.figures = room.column(0, 2, gap);
  l.similarity = room.column(1, 2, gap);
  return l;
}

std::unique_ptr<Page> makeHeadsPage() { return std::make_unique<HeadsPage>(); }

}  // namespace headscope::ui
