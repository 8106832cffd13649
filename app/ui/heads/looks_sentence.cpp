// The tab of the sentence (see looks.h): the chosen query's strong weights as arcs over the written
// sentence, as on the stage.
#include <algorithm>
#include <string>

#include "app/ui/compat.h"
#include "app/ui/heads/heads_view.h"
#include "app/ui/heads/looks.h"
#include "app/ui/panel.h"
#include "app/ui/selection.h"
#include "app/ui/stage/journey_scene.h"
#include "app/ui/stage/sentence_drawing.h"
#include "app/ui/stage/stage_page.h"
#include "app/ui/widgets.h"
#include "core/attention/config.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

class SentenceTab final : public Card {
 public:
  SentenceTab()
      : Card({"sentence arcs", tr("Where each head looks"),
              tr("Arcs from the chosen word to the words it looks at"), 0, true,
              tr("thickness = weight")}) {}

  void draw(const PanelContext& panel) override {
    const FrameContext& look = panel.look;
    const Input& input = *panel.trace.document().input;
    if (input.tokens.empty()) return;
    const AttentionConfig& c = panel.trace.config();
    const auto item = static_cast<std::size_t>(panel.selection.item);
    const LooksAt looked = lookedAt(panel.view, c);
    const StageSubject subject{panel.selection.item, panel.selection.head,
                               looked.query >= 0 ? looked.query : bestQuery(panel)};
    Rect room = Rect::rest();
    const Rect foot = room.cutBottom(fontSize(look.fonts.small) + look.space.tight);
    const JourneyMoment shares;
    const SceneLayout layout = layoutScene(panel, shares, room);
    SceneWords words{input.tokens[item % input.tokens.size()], {}};
    words.keys = words.queries;
    if (!input.memoryTokens.empty())
      words.keys = input.memoryTokens[item % input.memoryTokens.size()];
    const int hovered = chooseWord(panel, layout.queries);
    drawScene(panel, subject, shares, layout, words, room, nullptr, hovered);
    const StageWords said = stageWords(panel.trace, subject);
    drawText(ImGui::GetWindowDrawList(), look.fonts.small, foot.a, look.theme.textMuted,
             wholeSentences(look.fonts.small, said, foot.width()));
  }

 private:
  /// The word that shows the chosen head best, as in the tiles of all heads.
  static Index bestQuery(const PanelContext& panel) {
    const std::vector<HeadStory>* stories = storiesOf(panel);
    const auto head = static_cast<std::size_t>(panel.selection.head);
    if (stories == nullptr || head >= stories->size()) {
      return queryOr({}, panel.trace.config());
    }
    return (*stories)[head].best;
  }

  /// Returns the title with its sentence; the title alone where both have no room.
  static std::string wholeSentences(ImFont* font, const StageWords& said, float width) {
    const std::string both = said.title + " " + said.sentence;
    return textSize(font, both).x <= width ? both : wholeParts(font, said.title, width);
  }

  /// Places one button over all words; a click chooses the query. Returns the word under the mouse,
  /// or −1.
  static int chooseWord(const PanelContext& panel, const SentenceLayout& layout) {
    if (layout.words.empty()) return -1;
    Rect all = layout.words.front();
    for (const Rect& word : layout.words) {
      all = {{std::min(all.a.x, word.a.x), std::min(all.a.y, word.a.y)},
             {std::max(all.b.x, word.b.x), std::max(all.b.y, word.b.y)}};
    }
    ImGui::SetCursorScreenPos(all.a);
    const bool clicked = ImGui::InvisibleButton("words", all.size());
    if (!ImGui::IsItemHovered()) return -1;
    const int at = layout.at(ImGui::GetIO().MousePos);
    if (clicked && at >= 0) panel.headsView.query = at;
    return at;
  }
};

}  // namespace

std::unique_ptr<Card> makeSentenceTab() { return std::make_unique<SentenceTab>(); }

}  // namespace headscope::ui
