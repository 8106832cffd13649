// The grid of all heads of a model: it takes the room there is, shows maps and labels of one text,
// and a click chooses a head and nothing else; lines cover no words, texts of several lines are
// seen, a cached model has its name.
#include <imgui_internal.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "../core/test_files.h"
#include "app/gl/scene.h"
#include "app/ui/model/model_canvas.h"
#include "app/ui/theme.h"
#include "app_driver.h"
#include "core/attention/switches.h"
#include "core/document/trace.h"
#include "core/formats/model_directory.h"
#include "core/formats/shipped_model.h"
#include "core/formats/tokenizer_files.h"
#include "core/model/compositions.h"
#include "core/model/model_heads.h"
#include "random_gpt2.h"

namespace headscope::ui {
namespace {

namespace fs = std::filesystem;

TEST(TileBlocks, LaysLayersSideBySideWhereTilesGetLarger) {
  EXPECT_EQ(TileBlocks::ofLayers({1100, 330}, 12, 12, 50), (TileBlocks{6, 24, 2}));
  EXPECT_EQ(TileBlocks::ofLayers({400, 900}, 12, 12, 50), (TileBlocks{12, 12, 1}));
  EXPECT_EQ(TileBlocks::ofLayers({1100, 330}, 2, 2, 50).blocks, 2);
  EXPECT_EQ(TileBlocks::ofLayers({1100, 330}, 1, 12, 50), (TileBlocks{1, 12, 1}));
  EXPECT_EQ(TileBlocks::ofLayers({1100, 330}, 3, 4, 50).blocks, 1) << "three are not laid 2 and 1";
  const TileBlocks odd = TileBlocks::ofLayers({2000, 200}, 5, 2, 0);
  EXPECT_GE(odd.rows * odd.blocks, 5);
  EXPECT_LT((odd.blocks - 1) * odd.rows, 5) << "no block is empty";
}

TEST(TileBlocks, ARowContinuesBelow) {
  EXPECT_EQ(TileBlocks::ofRow({400, 100}, 16), (TileBlocks{2, 8, 1}));
  EXPECT_EQ(TileBlocks::ofRow({100, 100}, 1), (TileBlocks{1, 1, 1}));
}

TEST(ModelCanvasTest, TilesStayInTheirPlacesAndBlocksApart) {
  ModelCanvas canvas;
  canvas.room = {{10, 20}, {1010, 320}};
  canvas.grid = TileBlocks::ofLayers(canvas.room.size(), 12, 12, 40);
  canvas.margin = 40;
  ASSERT_EQ(canvas.grid.blocks, 2);
  const Rect last = canvas.tile(0, 11, 2, 0, 0, false), next = canvas.tile(0, 12, 2, 0, 0, false);
  EXPECT_GE(next.a.x - last.b.x, 40.0F);
  EXPECT_TRUE(canvas.room.contains(canvas.tile(5, 23, 2, 0, 0, true).inset(0.01F)));
  EXPECT_FLOAT_EQ(last.width(), last.height());
}

class ModelGrid : public testing::Test {
 protected:
  void open(const fs::path& path, const std::string& text = {}) {
    ui.view().selection.page = kModelPage;
    ui.view().model.place = {path.string(), text};
    calm();
  }
  void openTiny(const std::string& text = "The cat sat on the mat") {
    open(fs::path(HEADSCOPE_TEST_DATA) / "tiny-gpt2", text);
  }
  void calm() {
    for (int i = 0; i < 3; ++i) {
      ui.frame();
      ui.settle();
    }
    ui.frame();
  }
  std::string all() { return ui.screen().all(kModelHeadsCard); }
  /// The numbers on the map of a metric, one after the other.
  std::string numbers() {
    std::string all;
    const ScreenText screen = ui.screen();
    for (const TextRun& run : screen.runs()) {
      const bool number = run.text.size() == 4 && run.text[1] == '.';
      if (number && run.window.find(kModelHeadsCard) != std::string::npos) all += run.text + " ";
    }
    return all;
  }
  /// The number of rows in the grid of all heads.
  std::vector<Index> rowsOfPictures() {
    std::vector<Index> rows;
    for (const auto& command : ui.app().scene().commands) {
      const auto* batch = std::get_if<gl::HeatmapBatch>(&command.batch);
      if (batch == nullptr) continue;
      for (const gl::HeatmapSource& source : batch->sources) rows.push_back(source.rows);
    }
    return rows;
  }

