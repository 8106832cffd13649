// The curves of a run on stories: its loss, and the six questions, each with the step at which it
// was first answered and the head that looks at the word that decides.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "app/ui/compat.h"
#include "app/ui/ids.h"
#include "app/ui/model/born_heads.h"
#include "app/ui/model/model_view.h"
#include "app/ui/panel.h"
#include "app/ui/parts/tab_row.h"
#include "app/ui/parts/table.h"
#include "app/ui/selection.h"
#include "app/ui/train/language_run_view.h"
#include "app/ui/train/loss_chart.h"
#include "app/ui/train/measured_runs_view.h"
#include "app/ui/train/train_page.h"
#include "app/ui/widgets.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/formats/shipped_model.h"
#include "core/model/compositions.h"
#include "core/words/head_place.h"

namespace headscope::ui {
namespace {

using language::LanguageEvaluation;

class StoryLossCard final : public Card {
 public:
  explicit StoryLossCard(LiveLanguage& language)
      : Card({kStoryLossCard, tr("Loss"),
              tr("of what it learns from, and of text that it never saw")}),
        language_(language) {}

  void draw(const PanelContext& panel) override {
    const FrameContext& look = panel.look;
    const auto moment = language_.moment();
    heading(look, tr("Loss"),
            tr("nats per token: the mean of −ln p; held-out text is never learned from"));
    if (moment == nullptr) return;
    lossChart(look, Rect::rest(), language_, *moment, tr("held-out text"),
              answeredMarks(look.theme, *moment),
              [](const LanguageEvaluation& at) { return at.heldOutLoss; });
  }

 private:
  LiveLanguage& language_;
};

/// The least mean weight on a deciding word from which a head is looked for in other models.
constexpr double kBornLook = 0.15;

/// The question that tells the numbers of layers apart.
constexpr std::size_t kSong = 4;

class StoryQuestionsCard final : public Card {
 public:
  explicit StoryQuestionsCard(LiveLanguage& language)
      : Card({kStoryQuestionsCard, tr("Six questions"),
              tr("which answers it has found, and who looks at the word that decides")}),
        language_(language) {}

  std::vector<CardTab> tabs(const PanelContext& /*panel*/) const override {
    std::vector<CardTab> tabs;
    for (std::size_t place = 0; place < titles().size(); ++place) {
      const Tab tab = titles()[place];
      tabs.push_back({tab.title, tab.about, [place](const PanelContext& panel) {
                        panel.trainView.questions = static_cast<QuestionsTab>(place);
                      }});
    }
    return tabs;
  }

  void draw(const PanelContext& panel) override {
    const FrameContext& look = panel.look;
    const auto moment = language_.moment();
    const std::vector<Tab> tabs = titles();
    const char* explanations[]{tr("nobody asks them during training; drag to go back"),
                               tr("the step of the first answers; a heading shows its curves"),
                               tr("the same measure on the heads of any model")};
    QuestionsTab& tab = panel.trainView.questions;
    const int shown = static_cast<int>(tab);
    const int clicked = tabRow(look, "story tabs", tabs, shown, explanations[shown]);
    if (clicked >= 0) tab = static_cast<QuestionsTab>(clicked);
    if (tab == QuestionsTab::otherSizes) return measuredRunsView(look, question_);
    if (moment == nullptr) return;
    if (tab == QuestionsTab::otherModels) return lookForInModels(panel, *moment);
    Rect room = Rect::rest();
    const float wide = std::clamp(room.width() * 0.5F, look.px(366), look.px(520));
    const Rect right = room.cutRight(wide, look.space.large);
    curves(look, *moment, room);
    ImGui::SetCursorScreenPos(right.a);
    ImGui::BeginChild("answers", right.size());
    table(look, *moment);
    ImGui::Dummy({0.0F, look.space.tight});
    sharedInWords(look, *moment);
    inWords(look);
    ImGui::EndChild();
  }

 private:
  static std::vector<Tab> titles() {
    return {{tr("Six questions"),
             tr("How this run answers them, and which heads look at the deciding words")},
            {tr("Other sizes"), tr("Models of other layers and heads, trained beforehand")},
            {tr("In other models"), tr("Heads of any model that do what heads of this run do")}};
  }

