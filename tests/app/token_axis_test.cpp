// The tokens' names below pictures that have one column for each.
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "app_driver.h"

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

}  // namespace
}  // namespace headscope::ui
