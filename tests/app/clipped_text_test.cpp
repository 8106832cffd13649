// Every page and tool at the sizes that the interface is made for: no letter is cut by the edge of
// its card, no name or sentence has "…" in place of its end, no text lies over another, and counts
// of four digits and more are separated.
#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "app/ui/compat.h"
#include "app_driver.h"
#include "core/attention/config.h"
#include "core/attention/steps/step.h"
#include "core/editing/make_document.h"
#include "core/formats/lesson_json.h"
#include "core/formats/shipped_model.h"
#include "lesson_window.h"

namespace headscope::ui {
namespace {

struct WindowSize {
  int width, height;
  float scale;
  ThemeKind theme = ThemeKind::light;
};

bool scrolls(const std::string& window) {
  const ImGuiWindow* found = ImGui::FindWindowByName(window.c_str());
  for (; found != nullptr; found = found->ParentWindow) {
    if (found->ScrollMax.x > 0.0F || found->ScrollMax.y > 0.0F) return true;
  }
  return false;
}

bool inBody(const TextRun& run) { return run.window.find("/body_") != std::string::npos; }

/// A text with a space where its letters stand apart, as its reader sees it.
std::string asSeen(const TextRun& run) {
  constexpr float kApart = 0.17F;  // of the letters' height
  std::string seen;
  for (std::size_t at = 0; at < run.text.size(); ++at) {
    const std::size_t glyph = run.glyphAt[at];
    const bool first = at == 0 || run.glyphAt[at - 1] != glyph;
    if (first && glyph > 0) {
      const Spot &before = run.glyphs[glyph - 1], &now = run.glyphs[glyph];
      const float height = fontSize(now.font) * now.stretch;
      const bool another = before.color != now.color || now.min.x < before.min.x;
      if (another || now.min.x - before.max.x > kApart * height) seen += ' ';
    }
    seen += run.text[at];
  }
  return seen;
}

/// Returns whether a text ends before its end. “…” after a space stands for a rest: "a + b + …".
bool isElided(const TextRun& run) {
  const std::string seen = asSeen(run);
  const std::size_t at = seen.find("…");
  return at != std::string::npos && at > 0 && seen[at - 1] != ' ';
}

/// Returns every text below the bars that is cut, with its window.
std::string cutTexts(const ScreenText& screen) {
  std::string cut;
  const auto add = [&](const TextRun& run) { cut += run.window + ": " + run.text + "\n"; };
  for (const TextRun& run : screen.cut()) {
    if (!scrolls(run.window)) add(run);
  }
  for (const TextRun& run : screen.runs()) {
    if (inBody(run) && isElided(run)) add(run);
  }
  return cut;
}

/// Returns whether a window scrolls sideways by design: the table of all metrics, whose names stay
/// in sight, a row of heads, bars of all heads, the matrices of an example by hand, and the field
/// of a text.
bool isSideways(const std::string& window) {
  constexpr std::string_view kNames[] = {"/metrics_", "/strip_", "/bars_", "/matrices_",
                                         "/##model text_"};
  return std::ranges::any_of(
      kNames, [&](std::string_view name) { return window.find(name) != std::string::npos; });
}

/// Returns the texts below the bars of which a side is cut: one scrolls down to read on, not
/// sideways.
std::string textsCutAtASide(const ScreenText& screen) {
  std::string cut;
  for (const TextRun& run : screen.cut()) {
    const ImGuiWindow* window = ImGui::FindWindowByName(run.window.c_str());
    if (window == nullptr || !inBody(run) || isSideways(run.window)) continue;
    float beyond = 0.0F;  // the sides of the window and of those that it stands in
    for (; window != nullptr; window = window->ParentWindow) {
      for (const Spot& glyph : run.glyphs) {
        beyond = std::max(
            {beyond, window->InnerRect.Min.x - glyph.min.x, glyph.max.x - window->InnerRect.Max.x});
      }
    }
    if (beyond > 1.5F) {
      cut += fmt::format("{} is too narrow by {}: {}\n", run.window, beyond, run.text);
    }
  }
  return cut;
}

Spot placeOfRun(const TextRun& run) { return run.spot(0, run.text.size()); }

bool spotsMeet(const Spot& p, const Spot& q, float margin) {
  const float wide = std::min(p.max.x, q.max.x) - std::max(p.min.x, q.min.x);
  const float high = std::min(p.max.y, q.max.y) - std::max(p.min.y, q.min.y);
  return wide > margin && high > margin;
}

/// Returns the pairs of texts of one window with letters that cover each other.
std::string overlappingTexts(const ScreenText& screen) {
  constexpr float kMargin = 2.0F;  // points; a letter is read with the space around it
  std::string found;
  const std::vector<TextRun>& runs = screen.runs();
  std::vector<Spot> places;
  for (const TextRun& run : runs) places.push_back(placeOfRun(run));
  const auto lettersOverlap = [&](const TextRun& a, const TextRun& b) {
    return std::any_of(a.glyphs.begin(), a.glyphs.end(), [&](const Spot& p) {
      return std::any_of(b.glyphs.begin(), b.glyphs.end(),
                         [&](const Spot& q) { return spotsMeet(p, q, kMargin); });
    });
  };
  for (std::size_t a = 0; a < runs.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (runs[a].window != runs[b].window || !inBody(runs[a])) continue;
      if (places[a].turned != 0.0F || places[b].turned != 0.0F)
        continue;  // leaning names interlock
      if (!spotsMeet(places[a], places[b], kMargin) || !lettersOverlap(runs[a], runs[b])) continue;
      found += runs[a].window + ": " + runs[b].text + " | " + runs[a].text + "\n";
    }
  }
  return found;
}

/// Returns whether letters of a text are hidden where its window scrolls.
bool isHalfHidden(const ScreenText& screen, const TextRun& run) {
  const Spot at = placeOfRun(run);
  return std::any_of(screen.cut().begin(), screen.cut().end(), [&](const TextRun& cut) {
    const ImVec2 centre = cut.glyphs.front().centre();
    return cut.window == run.window && centre.x >= at.min.x && centre.x <= at.max.x &&
           std::abs(centre.y - at.centre().y) < at.max.y - at.min.y;
  });
}

/// Returns whether the glyph at a byte goes on the number that the byte before belongs to.
bool continuesNumber(const TextRun& run, std::size_t at) {
  constexpr float kApart = 0.3F;  // of the letters' height
  const Spot &before = run.glyphs[run.glyphAt[at - 1]], &now = run.glyphs[run.glyphAt[at]];
  if (now.turned != 0.0F) {  // the next of several turned numbers begins next to this one
    const ImVec2 a = before.centre(), b = now.centre();
    return std::hypot(a.x - b.x, a.y - b.y) < 0.8F * fontSize(now.font) * now.stretch;
  }
  return before.color == now.color && now.min.x > before.min.x &&
         now.min.x - before.max.x < kApart * fontSize(now.font) * now.stretch;
}

/// Returns the texts with a whole number of four digits or more that is not separated, outside of
/// brackets, which hold shapes and indices.
std::string unseparatedNumbers(const ScreenText& screen) {
  const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
  std::string found;
  for (const TextRun& run : screen.runs()) {
    const std::string& text = run.text;
    if (!inBody(run) || text.find('(') != std::string::npos || isHalfHidden(screen, run)) continue;
    for (std::size_t at = 0; at < text.size(); ++at) {
      std::size_t end = at;
      while (end < text.size() && isDigit(text[end]) && (end == at || continuesNumber(run, end)))
        ++end;
      const bool decimals = at > 0 && std::string_view(".,_").find(text[at - 1]) < 3;
      const bool fraction = end + 1 < text.size() && text[end] == '.' && isDigit(text[end + 1]);
      // shapes, whose brackets may be texts of their own
      const bool index = end < text.size() && (text[end] == ',' || text[end] == ')');
      if (end - at >= 4 && !decimals && !fraction && !index)
        found += run.window + ": " + text + "\n";
      if (end > at) at = end - 1;
    }
  }
  return found;
}

using Choose = std::function<void(ViewState&)>;

class ClippedText : public testing::TestWithParam<WindowSize> {
 protected:
  static constexpr const char* kSentence =
      "The cat , which was very fluffy , slept by the warm fire .";

