// Prediction card: a program on the page Model, whose card Prediction a test reads and clicks.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "app/ui/ids.h"
#include "app_driver.h"
#include "core/formats/shipped_model.h"

namespace headscope::ui {

class PredictionCard : public testing::Test {
 protected:
  void open(const std::string& folder, const std::string& text) {
    ui.view().selection.page = kModelPage;
    ui.view().model.place = {folder, text};
    calm();
  }
  void openInduction() { open(formats::kInductionModel, "abcdefgh abcd"); }
  /// Chooses an item of the menu behind a caption.
  void choose(std::string_view caption, std::string_view item) {
    ui.clickAt(ui.after(caption, kModelPredictionCard));
    ui.click(item, "Combo");
    calm();
  }
  void openTiny(const std::string& name, const std::string& text) {
    open((std::filesystem::path(HEADSCOPE_TEST_DATA) / name).string(), text);
  }
  /// Runs frames until nothing is computed. On a slow machine each request makes one token.
  void calm() {
    constexpr int kMost = 200;
    for (int i = 0; i < 3 || (i < kMost && (shows("stop") || shows("being computed"))); ++i) {
      ui.frame();
      ui.settle();
    }
    ui.frame();
  }
  void tab(const char* name) {
    ui.click(name, kModelPredictionCard);
    calm();
  }
  bool shows(const char* text) { return ui.shows(text, kModelPredictionCard); }
  std::string all() { return ui.screen().all(kModelPredictionCard); }

  AppDriver ui;
};

}  // namespace headscope::ui
