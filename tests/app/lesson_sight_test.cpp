// Lessons in a low window: what a scene speaks of is in sight and lit, and its question stands
// still while it is answered.
#include <imgui_internal.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/formats/lesson_json.h"
#include "lesson_window.h"

namespace headscope::ui {
namespace {

/// Goes through all scenes of all lessons in a window of 1280 × 720.
class LessonSight : public testing::Test {
 protected:
  template <typename Visit>
  void eachScene(const Visit& visit) {
    eachScene([](const lessons::Lesson&) { return true; }, visit);
  }
  /// Only the scenes of lessons that `wanted` is true for.
  template <typename Wanted, typename Visit>
  void eachScene(const Wanted& wanted, const Visit& visit) {
    for (const lessons::Lesson& lesson : formats::shippedLessons()) {
      if (!wanted(lesson)) continue;
      openLesson(ui_, onScreen(lesson.title));
      for (const lessons::Scene& scene : lesson.scenes) {
        visit(scene, lesson.id + ": " + scene.title);
        ui_.press(Key::pageDown);
        ui_.settle();
        ui_.frame();
      }
      ui_.press(Key::pageDown);
    }
  }

  float topOf(const std::string& text) const {
    const auto at = ui_.screen().find(onScreen(text), "lesson");
    return at ? at->min.y : -1.0F;
  }

  /// Returns whether the card is on the page as far as the page has room for it.
  bool isInSight(const std::string& card) const {
    const auto at = ui_.window("/" + card + "_");
    if (!at) return false;
    constexpr float kTop = 45.0F, kBottom = 700.0F;  // of the page
    return at->y0 >= kTop - 1.0F && at->y1 <= kBottom;
  }

  AppDriver ui_ = lessonDriver(1280, 720);
};

TEST_F(LessonSight, AQuestionIsInSightAndStandsStillWhileItIsAnswered) {
  eachScene([&](const lessons::Scene& scene, const std::string& where) {
    const float back = topOf("Back");
    ASSERT_GT(back, 0.0F) << where;
    if (!scene.predict) {
      if (scene.check) {
        EXPECT_TRUE(ui_.shows("Show me", "lesson")) << where;
      }
      return;
    }
    const auto& all = scene.predict->choices;
    const auto placed = [&] {
      std::vector<float> tops;
      for (const lessons::Choice& each : all) {
        const auto at = spotOf(ui_.screen(), each.text);
        EXPECT_TRUE(at) << where << ": " << each.text << ui_.screen().all("lesson");
        tops.push_back(at ? at->min.y : -1.0F);
      }
      return tops;
    };
    const std::vector<float> before = placed();
    EXPECT_LT(*std::max_element(before.begin(), before.end()), back) << where;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i == scene.predict->right) continue;
      choose(ui_, all[i].text);
      EXPECT_EQ(placed(), before) << where << ": after " << all[i].text;
    }
  });
}

TEST_F(LessonSight, WhatASceneSpeaksOfIsInSightAndLit) {
  eachScene([&](const lessons::Scene& scene, const std::string& where) {
    if (!scene.cards.empty()) {
      EXPECT_TRUE(isInSight(scene.cards.front())) << where << ": " << scene.cards.front();
      EXPECT_TRUE(ui_.window("spotlight")) << where;
    }
    if (!scene.check || !scene.check->way.trainStep.empty()) return;
    if (scene.predict) choose(ui_, scene.predict->choices[scene.predict->right].text);
    const std::string& control = scene.check->way.control;
    for (const char* card : {"task", "heads", "stage", "flow", "effects", "all heads"}) {
      if (control.empty() || ui_.screen().find(control, "top bar")) break;
      if (!ui_.screen().find(control, std::string("/") + card + "_")) continue;
      const auto& lit = scene.cards;
      EXPECT_TRUE(lit.empty() || std::find(lit.begin(), lit.end(), card) != lit.end())
          << where << ": “" << control << "” is on a dimmed card";
    }
    if (scene.check->way.card.empty()) return;
    ui_.click("Show me", "lesson");
    for (int i = 0; i < 3; ++i) ui_.settle();
    EXPECT_TRUE(isInSight(scene.check->way.card)) << where << ": " << scene.check->way.card;
    EXPECT_TRUE(ui_.window("spotlight")) << where;
  });
}

/// The words in "argmax weights[0, head, which]", or that it is to equal.
std::vector<std::string> wordsOf(const lessons::Condition& condition) {
  std::vector<std::string> words;
  if (condition.fact.find("weights[") == std::string::npos) return words;
  std::string inside = condition.fact.substr(condition.fact.find('[') + 1);
  inside.pop_back();
  inside = inside.substr(std::min(inside.find(", ", inside.find(", ") + 2), inside.size()));
  for (std::size_t at = 0; at < inside.size();) {
    const std::size_t end = std::min(inside.find(", ", at + 2), inside.size());
    words.push_back(inside.substr(at + 2, end - at - 2));
    at = end;
  }
  if (const auto* word = std::get_if<std::string>(&condition.value)) words.push_back(*word);
  return words;
}

