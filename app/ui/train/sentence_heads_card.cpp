// The heads of a run on stories, live on a sentence of the user's own: layers × heads, each with
// the question whose deciding word it looks at.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "app/ui/compat.h"
#include "app/ui/ids.h"
#include "app/ui/model/model_view.h"
#include "app/ui/panel.h"
#include "app/ui/parts/tab_row.h"
#include "app/ui/selection.h"
#include "app/ui/text_field.h"
#include "app/ui/train/heads_over_steps.h"
#include "app/ui/train/language_run_view.h"
#include "app/ui/train/run_controls.h"
#include "app/ui/train/train_page.h"
#include "app/ui/train/trained_heads.h"
#include "app/ui/widgets.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"

namespace headscope::ui {
namespace {

/// The choices of steps per second; 0: as fast as possible.
const std::vector<double> kLiveSpeeds{1.0, 5.0, 0.0}, kKeptSpeeds{20.0, 50.0, 0.0};

/// The least mean weight on a deciding word from which a head is said to look at it.
constexpr double kLooks = 0.4;
constexpr double kLeans = 0.15;  // … from which it is named at all

/// The title of a head by its label on the sentence, in a model that learned no stories.
HeadTitle titleOf(const HeadDoes& head) {
  HeadTitle title;
  title.does = head.title;
  if (head.score) title.mass = fmt::format("{:.2f}", *head.score);
  title.found = head.score.has_value();
  return title;
}

/// The questions whose deciding words a head looks at, the most first and at most `most`; `place`
/// counts through all layers. `number`: with the mean weight, where it is one question.
HeadTitle titleOf(const Theme& theme, const language::LanguageEvaluation& evaluation,
                  std::size_t place, bool number, std::size_t most = 6) {
  std::vector<std::pair<double, std::size_t>> looks;
  for (std::size_t q = 0; q < evaluation.questions.size(); ++q) {
    looks.emplace_back(evaluation.questions[q].looks[place], q);
  }
  std::ranges::stable_sort(looks, std::greater(), &std::pair<double, std::size_t>::first);
  HeadTitle title;
  if (looks.empty() || looks.front().first < kLeans) return title;
  title.found = looks.front().first >= kLooks;
  if (title.found) title.color = headColor(theme, place);
  std::size_t count = 0;
  for (const auto& [look, question] : looks) {
    if (count == most || (count > 0 && look < kLooks)) break;
    title.does += count++ > 0 ? ", " : "";
    title.does += language::storyQuestions()[question].name;
  }
  if (number && count == 1) title.mass = fmt::format("{:.2f}", looks.front().first);
  return title;
}

std::size_t placeOf(const LanguageMoment& moment, const HeadOfLayer& head) {
  return static_cast<std::size_t>(head.layer * moment.settings.model.heads + head.head);
}

/// The title of a head at the shown moment. `slide`: in few words.
HeadTitle titleOf(const FrameContext& look, const LanguageMoment& moment, const HeadOfLayer& head,
                  bool slide) {
  const std::size_t place = placeOf(moment, head);
  if (place < moment.does.size()) return titleOf(moment.does[place]);
  const language::LanguageEvaluation* evaluation = moment.evaluation();
  if (evaluation == nullptr) return {};
  return slide ? titleOf(look.theme, *evaluation, place, false, 1)
               : titleOf(look.theme, *evaluation, place, true);
}

class SentenceHeadsCard final : public Card {
 public:
  explicit SentenceHeadsCard(LiveLanguage& language)
      : Card({kSentenceHeadsCard, tr("Heads"), tr("every head on your sentence, as it learns")}),
        language_(language) {}

  void draw(const PanelContext& panel) override {
    const FrameContext& look = panel.look;
    const auto moment = language_.moment();
    const bool overSteps = panel.trainView.tab == TrainTab::overSteps;
    language_.requestStrip(overSteps);
    if (panel.slide && moment != nullptr && !overSteps) return slide(look, *moment);
    drawTabs(panel);
    if (learnsText(panel.trainView) && panel.trainView.text.empty()) {
      wrappedLabel(
          look.fonts.regular, look.theme.textMuted,
          tr("Choose a text at the left, or drop a .txt file on the window. Its heads appear "
             "here, and learn before your eyes."));
      return;
    }
    if (!language_.problem().empty()) {
      wrappedLabel(look.fonts.small, look.theme.bad, language_.problem());
    }
    if (moment == nullptr) {
      if (!language_.problem().empty()) return;
      label(look.fonts.regular, look.theme.textMuted,
            learnsText(panel.trainView) ? tr("The text is being cut into tokens …")
                                        : tr("Stories are being written …"));
      return;
    }
    label(look.fonts.small, look.theme.textMuted,
          elided(look.fonts.small,
                 whereInRun(*moment) + tr(" · rows: queries, columns: keys, weights 0 to 1"),
                 ImGui::GetContentRegionAvail().x));
    if (moment->stopped) {
      wrappedLabel(look.fonts.small, look.theme.bad, moment->stopped->words);
    }
    if (!panel.slide) {
      runButtons(
          look, language_, *moment, [&] { beginLanguage(panel, language_); }, moment->kept);
      speedChoice(look, language_, moment->kept ? kKeptSpeeds : kLiveSpeeds);
      earlierStepPills(look, language_, *moment);
      if (!moment->kept) opening(panel, *moment);
    }
    if (!panel.slide && !moment->kept) {
      sentence(panel, *moment);
    } else {  // an audience sees no field, and a kept run has one sentence
      wrappedLabel(look.fonts.regular, look.theme.text, fmt::format("“{}”", moment->sentence));
    }
    if (overSteps) return strip(panel, *moment);
    heads(look, *moment, Rect::rest(), false);
  }

