// The card of the sentence (see stage_page.h): headline, words and arcs, or the picture of the
// journey. A click follows a word, a drag moves it, a double click types the sentence.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/frame_commands.h"
#include "app/ui/frame_state.h"
#include "app/ui/head_purposes.h"
#include "app/ui/panel.h"
#include "app/ui/parts/computed.h"
#include "app/ui/score_reasons.h"
#include "app/ui/selection.h"
#include "app/ui/stage/journey.h"
#include "app/ui/stage/journey_scene.h"
#include "app/ui/stage/sentence_drawing.h"
#include "app/ui/stage/stage_page.h"
#include "app/ui/stage/stage_story.h"
#include "app/ui/stage/stage_view.h"
#include "app/ui/token_row.h"
#include "app/ui/widgets.h"
#include "core/analysis/head_effect.h"
#include "core/attention/config.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/input/example_sentences.h"
#include "core/input/tagger.h"
#include "core/words/cells.h"

namespace headscope::ui {
namespace {

constexpr const char* kForeign = trLater(
    "These heads learned from English sentences. In another language only “previous word” holds.");

class SentenceCard final : public Card {
 public:
  explicit SentenceCard(TokenRow& tokens)
      : Card({.id = kSentenceCard,
              .title = tr("Sentence"),
              .about = tr("One word, and where it looks"),
              .framed = false}),
        tokens_(tokens) {}

  void draw(const PanelContext& panel) override {
    follow(panel);
    followSentence(panel);
    Rect room = Rect::rest();
    const StageSubject subject = subjectOf(panel);
    const JourneyMoment moment = momentOf(panel.stageView);
    const HeadEffects* effects = moment.place == StagePlace::mixed ? effectsOf(panel) : nullptr;
    const Input& input = *panel.trace.document().input;
    const auto item = static_cast<std::size_t>(subject.item);
    if (input.tokens.empty()) return;
    const WordsKnown* known = wordsKnown(panel, input.tokens[item % input.tokens.size()]);
    const bool foreign = known != nullptr && known->foreign;
    if (!typing(panel, room, foreign)) {
      StageWords said = panel.stageView.at ? stageWords(panel.trace, subject, moment.place, effects)
                                           : stageWords(panel.trace, subject);
      if (!panel.stageView.at && foreign) {
        said.sentence = tr(kForeign);
      } else if (!panel.stageView.at && !isAsked(panel, subject)) {
        said = unaskedWords(panel.trace, subject, purposeTitle(panel.purposes, subject.head));
      }
      const bool looks = !isFullyMasked(panel.trace, subject.item, subject.word);
      if (!panel.stageView.at && panel.stageView.why && looks && hasReasons(panel)) {
        said.sentence = reasonOf(panel, subject);
      } else if (!panel.stageView.at && known != nullptr && !known->foreign) {
        said.sentence += aboutUnknown(known->unknown, input.tokens[item % input.tokens.size()]);
      }
      // while the picture still adds up the scores, the sentence names none
      if (moment.place == StagePlace::scores && motion(moment, kScoring, 1.0) < 1.0F) {
        said.sentence = tr("Where their numbers agree, the score grows.");
      }
      headline(panel, said, room);
    }
    const SceneLayout layout = layoutScene(panel, moment, room);
    SceneWords words{input.tokens[item % input.tokens.size()], {}};
    words.keys =
        input.memoryTokens.empty()
            ? words.queries
            : std::span<const std::string>(input.memoryTokens[item % input.memoryTokens.size()]);
    const bool marked = known != nullptr && !known->foreign;
    if (marked && known->unknown.size() == words.queries.size()) {
      words.unknown = known->unknown;
    }
    const int hovered = wordButtons(panel, layout.queries, subject, words.unknown);
    const auto chosen = panel.selection.cell;
    drawScene(panel, subject, moment, layout, words, room, effects, hovered);
    // a click on a number opens the arithmetic behind it
    if (panel.selection.cell != chosen && panel.selection.cell)
      showNumbers(panel, panel.selection.cell);
    dragMark(panel, layout.queries);
  }

