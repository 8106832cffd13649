#include "app_driver.h"

#include <imgui_internal.h>

#include <utility>
#include <variant>

#include "core/document/trace.h"
#include "core/editing/make_document.h"
#include "core/studies/head_count.h"

// fontconfig keeps what it has read of typefaces, for cairo, until the process ends.
#ifdef __SANITIZE_ADDRESS__
extern "C" const char* __lsan_default_suppressions();  // NOLINT(bugprone-reserved-identifier)
extern "C" const char* __lsan_default_suppressions() { return "leak:libfontconfig\n"; }
#endif

namespace headscope::ui {

DocumentPtr textDocument(const std::string& text, Index dModel, Index heads) {
  AttentionConfig config;
  config.dModel = dModel;
  config.numHeads = config.numKvHeads = heads;
  return makeDocument("", config, TextSource{{text}, {}}, Positions::named, {}, kTestBudget);
}

DocumentPtr exampleDocument(std::string_view name, Index dModel, Index heads) {
  AttentionConfig config;
  config.dModel = dModel;
  config.numHeads = config.numKvHeads = heads;
  return makeDocument("", config, exampleByName(name).source, Positions::named, {}, kTestBudget);
}

DocumentPtr presetDocument(std::string_view name) {
  return makePreset(presetByName(name), {}, kTestBudget);
}

std::shared_ptr<LearnedLayers> drawnLayers(const Document& document) {
  auto layers = std::make_shared<LearnedLayers>();
  const auto draw = [&](const Document& other, WeightInit, std::uint64_t seed) {
    Weights weights = drawWeightsFor(other, WeightInit::xavier, seed);
    layers->keep({other.config, trainingDomainOf(other), seed}, weights);
    return weights;
  };
  for (const Index heads : headCounts(document.config)) {
    withHeads(document, heads, kTestBudget, draw);
  }
  return layers;
}

ImVec2 cellAt(const gl::Bounds& r, Index rows, Index cols, Index row, Index col) {
  return {r.x0 + (r.x1 - r.x0) * (static_cast<float>(col) + 0.5F) / static_cast<float>(cols),
          r.y0 + (r.y1 - r.y0) * (static_cast<float>(row) + 0.5F) / static_cast<float>(rows)};
}

bool sameValues(const Trace& a, const Trace& b, TensorId tensor) {
  const Tensor x = a.materialise(tensor);
  const Tensor y = b.materialise(tensor);
  return x.shape() == y.shape() && x.values() == y.values();
}

namespace {

/// The fonts at scale 1. All drivers share them, since drawing their letters takes longer than most
/// tests.
host::LoadedFonts sharedFonts() {
  static const host::LoadedFonts fonts = host::loadFonts(1.0F);
  return fonts;
}

}  // namespace

AppDriver::AppDriver(DocumentPtr document, int width, int height, ViewState view,
                     std::shared_ptr<LearnedLayers> learned)
    : learned_(std::move(learned)), host_(width, height, sharedFonts()) {
  restart(std::move(document), view);
}

AppOptions AppDriver::options(DocumentPtr document, ViewState view) const {
  AppOptions options;
  options.document = std::move(document);
  options.view = view;
  options.learned = learned_;
  options.memoryBudget = kTestBudget;
  options.threads = 1;
  options.tracePath = std::string("trace-of-") +
                      testing::UnitTest::GetInstance()->current_test_info()->name() +
                      ".safetensors";
  return options;
}

void AppDriver::restart(DocumentPtr document, ViewState view) {
  app_.emplace(options(std::move(document), view));
  settle();
}

void AppDriver::restartWith(DocumentPtr document, const std::function<void(AppOptions&)>& change) {
  app_.reset();
  AppOptions changed = options(std::move(document), {});
  change(changed);
  app_.emplace(std::move(changed));
  settle();
}

void AppDriver::restartKeeping(const std::filesystem::path& stateFolder, DocumentPtr document) {
  restartWith(std::move(document), [&](AppOptions& o) { o.stateFolder = stateFolder; });
}

void AppDriver::settle() {
  constexpr int kEnough = 200;
  constexpr double kSoon = 1.0;       // seconds
  constexpr double kAnimated = 0.05;  // seconds
  app_->finish();
  for (int i = 0; i < kEnough; ++i) {
    frame();
    app_->finish();
    // input is seen one frame late, and a popup's size is known one after that
    const FrameState& state = app_->view().frame;
    const bool plays = state.playing || state.decodePlaying || state.stagePlaying;
    const bool moves = app_->wantsFrame() || app_->nextChange() < kSoon;
    const bool waits = host_.session().input().waiting();
    if (i < 3 || waits) continue;
    if (!moves || plays) return;
    // animations at 20 frames a second; where nothing moves, on to the next change
    host_.advance(app_->wantsFrame() ? kAnimated : app_->nextChange());
  }
  ADD_FAILURE() << "the program wants ever more frames";
}

const ScreenText& AppDriver::screen() const {
  const std::pair<const ImGuiContext*, int> frame(ImGui::GetCurrentContext(),
                                                  ImGui::GetFrameCount());
  if (!screen_ || screenOf_ != frame) screen_ = ScreenText::read();
  screenOf_ = frame;
  return *screen_;
}

bool AppDriver::shows(std::string_view text, std::string_view window) const {
  return screen().shows(text, window);
}

ImVec2 AppDriver::at(std::string_view text, std::string_view window) const {
  if (const auto spot = screen().find(text, window)) return spot->centre();
  ADD_FAILURE() << "'" << text << "' is not on the screen: " << screen().all(window);
  return {-1, -1};
}

ImVec2 AppDriver::after(std::string_view text, std::string_view window) const {
  if (const auto spot = screen().findAfter(text, window)) return spot->centre();
  ADD_FAILURE() << "nothing follows '" << text << "' on the screen: " << screen().all(window);
  return {-1, -1};
}

void AppDriver::click(std::string_view text, std::string_view window) { clickAt(at(text, window)); }
void AppDriver::pick(std::string_view shown, std::string_view item, std::string_view window) {
  click(shown, window);
  click(item, "Combo");
}

void AppDriver::clickAt(ImVec2 position) {
  host_.click(*app_, position);
  settle();
}

void AppDriver::hover(ImVec2 position) {
  host_.moveMouse(position);
  settle();
}

void AppDriver::press(Key key, bool ctrl, bool shift) {
  host_.press(*app_, key, ctrl, shift);
  settle();
}

void AppDriver::pressAlt(Key key, bool shift) {
  host_.press(*app_, key, false, shift, true);
  settle();
}

void AppDriver::type(const std::string& text) {
  host_.type(*app_, text);
  settle();
}

void AppDriver::typeInto(std::string_view label, const std::string& text, std::string_view window) {
  clickAt(after(label, window));
  press(Key{'A'}, true);
  type(text);
}

void AppDriver::clickArrow(std::string_view label, const char* fieldId, bool up,
                           std::string_view window) {
  const auto field = screen().findAfter(label, window);
  ASSERT_TRUE(field) << label;
  for (float y = field->min.y - 12.0F; y < field->max.y + 12.0F; y += 4.0F) {
    for (float x = field->max.x; x < field->max.x + 90.0F; x += 4.0F) {
      host_.moveMouse({x, y});
      frame();
      const ImGuiWindow* hovered = GImGui->HoveredWindow;
      if (hovered == nullptr) continue;
      const ImGuiID inField = ImHashStr(fieldId, 0, hovered->ID);
      if (GImGui->HoveredId != ImHashStr(up ? "up" : "down", 0, inField)) continue;
      clickAt({x + 2.0F, y + 2.0F});
      return;
    }
  }
  ADD_FAILURE() << "no arrow beside " << label;
}

void AppDriver::typeSentence(const std::string& text, bool enter) {
  press(Key{'E'}, true);
  press(Key{'A'}, true);
  type(text);
  if (enter) press(Key::enter);
}

std::optional<gl::Bounds> AppDriver::window(std::string_view name) const {
  std::optional<gl::Bounds> found;
  for (const ImGuiWindow* w : GImGui->Windows) {
    if (!w->Active || w->Hidden || std::string_view(w->Name).find(name) == std::string_view::npos) {
      continue;
    }
    // of a card and its child windows, the card
    if (found && w->ParentWindow != nullptr &&
        std::string_view(w->ParentWindow->Name).find(name) != std::string_view::npos) {
      continue;
    }
    found = gl::Bounds{w->Pos.x, w->Pos.y, w->Pos.x + w->Size.x, w->Pos.y + w->Size.y};
  }
  return found;
}

std::vector<gl::Bounds> AppDriver::heatmaps(std::string_view name) {
  std::vector<gl::Bounds> found;
  const auto box = window(name);
  if (!box) return found;
  for (const auto& command : app_->scene().commands) {
    const auto* batch = std::get_if<gl::HeatmapBatch>(&command.batch);
    if (batch == nullptr) continue;
    for (const gl::HeatmapQuad& quad : batch->quads) {
      const ImVec2 c = middle(quad.rect);
      if (c.x > box->x0 && c.x < box->x1 && c.y > box->y0 && c.y < box->y1) {
        found.push_back(quad.rect);
      }
    }
  }
  return found;
}

int AppDriver::undoAll() {
  int count = 0;
  DocumentPtr before;
  while (before != app_->document()) {
    before = app_->document();
    press(Key{'Z'}, true);
    if (before != app_->document()) ++count;
  }
  return count;
}

}  // namespace headscope::ui
