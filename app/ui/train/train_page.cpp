#include "app/ui/train/train_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/gl/scene.h"
#include "app/ui/compat.h"
#include "app/ui/frame_commands.h"
#include "app/ui/ids.h"
#include "app/ui/panel.h"
#include "app/ui/parts/tab_row.h"
#include "app/ui/train/language_run_view.h"
#include "app/ui/train/run_controls.h"
#include "app/ui/train/shape_run_view.h"
#include "app/ui/train/train_view.h"
#include "app/ui/view_state.h"
#include "app/ui/widgets.h"
#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"

namespace headscope::ui {
namespace {

constexpr float kTrainMargin = 14.0F;
constexpr float kTrainGap = 10.0F;
constexpr float kWithStep = 1040.0F;  // narrower pages show heads in place of the training step

class TrainPage final : public Page {
 public:
  TrainPage(LiveTraining& training, LiveLanguage& language, LiveShapes& shapes,
            LiveStudy& headCounts, LiveStudy& scale)
      : Page({kTrainPage, tr("Train"), tr("Watch heads find their roles"), kLiveHeadsCard,
              kTaskCard},
             Cards::of(makeTaskCard(training, language, shapes), makeLiveHeadsCard(training),
                       makeOverStepsCard(training), makeHeadCountsCard(headCounts),
                       makeScaleCard(scale), makeHeadOffCard(training), makeCurvesCard(training),
                       makeTrainingStepCard(training), makeSentenceHeadsCard(language),
                       makeNextWordsCard(language), makeWrittenTextCard(language),
                       makeStoryLossCard(language), makeStoryQuestionsCard(language),
                       makeTextTokensCard(language), makeShapePicturesCard(shapes),
                       makeShapeCurvesCard(shapes))),
        training_(training),
        language_(language),
        shapes_(shapes) {}

  bool showsDocument(const ViewState& /*view*/) const override { return false; }
  bool editsLayer() const override { return false; }
  bool has(const ViewState& view, std::string_view card) const override {
    const std::size_t place = cards().placeOf(card);
    if (place == 0) return true;
    if (place >= kShapePictures) return learnsShapes(view.train);
    if (place < kSentenceHeads) return !learnsWholeModel(view.train);
    if (learnsStories(view.train)) return place != kTextTokens;
    return learnsText(view.train) && place != kStoryQuestions &&
           (place == kSentenceHeads || !view.train.text.empty());
  }
  void reveal(const PanelContext& panel, std::string_view card) const override {
    const std::size_t place = cards().placeOf(card);
    TrainView& view = panel.trainView;
    const bool ofTask = place > 0 && place < kSentenceHeads;
    if (!has(panel.view, card)) {
      TrainView of;  // a run of its kind, as it is at the program's start
      of.task = place >= kShapePictures ? kShapes
                : place == kTextTokens  ? kOwnText
                : ofTask                ? of.task
                                        : kStories;
      view = std::move(of);
    }
    if (ofTask && place < kCurves) view.tab = static_cast<TrainTab>(place - 1);
    if (place == kCurves) view.curves = true;
    if (place == kStep) view.step = true;
    if ((place == kCurves || place == kStep) && isStudy(view.tab)) view.tab = TrainTab::live;
  }
  void follow(const PanelContext& panel) const override {
    if (learnsLanguage(panel.trainView)) return beginLanguageWhereAsked(panel, language_);
    if (learnsShapes(panel.trainView)) return beginShapesWhereAsked(panel, shapes_);
    beginWhereAnotherIsAsked(panel, training_);
  }
  std::string figuresInWords(const PanelContext& panel) const override {
    if (learnsLanguage(panel.trainView)) return figuresOfLanguage(panel.trainView);
    if (learnsShapes(panel.trainView)) return figuresOfShapes();
    const auto moment = training_.moment();
    if (moment == nullptr || showsOwnSettings(panel.trainView)) return {};
    const Index learned = training::parameterCount(*moment->task, moment->settings.model);
    return trFormat("{} parameters · the run takes {} at most", withThousands(learned),
                    bytesInWords(moment->bytes));
  }

  ImVec2 content(const PanelContext& panel, ImVec2 body) const override {
    const auto px = [&](float length) { return panel.look.px(length); };
    const float width =
        std::max(body.x, px(learnsWholeModel(panel.trainView) ? kLeastOfModels : 720));
    const bool high = learnsLanguage(panel.trainView) && isNarrow(panel.look, width);
    return {width, std::max(body.y, px(high ? 740 : 560))};
  }