  /// The heads on which the program opens: learned, with names.
  static DocumentPtr learnedDocument() {
    AttentionConfig config;
    config.dModel = 512;
    config.numHeads = config.numKvHeads = 8;
    return makeDocument("", config, TextSource{{kSentence}, {}}, Positions::named,
                        {WeightInit::learned, 1, {}}, kTestBudget);
  }
  static ViewState viewFor(const Choose& choose) {
    ViewState view;
    view.preferences.scale = GetParam().scale;
    view.preferences.theme = GetParam().theme;
    view.preferences.animate = false;
    choose(view);
    return view;
  }
  static void expectReadable(AppDriver& ui, const std::string& what) {
    const ScreenText screen = ui.screen();
    EXPECT_EQ(cutTexts(screen), "") << what;
    EXPECT_EQ(textsCutAtASide(screen), "") << what;
    EXPECT_EQ(overlappingTexts(screen), "") << what;
    EXPECT_EQ(unseparatedNumbers(screen), "") << what;
  }
  void expectWhole(const std::string& what, const Choose& choose) {
    const WindowSize& size = GetParam();
    if (!ui_) {
      const DocumentPtr document = learnedDocument();
      ui_.emplace(document, size.width, size.height, viewFor(choose), drawnLayers(*document));
    } else {
      ui_->view() = viewFor(choose);
    }
    for (int i = 0; i < 2; ++i) {
      ui_->frame();
      ui_->settle();
    }
    expectReadable(*ui_, what);
  }
  /// Opens a built-in model and shows each of the readings of its predictions.
  static void expectModelWhole(const std::string& folder) {
    const WindowSize& size = GetParam();
    AppDriver ui(textDocument("a b"), size.width, size.height, viewFor([&](ViewState& view) {
                   view.selection.page = kModelPage;
                   view.model.place.folder = folder;
                 }));
    const auto look = [&](const std::string& what) {
      for (int i = 0; i < 3; ++i) {
        ui.frame();
        ui.settle();
      }
      const std::string where = folder + ": " + what;
      if (formats::isShipped(folder)) return expectReadable(ui, where);
      const ScreenText screen = ui.screen();  // its tokens are ids, which stand next to each other
      EXPECT_EQ(cutTexts(screen), "") << where;
      EXPECT_EQ(overlappingTexts(screen), "") << where;
    };
    look("opened");
    for (int reading = 0; reading < 10; ++reading) {
      ui.view().model.prediction.reading = reading;
      look("reading " + std::to_string(reading));
    }
    ui.view().model.prediction.folded = true;
    look("folded");
    ui.view().model.heads.on = MeasuredOn::set;
    look("a set of texts");
  }