 private:
  static void heads(const FrameContext& look, const LanguageMoment& moment, const Rect& room,
                    bool slide) {
    TrainedHeads(
        look, room,
        {.layers = moment.settings.model.layers,
         .heads = moment.settings.model.heads,
         .causal = true,
         .names = moment.tokens,
         .weights = [&](Index layer) { return moment.weights[static_cast<std::size_t>(layer)]; },
         .title = [&](const HeadOfLayer& head) { return titleOf(look, moment, head, slide); },
         .number = moment.number,
         .detailed = !slide},
        true)
        .draw();
  }

  /// Draws the sentence, the step and the heads in letters that a room can read.
  static void slide(const FrameContext& ofWindow, const LanguageMoment& moment) {
    const Fonts fonts = fontsForARoom(ofWindow.fonts);
    const FrameContext look = ofWindow.withFonts(fonts);
    Rect room = Rect::rest();
    const std::string text =
        trFormat("“{}” · step {}", moment.sentence, withThousands(moment.step));
    ImFont* font = look.fonts.semibold;
    wrappedLabel(font, look.theme.text, text);
    room.cutTop(textSize(font, wrapped(font, text, room.width())).y, look.space.large);
    heads(look, moment, room, true);
  }

  static void drawTabs(const PanelContext& panel) {
    const std::vector<Tab> tabs{
        {tr("All heads"), tr("Every head as it forms")},
        {tr("Over steps"), tr("Every head at moments of the run, side by side")}};
    const char* explanation = showsKeptRun(panel.trainView)
                                  ? tr("layers × heads on one sentence, as they learned")
                                  : tr("layers × heads on your sentence, as they learn");
    const bool overSteps = panel.trainView.tab == TrainTab::overSteps;
    if (panel.alone) {
      heading(panel.look, tabs[overSteps ? 1 : 0].title, explanation);
      return;
    }
    const int clicked = tabRow(panel.look, "language heads", tabs, overSteps ? 1 : 0, explanation);
    if (clicked >= 0) panel.trainView.tab = clicked == 1 ? TrainTab::overSteps : TrainTab::live;
  }

  /// Draws the heads at moments of the run. A click on one shows the run at its step.
  void strip(const PanelContext& panel, const LanguageMoment& moment) {
    const FrameContext& look = panel.look;
    wrappedLabel(
        look.fonts.small, look.theme.textMuted,
        moment.corpus->stories
            ? tr("With a head: the questions whose deciding words it looks at. A click goes "
                 "back to its step.")
            : tr("A click goes back to its step."));
    tip(look, tr("The steps are the start, the newest evaluation, the first answers, and between "
                 "them those "
                 "where the held-out loss changed most"));
    if (moment.strip.empty()) return;
    HeadsOverSteps shown{.layers = moment.settings.model.layers,
                         .heads = moment.settings.model.heads,
                         .causal = true,
                         .number = moment.number,
                         .columns = {}};
    for (const language::HeadsAtStep& then : moment.strip) {
      shown.columns.push_back(
          {then.step(), then.evaluation.heldOutLoss, then.weights, [&](const HeadOfLayer& head) {
             return titleOf(look.theme, then.evaluation, placeOf(moment, head), false);
           }});
    }
    const auto clicked = drawHeadsOverSteps(look, Rect::rest(), shown);
    if (clicked && !panel.alone) language_.showStep(*clicked);
  }

  /// Draws the button that opens the shown model on the page Model, and opens it once it is saved.
  void opening(const PanelContext& panel, const LanguageMoment& moment) {
    if (language_.saves() &&
        flowingPill(
            panel.look, tr("open this model"),
            tr("On the page Model, with this sentence: why it says a word, and what it says "
               "without a head. It is saved as a folder."))) {
      language_.play(false);
      language_.save();
    }
    if (!moment.saved || moment.number == opened_) return;
    opened_ = moment.number;
    panel.modelView.place = {.folder = moment.saved->string(), .text = moment.sentence};
    panel.selection.page = kModelPage;
  }

  /// Draws the field of the sentence, and what of it the model cannot read.
  void sentence(const PanelContext& panel, const LanguageMoment& moment) {
    const FrameContext& look = panel.look;
    std::string& chosen = panel.trainView.sentence;
    if (!typing_) draft_ = chosen.empty() ? moment.corpus->example : chosen;
    rowCaption(look, tr("your sentence"));
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
    if (textField(look, {"##your sentence", 0, moment.corpus->example.c_str()}, draft_)) {
      chosen = draft_;
    }
    typing_ = ImGui::IsItemActive();
    tip(look, tr("The heads and the next words follow as you type"));
    std::string note;
    if (!moment.unknown.empty()) {
      note = trFormat("no {} of {}: {}", moment.corpus->stories ? tr("word") : tr("character"),
                      moment.corpus->stories ? tr("the stories") : moment.corpus->title,
                      fmt::join(moment.unknown, ", "));
    }
    if (moment.leftOut > 0) {
      note += trFormat("{}the first {} tokens are left out: the model reads {}",
                       note.empty() ? "" : " · ", withThousands(moment.leftOut),
                       moment.settings.model.context);
    }
    if (!note.empty()) wrappedLabel(look.fonts.small, look.theme.accentText, note);
  }

  LiveLanguage& language_;
  std::string draft_;
  bool typing_ = false;
  std::uint64_t opened_ = 0;  // the moment whose model was opened last
};

}  // namespace

std::unique_ptr<Card> makeSentenceHeadsCard(LiveLanguage& language) {
  return std::make_unique<SentenceHeadsCard>(language);
}

}  // namespace headscope::ui
