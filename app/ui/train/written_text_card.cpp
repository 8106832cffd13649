// The words that the model of a run on stories would write: the next one of the user's sentence,
// and a text of its own.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "app/ui/compat.h"
#include "app/ui/ids.h"
#include "app/ui/model/prediction_views.h"
#include "app/ui/panel.h"
#include "app/ui/parts/chart.h"
#include "app/ui/train/language_run_view.h"
#include "app/ui/train/train_page.h"
#include "app/ui/widgets.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"

namespace headscope::ui {
namespace {

class NextWordsCard final : public Card {
 public:
  explicit NextWordsCard(LiveLanguage& language)
      : Card({kNextWordsCard, tr("Next word"), tr("the most probable words after your sentence")}),
        language_(language) {}

  void draw(const PanelContext& panel) override {
    const FrameContext& look = panel.look;
    const auto moment = language_.moment();
    heading(look, tr("Next word"),
            moment != nullptr ? trFormat("after “{}”", moment->tokens.back()).c_str() : nullptr);
    if (moment == nullptr) return;
    Rect room = Rect::rest();
    const float line = fontSize(look.fonts.regular) + look.space.small;
    const auto fits = static_cast<std::size_t>(std::max(1.0F, room.height() / line));
    float names = 0.0F;
    for (const auto& next : moment->next) {
      names = std::max(names, textSize(look.fonts.regular, moment->nameOf(next.id)).x);
    }
    const float numbers = textSize(look.fonts.mono, "<0.001").x;
    for (std::size_t i = 0; i < std::min(fits, moment->next.size()); ++i) {
      const auto& [id, logit, probability] = moment->next[i];
      drawBarLine(look, ImGui::GetWindowDrawList(), room.cutTop(line), names, numbers,
                  {moment->nameOf(id), probabilityInWords(probability),
                   static_cast<float>(probability), look.theme.accent, look.theme.text, 0});
    }
  }

 private:
  LiveLanguage& language_;
};

class WrittenTextCard final : public Card {
 public:
  explicit WrittenTextCard(LiveLanguage& language)
      : Card({kWrittenTextCard, tr("It writes"), tr("a text of its own, word by word")}),
        language_(language) {}

  void draw(const PanelContext& panel) override {
    const FrameContext& look = panel.look;
    const auto moment = language_.moment();
    heading(look, tr("It writes"),
            moment != nullptr ? trFormat("at step {}", withThousands(moment->written.step)).c_str()
                              : nullptr);
    if (moment == nullptr) return;
    if (!panel.slide && !moment->kept) {
      if (pill(look, tr("another text"))) language_.writeAnother();
      tip(look, tr("Each word is drawn from the model's probabilities at temperature 0.7"));
    }
    std::string_view text = moment->written.text;
    const std::string_view given = moment->corpus->sampleBeginning;
    if (text.starts_with(given)) {
      wrappedLabel(look.fonts.small, look.theme.textMuted, trFormat("given: “{}”", given));
      text.remove_prefix(given.size());
      text.remove_prefix(std::min(text.size(), text.find_first_not_of(' ')));
    }
    wrappedLabel(look.fonts.regular, look.theme.text,
                 wholeLines(look.fonts.regular, std::string(text), Rect::rest()));
    ImGui::Dummy({0.0F, look.space.tight});
    earlier(look, *moment);
  }

 private:
  /// Returns as many whole lines of a text as there is room for.
  static std::string wholeLines(ImFont* font, const std::string& text, const Rect& room) {
    const std::string lines = wrapped(font, text, room.width());
    const auto most = static_cast<std::ptrdiff_t>(room.height() / ImGui::GetTextLineHeight());
    std::size_t end = 0;
    for (std::ptrdiff_t line = 0; line < most; ++line) {
      end = lines.find('\n', end);
      if (end == std::string::npos) return lines;
      ++end;
    }
    return end == 0 ? std::string() : lines.substr(0, end - 1);
  }

  /// Draws what it wrote before, the newest first, as far as there is room.
  static void earlier(const FrameContext& look, const LanguageMoment& moment) {
    const Rect room = Rect::rest();
    ImFont* font = look.fonts.small;
    for (auto text = moment.earlier.rbegin(); text != moment.earlier.rend(); ++text) {
      const std::string words = trFormat("step {}: {}", withThousands(text->step), text->text);
      const ImVec2 at = ImGui::GetCursorScreenPos();
      if (at.y + textSize(font, wrapped(font, words, room.width())).y > room.b.y) return;
      wrappedLabel(font, look.theme.textMuted, words);
    }
  }

  LiveLanguage& language_;
};

}  // namespace

std::unique_ptr<Card> makeNextWordsCard(LiveLanguage& language) {
  return std::make_unique<NextWordsCard>(language);
}

std::unique_ptr<Card> makeWrittenTextCard(LiveLanguage& language) {
  return std::make_unique<WrittenTextCard>(language);
}

}  // namespace headscope::ui