 private:
  /// Another sentence has another word that shows the head best.
  void followSentence(const PanelContext& panel) {
    const Input& input = *panel.trace.document().input;
    if (input.tokens.empty()) return;
    const auto& tokens =
        input.tokens[static_cast<std::size_t>(panel.selection.item) % input.tokens.size()];
    Index& word = panel.stageView.word;
    const bool there = word >= 0 && word < std::ssize(tokens);
    const std::string now = there ? tokens[static_cast<std::size_t>(word)] : std::string();
    if (word == followed_.first && now != followed_.second) word = -1;
    followed_ = {word, word >= 0 ? now : std::string()};
  }

  /// Moves a journey that plays. The time before it was started does not count.
  void follow(const PanelContext& panel) {
    if (panel.frame.stagePlaying && played_) {
      advanceJourney(panel, panel.look.now - last_);
    } else if (panel.frame.stagePlaying) {
      *panel.look.wantsFrame = true;
    }
    played_ = panel.frame.stagePlaying;
    last_ = panel.look.now;
  }

  const HeadEffects* effectsOf(const PanelContext& panel) const {
    const Index item = panel.selection.item;
    return panel.computations
        .request<HeadEffects>(
            "stage effects", Fingerprint("stage effects", panel.trace.pass(), item),
            Schedule::background,
            [&] {
              return [trace = panel.traceHeld, item](const std::atomic<bool>& cancelled) {
                return headEffects(*trace, item, ExecutionContext{0, &cancelled});
              };
            })
        .current;
  }

  /// Returns whether the head's relation has a partner for the word, as far as that is known.
  static bool isAsked(const PanelContext& panel, const StageSubject& subject) {
    const auto* stories = storiesOf(panel);
    if (stories == nullptr) return true;
    const HeadStory& story = (*stories)[static_cast<std::size_t>(subject.head)];
    if (story.kind == HeadStory::Kind::absent) return false;
    const bool known =
        story.kind == HeadStory::Kind::found || story.kind == HeadStory::Kind::missed;
    const auto word = static_cast<std::size_t>(subject.word);
    return !known || word >= story.asked.size() || story.asked[word] != 0;
  }

  /// The words of a text that the program knows.
  struct WordsKnown {
    std::vector<char> unknown;  // nonzero: the word's class is a guess
    bool foreign = false;       // another language than the heads learned from
  };
  /// Null where the heads do not go by English words.
  static const WordsKnown* wordsKnown(const PanelContext& panel,
                                      std::span<const std::string> tokens) {
    const Document& document = panel.trace.document();
    const WeightInit init = document.weightSource.init;
    const bool byWords = document.weightSource.drawn() &&
                         (init == WeightInit::learned || init == WeightInit::designed);
    if (!isText(panel) || !byWords) return nullptr;
    return panel.computations.computeNow<WordsKnown>(
        "words known",
        Fingerprint("words known", panel.trace.revision(TensorId::x), panel.selection.item), [&] {
          const std::vector<bool> unknown = unknownWords(tokens);
          return WordsKnown{{unknown.begin(), unknown.end()}, seemsForeign(tokens)};
        });
  }

  static std::string reasonOf(const PanelContext& panel, const StageSubject& subject) {
    const std::vector<Link> links = linksOf(panel.trace, subject);
    if (links.empty()) return {};
    return largestReason(panel, {subject.item, subject.head, subject.word, links.front().key});
  }

  /// A sentence on the dotted words, with a blank before it; empty where the program knows all.
  static std::string aboutUnknown(std::span<const char> unknown,
                                  std::span<const std::string> tokens) {
    const auto isUnknown = [](char each) { return each != 0; };
    const auto count = std::ranges::count_if(unknown, isUnknown);
    if (count == 0 || unknown.size() != tokens.size()) return {};
    const auto first = std::ranges::find_if(unknown, isUnknown) - unknown.begin();
    if (count == 1) {
      return trFormat(" “{}” is not in the word list: its kind is guessed.",
                      stageWord(tokens[static_cast<std::size_t>(first)]));
    }
    return trFormat(" {} dotted words are not in the word list: their kinds are guessed.", count);
  }