  void curves(const FrameContext& look, const LanguageMoment& moment, const Rect& room) {
    const auto& questions = language::storyQuestions();
    std::vector<ChartKey> keys;
    for (std::size_t q = 0; q < questions.size(); ++q) {
      keys.push_back({std::string(questions[q].name), questionColor(look.theme, moment, q), q});
    }
    RunChart chart(look, room, runStepsOf(moment), tr("answered right"), std::move(keys),
                   roundAxis(0.0, 1.0), false);
    chart.level(questions.front().solved);
    for (std::size_t q = 0; q < questions.size(); ++q) {
      std::vector<ChartPoint> points;
      for (const LanguageEvaluation& at : moment.evaluations) {
        points.push_back({static_cast<double>(at.step), at.questions[q].right});
      }
      chart.curve(q, std::move(points));
    }
    chart.endNames();
    const auto dragged =
        chart.finish("questions", answeredMarks(look.theme, moment), [&](Index step) {
          const LanguageEvaluation* at = newestAt(moment.evaluations, step);
          if (at == nullptr) return std::string();
          std::string text = trFormat("step {}", withThousands(at->step));
          for (std::size_t q = 0; q < questions.size(); ++q) {
            text += fmt::format("\n{} {:.0f} %", questions[q].name, 100.0 * at->questions[q].right);
          }
          return text;
        });
    if (dragged) language_.showStep(*dragged);
  }

  static void table(const FrameContext& look, const LanguageMoment& moment) {
    const LanguageEvaluation* now = moment.evaluation();
    if (now == nullptr) return;
    Table table(
        look, {.id = "answers", .dense = true},
        {{tr("question"), tr("what has to be known for the next word"), false, 84, 1, false},
         {tr("right"), tr("of 200 sentences that it never saw"), true, 46, 0, false},
         {tr("since"), tr("the first step with 90 % right answers"), true, 46, 0, false},
         {tr("looks"), tr("the head that looks most at the word that decides"), true, 46, 0, false},
         {tr("weight"), tr("its mean weight on that word"), true, 48, 0, false},
         {tr("without"), tr("right answers without that head; measured when the run pauses"), true,
          54, 0, false}});
    const auto& questions = language::storyQuestions();
    for (std::size_t q = 0; q < questions.size(); ++q) {
      const language::AnsweredQuestion& answered = now->questions[q];
      const bool solved = moment.answeredAt[q] && *moment.answeredAt[q] <= moment.step;
      table.row(static_cast<Index>(q));
      if (table.rowHovered()) {
        showTooltip(trFormat("{}: {}\nThe word that decides: {}", questions[q].name,
                             tr(questions[q].words), questions[q].decides));
      }
      table.marked(questions[q].name, questionColor(look.theme, moment, q), q);
      table.number(fmt::format("{:.0f} %", 100.0 * answered.right),
                   answered.right >= questions[q].solved ? look.theme.text : look.theme.textMuted);
      table.number(solved ? std::to_string(*moment.answeredAt[q]) : std::string("–"));
      table.number(shortName(answered.head), look.theme.textMuted);
      table.number(fmt::format("{:.2f}", answered.look), look.theme.textMuted);
      table.number(q < moment.without.size() ? fmt::format("{:.0f} %", 100.0 * moment.without[q])
                                             : std::string("–"),
                   look.theme.textMuted);
    }
  }

