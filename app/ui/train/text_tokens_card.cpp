// How a text of the user's own is cut into tokens: the sentence as tokens, and for byte pairs after
// any number of merges, as they were learned from the text.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/ids.h"
#include "app/ui/panel.h"
#include "app/ui/parts/table.h"
#include "app/ui/train/language_run_view.h"
#include "app/ui/train/train_page.h"
#include "app/ui/widgets.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/formats/corpora.h"

namespace headscope::ui {
namespace {

constexpr double kMergesPerSecond = 12.0;

class TextTokensCard final : public Card {
 public:
  explicit TextTokensCard(LiveLanguage& language)
      : Card({kTextTokensCard, tr("How the text is cut"),
              tr("your sentence as the tokens of its text")}),
        language_(language) {}

  void draw(const PanelContext& panel) override {
    const FrameContext& look = panel.look;
    const auto moment = language_.moment();
    heading(look, tr("How the text is cut"),
            moment != nullptr && !moment->corpus->merges.empty()
                ? tr("byte pairs: the most frequent neighbours become one token, again and again")
                : tr("your sentence as tokens"));
    if (moment == nullptr) return;
    const language::Corpus& corpus = *moment->corpus;
    if (corpus.merges.empty()) {
      tokens(look, corpus, idsOf(*moment));
      wrappedLabel(look.fonts.small, look.theme.textMuted, ruleOf(moment->from.tokens));
      return;
    }
    if (&corpus != shownFor_) {
      shownFor_ = &corpus;
      playing_ = false;
      shown_ = static_cast<int>(corpus.merges.size());
    }
    controls(panel, corpus);
    const auto count = static_cast<std::size_t>(shown_);
    tokens(look, corpus, formats::cutByMerges(corpus, moment->sentence, count));
    newestMerges(look, corpus, count);
  }

 private:
  static std::vector<tokenizer::TokenId> idsOf(const LanguageMoment& moment) {
    std::vector<tokenizer::TokenId> ids;
    for (const tokenizer::Token& token : moment.corpus->tokenizer->encode(moment.sentence, false)) {
      ids.push_back(token.id);
    }
    return ids;
  }

  static const char* ruleOf(formats::TextTokens tokens) {
    return tokens == formats::TextTokens::characters
               ? tr("Each of the text's most frequent characters is a token; another one is <unk>.")
               : tr("Each of the text's most frequent words is a token, with the space before it; "
                    "another word is cut into its bytes.");
  }

  /// Draws the slider over the merges, and the button that plays them.
  void controls(const PanelContext& panel, const language::Corpus& corpus) {
    const FrameContext& look = panel.look;
    const auto most = static_cast<int>(corpus.merges.size());
    if (!panel.slide) {
      if (pill(look, playing_ ? tr("Pause##merges") : tr("Play##merges"), playing_)) {
        playing_ = !playing_;
        if (playing_ && shown_ == most) shown_ = 0;
        since_ = look.now;
        sinceShown_ = shown_;
      }
      tip(look, tr("Shows the merges in the order in which they were learned"));
      ImGui::SameLine(0.0F, look.space.small);
    }
    if (playing_) {
      // the first merges are seen one by one; later ones pass faster and faster
      const double seconds = look.now - since_;
      shown_ = std::min(most, sinceShown_ + static_cast<int>(kMergesPerSecond * seconds *
                                                             (1.0 + seconds / 10.0)));
      playing_ = shown_ < most;
      look.changesIn(0.0);
    }
    ImGui::SetNextItemWidth(
        std::max(look.px(120), ImGui::GetContentRegionAvail().x - look.px(panel.slide ? 0 : 150)));
    if (ImGui::SliderInt("##merges", &shown_, 0, most, "", ImGuiSliderFlags_AlwaysClamp)) {
      playing_ = false;
    }
    ImGui::SameLine(0.0F, look.space.small);
    inlineLabel(look, look.fonts.small, look.theme.textMuted,
                trFormat("{} of {} merges", withThousands(shown_), withThousands(most)));
    ImGui::NewLine();
  }

  /// Draws the tokens of the sentence as boxes that wrap.
  static void tokens(const FrameContext& look, const language::Corpus& corpus,
                     const std::vector<tokenizer::TokenId>& ids) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    ImFont* font = look.fonts.mono;
    const ImVec2 from = ImGui::GetCursorScreenPos();
    const float right = from.x + ImGui::GetContentRegionAvail().x;
    const float pad = look.px(4), gap = look.px(3);
    const float line = fontSize(font) + 2.0F * pad;
    ImVec2 at = from;
    for (const tokenizer::TokenId id : ids) {
      const std::string text = corpus.tokenizer->inWords(id);
      const float width = textSize(font, text).x + 2.0F * pad;
      if (at.x + width > right && at.x > from.x) at = {from.x, at.y + line + gap};
      list->AddRectFilled(at, {at.x + width, at.y + line}, look.theme.field, look.px(3));
      drawText(list, font, {at.x + pad, at.y + pad}, look.theme.text, text);
      at.x += width + gap;
    }
    ImGui::Dummy({right - from.x, at.y + line - from.y + look.space.tight});
    label(look.fonts.small, look.theme.textMuted,
          counted(std::ssize(ids), tr("{} token"), tr("{} tokens")));
  }

  /// Draws the merges up to the shown one, the newest first.
  static void newestMerges(const FrameContext& look, const language::Corpus& corpus,
                           std::size_t count) {
    const float room = Rect::rest().height();
    if (room < look.px(60)) return;
    Table table(
        look, {.id = "merges", .height = room, .dense = true},
        {{tr("merge"), tr("its place in the order of learning"), true, 52, 0, false},
         {"left", "", false, 80, 1, false},
         {"right", "", false, 80, 1, false},
         {tr("token"), tr("both as one"), false, 100, 1, false},
         {tr("times"), tr("how often the two stood side by side in the text when they were joined"),
          true, 76, 0, false}});
    const auto inWords = [&](const std::string& token) {
      const auto id = corpus.tokenizer->id(token);
      return id ? corpus.tokenizer->inWords(*id) : token;
    };
    table.rows(static_cast<Index>(count), [&](Index n) {
      const std::size_t place = count - 1 - static_cast<std::size_t>(n);
      const tokenizer::LearnedMerge& merge = corpus.merges[place];
      table.row(n);
      table.number(withThousands(static_cast<Index>(place) + 1), look.theme.textMuted);
      table.text(inWords(merge.left));
      table.text(inWords(merge.right));
      table.text(inWords(merge.left + merge.right), n == 0 ? look.theme.accentText : 0);
      table.number(withThousands(merge.count));
    });
  }

  LiveLanguage& language_;
  const language::Corpus* shownFor_ = nullptr;
  int shown_ = 0;  // merges
  bool playing_ = false;
  double since_ = 0.0;  // when playing began, and from which merge
  int sinceShown_ = 0;
};

}  // namespace

std::unique_ptr<Card> makeTextTokensCard(LiveLanguage& language) {
  return std::make_unique<TextTokensCard>(language);
}

}  // namespace headscope::ui