  std::vector<Rect> layout(const PanelContext& panel, ImVec2 content) const override {
    const auto px = [&](float length) { return panel.look.px(length); };
    const float gap = px(kTrainGap);
    Rect room{{px(kTrainMargin), px(kTrainMargin)},
              {content.x - px(kTrainMargin), content.y - px(2)}};
    const bool narrow = learnsWholeModel(panel.trainView) && isNarrow(panel.look, content.x);
    const Rect task =
        room.cutLeft(std::clamp(content.x * 0.21F, px(narrow ? 250 : 300), px(400)), gap);
    if (learnsLanguage(panel.trainView)) return languageLayout(panel, task, room, narrow);
    if (learnsShapes(panel.trainView)) {
      std::vector<Rect> places(kPlaces);
      places.front() = task;
      places[kShapeCurves] =
          room.cutBottom(std::clamp(room.height() * 0.36F, px(190), px(330)), gap);
      places[kShapePictures] = room;
      return places;
    }
    Rect step;
    if (panel.trainView.step && content.x >= px(kWithStep)) {
      step = room.cutRight(std::clamp(content.x * 0.23F, px(300), px(430)), gap);
    }
    const TrainTab tab = panel.trainView.tab;
    std::vector<Rect> places(kPlaces);
    places.front() = task;
    places[kStep] = step;
    Rect& middle = places[1 + static_cast<std::size_t>(tab)];
    const bool ofOneRun = tab == TrainTab::live || tab == TrainTab::headOff;
    if (panel.trainView.curves && ofOneRun)
      places[kCurves] = room.cutBottom(room.height() * 0.4F, gap);
    middle = room;
    return places;
  }

  bool keys(const PanelContext& panel) const override {
    if (learnsLanguage(panel.trainView)) {
      return runKeys(panel, language_, [&] { beginLanguage(panel, language_); });
    }
    if (learnsShapes(panel.trainView)) {
      return runKeys(panel, shapes_, [&] { beginShapes(panel, shapes_); });
    }
    const TrainTab tab = panel.trainView.tab;
    if (isStudy(tab)) return cards().at(1 + static_cast<std::size_t>(tab)).keys(panel, true);
    return runKeys(panel, training_, [&] { beginRun(panel, training_); });
  }

  std::string placeInWords(const PanelContext& panel, std::string_view /*card*/) const override {
    if (learnsLanguage(panel.trainView)) {
      const auto moment = languageMoment(panel.trainView);
      return trFormat("{} · step {}",
                      learnsStories(panel.trainView) ? tr("Stories") : tr("Your own text"),
                      moment != nullptr ? moment->step : 0);
    }
    if (learnsShapes(panel.trainView)) {
      const auto moment = shapes_.moment();
      return trFormat("Shapes · step {}", moment != nullptr ? moment->step : 0);
    }
    const auto moment = training_.moment();
    return trFormat("{} · step {}", chosenTask(panel.trainView).title,
                    moment != nullptr ? moment->step : 0);
  }
  std::string keysInWords(const ViewState& view) const override {
    const bool whole = learnsWholeModel(view.train);
    if (!whole && isStudy(view.train.tab)) return tr("enter runs, stops");
    const bool playing = learnsLanguage(view.train) ? language_.playing()
                         : whole                    ? shapes_.playing()
                                                    : training_.playing();
    return playing ? tr("enter pauses")
                   : tr("enter trains · → one step · ← looks back · home starts again");
  }
  std::string startInWords(const ViewState& view) const override {
    const auto waits = [](const auto& run) {
      return !run.playing() && run.moment() != nullptr && run.moment()->stepsTaken == 0;
    };
    const bool at = learnsLanguage(view.train) ? waits(language_)
                    : learnsShapes(view.train) ? waits(shapes_)
                                               : !isStudy(view.train.tab) && waits(training_);
    return at ? tr("enter: let it learn") : std::string();
  }
  std::string sentenceInWords(const PanelContext& panel, std::string_view /*card*/) const override {
    if (learnsLanguage(panel.trainView)) return answersInWords(panel.trainView);
    if (learnsShapes(panel.trainView)) return namedInWords();
    if (isStudy(panel.trainView.tab)) return {};
    const auto moment = training_.moment();
    const auto* now = moment != nullptr ? moment->evaluation() : nullptr;
    if (now == nullptr) return {};
    const auto& relations = now->roles.relations;
    const auto found = std::count_if(relations.begin(), relations.end(),
                                     [](const training::Role& role) { return role.found; });
    return trFormat("After {} steps {} of {} relations have a head of their own.",
                    withThousands(moment->step), found == 0 ? tr("none") : std::to_string(found),
                    relations.size());
  }

 private:
  static bool isStudy(TrainTab tab) {
    return tab == TrainTab::headCounts || tab == TrainTab::scale;
  }