  /// Offers sentences in which the heads find what they look for.
  void examples(const PanelContext& panel, const Rect& at) {
    const FrameContext& look = panel.look;
    ImGui::SetCursorScreenPos(at.a);
    beginPart("examples", at.size(), ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar);
    rowCaption(look, tr("Or try:"));
    // narrower than the card next to the caption, so that on a phone none is cut
    const float most = at.width() - textSize(look.fonts.regular, tr("Or try:")).x - look.px(34);
    for (const std::string& text : exampleSentences()) {
      const std::string shown = elided(look.fonts.regular, text, most);
      if (flowingPill(look, shown, tr("The heads find what they look for in it"))) {
        tokens_.replace(panel, text);
      }
    }
    ImGui::EndChild();
  }

  /// Draws the field that types the sentence in place of the headline. Returns whether it is open.
  bool typing(const PanelContext& panel, Rect& room, bool foreign) {
    if (panel.stageView.settingsOpen || panel.alone) return false;  // the row of tokens has it
    panel.frame.typesText = tokens_.editing();
    if (!tokens_.editing()) return false;
    const FrameContext& look = panel.look;
    Rect top = room.cutTop(look.px(150));
    const Rect below = top.cutBottom(look.px(62));
    ImGui::SetCursorScreenPos({top.centre().x, top.a.y + look.px(14)});
    tokens_.field(panel, look.px(1400), top.width());
    drawTextCentred(ImGui::GetWindowDrawList(), look.fonts.regular,
                    {top.centre().x, top.b.y - look.px(22)}, look.theme.textMuted,
                    foreign ? tr(kForeign) : tr("Everything follows as you type. Enter ends."));
    const float wide = std::min(below.width(), look.px(1240));
    examples(panel, below.placed({wide, below.height()}));
    return true;
  }

  static void headline(const PanelContext& panel, const StageWords& words, Rect& room) {
    const FrameContext& look = panel.look;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const bool low = room.height() < look.px(330);
    const Rect title = room.cutTop(look.px(low ? 40 : 56));
    const float width = room.width() - look.px(20);
    drawLettersCentred(look, list, title.centre(), width, look.px(low ? 30 : 42), true,
                       look.theme.text, words.title);
    if (panel.alone && low) return;  // a slide has its own sentence
    const float letters = look.px(low ? 19 : 24);
    const float least = fontSize(panel.alone ? look.fonts.title : look.fonts.regular);
    if (lettersSize(look, least, false, words.sentence).x <= width) {
      const Rect line = room.cutTop(look.px(low ? 26 : 34));
      return drawLettersCentred(look, list, line.centre(), width, letters, false,
                                look.theme.textMuted, words.sentence);
    }
    if (panel.alone) return;  // letters small enough for one line are not read from afar
    // on a phone smaller letters could not be read
    const std::string lines = wrapped(look.fonts.regular, words.sentence, width);
    for (std::size_t begin = 0; begin < lines.size();) {
      const std::size_t end = std::min(lines.find('\n', begin), lines.size());
      const Rect line = room.cutTop(least + look.space.thin);
      drawTextCentred(list, look.fonts.regular, line.centre(), look.theme.textMuted,
                      std::string_view(lines).substr(begin, end - begin));
      begin = end + 1;
    }
  }