  /// Draws, for questions that texts of a template ask any model, the head that looks most here,
  /// and a button that measures the heads of the page Model's model in the same way.
  static void lookForInModels(const PanelContext& panel, const LanguageMoment& moment) {
    /// A set of texts in plain English for each question.
    constexpr std::array<const char*, language::kStoryQuestions> kTexts{
        "template:agreement", "template:pronoun", "template:ioi",
        "template:thanks",    "template:song",    "template:box"};
    const FrameContext& look = panel.look;
    const LanguageEvaluation* now = moment.evaluation();
    if (now == nullptr) return;
    wrappedLabel(
        look.fonts.small, look.theme.textMuted,
        tr("A head that was born here has relatives in models that others trained. The page "
           "Model measures how much each head of its model looks, from the place of the "
           "answer, at the word that decides, and what the model says without it."));
    ImGui::Dummy({0.0F, look.space.tight});
    ImGui::BeginChild("in models", ImGui::GetContentRegionAvail());
    for (std::size_t question = 0; question < kTexts.size(); ++question) {
      const language::StoryQuestion& asked = language::storyQuestions()[question];
      const language::AnsweredQuestion& here = now->questions[question];
      inlineLabel(look, look.fonts.regular, questionColor(look.theme, moment, question),
                  asked.name);
      if (here.look < kBornLook) {
        inlineLabel(look, look.fonts.regular, look.theme.textMuted,
                    trFormat("no head here looks at {}: {:.2f} at most", asked.decides, here.look));
        ImGui::NewLine();
        continue;
      }
      inlineLabel(look, look.fonts.regular, look.theme.text,
                  trFormat("here head {} looks at {} with {:.2f}", shortName(here.head),
                           asked.decides, here.look));
      if (flowingPill(look, trFormat("look for it in a model##{}", asked.name),
                      tr("Opens the page Model, where both read texts of this kind"))) {
        BornModel born;
        born.name = trFormat("your run at step {}", withThousands(moment.step));
        born.texts = kTexts[question];
        born.looking = trFormat(
            "head {} of your run at step {} looks at {} with {:.2f}, in 200 sentences "
            "of stories",
            shortName(here.head), withThousands(now->step), asked.decides, here.look);
        born.tokenizer = moment.corpus->tokenizer;
        born.model = moment.model;
        lookFor(panel, std::move(born));
      }
    }
    const bool sings = pill(look, tr("the heads that sing"));
    tip(look,
        tr("Opens the small language model with a song: heads of layer 2 look at the syllable that "
           "comes next, by what heads of layer 1 wrote (K-composition). Several do, so that one "
           "that "
           "is switched off is not missed"));
    if (sings) {
      showSong(panel);
    }
    ImGui::EndChild();
  }

  /// Shows the head of the shipped model that finds the next syllable, with its partners.
  static void showSong(const PanelContext& panel) {
    ModelView& view = panel.modelView;
    view.place = {formats::kStoriesModel, tr("Tom sang: la mi do re. Anna sang: la mi")};
    view.layer = view.head = 1;
    view.token = -1;
    view.heads.lines = model::Composition::key;
    view.prediction.reading = 0;
    view.prediction.folded = false;
    panel.selection.page = kModelPage;
  }

  /// Opens the page Model on the texts of a born model, with the small language model where none
  /// is open.
  static void lookFor(const PanelContext& panel, BornModel born) {
    PredictionView& prediction = panel.modelView.prediction;
    if (panel.modelView.place.folder.empty()) {
      panel.modelView.place = {formats::kStoriesModel, {}};
    }
    prediction.sweepTexts = born.texts;
    prediction.born = std::make_shared<const BornModel>(std::move(born));
    prediction.sweepOver = 0;
    prediction.sweepShown = kLooksEffect;
    prediction.reading = kEveryPartReading;
    prediction.folded = false;
    panel.selection.page = kModelPage;
  }

  /// Says which answers no single head gives.
  static void sharedInWords(const FrameContext& look, const LanguageMoment& moment) {
    const LanguageEvaluation* now = moment.evaluation();
    if (now == nullptr) return;
    std::string names;
    const auto& questions = language::storyQuestions();
    for (std::size_t q = 0; q < std::min(questions.size(), moment.without.size()); ++q) {
      const bool solved = now->questions[q].right >= questions[q].solved;
      if (!solved || moment.without[q] < questions[q].solved) continue;
      names += (names.empty() ? "" : ", ") + std::string(questions[q].name);
    }
    if (names.empty()) return;
    wrappedLabel(look.fonts.small, look.theme.text,
                 trFormat("Stays right without the head that looks most, so that several heads "
                          "share it: {}.",
                          names));
  }

  /// Draws what each question asks, where there is room for all.
  static void inWords(const FrameContext& look) {
    ImFont* font = look.fonts.small;
    std::string text;
    for (const language::StoryQuestion& question : language::storyQuestions()) {
      text += fmt::format("{}{}: {}", text.empty() ? "" : "\n", question.name, tr(question.words));
    }
    const Rect room = Rect::rest();
    if (textSize(font, wrapped(font, text, room.width())).y > room.height()) return;
    wrappedLabel(font, look.theme.textMuted, text);
  }

  LiveLanguage& language_;
  std::size_t question_ = kSong;  // whose curves of other sizes are shown
};

}  // namespace

std::unique_ptr<Card> makeStoryLossCard(LiveLanguage& language) {
  return std::make_unique<StoryLossCard>(language);
}

std::unique_ptr<Card> makeStoryQuestionsCard(LiveLanguage& language) {
  return std::make_unique<StoryQuestionsCard>(language);
}

}  // namespace headscope::ui