  template <typename Run>
  static bool runKeys(const PanelContext& panel, Run& run, const std::function<void()>& reset) {
    if (keyPressed(Key::enter, false)) {
      // a slide shows a run again; elsewhere a finished run stays
      const bool again = panel.slide && run.moment() != nullptr && run.moment()->finished;
      if (again) reset();
      run.play(again || !run.playing());
    } else if (keyPressed(Key::left)) {
      run.showEarlier();
    } else if (run.lookedAt() && keyPressed(Key::right)) {
      run.showLater();
    } else if (keyPressed(Key::right, false)) {
      run.stepOnce();
    } else if (keyPressed(Key::home, false)) {
      reset();
    } else {
      return false;
    }
    return true;
  }

  static constexpr float kLeastOfModels = 930.0F;  // points
  /// Returns whether content of this width has no room for the loss next to the six questions, as
  /// where a lesson is open.
  static bool isNarrow(const FrameContext& look, float width) { return width < look.px(1250); }

  /// The sentence and its heads in the middle, what the model writes at the right, and the curves
  /// below; in narrow content the loss stands below the task.
  static std::vector<Rect> languageLayout(const PanelContext& panel, Rect task, Rect room,
                                          bool narrow) {
    const auto px = [&](float length) { return panel.look.px(length); };
    const float gap = px(kTrainGap);
    std::vector<Rect> places(kPlaces);
    places.front() = task;
    if (learnsText(panel.trainView) && panel.trainView.text.empty()) {
      places[kSentenceHeads] = room;  // says what to do
      return places;
    }
    const float least = narrow ? px(280) : px(214);
    Rect below = room.cutBottom(std::clamp(room.height() * 0.36F, least, px(330)), gap);
    places[kStoryLoss] =
        narrow ? task.cutBottom(px(190), gap) : below.cutLeft(below.width() * 0.29F, gap);
    places.front() = task;
    places[learnsText(panel.trainView) ? kTextTokens : kStoryQuestions] = below;
    Rect right = room.cutRight(std::clamp(room.width() * 0.29F, px(230), px(380)), gap);
    places[kNextWords] = right.cutTop(right.height() * 0.46F, gap);
    places[kWrittenText] = right;
    places[kSentenceHeads] = room;
    return places;
  }

  /// The moment of the view's language model; null while no text is chosen.
  std::shared_ptr<const LanguageMoment> languageMoment(const TrainView& view) const {
    return learnsText(view) && view.text.empty() ? nullptr : language_.moment();
  }
  std::string figuresOfLanguage(const TrainView& view) const {
    const auto moment = languageMoment(view);
    if (moment == nullptr) return {};
    const Index vocabulary = moment->corpus->vocabulary;
    if (moment->kept) {
      return trFormat("{} parameters · a kept run, nothing is trained",
                      withThousands(parameterCount(moment->settings.model, vocabulary)));
    }
    return trFormat("{} parameters · the run takes {} at most",
                    withThousands(parameterCount(moment->settings.model, vocabulary)),
                    bytesInWords(language::bytesOf(moment->settings, vocabulary)));
  }
  std::string figuresOfShapes() const {
    const auto moment = shapes_.moment();
    if (moment == nullptr) return {};
    return trFormat("{} parameters · the run takes {} at most",
                    withThousands(parameterCount(moment->settings.model)),
                    bytesInWords(images::bytesOf(moment->settings)));
  }
  std::string namedInWords() const {
    const auto moment = shapes_.moment();
    const auto* now = moment != nullptr ? moment->evaluation() : nullptr;
    if (now == nullptr) return {};
    return trFormat("After {} steps it names {:.0f} % of {} shapes that it never saw.",
                    withThousands(now->step), 100.0 * now->answers.right, images::kHeldOutDrawings);
  }
  std::string answersInWords(const TrainView& view) const {
    const auto moment = languageMoment(view);
    if (moment == nullptr) return {};
    if (const auto* now = moment->evaluation(); now != nullptr && !moment->corpus->stories) {
      return trFormat("After {} steps its loss on text that it never saw is {:.2f}.",
                      withThousands(moment->step), now->heldOutLoss);
    }
    const auto answered = std::ranges::count_if(
        moment->answeredAt, [&](const auto& at) { return at && *at <= moment->step; });
    return trFormat("After {} steps {} of {} questions are answered.", withThousands(moment->step),
                    answered == 0 ? tr("none") : std::to_string(answered),
                    moment->answeredAt.size());
  }

  /// The places of the cards behind the task and the five of the middle.
  static constexpr std::size_t kCurves = 6, kStep = 7, kSentenceHeads = 8, kNextWords = 9,
                               kWrittenText = 10, kStoryLoss = 11, kStoryQuestions = 12,
                               kTextTokens = 13, kShapePictures = 14, kShapeCurves = 15,
                               kPlaces = 16;

