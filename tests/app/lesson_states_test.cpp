// The states of lessons: a scene begins in the same state whatever was done before it, and what the
// user had before a lesson comes back after it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "app/ui/learn/lesson_run.h"
#include "app/view_json.h"
#include "core/attention/switches.h"
#include "core/base/json.h"
#include "core/formats/document_json.h"
#include "core/formats/lesson_json.h"
#include "core/formats/shipped_model.h"
#include "lesson_window.h"
#include "session_window.h"

namespace headscope::ui {
namespace {

/// Everything that a pass is computed from, as a text to compare.
class States {
 public:
  std::string of(AppDriver& ui) {
    return ofDocument(ui.app().document()) + "\n" + viewToJson(ui.view()) +
           fmt::format(" {}", ui.view().train.relation);
  }

 private:
  const std::string& ofDocument(const DocumentPtr& document) {
    const auto [at, isNew] = known_.try_emplace(document);  // keeps the address in use
    if (!isNew) return at->second;
    const Document& d = *document;
    std::string& text = at->second;
    text = formats::wholeConfigJson(d.config).dump() + formats::pinsJson(d.pins).dump();
    for (const auto& item : d.input->tokens) {
      for (const std::string& token : item) text += token + " ";
    }
    for (const Tensor* tensor : {&d.input->x, &d.weights.wQ, &d.weights.wK, &d.weights.wO}) {
      double sum = 0.0, weight = 1.0;
      for (const float value : tensor->values()) sum += value * (weight += 1e-3);
      text += fmt::format(" {}", sum);
    }
    return text;
  }

