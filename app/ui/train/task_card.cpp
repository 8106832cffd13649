// The task card: the questions, an example with arrows from each place to its partner, the run's
// settings, and its buttons.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>

#include "app/ui/compat.h"
#include "app/ui/frame_commands.h"
#include "app/ui/ids.h"
#include "app/ui/number_field.h"
#include "app/ui/panel.h"
#include "app/ui/train/language_run_view.h"
#include "app/ui/train/shape_run_view.h"
#include "app/ui/train/task_example.h"
#include "app/ui/train/train_page.h"
#include "app/ui/train/train_view.h"
#include "app/ui/widgets.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/formats/corpora.h"
#include "core/language/stories.h"
#include "core/language/story_text.h"

namespace headscope::ui {
namespace {

class TaskCard final : public Card {
 public:
  TaskCard(LiveTraining& training, LiveLanguage& language, LiveShapes& shapes)
      : Card({kTaskCard, tr("Task"), tr("the questions that the model learns to answer")}),
        training_(training),
        language_(language),
        shapes_(shapes) {}

  void draw(const PanelContext& panel) override {
    const FrameContext& look = panel.look;
    TrainView& view = panel.trainView;
    heading(look, tr("Train"), tr("heads find their roles by themselves"));
    taskChoice(panel);
    if (learnsText(view)) return ownText(panel);
    if (learnsStories(view)) return stories(panel);
    if (learnsShapes(view)) return shapes(panel);
    const training::Task& task = chosenTask(view);
    wrappedLabel(look.fonts.regular, look.theme.text, std::string(tr(task.words)));
    const auto moment = training_.moment();
    if (moment == nullptr || moment->task != &task) return;
    relationChoice(look, view, *moment);
    Rect room = Rect::rest();
    const Rect below = room.cutBottom(settingsHeight(look), look.space.small);
    example(look, view, *moment, room);
    ImGui::SetCursorScreenPos(below.a);
    settings(panel, training_, moment->settings);
  }

 private:
  void taskChoice(const PanelContext& panel) {
    TrainView& view = panel.trainView;
    const training::Task* now = learnsWholeModel(view) ? nullptr : &chosenTask(view);
    bool first = true;
    for (const training::Task& task : training::allTasks()) {
      const std::string title(tr(task.title));
      if (!first) flowOn(panel.look, buttonWidth(panel.look, title), 4.0F);
      first = false;
      const bool clicked = pill(panel.look, title.c_str(), &task == now);
      const auto aside = &task != now ? training_.kept(task) : nullptr;
      if (aside != nullptr) {
        tip(panel.look, trFormat("Returns to its run, at step {} of {}", withThousands(aside->step),
                                 withThousands(aside->settings.steps)));
      }
      if (!clicked || &task == now) continue;
      pauseAll();
      chooseTask(view, task, aside.get());
      beginWhereAnotherIsAsked(panel, training_);
    }
    languageChoice(
        panel, kStories, tr("Stories: the next word"),
        tr("A language model learns to put the next word; nobody tells a head anything"));
    languageChoice(panel, kOwnText, tr("Your own text"),
                   tr("A language model learns from a file of yours: .txt, 20 kB to 64 MiB"));
    shapesChoice(panel);
  }

  void pauseAll() {
    training_.play(false);
    language_.play(false);
    shapes_.play(false);
  }

  /// Draws the button of the image model's task, and chooses it: with the model of its run, or one
  /// of the usual size.
  void shapesChoice(const PanelContext& panel) {
    TrainView& view = panel.trainView;
    const char* title = tr("Shapes");
    flowOn(panel.look, buttonWidth(panel.look, title), 4.0F);
    const bool clicked = pill(panel.look, title, learnsShapes(view));
    tip(panel.look, tr("An image model learns to name drawn shapes; nobody says where they are"));
    if (!clicked || learnsShapes(view)) return;
    pauseAll();
    view.task = kShapes;
    clearModel(view);
    view.example = view.relation = 0;
    if (const auto moment = shapes_.moment(); moment != nullptr) {
      view.layers = moment->settings.model.layers;
      view.dModel = moment->settings.model.dModel;
      view.heads = moment->settings.model.heads;
      view.seed = moment->settings.seed;
    }
    beginShapesWhereAsked(panel, shapes_);
  }

  /// Draws what an image model learns, and the run's settings.
  void shapes(const PanelContext& panel) {
    const FrameContext& look = panel.look;
    wrappedLabel(
        look.fonts.regular, look.theme.text,
        tr("A small image model sees pictures of a circle, a square or a triangle, cut into "
           "patches, and learns one thing: the name of the shape. Every step draws new "
           "pictures. Nobody tells a head where the shape is."));
    const auto moment = shapes_.moment();
    if (moment == nullptr) return;
    Rect room = Rect::rest();
    ImGui::SetCursorScreenPos(room.cutBottom(settingsHeight(look), look.space.small).a);
    settings(panel, shapes_, moment->settings);
  }

