#include "app/ui/rich_text.h"

#include <gtest/gtest.h>

namespace headscope::ui {
namespace {

using Runs = std::vector<RichRun>;

TEST(RichText, RaisesAndLowersOneLetterOrAGroup) {
  EXPECT_EQ(parseRichText("W^Q + b"), (Runs{{"W"}, {"Q", Script::raised}, {" + b"}}));
  EXPECT_EQ(parseRichText("d_k"), (Runs{{"d"}, {"k", Script::lowered}}));
  EXPECT_EQ(parseRichText("K_{12}^T"),
            (Runs{{"K"}, {"12", Script::lowered}, {"T", Script::raised}}));
}

TEST(RichText, TakesAWholeCodePointNotAByte) {
  EXPECT_EQ(parseRichText("x^√y"), (Runs{{"x"}, {"√", Script::raised}, {"y"}}));
}

TEST(RichText, BackslashPrintsTheSign) {
  EXPECT_EQ(parseRichText("d\\_model"), (Runs{{"d"}, {"_model"}}));
  EXPECT_EQ(parseRichText("2\\^3"), (Runs{{"2"}, {"^3"}}));
  EXPECT_EQ(parseRichText("a\\\\b"), (Runs{{"a"}, {"\\b"}}));
  EXPECT_EQ(parseRichText("a\\b"), (Runs{{"a\\b"}}));
}

TEST(RichText, UnfinishedMarksDoNotSwallowText) {
  EXPECT_EQ(parseRichText(""), Runs{});
  EXPECT_EQ(parseRichText("a^"), (Runs{{"a^"}}));
  EXPECT_EQ(parseRichText("a_{bc"), (Runs{{"a"}, {"bc", Script::lowered}}));
  EXPECT_EQ(parseRichText("a_{}b"), (Runs{{"a"}, {"b"}}));
}

class RichTextSize : public testing::Test {
 protected:
  RichTextSize() {
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    const auto add = [&](float size) {
      ImFontConfig config;
      config.SizePixels = size;
      return io.Fonts->AddFontDefault(&config);
    };
    fonts_.regular = add(14);
    fonts_.small = add(12);
    fonts_.tiny = add(10);
    fonts_.semibold = fonts_.title = fonts_.mono = fonts_.monoSmall = fonts_.regular;
    io.Fonts->Build();
  }
  ~RichTextSize() override { ImGui::DestroyContext(); }

  float width(std::string_view text) const { return richTextSize(fonts_, fonts_.regular, text).x; }

  Fonts fonts_;
};

TEST_F(RichTextSize, ScriptsAreNarrowerAndMarksTakeNoRoom) {
  EXPECT_LT(width("W^Q"), width("WQ"));
  EXPECT_GT(width("W^Q"), width("W"));
  EXPECT_FLOAT_EQ(width("d\\_k"), width("d") + width("k") * 2);  // a fixed-width typeface
  EXPECT_FLOAT_EQ(richTextSize(fonts_, fonts_.regular, "W^Q").y, 14.0F);
}

TEST_F(RichTextSize, IndexAndExponentShareTheirPlace) {
  EXPECT_FLOAT_EQ(width("K_i^T"), width("K^T"));
  EXPECT_FLOAT_EQ(width("K_{12}^T"), width("K_{12}"));
}

TEST_F(RichTextSize, ANumberKeepsItsUnitAtALinesEnd) {
  const auto height = [this](std::string_view text, float room) {
    return drawRichParagraph(nullptr, fonts_, fonts_.regular, {0, 0}, 0, text, room).y;
  };
  const float whole = width("it moves by 23");
  EXPECT_FLOAT_EQ(height("it moves by 23 %", whole), 28.0F);
  EXPECT_FLOAT_EQ(
      drawRichParagraph(nullptr, fonts_, fonts_.regular, {0, 0}, 0, "it moves by 23 %", whole).x,
      width("it moves by"));
  EXPECT_FLOAT_EQ(height("it moves by 23 x", whole), 28.0F);
  EXPECT_FLOAT_EQ(height("23 %", 1.0F), 14.0F);
}

TEST(RichText, PlainTextIsShownAsItIs) {
  for (const char* plain : {"d_model^2", "a\\b", "“which” gives 88 %"}) {
    std::string shown;
    const std::string rich = asRichText(plain);
    for (const RichRun& run : parseRichText(rich)) {
      EXPECT_EQ(run.script, Script::base);
      shown += run.text;
    }
    EXPECT_EQ(shown, plain);
  }
}

TEST_F(RichTextSize, DrawsOneQuadPerLetter) {
  ImDrawList drawList(ImGui::GetDrawListSharedData());
  drawList._ResetForNewFrame();
  drawList.PushClipRect({0, 0}, {200, 100});
  drawList.PushTextureID(ImGui::GetIO().Fonts->TexID);
  drawRichText(&drawList, fonts_, fonts_.regular, {5, 5}, IM_COL32_WHITE, "W^{QK}_i");
  EXPECT_EQ(drawList.VtxBuffer.Size, 4 * 4);
}

}  // namespace
}  // namespace headscope::ui