TEST_F(LessonSight, TheWordsOfATaskAreAmongTheLabels) {
  int found = 0;
  const auto hasWords = [](const lessons::Lesson& lesson) {
    return std::ranges::any_of(lesson.scenes, [](const lessons::Scene& scene) {
      return scene.check && std::ranges::any_of(scene.check->that, [](const auto& condition) {
               return !wordsOf(condition).empty();
             });
    });
  };
  eachScene(hasWords, [&](const lessons::Scene& scene, const std::string& where) {
    if (!scene.check || ui_.view().selection.page != kHeadsPage) return;
    for (const lessons::Condition& condition : scene.check->that) {
      for (const std::string& word : wordsOf(condition)) {
        const ScreenText screen = ui_.screen();
        found += static_cast<int>(
            std::count_if(screen.runs().begin(), screen.runs().end(), [&](const TextRun& run) {
              return run.text == word && run.window.find("/all heads_") != std::string::npos;
            }));
        EXPECT_TRUE(screen.find(word, "/all heads_")) << where << ": " << word;
      }
    }
  });
  EXPECT_GE(found, 4) << "the test reads the words of two scenes at least";
}

/// The first word of such a task is the one that the reader follows on the stage.
TEST_F(LessonSight, TheStageFollowsTheWordOfATask) {
  int found = 0;
  eachScene([](const lessons::Lesson& lesson) { return lesson.isQuiz; },
            [&](const lessons::Scene& scene, const std::string& where) {
              if (!scene.check || ui_.view().selection.page != kStagePage) return;
              if (scene.predict) choose(ui_, scene.predict->choices[scene.predict->right].text);
              const auto words = wordsOf(scene.check->that.front());
              ASSERT_FALSE(words.empty()) << where;
              const auto word = static_cast<std::size_t>(ui_.view().stage.word);
              EXPECT_EQ(ui_.document().input->tokens.front().at(word), words.front()) << where;
              ++found;
            });
  EXPECT_EQ(found, 2);
}

TEST_F(LessonSight, TheEndOfAResultIsInSight) {
  openLesson(ui_, "Twelve questions");
  ui_.press(Key::pageDown);
  ui_.click("Show me", "lesson");
  for (int i = 0; i < 3; ++i) ui_.settle();
  EXPECT_TRUE(ui_.shows("its numbers with those of the two.", "lesson"))
      << ui_.screen().all("lesson");
}

TEST_F(LessonSight, ATaskStandsAlikeHoweverItsQuestionWasAnswered) {
  std::vector<float> tops;
  for (const bool byMouse : {false, true}) {
    openLesson(ui_, "Twelve questions");
    for (int i = 0; i < 3; ++i) ui_.press(Key::pageDown);
    byMouse ? ui_.click("2", "/act") : ui_.type("2");
    ui_.settle();
    tops.push_back(topOf("A hint"));
    ui_.click("Leave", "lesson");
  }
  EXPECT_GT(tops.front(), 0.0F);
  EXPECT_EQ(tops.front(), tops.back());
}

/// The tab of the page has the same name as the button, which says “Pause” while the run goes on.
TEST_F(LessonSight, AHintRingsNoTabOfTheOpenPage) {
  openLesson(ui_, "Heads specialise by training");
  ui_.press(Key::pageDown);
  ui_.click("A hint", "lesson");
  const auto ringed = [&] {
    ui_.frame();
    const auto& ring = ImGui::GetForegroundDrawList()->VtxBuffer;
    return ring.empty() ? std::nullopt : std::optional(ring.front().pos.y);
  };
  constexpr float kBar = 48.0F;
  EXPECT_GT(ringed().value_or(0.0F), kBar);
  ui_.host().click(ui_.app(), ui_.at("Train", kLiveHeadsCard));
  ui_.host().frames(ui_.app(), 2);
  EXPECT_TRUE(ui_.shows("Pause", kLiveHeadsCard));
  EXPECT_GT(ringed().value_or(kBar + 1.0F), kBar);
}

/// The turned names below the bars of the last head end right of them.
TEST_F(LessonSight, TheNamesBelowTheBarsOfEveryHeadAreWhole) {
  openLesson(ui_, "Twelve questions");
  ui_.press(Key::pageDown);
  ui_.settle();
  EXPECT_TRUE(ui_.shows("head 8 The cat sat on the mat", "/bars_")) << ui_.screen().all("/bars_");
}

/// Cards that are scrolled out of sight reach below the bars.
TEST_F(LessonSight, TheMouseOnABarLightsNoCard) {
  openLesson(ui_, "Twelve questions");
  ui_.press(Key::pageDown);
  ui_.settle();
  const auto dimmedWithMouseAt = [&](ImVec2 mouse) {
    ui_.hover(mouse);
    ui_.settle();
    for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
      const std::string_view name(window->Name);
      if (name.find("/spotlight") != std::string_view::npos)
        return window->DrawList->VtxBuffer.Size;
    }
    return 0;
  };
  const int dimmed = dimmedWithMouseAt({100.0F, 400.0F});
  EXPECT_GT(dimmed, 0);
  EXPECT_EQ(dimmedWithMouseAt({640.0F, 8.0F}), dimmed);
}

}  // namespace
}  // namespace headscope::ui