 private:
  std::optional<AppDriver> ui_;
};

TEST_P(ClippedText, StageHasNone) {
  expectWhole("stage", [](ViewState& view) { view.selection.page = kStagePage; });
  for (int place = 0; place < 9; ++place) {
    expectWhole("stage " + std::to_string(place), [&](ViewState& view) {
      view.selection.page = kStagePage;
      view.stage.at = place + 0.9;
    });
  }
  expectWhole("settings", [](ViewState& view) {
    view.selection.page = kStagePage;
    view.stage.settingsOpen = true;
  });
}

TEST_P(ClippedText, NoStepHasAny) {
  for (const Step* each : allSteps()) {
    expectWhole("step " + std::to_string(static_cast<int>(each->id())), [&](ViewState& view) {
      view.selection.page = kFlowPage;
      view.selection.step = each->id();
    });
  }
}

TEST_P(ClippedText, NoToolHasAny) {
  for (const char* tool : {"flow", "terms", "why", "code", "mask", "temperature", "rotation",
                           "changes", "mistakes", "kvcache", "perhead"}) {
    expectWhole(tool, [&](ViewState& view) {
      view.selection.page = kFlowPage;
      view.selection.tool = tool;
    });
  }
}

TEST_P(ClippedText, NoCardOfHeadsHasAny) {
  for (int tab = 0; tab < 5; ++tab) {
    expectWhole("heads " + std::to_string(tab), [&](ViewState& view) {
      view.selection.page = kHeadsPage;
      view.heads.effectTab = static_cast<EffectTab>(tab);
      view.heads.looksTab = static_cast<LooksTab>(tab % 4);
      view.heads.figuresTab = static_cast<FiguresTab>(tab % 2);
    });
  }
}

TEST_P(ClippedText, TrainHasNone) {
  for (int tab = 0; tab < 5; ++tab) {
    expectWhole("train " + std::to_string(tab), [&](ViewState& view) {
      view.selection.page = kTrainPage;
      view.train.tab = static_cast<TrainTab>(tab);
    });
  }
}

TEST_P(ClippedText, TrainOnStoriesAndShapesHasNone) {
  for (const char* task : {kStories, kShapes}) {
    expectWhole(task, [&](ViewState& view) {
      view.selection.page = kTrainPage;
      view.train.task = task;
    });
  }
}

TEST_P(ClippedText, LearnHasNone) {
  expectWhole("learn", [](ViewState& view) { view.selection.page = kLearnPage; });
}

TEST_P(ClippedText, ALongTextHasNone) {
  const WindowSize& size = GetParam();
  std::string text;
  for (int i = 0; i < 150; ++i) text += "The cat slept by the warm fire . ";
  AppDriver ui(textDocument(text, 64, 4), size.width, size.height,
               viewFor([](ViewState& view) { view.selection.page = kStagePage; }));
  for (const char* page : {kStagePage, kFlowPage, kHeadsPage}) {
    ui.view().selection.page = page;
    for (int i = 0; i < 3; ++i) {
      ui.frame();
      ui.settle();
    }
    const ScreenText screen = ui.screen();
    EXPECT_EQ(cutTexts(screen), "") << page;
    EXPECT_EQ(overlappingTexts(screen), "") << page;
    // axes name tokens by their index: "1008 The"
    EXPECT_FALSE(ui.shows("all 1200")) << page;
    EXPECT_FALSE(ui.shows("1200 rows")) << page;
    EXPECT_FALSE(ui.shows("1200 keys")) << page;
  }
}

/// The panel of each lesson, scene by scene, before and after its question is answered.
TEST_P(ClippedText, NoLessonHasAny) {
  const WindowSize& size = GetParam();
  const DocumentPtr document = learnedDocument();
  AppDriver ui(document, size.width, size.height, viewFor([](ViewState&) {}),
               drawnLayers(*document));
  const auto look = [&](const std::string& what) {
    ui.settle();
    ui.frame();
    expectReadable(ui, what);
    const ScreenText screen = ui.screen();
    const auto ofPanel = [](const TextRun& run) {
      return run.window.find("/lesson_") != std::string::npos;
    };
    EXPECT_TRUE(std::ranges::any_of(screen.runs(), ofPanel)) << what;
    for (const TextRun& run : screen.cut()) {
      if (!ofPanel(run)) continue;
      const ImGuiWindow* window = ImGui::FindWindowByName(run.window.c_str());
      EXPECT_EQ(window->ScrollMax.x, 0.0F) << what << " is too wide: " << run.text;
      EXPECT_TRUE(scrolls(run.window)) << what << ": " << run.text;
    }
    for (const TextRun& run : screen.runs()) {
      EXPECT_FALSE(ofPanel(run) && isElided(run)) << what << ": " << asSeen(run);
    }
  };
  for (const lessons::Lesson& lesson : formats::shippedLessons()) {
    openLesson(ui, onScreen(lesson.title));
    for (const lessons::Scene& scene : lesson.scenes) {
      const std::string what = lesson.id + ": " + scene.title;
      look(what);
      if (ui.view().selection.page == kTrainPage && ui.view().train.tab == TrainTab::scale) {
        ui.click("Run", "body");
        look(what + ", running");
      }
      if (scene.predict && choose(ui, scene.predict->choices[scene.predict->right].text)) {
        look(what + ", answered");
      }
      ui.press(Key::pageDown);
    }
    ui.press(Key::pageDown);
  }
}

TEST_P(ClippedText, NoMenuAndNoDialogHasAny) {
  const WindowSize& size = GetParam();
  AppDriver ui(learnedDocument(), size.width, size.height,
               viewFor([](ViewState& view) { view.selection.page = kFlowPage; }));
  const auto look = [&](const std::string& what) {
    for (int i = 0; i < 2; ++i) {
      ui.frame();
      ui.settle();
    }
    expectReadable(ui, what);
    const ScreenText screen = ui.screen();
    for (const TextRun& run : screen.runs()) {
      EXPECT_FALSE(isElided(run)) << what << ": " << run.window << ": " << asSeen(run);
    }
  };
  const std::pair<const char*, const char*> menus[] = {
      {"Export ▾", "A worksheet"}, {"View ▾", "Dark theme"}, {"More ▾", "Gate"}};
  for (const auto& [menu, item] : menus) {
    ui.click(menu);
    look(menu);
    EXPECT_TRUE(ui.shows(item)) << menu << ui.screen().all();
    ui.press(Key::escape);
    ui.frame();
  }
  ui.type("?");
  for (int page = 0; page < 4; ++page) {
    look("help, page " + std::to_string(page + 1));
    EXPECT_TRUE(ui.shows("Keys and mouse"));
    ui.press(Key::right);
  }
  ui.press(Key::escape);
  const std::tuple<char, bool, const char*> dialogs[] = {{'K', false, "Copy a link"},
                                                         {'O', false, "the folders of models"},
                                                         {'S', true, "Save the session"},
                                                         {'E', true, "Every tensor"}};
  for (const auto& [key, shift, text] : dialogs) {
    ui.press(Key{key}, true, shift);
    look(std::string("the dialog of ctrl+") + (shift ? "shift+" : "") + key);
    EXPECT_TRUE(ui.shows(text)) << key;
    ui.press(Key::escape);
    ui.frame();
  }
}

TEST_P(ClippedText, AModelOfTwoStacksHasNone) {
  expectModelWhole(HEADSCOPE_TEST_DATA "/families/t5");
}
TEST_P(ClippedText, TheModelOfStoriesHasNone) { expectModelWhole("headscope:stories"); }
TEST_P(ClippedText, TheModelOfShapesHasNone) { expectModelWhole("headscope:shapes"); }
TEST_P(ClippedText, TheModelOfLettersHasNone) { expectModelWhole("headscope:induction"); }

/// The sizes of every run of the tests; a release is also tried in the dark theme, whose texts are
/// as wide.
std::vector<WindowSize> windowSizes() {
  std::vector<WindowSize> sizes{{1280, 720, 1.0F}, {1600, 1000, 1.0F}, {3840, 2160, 2.0F}};
  if (std::getenv("HEADSCOPE_EVERYTHING") != nullptr) {
    for (int i = 0; i < 3; ++i) {
      sizes.push_back(sizes[static_cast<std::size_t>(i)]);
      sizes.back().theme = ThemeKind::dark;
    }
  }
  return sizes;
}

INSTANTIATE_TEST_SUITE_P(Sizes, ClippedText, testing::ValuesIn(windowSizes()),
                         [](const auto& info) {
                           return "w" + std::to_string(info.param.width) +
                                  (info.param.theme == ThemeKind::dark ? "dark" : "");
                         });

}  // namespace
}  // namespace headscope::ui
