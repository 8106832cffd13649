// The tokens' names below pictures that have one column for each.
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "app/ui/parts/axis_labels.h"
#include "app_driver.h"
#include "bare_look.h"

namespace headscope::ui {
namespace {

TEST(TokenAxis, NoNameLiesOnAnother) {
  // as wide as each other: the first moves inwards by half its width
  std::string text = "house";
  for (int i = 1; i < 30; ++i) text += " house";
  for (const Index lit : {-1, 3, 29}) {
    AppDriver ui(textDocument(text));
    ui.press(Key{'V'});
    if (lit >= 0) ui.view().selection.cell = CellRef{TensorId::weights, 0, 0, lit, 0};
    ui.settle();
    const ScreenText screen = ui.screen();
    std::vector<Spot> names;
    for (const TextRun& run : screen.runs()) {
      if (run.window.find("bars") == std::string::npos) continue;
      // several may have been read as one
      for (auto at = run.text.find("house"); at != std::string::npos;
           at = run.text.find("house", at + 1)) {
        names.push_back(run.spot(at, 5));
      }
    }
    ASSERT_GT(names.size(), 16U);
    for (std::size_t i = 0; i < names.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const bool sameLine = std::abs(names[i].min.y - names[j].min.y) < 4.0F;
        const bool apart =
            names[i].min.x > names[j].max.x + 2.0F || names[j].min.x > names[i].max.x + 2.0F;
        EXPECT_TRUE(!sameLine || apart) << names[i].min.x << " on " << names[j].min.x;
      }
    }
  }
}

/// Returns whether a card draws a name in a colour. Names that touch are read as one text.
bool named(AppDriver& ui, std::string_view card, const std::string& name, ImU32 color) {
  const ScreenText screen = ui.screen();
  for (const TextRun& run : screen.runs()) {
    if (run.window.find(card) == std::string::npos) continue;
    for (auto at = run.text.find(name); at != std::string::npos; at = run.text.find(name, at + 1)) {
      if (run.spot(at, name.size()).color == color) return true;
    }
  }
  return false;
}

/// Room is made for the widest name, and the limit of names follows from the room.
TEST(TokenAxis, ANameFitsTheRoomThatWasMadeForIt) {
  AppDriver ui;
  const BareLook bare;
  for (const std::string name : {"The", "the", "cat", "sat", "on", "bank", "alpha", "charlie",
                                 "foxtrot", "golf", "india", "sensor 3", "fluffy", "slept"}) {
    for (ImFont* font : ImGui::GetIO().Fonts->Fonts) {
      const AxisLabels labels{.texts = {&name, 1}, .font = font};
      const float room = ColumnLabels::turnedRoom(bare.look, labels);
      EXPECT_GE(ColumnLabels::longestTurned(bare.look, labels, room), labels.namesWidth()) << name;
    }
  }
}

/// Few names have room below small tiles and matrices; those of the chosen cell are among them.
TEST(TokenAxis, TheChosenWordsAreNamedWhateverElseHasRoom) {
  const Theme& t = theme(ThemeKind::light);
  const auto document =
      textDocument("alpha bravo charlie delta echo foxtrot golf hotel india julia");
  for (const char* page : {kHeadsPage, kFlowPage}) {
    AppDriver ui(document, 1280, 720);
    const char* card = page == std::string_view(kHeadsPage) ? kAllHeadsCard : kStepViewCard;
    ui.view().selection.page = page;
    ui.view().selection.step = StepId::softmax;
    const auto& tokens = document->input->tokens[0];
    for (Index key = 0; key < 10; ++key) {
      const Index query = 9 - key;
      ui.view().selection.cell = CellRef{TensorId::weights, 0, 0, query, key};
      ui.hover({1.0F, 1.0F});
      const auto nameOf = [&](Index i) { return tokens[static_cast<std::size_t>(i)]; };
      EXPECT_TRUE(named(ui, card, nameOf(query), t.queryText)) << page << ui.screen().all(card);
      EXPECT_TRUE(named(ui, card, nameOf(key), t.keyText)) << page << ui.screen().all(card);
    }
    // the one under the mouse is named as well, and the chosen one stays
    ui.view().selection.cell = CellRef{TensorId::weights, 0, 0, 1, 1};
    ui.settle();
    const auto maps = ui.heatmaps(card);
    ui.hover(cellAt(maps.back(), 10, 10, 7, 8));
    EXPECT_TRUE(named(ui, card, "india", t.keyText)) << page << ui.screen().all(card);
    EXPECT_TRUE(named(ui, card, "bravo", t.keyText)) << page << ui.screen().all(card);
  }
}

/// The looks card says where a word looks; the tiles name both, without a chosen cell.
TEST(TokenAxis, TheWordsThatTheSentenceSpeaksOfAreNamed) {
  ViewState view;
  view.selection.page = kHeadsPage;
  view.heads.query = 4;
  AppDriver ui(textDocument("alpha bravo charlie delta echo foxtrot golf hotel india julia"), 1280,
               720, view);
  const Trace& trace = ui.trace();
  CellRef most{TensorId::weights, 0, 0, 4, 0};
  for (CellRef cell = most; cell.col < 10; ++cell.col) {
    if (trace.value(cell) > trace.value(most)) most = cell;
  }
  const std::string& key = ui.document().input->tokens[0][static_cast<std::size_t>(most.col)];
  EXPECT_TRUE(named(ui, kAllHeadsCard, key, theme(ThemeKind::light).keyText)) << key;
}

}  // namespace
}  // namespace headscope::ui