  /// Draws the button of a language model's task, and chooses it: with the model of its run, or a
  /// model of the usual size.
  void languageChoice(const PanelContext& panel, const char* task, const char* title,
                      const char* about) {
    TrainView& view = panel.trainView;
    flowOn(panel.look, buttonWidth(panel.look, title), 4.0F);
    const bool clicked = pill(panel.look, title, view.task == task);
    tip(panel.look, about);
    if (!clicked || view.task == task) return;
    pauseAll();
    view.task = task;
    clearModel(view);
    view.sentence.clear();
    view.kept = false;
    const auto moment = language_.moment();
    if (moment != nullptr && !moment->kept && moment->from == chosenText(view)) {
      const language::LanguageModelSettings& model = moment->settings.model;
      view.layers = model.layers;
      view.dModel = model.dModel;
      view.heads = model.heads;
      view.kvHeads = model.kvHeads;
      view.networks = model.networks;
      view.norms = model.norms;
      view.rotary = model.rotary;
      view.seed = moment->settings.seed;
      if (moment->sentence != moment->corpus->example) view.sentence = moment->sentence;
    }
    beginLanguageWhereAsked(panel, language_);
  }

  /// Draws what a model of stories learns from, and the run's settings.
  void stories(const PanelContext& panel) {
    const FrameContext& look = panel.look;
    wrappedLabel(
        look.fonts.regular, look.theme.text,
        tr("A small language model reads stories and learns one thing: the next word. Nobody "
           "tells a head where to look. Six questions, which it is never trained on, show "
           "what it has found out."));
    TrainView& view = panel.trainView;
    const int chosen = choices(look, "run of stories",
                               {tr("train one here"), tr("watch a kept run")}, view.kept ? 1 : 0);
    tip(look,
        tr("A small run is trained before your eyes within a minute or two. The kept run has two "
           "layers with six heads; its 1,500 steps, which took minutes, play in half a minute"));
    if (chosen >= 0 && (chosen == 1) != view.kept) {
      pauseAll();
      view.kept = chosen == 1;
      beginLanguageWhereAsked(panel, language_);
    }
    textAndSettings(panel);
  }

  /// Draws the choice of a text to learn from, how it is cut into tokens, and the run's settings.
  void ownText(const PanelContext& panel) {
    const FrameContext& look = panel.look;
    TrainView& view = panel.trainView;
    wrappedLabel(look.fonts.regular, look.theme.text,
                 tr("A small language model reads a text of yours and learns one thing: the next "
                    "token. A megabyte or more teaches it words and their order."));
    const std::string name = view.text.empty()
                                 ? tr("choose a text …")
                                 : std::filesystem::path(view.text).filename().string();
    if (pill(look, elided(look.fonts.regular, name, look.px(240)).c_str(), !view.text.empty())) {
      if (panel.hostHasDialog) {
        panel.commands.add(ChooseFiles{});
      } else {
        panel.commands.add(AskToOpen{});
      }
    }
    tip(look, view.text.empty()
                  ? tr("A file that ends in .txt; it can be dropped on the window, too")
                  : view.text + tr("\nClick to learn from another file"));
    if (view.text.empty()) return;
    rowCaption(look, tr("cut into"));
    const auto now = static_cast<int>(chosenText(view).tokens);
    const int clicked =
        choices(look, "tokens of a text", {tr("words"), tr("byte pairs"), tr("characters")}, now);
    if (clicked >= 0) {
      view.cutInto = toString(formats::kTextTokens[static_cast<std::size_t>(clicked)]);
    }
    modelField(panel, "vocabulary", view.vocabulary, formats::kMostTextTokens, vocabulary_,
               &TrainView::vocabulary);
    textAndSettings(panel);
  }

  /// Draws the beginning of what a language model reads, where there is room for it above the run's
  /// settings.
  void textAndSettings(const PanelContext& panel) {
    const FrameContext& look = panel.look;
    const auto moment = language_.moment();
    if (moment == nullptr) return;
    ImGui::Dummy({0.0F, look.space.tight});
    const float below =
        moment->kept ? 0.0F : settingsHeight(look, 6) + look.space.small + look.space.tight;
    constexpr float kLeastText = 70.0F;  // points
    if (Rect::rest().height() >= below + look.px(kLeastText))
      drawFirstTexts(look, *moment->corpus, below);
    if (moment->kept) return;
    parts(panel, moment->settings.model);
    settings(panel, language_, moment->settings);
  }