  TempFolder folder;
  AppDriver ui;
};

TEST_F(ModelGrid, TakesTheRoomThereIs) {
  for (const auto& [layers, heads, least] :
       {std::tuple{12, 12, 36.0F}, {24, 16, 24.0F}, {32, 32, 14.0F}, {2, 2, 150.0F}}) {
    writeRandomGpt2(folder.path(), layers, heads);
    ui.restart(presetDocument("original-transformer"));
    open(folder.path());
    const auto tiles = ui.heatmaps(kModelHeadsCard);
    ASSERT_EQ(std::ssize(tiles), layers * heads) << all();
    for (const gl::Bounds& tile : tiles) {
      ASSERT_GE(tile.y1 - tile.y0, least) << layers << " × " << heads;
      ASSERT_NEAR(tile.x1 - tile.x0, tile.y1 - tile.y0, 0.01F);
    }
    EXPECT_TRUE(ui.shows(layers == 2 ? "layer 2" : "layer 11", kModelHeadsCard)) << all();
  }
}

/// Gaps must not be scaled twice: that put texts 14 points off at scale 2.
TEST_F(ModelGrid, StandsTheSameAtTwiceTheScale) {
  const auto placeAt = [](int scale, const char* text, const char* card) {
    ViewState view;
    view.preferences.scale = static_cast<float>(scale);
    view.selection.page = kModelPage;
    view.model.place = {(fs::path(HEADSCOPE_TEST_DATA) / "tiny-gpt2").string(), "The cat sat"};
    view.model.prediction.reading = 1;
    AppDriver driver(presetDocument("original-transformer"), 1600 * scale, 1000 * scale, view);
    for (int i = 0; i < 4; ++i) {
      driver.settle();
      driver.frame();
    }
    return driver.at(text, card).x / static_cast<float>(scale);
  };
  for (const auto& [text, card] :
       {std::pair{"first column", kModelHeadsCard}, std::pair{"against", kModelPredictionCard}}) {
    EXPECT_NEAR(placeAt(2, text, card), placeAt(1, text, card), 6.0F) << text;
  }
}

TEST_F(ModelGrid, AClickChoosesAHeadAndKeepsTheToken) {
  openTiny();
  ui.view().model.token = 3;
  calm();
  const std::string said = ui.screen().all(kModelPredictionCard);
  const std::string text = ui.screen().all(kModelTextCard);
  const gl::Bounds picture = ui.heatmaps(kModelHeadsCard).at(6);
  ui.clickAt(cellAt(picture, 8, 8, 6, 2));
  EXPECT_EQ(ui.view().model.layer, 1);
  EXPECT_EQ(ui.view().model.head, 2);
  EXPECT_EQ(ui.view().model.token, 3);
  EXPECT_EQ(ui.screen().all(kModelPredictionCard), said);
  EXPECT_EQ(ui.screen().all(kModelTextCard), text);
}

TEST_F(ModelGrid, MapsAndLabelsOfRandomTokensAreOfRandomTokens) {
  openTiny();
  EXPECT_EQ(rowsOfPictures(), std::vector<Index>(8, 8));
  ui.click("repeated random tokens", kModelHeadsCard);
  calm();
  const auto model = formats::openModel(ui.view().model.place.folder, kTestBudget);
  const auto tokenizer = formats::openTokenizer(ui.view().model.place.folder);
  const auto input = repeatedRandomTokens(model->config(), tokenizer.get());
  EXPECT_EQ(rowsOfPictures(), std::vector<Index>(8, std::ssize(input.ids))) << all();
  EXPECT_TRUE(ui.shows("maps and metrics describe 64 random tokens", kModelHeadsCard)) << all();
  // the lists of tokens are of them, too
  ui.pick("a measure", "tokens you choose", kModelHeadsCard);
  ui.click("every token", kModelHeadsCard);
  EXPECT_FALSE(ui.shows("The", "Combo")) << ui.screen().all("Combo");
  ui.press(Key::escape);
  ui.click("weights", kModelHeadsCard);
  ui.click("this text", kModelHeadsCard);
  calm();
  EXPECT_EQ(rowsOfPictures(), std::vector<Index>(8, 8));
}

/// A weight that is edited in Flow changes what the heads do on random tokens, too.
TEST_F(ModelGrid, TheProbeFollowsEdits) {
  openTiny();
  ui.click("repeated random tokens", kModelHeadsCard);
  ui.pick("a measure", "Entropy", kModelHeadsCard);
  calm();
  const std::string before = numbers();
  ASSERT_EQ(before.size(), 40U) << all();
  ui.click("open layer 1 in Flow", kModelHeadsCard);
  calm();
  ui.app().apply(SetSwitch{&Switches::temperature, 50.0});
  calm();
  ui.view().selection.page = kModelPage;
  calm();
  EXPECT_EQ(numbers().size(), 40U) << all();
  EXPECT_NE(numbers(), before);
}

/// Returns whether a point lies within a triangle.
bool isIn(ImVec2 p, ImVec2 a, ImVec2 b, ImVec2 c) {
  const auto side = [p](ImVec2 q, ImVec2 r) {
    return (p.x - r.x) * (q.y - r.y) - (q.x - r.x) * (p.y - r.y);
  };
  const float u = side(a, b), v = side(b, c), w = side(c, a);
  return (u > 0 && v > 0 && w > 0) || (u < 0 && v < 0 && w < 0);
}

TEST_F(ModelGrid, LinesCoverNoNumbers) {
  ImGui::GetStyle().AntiAliasedLinesUseTex = false;  // only letters have a texture then
  open(formats::kInductionModel, "abcdefgh abcd");
  ui.pick("a measure", "Entropy", kModelHeadsCard);
  ui.view().model.heads.lines = model::Composition::key;
  calm();
  const ImU32 rgb = ~IM_COL32_A_MASK;
  const ImU32 accent = theme(ui.view().preferences.theme).accent & rgb;
  const ImVec2 white = ImGui::GetDrawListSharedData()->TexUvWhitePixel;
  int letters = 0, lines = 0, covered = 0;
  const ImDrawData* data = ImGui::GetDrawData();
  for (int i = 0; i < data->CmdListsCount; ++i) {
    const ImDrawList& list = *data->CmdLists[i];
    const std::string owner = list._OwnerName != nullptr ? list._OwnerName : "";
    if (owner.find(kModelHeadsCard) == std::string::npos) continue;
    std::vector<ImVec2> drawn;  // parts of letters so far
    for (const ImDrawCmd& command : list.CmdBuffer) {
      const auto corner = [&](unsigned index) {
        const ImDrawIdx vertex = list.IdxBuffer[static_cast<int>(command.IdxOffset + index)];
        return list.VtxBuffer[static_cast<int>(command.VtxOffset + vertex)];
      };
      for (unsigned t = 0; t + 3 <= command.ElemCount; t += 3) {
        const ImDrawVert a = corner(t), b = corner(t + 1), c = corner(t + 2);
        if ((a.col & rgb) == accent) {
          ++lines;
          covered += static_cast<int>(std::ranges::count_if(
              drawn, [&](ImVec2 point) { return isIn(point, a.pos, b.pos, c.pos); }));
        } else if (a.uv.x != white.x || a.uv.y != white.y) {
          ++letters;
          drawn.push_back({(a.pos.x + b.pos.x + c.pos.x) / 3, (a.pos.y + b.pos.y + c.pos.y) / 3});
        }
      }
    }
  }
  ASSERT_GT(letters, 16);
  ASSERT_GT(lines, 16);
  EXPECT_EQ(covered, 0);
}

TEST_F(ModelGrid, ATextOfSeveralLinesIsSeenAndTyped) {
  openTiny("The cat\nsat on\nthe mat");
  const auto screen = ui.screen();
  const auto first = screen.find("Thecat", "model text"),
             last = screen.find("themat", "model text");
  ASSERT_TRUE(first && last) << screen.all(kModelTextCard);
  EXPECT_GT(last->min.y, first->max.y);
  ui.clickAt(last->centre());
  ui.press(Key::end, true);
  ui.press(Key::enter, true);
  ui.type("ire");
  calm();
  EXPECT_EQ(ui.view().model.place.text, "The cat\nsat on\nthe mat\nire");
  ui.press(Key::enter);
  calm();
  EXPECT_EQ(ui.view().model.place.text, "The cat\nsat on\nthe mat\nire") << "enter leaves it";
  std::string many = "The";
  for (int i = 0; i < 20; ++i) many += "\ncat";
  ui.view().model.place.text = many;
  calm();
  EXPECT_TRUE(ui.shows("it predicts", kModelTextCard)) << "a long text leaves room\n";
}

TEST_F(ModelGrid, ACachedModelHasItsName) {
  const fs::path cached = folder / "models--openai-community--gpt2" / "snapshots" /
                          "607a30d783dfa663caf39e06633721c8d4cfcd7e";
  fs::create_directories(cached.parent_path());
  fs::copy(fs::path(HEADSCOPE_TEST_DATA) / "tiny-gpt2", cached, fs::copy_options::recursive);
  open(cached, "The cat");
  EXPECT_TRUE(ui.shows("openai-community/gpt2", kModelTextCard)) << ui.screen().all(kModelTextCard);
  EXPECT_FALSE(ui.shows("607a30d", kModelTextCard));
  ui.click("open layer 1 in Flow", kModelHeadsCard);
  calm();
  EXPECT_TRUE(ui.shows("openai-community/gpt2, layer 1 of 2")) << ui.screen().all();
}

}  // namespace
}  // namespace headscope::ui
