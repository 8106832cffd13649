#include "app/ui/stage/stage_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/ui/frame_commands.h"
#include "app/ui/frame_state.h"
#include "app/ui/head_purposes.h"
#include "app/ui/panel.h"
#include "app/ui/parts/computed.h"
#include "app/ui/stage/journey.h"
#include "app/ui/stage/stage_view.h"
#include "app/ui/view_state.h"
#include "core/attention/config.h"
#include "core/attention/steps/step.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/training/relations.h"
#include "core/words/cells.h"

namespace headscope::ui {
namespace {

constexpr Index kReadAtOnce = 400'000;  // the most weights read within a frame
constexpr float kMargin = 26.0F;
constexpr float kNarrowestTitled = 148.0F;  // of a small stage with its title
constexpr float kNarrowestSmall = 66.0F;    // … with its number alone
constexpr float kNumbersShare = 0.56F;      // of the room above the journey
constexpr float kLow = 560.0F;              // a lower page has small stages of half the height

class StagePage final : public Page {
 public:
  StagePage(TokenRow& tokens, CellEditing& editing, const Playback& playback)
      : Page({kStagePage, tr("Stage"), tr("One sentence, and where each word looks"), kSentenceCard,
              kSentenceCard},
             Cards::of(makeSentenceCard(tokens), makeSmallStagesCard(), makeJourneyCard(),
                       makeStageNumbersCard(editing, playback))) {}

  bool showsDocument(const ViewState& view) const override { return view.stage.settingsOpen; }
  std::string figuresInWords(const PanelContext& panel) const override {
    return panel.stageView.settingsOpen ? Page::figuresInWords(panel) : std::string();
  }
  ImVec2 content(const PanelContext& panel, ImVec2 body) const override {
    // smaller bodies scroll
    const float scale = panel.look.scale;
    return {std::max(body.x, 300.0F * scale), std::max(body.y, 420.0F * scale)};
  }
  std::vector<Rect> layout(const PanelContext& panel, ImVec2 content) const override {
    const StageView& view = panel.stageView;
    const StageDepth depth = view.numbers ? StageDepth::numbers
                             : view.at    ? StageDepth::journey
                                          : StageDepth::heads;
    const StagePlaces places =
        layoutStage(content, panel.look.scale, panel.trace.config().numHeads, depth);
    return {places.sentence, places.heads, places.journey, places.numbers};
  }
  bool keys(const PanelContext& panel) const override { return journeyKeys(panel); }
  std::string placeInWords(const PanelContext& panel, std::string_view card) const override {
    if (card == kSmallStagesCard)
      return counted(panel.trace.config().numHeads, tr("{} head"), tr("{} heads"));
    return namedHead(panel.purposes, panel.selection.head);
  }
  std::string keysInWords(const ViewState& view) const override {
    return trFormat("space {} · ← → place · H next head",
                    view.frame.stagePlaying ? tr("pauses") : tr("plays"));
  }
};

}  // namespace

const std::vector<HeadStory>* storiesOf(const PanelContext& panel) {
  const AttentionConfig& c = panel.trace.config();
  const Index item = panel.selection.item;
  const bool little = c.numHeads * c.seqLen * c.keys() <= kReadAtOnce;
  const Fingerprint key("head stories", panel.trace.revision(TensorId::weights), item);
  const auto stories = panel.computations.request<std::vector<HeadStory>>(
      tr("head stories"), key, little ? Schedule::now : Schedule::background, [&] {
        return [trace = panel.traceHeld,
                item](const std::atomic<bool>& cancelled) -> std::optional<std::vector<HeadStory>> {
          auto found = headStories(*trace, item, declaredRelations(trace->document()));
          if (cancelled) return std::nullopt;
          return found;
        };
      });
  if (stories.current != nullptr) return stories.current;
  const bool fits =
      stories.last != nullptr && std::ssize(*stories.last) == c.numHeads &&
      std::all_of(stories.last->begin(), stories.last->end(), [&](const HeadStory& story) {
        return story.best < c.seqLen &&
               std::all_of(story.links.begin(), story.links.end(), [&](const Link& link) {
                 return link.query < c.seqLen && link.key < c.keys();
               });
      });
  return fits ? stories.last : nullptr;
}

StageSubject subjectOf(const PanelContext& panel) {
  const AttentionConfig& c = panel.trace.config();
  StageSubject subject{panel.selection.item, panel.selection.head, panel.stageView.word};
  if (subject.word < 0) {
    const auto* stories = storiesOf(panel);
    subject.word = stories != nullptr ? (*stories)[static_cast<std::size_t>(subject.head)].best : 0;
  }
  subject.word = std::clamp<Index>(subject.word, 0, c.seqLen - 1);
  return subject;
}

void chooseHead(const PanelContext& panel, Index head) {
  const auto* stories = storiesOf(panel);
  const bool asked =
      stories == nullptr || (*stories)[static_cast<std::size_t>(head)].asks(subjectOf(panel).word);
  if (head == panel.selection.head || !asked) panel.stageView.word = -1;
  panel.selection.head = head;
}

void chooseWord(const PanelContext& panel, Index word) {
  panel.stageView.word = panel.headsView.query = word;
  if (panel.stageView.numbers) panel.selection.cell.reset();  // the card chooses the word's own
}

StagePlaces layoutStage(ImVec2 content, float scale, Index heads, StageDepth depth) {
  const auto px = [&](float length) { return length * scale; };
  Rect room{{px(kMargin), px(10)}, {content.x - px(kMargin), content.y - px(2)}};
  StagePlaces places;
  places.journey = room.cutBottom(px(kJourneyHeight));
  if (depth == StageDepth::numbers) {
    places.numbers = room.cutBottom(room.height() * kNumbersShare, px(10));
  } else if (depth == StageDepth::heads) {
    const bool low = content.y < px(kLow);
    const auto titled = static_cast<Index>(room.width() / px(kNarrowestTitled));
    const auto inRow = static_cast<Index>(room.width() / px(kNarrowestSmall));
    const bool small = heads > 2 * std::max<Index>(1, titled);
    const Index columns = std::max<Index>(1, std::min(heads, small ? inRow : titled));
    const auto rows = static_cast<float>((heads + columns - 1) / columns);
    // two rows are as high as one, so that the sentence stays in place as the interface grows
    const float each = small ? px(70) : low ? px(104) : rows > 1.0F ? px(92) : px(168);
    places.heads =
        room.cutBottom(std::min(rows * each + px(30), room.height() * (low ? 0.42F : 0.5F)), px(6));
  }
  places.sentence = room;
  return places;
}

std::unique_ptr<Page> makeStagePage(TokenRow& tokens, CellEditing& editing,
                                    const Playback& playback) {
  return std::make_unique<StagePage>(tokens, editing, playback);
}

}  // namespace headscope::ui