  std::map<DocumentPtr, std::string> known_;
};

/// Begins a shipped lesson at its first scene, as a file that is dropped on the window.
void begin(AppDriver& ui, const lessons::Lesson& lesson) {
  ui.app().dropFiles({std::filesystem::path(HEADSCOPE_SOURCE_DIR) / "assets" / "lessons" /
                      (lesson.id + ".lesson.json")});
  ui.host().frames(ui.app(), 3);
  ui.app().finish();
  ui.host().frames(ui.app(), 2);
}

/// The state at the beginning of every scene of a lesson that begins now.
std::vector<std::string> walk(AppDriver& ui, const lessons::Lesson& lesson, States& states) {
  begin(ui, lesson);
  std::vector<std::string> found{states.of(ui)};
  for (std::size_t scene = 1; scene < lesson.scenes.size(); ++scene) {
    ui.host().press(ui.app(), Key::pageDown);
    ui.app().finish();
    ui.host().frames(ui.app(), 1);
    found.push_back(states.of(ui));
  }
  return found;
}

/// Changes what lessons set: the layer, the view of every page, the settings of the training.
void leaveAMess(AppDriver& ui) {
  ui.app().apply(SetMistake{Mistake::softmaxOverQueries, true});
  ui.app().apply(SetSwitch{&Switches::scale, false});
  ui.app().apply(SetHeadGain{0, 0.0F});
  ViewState& view = ui.view();
  view.train = {.task = "induction",
                .layers = 1,
                .dModel = 32,
                .heads = 1,
                .networks = false,
                .seed = 7,
                .example = 3,
                .tab = TrainTab::headOff,
                .relation = 1};
  view.heads.content = GridContent::normWeighted;
  view.heads.meanShown = view.heads.ownScale = true;
  view.heads.sortBy = "entropy";
  view.heads.effectTab = EffectTab::howLearned;
  view.stage.at = 4.5;
  view.selection.tool = "mask";
  view.selection.head = 3;
  view.selection.scope = StepViewScope::allHeads;
  view.selection.gradients = true;
  view.selection.inspectorTab = InspectorTab::history;
  view.preferences.decodeShowsSize = true;
  ui.host().frames(ui.app(), 2);
}

/// A tour on which every lesson follows every other: 0, 0 1, 0 2, …, 1, 1 2, …, 0
std::vector<std::size_t> tourOfAllPairs(std::size_t lessons) {
  std::vector<std::size_t> tour;
  for (std::size_t i = 0; i < lessons; ++i) {
    tour.push_back(i);
    for (std::size_t j = i + 1; j < lessons; ++j) tour.insert(tour.end(), {i, j});
  }
  tour.push_back(0);
  return tour;
}

/// A tour on which every lesson follows itself and two others.
std::vector<std::size_t> shortTour(std::size_t lessons) {
  std::vector<std::size_t> tour;
  for (std::size_t i = 0; i < lessons; ++i) {
    tour.insert(tour.end(), {i, i, (i + lessons / 2) % lessons});
  }
  return tour;
}

TEST(LessonStates, ASceneBeginsAlikeAfterTheEndOfAnotherLesson) {
  const auto& all = formats::shippedLessons();
  States states;
  AppDriver ui = lessonDriver(480, 800);  // draws one card a frame
  std::vector<std::vector<std::string>> fresh;
  for (const lessons::Lesson& lesson : all) {
    ui.restart(presetDocument("original-transformer"));
    fresh.push_back(walk(ui, lesson, states));
  }
  const std::vector<std::size_t> tour = std::getenv("HEADSCOPE_EVERYTHING") != nullptr
                                            ? tourOfAllPairs(all.size())
                                            : shortTour(all.size());
  ui.restart(presetDocument("original-transformer"));
  for (std::size_t place = 0; place < tour.size(); ++place) {
    const lessons::Lesson& lesson = all[tour[place]];
    const auto found = walk(ui, lesson, states);
    for (std::size_t scene = 0; scene < found.size(); ++scene) {
      ASSERT_EQ(found[scene], fresh[tour[place]][scene])
          << lesson.id << ", scene " << scene + 1 << ", after "
          << (place > 0 ? all[tour[place - 1]].id : "nothing");
    }
    leaveAMess(ui);
    if (place % 2 == 0) ui.click("Leave", "lesson");  // else the next lesson begins at once
  }
}

/// The user's own work: a layer with edits, a chosen view, a training run.
void work(AppDriver& ui) {
  ui.app().apply(SetSwitch{&Switches::temperature, 2.0});
  ui.app().apply(SetHeadGain{2, 0.0F});
  ui.settle();
  ui.view().train.task = "induction";
  ui.view().selection.page = kTrainPage;
  ui.settle();
  ui.press(Key::right);
  ui.view().selection.page = kHeadsPage;
  ui.view().heads.sortBy = "entropy";
  ui.view().selection.head = 5;
  ui.view().selection.cell = CellRef{TensorId::weights, 0, 5, 2, 1};
  ui.settle();
}

TEST(LessonStates, WhatOneHadComesBackAfterEveryLesson) {
  AppDriver ui;
  work(ui);
  const DocumentPtr document = ui.app().document();
  const std::string view = viewToJson(ui.view());
  for (const lessons::Lesson& lesson : formats::shippedLessons()) {
    begin(ui, lesson);
    EXPECT_NE(viewToJson(ui.view()), view) << lesson.id;
    ui.settle();
    leaveAMess(ui);
    ui.settle();
    ui.click("Leave", "lesson");
    EXPECT_EQ(ui.app().document(), document) << lesson.id;
    EXPECT_EQ(viewToJson(ui.view()), view) << lesson.id;
  }
  ui.view().selection.page = kTrainPage;
  ui.settle();
  EXPECT_TRUE(ui.shows("step 1 of", kLiveHeadsCard)) << ui.screen().all(kLiveHeadsCard);
  ui.view().selection.page = kStagePage;  // the page Train has nothing to undo
  ui.settle();
  EXPECT_EQ(ui.undoAll(), 2);
}

const lessons::Lesson& lessonWithModel() {
  const auto& all = formats::shippedLessons();
  return *std::ranges::find_if(all,
                               [](const lessons::Lesson& each) { return !each.model.empty(); });
}

/// A lesson's model has its own heads off, also where it is the one that the user has open.
TEST(LessonStates, OnesOwnModelComesBackWithItsHeadsOff) {
  for (const char* own : {formats::kStoriesModel, formats::kShapesModel}) {
    AppDriver ui;
    const auto calm = [&] {
      for (int i = 0; i < 3; ++i) {
        ui.settle();
        ui.frame();
      }
    };
    ui.view().model.place = {own, {}};
    ui.view().selection.page = kModelPage;
    calm();
    ui.click("layer 1, head 1 off", kModelHeadsCard);
    calm();
    const std::string view = viewToJson(ui.view()), shown = ui.screen().all(kModelTextCard);
    begin(ui, lessonWithModel());
    calm();
    EXPECT_EQ(ui.view().model.place.folder, formats::kShapesModel);
    EXPECT_TRUE(ui.shows("layer 1, head 1 off", kModelHeadsCard)) << "it is on in the lesson";
    ui.press(Key::pageDown);
    calm();
    ui.click("Leave", "lesson");
    calm();
    EXPECT_EQ(viewToJson(ui.view()), view) << own;
    EXPECT_EQ(ui.screen().all(kModelTextCard), shown) << own;
    EXPECT_TRUE(ui.shows("layer 1, head 1 on", kModelHeadsCard)) << own;
    ui.press(Key{'Z'}, true);
    calm();
    EXPECT_TRUE(ui.shows("layer 1, head 1 off", kModelHeadsCard)) << own << ": undone";
  }
}

TEST(LessonStates, TheSameIsSeenAfterALectureAsBefore) {
  AppDriver ui;
  work(ui);
  const DocumentPtr document = ui.app().document();
  ui.view().selection.page = kLearnPage;
  ui.frame();
  const std::string view = viewToJson(ui.view());
  ui.click("In a classroom", "lessons");
  ui.press(Key::pageDown);
  ui.press(Key::escape);
  ui.click("Leave", "lesson");
  EXPECT_EQ(ui.app().document(), document);
  EXPECT_EQ(viewToJson(ui.view()), view);
}

TEST(LessonStates, UndoInALessonStaysInTheLesson) {
  AppDriver ui;
  work(ui);
  begin(ui, formats::shippedLessons().front());
  ui.settle();
  ui.undoAll();
  EXPECT_EQ(ui.config().gain(2), 0.0F) << "the lesson begins from the user's own layer";
  EXPECT_TRUE(ui.shows("1 of 6", "lesson"));
}

TEST(LessonStates, PreferencesThatAreChangedInALessonStay) {
  AppDriver ui;
  begin(ui, formats::shippedLessons().front());
  ui.view().preferences.theme = ThemeKind::dark;
  ui.view().preferences.colorMaps = 1;
  ui.press(Key::pageDown);
  EXPECT_EQ(ui.view().preferences.theme, ThemeKind::dark);
  ui.click("Leave", "lesson");
  EXPECT_EQ(ui.view().preferences.theme, ThemeKind::dark);
  EXPECT_EQ(ui.view().preferences.colorMaps, 1);
}

TEST_F(SessionWindow, ALessonIsNotSavedInOnesOwnSession) {
  ui_.typeSentence("My bird sang.");
  ui_.view().selection.head = 3;
  begin(ui_, formats::shippedLessons().front());
  saveAs(lecture());
  const auto session = formats::loadSession(lecture(), kTestBudget);
  EXPECT_EQ(session.document->input->tokens.front().front(), "My");
  EXPECT_NE(session.view.find("\"head\":3"), std::string::npos) << session.view;
  EXPECT_TRUE(ui_.shows("1 of 6", "lesson"));
}

TEST_F(SessionWindow, ASessionThatIsOpenedEndsTheLesson) {
  ui_.typeSentence("My bird sang.");
  saveAs(lecture());
  ui_.typeSentence("My bird slept.");
  ui_.press(Key{'Z'}, true);
  begin(ui_, formats::shippedLessons().front());
  ui_.app().dropFiles({lecture()});
  ui_.settle();
  EXPECT_FALSE(ui_.shows("1 of 6", "lesson"));
  EXPECT_EQ(ui_.document().input->tokens.front().back(), ".");
  EXPECT_EQ(ui_.document().input->tokens.front().front(), "My");
  ui_.press(Key{'Z'}, true);
  EXPECT_EQ(ui_.document().input->tokens.front().front(), "My") << "the user's own history";
}

TEST_F(SessionWindow, ASceneOfOnesOwnThatIsRecalledEndsTheLesson) {
  ui_.typeSentence("My bird sang.");
  ui_.view().selection.head = 5;
  ui_.view().selection.page = kHeadsPage;
  ui_.press(Key{'1'}, true);
  ui_.view().selection.head = 2;
  begin(ui_, formats::shippedLessons().front());
  ui_.press(Key{'1'});
  EXPECT_FALSE(ui_.shows("1 of 6", "lesson"));
  EXPECT_EQ(ui_.view().selection.head, 5);
  EXPECT_EQ(ui_.view().selection.page, kHeadsPage);
  EXPECT_EQ(ui_.document().input->tokens.front().front(), "My");
}

/// A sentence of one's own is kept where a scene continues, and only there.
TEST(LessonStates, ASceneContinuesWithTheReadersOwnWhereItSaysSo) {
  const std::filesystem::path file = "own-sentence.lesson.json";
  std::ofstream(file) << R"({"title": "Mine", "scenes": [
      {"title": "One", "text": "a", "state": {"text": "A dog slept."}},
      {"title": "Two", "text": "b", "continues": true},
      {"title": "Three", "text": "c"}]})";
  AppDriver ui;
  ui.app().dropFiles({file});
  ui.settle();
  ui.typeSentence("My bird sang.");
  ui.press(Key::pageDown);
  EXPECT_EQ(ui.document().input->tokens.front().front(), "My");
  ui.press(Key::pageDown);
  EXPECT_EQ(ui.document().input->tokens.front().front(), "A");
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace headscope::ui