  /// Draws the first texts of a corpus, down to `below` above the end of the card.
  static void drawFirstTexts(const FrameContext& look, const language::Corpus& corpus,
                             float below) {
    rowCaption(look, corpus.stories ? tr("it reads")
                                    : trFormat("it reads {} tokens, {} of them different",
                                               withThousands(std::ssize(corpus.training)),
                                               withThousands(corpus.vocabulary))
                                          .c_str());
    if (corpus.stories) {
      tip(look,
          tr("Stories and songs, and now and then a row of random words that is said twice: only "
             "what was read before tells how it goes on"));
    }
    ImGui::NewLine();
    ImGui::BeginChild("read", {0.0F, Rect::rest().height() - below});
    const float width = ImGui::GetWindowWidth();
    ImFont* font = look.fonts.small;
    for (const std::string& text : firstTexts(corpus)) {  // whole texts, but for the first
      const std::string lines = wrapped(font, text, width - look.px(14));
      const bool first = ImGui::GetCursorPosY() == 0.0F;
      if (!first && textSize(font, lines).y > ImGui::GetContentRegionAvail().y) break;
      label(font, look.theme.textMuted, lines);
      ImGui::Dummy({0.0F, look.space.tight});
    }
    ImGui::EndChild();
  }

  /// Draws the choice of a language model's parts. Another choice restarts the run.
  void parts(const PanelContext& panel, const language::LanguageModelSettings& model) {
    const FrameContext& look = panel.look;
    rowCaption(look, tr("with"));
    const auto part = [&](const char* text, const char* about, bool TrainView::*field) {
      flowOn(look, buttonWidth(look, text), 4.0F);
      const bool clicked = pill(look, text, panel.trainView.*field);
      tip(look, about);
      if (!clicked) return;
      TrainView asked = panel.trainView;
      asked.*field = !(asked.*field);
      try {
        check(asked);
      } catch (const UserError& error) {
        return panel.commands.say(error.what(), true);
      }
      panel.trainView = asked;
      begin(panel);
    };
    part(tr("networks"), tr("Each layer has a feed-forward network behind its attention"),
         &TrainView::networks);
    part(tr("norms"), tr("LayerNorm before each half of a layer"), &TrainView::norms);
    part(tr("rotary"),
         tr("Rotary positions, which turn queries and keys, in place of learned ones"),
         &TrainView::rotary);
    modelField(panel, tr("key/value heads"), model.keyHeads(), 32, kvHeads_, &TrainView::kvHeads);
    tip(look, tr("Fewer than heads: several query heads share a key and a value head"));
  }

  /// Makes the model that of the usual size.
  static void clearModel(TrainView& view) {
    view.layers = view.dModel = view.heads = view.kvHeads = 0;
    view.networks = view.norms = true;
    view.rotary = false;
  }

  /// The first texts of a corpus, as many as a card has room for.
  static std::vector<std::string> firstTexts(const language::Corpus& corpus) {
    constexpr std::size_t kTexts = 5, kTokens = 1000;
    std::vector<std::string> texts;
    std::vector<tokenizer::TokenId> ids;
    const auto add = [&] {
      const std::string text = corpus.tokenizer->decode(ids);
      texts.push_back(corpus.stories ? language::asPeopleWrite(text) : text);
      ids.clear();
    };
    const auto last =
        corpus.training.begin() + std::min<std::ptrdiff_t>(kTokens, std::ssize(corpus.training));
    for (auto token = corpus.training.begin() + 1; token != last && texts.size() < kTexts;
         ++token) {
      if (*token != corpus.beginToken) {
        ids.push_back(*token);
        continue;
      }
      add();
    }
    if (!ids.empty()) add();
    return texts;
  }

  /// Chooses a task: with its own model, or with that of its run that was put aside.
  static void chooseTask(TrainView& view, const training::Task& task, const TrainingMoment* aside) {
    TrainView next = view;
    next.task = std::string(task.id);
    clearModel(next);
    next.example = next.relation = 0;
    if (aside != nullptr) {
      const training::ModelSettings& model = aside->settings.model;
      next.layers = model.layers;
      next.dModel = model.dModel;
      next.heads = model.heads;
      next.seed = aside->settings.seed;
    }
    view = next;
  }

  static void relationChoice(const FrameContext& look, TrainView& view,
                             const TrainingMoment& moment) {
    const auto& relations = moment.task->relations;
    view.relation = std::clamp<Index>(view.relation, 0, std::ssize(relations) - 1);
    rowCaption(look, tr("has to look at"));
    for (std::size_t r = 0; r < relations.size(); ++r) {
      const std::string name(relations[r].name);
      flowOn(look, buttonWidth(look, name), 4.0F);
      const bool chosen = static_cast<std::size_t>(view.relation) == r;
      if (pill(look, name.c_str(), chosen)) view.relation = static_cast<Index>(r);
      tip(look, std::string(tr(relations[r].words)));
    }
  }

