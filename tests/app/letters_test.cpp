// Texts of every script, as the fonts draw them.
#include "app/ui/letters.h"

#include <string>

#include "app_driver.h"

namespace headscope::ui {
namespace {

std::string drawnIn(ImFont* font, std::string_view text) {
  std::string room;
  return std::string(Letters::current()->drawn(font, text, room));
}

/// A program whose fonts have the letters of this text, as far as any typeface here has them.
class Drawn {
 public:
  explicit Drawn(const std::string& text) : ui_(textDocument(text, 8, 2)) { ui_.settle(); }
  std::string operator()(std::string_view text) const {
    return drawnIn(ImGui::GetIO().FontDefault, text);
  }
  AppDriver& ui() { return ui_; }

 private:
  AppDriver ui_;
};

TEST(Letters, WhatTheFontsBeginWithIsDrawnAsItIs) {
  Drawn drawn("cat");
  const std::string_view text = "größer → Ω, ж ≤ 2 · W₁";
  std::string room = "untouched";
  EXPECT_EQ(Letters::current()->drawn(ImGui::GetIO().FontDefault, text, room).data(), text.data());
  EXPECT_EQ(room, "untouched");
  EXPECT_TRUE(Letters::current()->wanted().empty());
}

TEST(Letters, WhatNoTypefaceHasIsItsCodePoint) {
  Drawn drawn("a \xEF\xBF\xBE b");  // U+FFFE, which is no letter
  EXPECT_EQ(drawn("a\xEF\xBF\xBE"
                  "b"),
            "aU+FFFEb");
  EXPECT_TRUE(drawn.ui().shows("U+FFFE"));
  if constexpr (sizeof(ImWchar) == 2) {
    EXPECT_EQ(drawn("🙂"), "U+1F642");
  }
  EXPECT_EQ(drawn("a\xEF\xB8\x8F\xE2\x80\x8D"
                  "b"),
            "ab");  // a variation selector, a joiner
}

#ifdef HEADSCOPE_FRIBIDI

TEST(Letters, HebrewRunsFromRightToLeft) {
  Drawn drawn("החתול ישן");
  EXPECT_EQ(drawn("החתול"), "לותחה");
  EXPECT_EQ(drawn("החתול ישן"), "ןשי לותחה");
  EXPECT_TRUE(drawn.ui().shows("לותחה"));
  EXPECT_FALSE(drawn.ui().shows("U+05"));
  drawn.ui().view().selection.page = kStagePage;
  drawn.ui().settle();
  EXPECT_TRUE(drawn.ui().shows("לותחה", "sentence")) << drawn.ui().screen().all("sentence");
  EXPECT_FALSE(drawn.ui().shows("החתול", "sentence")) << drawn.ui().screen().all("sentence");
}

TEST(Letters, NumbersOfASentenceStayWhereTheyAre) {
  Drawn drawn("החתול ישן");
  EXPECT_EQ(drawn("'החתול' looks at 'ישן' 0.78, 'החתול' 0.02."),
            "'לותחה' looks at 'ןשי' 0.78, 'לותחה' 0.02.");
  EXPECT_EQ(drawn("החתול\nישן"), "לותחה\nןשי");
}

TEST(Letters, ArabicIsJoined) {
  Drawn drawn("نار");
  const std::string joined = drawn("نار");  // noon at the beginning, alef at the end, reh alone
  EXPECT_EQ(joined, "\xEF\xBA\xAD\xEF\xBA\x8E\xEF\xBB\xA7");
}

#endif

TEST(Letters, AWholeBookOfThemStaysWithinATexture) {
  Drawn drawn("cat");
  std::string room;
  for (char32_t letter = 0x4E00; letter < 0x4E00 + 3000; ++letter) {
    const std::string text = {static_cast<char>(0xE0U | letter >> 12U),
                              static_cast<char>(0x80U | (letter >> 6U & 0x3FU)),
                              static_cast<char>(0x80U | (letter & 0x3FU))};
    Letters::current()->want(ImGui::GetIO().FontDefault, text);
  }
  EXPECT_EQ(Letters::current()->wanted().size(), Letters::kMost);
  drawn.ui().settle();
}

}  // namespace
}  // namespace headscope::ui
