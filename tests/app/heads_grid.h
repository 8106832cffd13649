// HeadsGrid: the card of all heads on its page, and the cells of its heatmaps.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "app_driver.h"

namespace headscope::ui {

inline constexpr const char* kCard = "all heads";

class HeadsGrid : public testing::Test {
 protected:
  explicit HeadsGrid(DocumentPtr document = presetDocument("original-transformer"))
      : ui_(std::move(document), 1600, 1000, headsView()) {}

  static ViewState headsView() {
    ViewState view;
    view.selection.page = kHeadsPage;
    return view;
  }

  std::vector<gl::Bounds> maps() { return ui_.heatmaps(kCard); }
  bool shows(std::string_view text) { return ui_.shows(text, kCard); }
  HeadsView& heads() { return ui_.view().heads; }
  /// The number of times a text is drawn on the card in a colour.
  int inColor(std::string_view text, ImU32 color) {
    int count = 0;
    const ScreenText screen = ui_.screen();
    for (const TextRun& run : screen.runs()) {
      const bool here = run.window.find(kCard) != std::string::npos && run.text == text;
      if (here && run.glyphs.front().color == color) ++count;
    }
    return count;
  }
  /// The cells of the n-th heatmap of the card.
  std::vector<float> cells(std::size_t n) {
    const gl::Bounds box = *ui_.window(kCard);
    for (const auto& command : ui_.app().scene().commands) {
      const auto* batch = std::get_if<gl::HeatmapBatch>(&command.batch);
      if (batch == nullptr) continue;
      for (const gl::HeatmapQuad& quad : batch->quads) {
        if (quad.rect.x0 < box.x0 || quad.rect.x1 > box.x1 || quad.rect.y1 > box.y1) continue;
        if (n-- > 0) continue;
        const gl::HeatmapSource& source = batch->sources[quad.source];
        std::vector<float> out(static_cast<std::size_t>(source.rows * source.cols));
        source.fill(out.data());
        return out;
      }
    }
    ADD_FAILURE() << "no such heatmap";
    return {};
  }

  AppDriver ui_;
};

}  // namespace headscope::ui