  void example(const FrameContext& look, TrainView& view, const TrainingMoment& moment, Rect room) {
    if (room.height() < look.px(60)) return;
    drawTaskExample(look, moment, static_cast<std::size_t>(view.relation), room);
  }

  static float settingsHeight(const FrameContext& look, int rows = 4) {
    return static_cast<float>(rows) * (ImGui::GetFrameHeight() + look.space.small);
  }

  /// Draws a field for a whole number of the model. A new number restarts the run.
  void modelField(const PanelContext& panel, const char* name, Index value, Index most,
                  NumberDraft& draft, Index TrainView::*field) {
    TrainView& view = panel.trainView;
    const auto problem = [&](Index n) -> std::string {
      TrainView asked = view;
      asked.*field = n;
      if (n < 1) return trFormat("{}: at least 1", name);
      try {
        check(asked);
      } catch (const UserError& error) {
        return error.what();
      }
      return {};
    };
    rowCaption(panel.look, tr(name));
    const auto next = wholeNumberField(panel.look, {name, value, most, tr("type a whole number")},
                                       draft, problem);
    if (!draft.problem.empty()) panel.commands.say(draft.problem, true);
    if (!next) return;
    view.*field = *next;
    begin(panel);
  }

  /// Throws UserError where the view's run cannot be trained.
  void check(const TrainView& asked) const {
    if (learnsLanguage(asked)) {
      const LearnedFrom from = chosenText(asked);
      const Index vocabulary =
          from.text.empty() ? std::ssize(language::storyWords()) : from.vocabulary;
      if (!from.text.empty()) formats::checkVocabulary(from.tokens, vocabulary);
      language::checkTraining(chosenLanguage(asked), vocabulary, language_.memoryBudget());
    } else if (learnsShapes(asked)) {
      images::checkTraining(chosenShapes(asked), shapes_.memoryBudget());
    } else {
      training::checkTraining(chosenTask(asked), chosenSettings(asked), training_.memoryBudget());
    }
  }
  void begin(const PanelContext& panel) {
    if (learnsLanguage(panel.trainView)) {
      beginLanguageWhereAsked(panel, language_);
    } else if (learnsShapes(panel.trainView)) {
      beginShapesWhereAsked(panel, shapes_);
    } else {
      beginWhereAnotherIsAsked(panel, training_);
    }
  }

  template <typename Run, typename Settings>
  void settings(const PanelContext& panel, Run& run, const Settings& s) {
    const FrameContext& look = panel.look;
    modelField(panel, trLater("layers"), s.model.layers, 4, layers_, &TrainView::layers);
    ImGui::SameLine(0.0F, look.space.large);
    modelField(panel, trLater("heads"), s.model.heads, 32, heads_, &TrainView::heads);
    if (!showsOwnSettings(panel.trainView)) widthAndRate(panel, run, s);
    inlineLabel(look, look.fonts.regular, look.theme.textMuted,
                trFormat("seed {}", panel.trainView.seed));
    if (pill(look, tr("try another"))) {
      ++panel.trainView.seed;
      begin(panel);
    }
  }

  template <typename Run, typename Settings>
  void widthAndRate(const PanelContext& panel, Run& run, const Settings& s) {
    const FrameContext& look = panel.look;
    modelField(panel, "d_model", s.model.dModel, 512, dModel_, &TrainView::dModel);
    ImGui::SameLine(0.0F, look.space.small);
    rowCaption(look, tr("batch"));
    const auto batch = wholeNumberField(
        look, {"batch", s.batch, 512, tr("type a whole number")}, batch_, [](Index n) {
          return n >= 1 && n <= 512 ? std::string() : std::string("batch: 1 to 512");
        });
    if (batch) run.setBatch(*batch);
    inlineLabel(look, look.fonts.regular, look.theme.textMuted, tr("learning rate"));
    inlineLabel(look, look.fonts.mono, look.theme.text,
                fmt::format("{:.3g}", s.optimiser.learningRate));
    if (pill(look, "÷2")) run.setLearningRate(s.optimiser.learningRate * 0.5);
    ImGui::SameLine(0.0F, look.space.tight);
    if (pill(look, "×2")) run.setLearningRate(s.optimiser.learningRate * 2.0);
  }

  LiveTraining& training_;
  LiveLanguage& language_;
  LiveShapes& shapes_;
  NumberDraft layers_, heads_, kvHeads_, dModel_, batch_, vocabulary_;
};

}  // namespace

std::unique_ptr<Card> makeTaskCard(LiveTraining& training, LiveLanguage& language,
                                   LiveShapes& shapes) {
  return std::make_unique<TaskCard>(training, language, shapes);
}

}  // namespace headscope::ui