  LiveTraining& training_;
  LiveLanguage& language_;
  LiveShapes& shapes_;
};

}  // namespace

std::unique_ptr<Page> makeTrainPage(LiveTraining& training, LiveLanguage& language,
                                    LiveShapes& shapes, LiveStudy& headCounts, LiveStudy& scale) {
  return std::make_unique<TrainPage>(training, language, shapes, headCounts, scale);
}

void middleTabs(const PanelContext& panel, TrainTab tab, const char* explanation) {
  const std::vector<Tab> tabs{
      {tr("All heads"), tr("Every head as it forms")},
      {tr("Over steps"), tr("Every head at moments of the run, side by side")},
      {tr("How many heads"), tr("The task with 1, 2, 4, 8 and 16 heads, side by side")},
      {"÷√d_k", tr("The task with scores divided by √d_k and without, side by side")},
      {tr("Switch a head off"), tr("Which questions lose their answers without which head")}};
  const auto chosen = static_cast<int>(tab);
  if (panel.alone) {
    heading(panel.look, tabs[static_cast<std::size_t>(tab)].title, explanation);
    return;
  }
  const int clicked = tabRow(panel.look, "middle", tabs, chosen, explanation);
  if (clicked >= 0) panel.trainView.tab = static_cast<TrainTab>(clicked);
}

const training::Task& chosenTask(const TrainView& view) {
  const auto tasks = training::allTasks();
  const auto found = std::ranges::find(tasks, std::string_view(view.task), &training::Task::id);
  return found != tasks.end() ? *found : tasks.front();
}

training::TrainingSettings chosenSettings(const TrainView& view) {
  training::TrainingSettings settings = training::settingsOf(chosenTask(view));
  if (view.layers > 0) settings.model.layers = view.layers;
  if (view.dModel > 0) settings.model.dModel = view.dModel;
  if (view.heads > 0) settings.model.heads = view.heads;
  settings.seed = view.seed;
  settings.evaluateEvery = 5;  // frequent, so that the heads are seen to form
  return settings;
}

bool showsOwnSettings(const TrainView& view) {
  return view.tab == TrainTab::scale && !learnsWholeModel(view);
}

void beginRun(const PanelContext& panel, LiveTraining& training) {
  try {
    training.begin(chosenTask(panel.trainView), chosenSettings(panel.trainView));
  } catch (const UserError& error) {
    panel.commands.say(error.what(), true);
  }
}

void beginWhereAnotherIsAsked(const PanelContext& panel, LiveTraining& training) {
  const TrainView& view = panel.trainView;
  const training::TrainingSettings settings = chosenSettings(view);
  if (training.isOf(chosenTask(view), settings)) return;
  if (!training.resume(chosenTask(view), settings)) beginRun(panel, training);
}

void runButtons(const PanelContext& panel, LiveTraining& training, const TrainingMoment& moment) {
  runButtons(panel.look, training, moment, [&] { beginRun(panel, training); });
}

void detailPills(const PanelContext& panel) {
  const FrameContext& look = panel.look;
  const auto shows = [&](const char* text, const char* about, bool& shown) {
    flowOn(look, buttonWidth(look, text));
    if (pill(look, text, shown)) shown = !shown;
    tip(look, about);
  };
  shows(tr("curves"),
        tr("Loss, right answers and weights over the run; drag along them to go back"),
        panel.trainView.curves);
  if (ImGui::GetIO().DisplaySize.x < look.px(kWithStep)) return;
  shows(tr("a step"), tr("What one training step does: forward, the loss, and back"),
        panel.trainView.step);
}

CellRows weightCells(const Tensor& weights, Index head, bool causal) {
  return {weights.dim(2), weights.dim(3), [weights, head, causal](Index row, std::span<float> out) {
            const auto values = weights.matrix({0, head}).row(row);
            std::copy(values.begin(), values.end(), out.begin());
            if (causal) std::fill(out.begin() + row + 1, out.end(), gl::kMaskedCell);
          }};
}

std::vector<std::string> placesOf(const training::Task& task, const training::Examples& example) {
  std::vector<std::string> names;
  const auto features = task.features.size();
  for (Index i = 0; i < example.length; ++i) {
    const auto at = static_cast<std::size_t>(i) * features;
    names.push_back(features == 0 ? std::to_string(i + 1)
                                  : task.word(std::span(example.symbols).subspan(at, features)));
  }
  return names;
}

ImU32 relationColor(const Theme& theme, const TrainingMoment& moment, std::size_t relation) {
  const training::Evaluation* now = moment.evaluation();
  if (now == nullptr || relation >= now->roles.relations.size()) return theme.textMuted;
  const training::Role& role = now->roles.relations[relation];
  if (!role.found || !role.head) return theme.textMuted;
  return headColor(theme, static_cast<std::size_t>(role.head->layer * moment.settings.model.heads +
                                                   role.head->head));
}

}  // namespace headscope::ui
