#include "app/ui/stage/head_stage.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "app/ui/panel.h"
#include "app/ui/parts/patch_map.h"
#include "app/ui/parts/patch_picture.h"
#include "app/ui/selection.h"
#include "app/ui/stage/sentence_drawing.h"
#include "app/ui/stage/stage_page.h"
#include "app/ui/widgets.h"
#include "core/analysis/rows.h"
#include "core/attention/config.h"
#include "core/document/document.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

constexpr float kLeastArc = 0.3F;

/// The tokens of the sentence shown.
std::span<const std::string> tokensOf(const PanelContext& panel) {
  const auto& texts = panel.trace.document().input->tokens;
  if (texts.empty()) return {};
  return texts[static_cast<std::size_t>(panel.selection.item) % texts.size()];
}

/// Returns whether the head's links say something: where its partners are not known they may.
bool holds(const HeadStory& story) {
  return story.kind != HeadStory::Kind::absent && story.kind != HeadStory::Kind::missed;
}

/// Draws the image, with the head's row of the chosen patch over it. Returns false where the
/// tokens are no patches.
bool onPicture(const PanelContext& panel, const HeadStage& stage) {
  const Rect& room = stage.room;
  const FrameContext& look = panel.look;
  const Input& input = *panel.trace.document().input;
  const auto image = PatchPicture::shown(look, input, panel.selection.item);
  if (!image || std::min(room.width(), room.height()) < look.px(12)) return image.has_value();
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Rect at = image->within(room, 0.0F);
  image->draw(look, list, at, -1, -1);
  const Index word = stage.word >= 0 ? stage.word : subjectOf(panel).word;
  HeadRows rows(panel.trace, TensorId::weights, panel.selection.item, stage.head);
  const std::span<const float> row = rows.row(word);
  drawPatchMap(look, list, image->patches(at, panel.trace.config().seqLen), row.data(),
               headColor(look.theme, static_cast<std::size_t>(stage.head)), fullWeight(row));
  return true;
}

Arc thinArc(const FrameContext& look, const Link& link, float strength) {
  return {static_cast<int>(link.query),
          static_cast<int>(link.key),
          look.px(1.0F + 2.6F * link.drawn()),
          strength,
          {}};
}

}  // namespace

void drawHeadWithDots(const PanelContext& panel, const HeadStage& stage) {
  const Index head = stage.head;
  const HeadStory& story = *stage.story;
  const Rect& room = stage.room;
  const FrameContext& look = panel.look;
  if (onPicture(panel, stage)) return;
  if (room.height() < look.px(8)) return;
  const AttentionConfig& c = panel.trace.config();
  const auto marks = [&](Index count, const Rect& at) {
    const std::vector<WordWidth> none(static_cast<std::size_t>(count));
    SentenceSpace space{at};
    space.largest = 0.0F;  // marks, never words
    space.smallest = look.px(8);
    return layoutSentence(none, space);
  };
  Rect lower = room;
  SentenceLayout keys;
  if (c.crossAttention()) keys = marks(c.keys(), lower.cutTop(look.px(12)));
  const SentenceLayout queries = marks(c.seqLen, lower);
  const SentenceLayout& ends = c.crossAttention() ? keys : queries;
  std::vector<Link> named;
  if (panel.alone) named = linksOf(panel.trace, {panel.selection.item, head, story.best});
  const auto isNamed = [&](Index query, Index key) {
    return !named.empty() && named.front().query == query && named.front().key == key;
  };
  std::vector<Arc> arcs;
  for (const Link& link : story.links) {
    if (link.weight < kLeastArc || isNamed(link.query, link.key)) continue;
    if (story.kind == HeadStory::Kind::found && !story.asks(link.query)) continue;
    const bool answers = holds(story);
    const float strength = named.empty() ? (answers ? 0.25F : 0.12F) +
                                               (answers ? 0.7F : 0.3F) * link.drawn() * link.drawn()
                                         : 0.16F;
    arcs.push_back(thinArc(look, link, strength));
  }
  if (arcs.empty() && named.empty()) {  // no strong links: those of the followed word
    const StageSubject followed{panel.selection.item, head, subjectOf(panel).word};
    for (const Link& link : linksOf(panel.trace, followed)) {
      arcs.push_back(thinArc(look, link, 0.2F + 0.6F * link.drawn()));
    }
  }
  if (!named.empty()) {
    arcs.push_back({static_cast<int>(named.front().query),
                    static_cast<int>(named.front().key),
                    look.px(1.5F + 3.0F * named.front().drawn()),
                    0.95F,
                    {}});
  }
  const ImU32 color = headColor(look.theme, static_cast<std::size_t>(head));
  ImDrawList* list = ImGui::GetWindowDrawList();
  drawArcs(look, list, queries, ends, arcs, color);
  const StageSubject subject = subjectOf(panel);
  for (std::size_t i = 0; i < queries.words.size(); ++i) {
    const auto word = static_cast<Index>(i);
    const bool followed = named.empty() ? word == subject.word
                                        : word == named.front().query || word == named.front().key;
    const float radius =
        std::clamp(queries.words[i].width() * 0.3F, look.px(0.7F), look.px(followed ? 4.0F : 2.2F));
    list->AddCircleFilled(queries.words[i].centre(), radius,
                          followed ? color : withAlpha(look.theme.textMuted, 0.55F));
  }
  for (const Rect& key : keys.words)
    list->AddCircleFilled(key.centre(), look.px(2), withAlpha(look.theme.textMuted, 0.55F));
}

SentenceLayout headStageLayout(const PanelContext& panel, const Rect& room) {
  const FrameContext& look = panel.look;
  SentenceSpace space{room};
  space.largest = look.px(24);
  space.smallest = look.px(9.5F);
  const std::span<const std::string> tokens = tokensOf(panel);
  if (drawnOverDots(panel.trace.config())) space.largest = 0.0F;
  return room.empty() ? SentenceLayout() : layoutSentence(widthsOf(look, tokens), space);
}

void drawHeadWithWords(const PanelContext& panel, const HeadStage& stage) {
  const FrameContext& look = panel.look;
  const std::span<const std::string> tokens = tokensOf(panel);
  const SentenceLayout layout = headStageLayout(panel, stage.room);
  const bool picture = panel.trace.document().input->patches.on();
  if (layout.words.empty() || layout.marks() || picture) return drawHeadWithDots(panel, stage);
  const Index word = stage.word >= 0 ? stage.word : stage.story->best;
  std::vector<float> tints(tokens.size(), 0.0F);
  std::vector<Arc> arcs;
  for (const Link& link : linksOf(panel.trace, {panel.selection.item, stage.head, word})) {
    tints[static_cast<std::size_t>(link.key)] = link.weight;
    arcs.push_back({static_cast<int>(link.query),
                    static_cast<int>(link.key),
                    arcThickness(look, layout, link.weight),
                    arcs.empty() ? 0.92F : 0.45F,
                    {}});
  }
  const ImU32 color = headColor(look.theme, static_cast<std::size_t>(stage.head));
  ImDrawList* list = ImGui::GetWindowDrawList();
  drawArcs(look, list, layout, layout, arcs, color);
  drawWords(look, list, {&layout, tokens, static_cast<int>(word), -1, tints}, color);
}

}  // namespace headscope::ui