  /// Places a button on every word. Returns the word under the mouse, or −1.
  int wordButtons(const PanelContext& panel, const SentenceLayout& layout,
                  const StageSubject& subject, std::span<const char> unknown) {
    if (layout.words.empty()) return -1;
    if (layout.marks()) return markButton(panel, layout);
    int hovered = -1;
    for (std::size_t i = 0; i < layout.words.size(); ++i) {
      const Rect& at = layout.words[i];
      if (at.empty()) continue;  // no room, or a token without a glyph
      ImGui::SetCursorScreenPos(at.a);
      ImGui::PushID(static_cast<int>(i));
      const bool clicked = ImGui::InvisibleButton("word", at.size());
      noteControl(panel.look, fmt::format("word {}", i + 1));
      if (ImGui::IsItemHovered()) hovered = static_cast<int>(i);
      if (ImGui::IsItemActive() && ImGui::IsMouseDragging(0, panel.look.px(6)))
        dragged_ = static_cast<int>(i);
      ImGui::PopID();
      if (clicked && dragged_ < 0) choose(panel, static_cast<Index>(i), subject);
    }
    if (hovered >= 0 && ImGui::IsMouseDoubleClicked(0) && isText(panel))
      panel.frame.asksForSentence = true;
    if (hovered >= 0 && dragged_ < 0)
      tip(panel.look, aboutWord(static_cast<std::size_t>(hovered), unknown));
    return hovered;
  }

  static std::string aboutWord(std::size_t word, std::span<const char> unknown) {
    std::string text =
        tr("Click: follow it · drag: move it · double click: type · ctrl+click: its numbers");
    if (word < unknown.size() && unknown[word] != 0) {
      text += tr(
          "\nThis word is not in the program's list: its kind is guessed from its ending and its "
          "neighbours.");
    }
    return text;
  }

  int markButton(const PanelContext& panel, const SentenceLayout& layout) {
    const Rect all{layout.words.front().a, layout.words.back().b};
    if (all.empty()) return -1;
    ImGui::SetCursorScreenPos(all.a);
    const bool clicked = ImGui::InvisibleButton("marks", all.size());
    if (!ImGui::IsItemHovered() && !clicked) return -1;
    const int at = layout.at(ImGui::GetIO().MousePos);
    if (clicked && at >= 0) choose(panel, at, subjectOf(panel));
    return at;
  }

  static bool isText(const PanelContext& panel) {
    return std::holds_alternative<TextSource>(*panel.document.source);
  }

  static void choose(const PanelContext& panel, Index word, const StageSubject& subject) {
    chooseWord(panel, word);
    if (ImGui::GetIO().KeyCtrl) {
      showNumbers(panel);
    } else if (word != subject.word && panel.stageView.at && !panel.frame.stagePlaying) {
      goToPlace(panel.stageView, panel.frame, momentOf(panel.stageView).place);
    }
  }

  /// Shows the target of a dragged word; on release, requests the move.
  void dragMark(const PanelContext& panel, const SentenceLayout& layout) {
    if (dragged_ < 0 || layout.marks()) return;
    const FrameContext& look = panel.look;
    const int gap = layout.gapAt(ImGui::GetIO().MousePos);
    const bool last = gap == static_cast<int>(layout.words.size());
    const Rect& at = layout.words[static_cast<std::size_t>(last ? gap - 1 : gap)];
    const float x = last ? at.b.x : at.a.x;
    ImGui::GetWindowDrawList()->AddLine({x, at.a.y}, {x, at.b.y}, look.theme.accent, look.px(3));
    if (ImGui::IsMouseDown(0)) return;
    const int to = gap > dragged_ ? gap - 1 : gap;
    if (to != dragged_) {
      panel.commands.push(MoveToken{panel.selection.item, false, dragged_, to});
      panel.stageView.word = to;
    }
    dragged_ = -1;
  }

  TokenRow& tokens_;
  std::pair<Index, std::string> followed_{-1, {}};  // the followed word in the last frame
  double last_ = 0.0;                               // the time of the last frame
  bool played_ = false;                             // whether the journey played then
  int dragged_ = -1;                                // the word that is dragged; −1: none
};

}  // namespace

std::unique_ptr<Card> makeSentenceCard(TokenRow& tokens) {
  return std::make_unique<SentenceCard>(tokens);
}

}  // namespace headscope::ui
