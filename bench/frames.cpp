// One frame: building the interface on the CPU, and drawing what was built (in software where there
// is no graphics card).
#include <epoxy/gl.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "app/host/headless.h"
#include "app/host/offscreen.h"
#include "app/host/painter.h"
#include "app/ui/stage/journey.h"
#include "bench/documents.h"
#include "bench/passes.h"
#include "bench/shown_pictures.h"
#include "core/base/execution.h"
#include "core/base/memory_budget.h"
#include "core/document/trace.h"
#include "core/editing/edit.h"
#include "core/formats/shipped_model.h"
#include "core/presets/presets.h"

namespace headscope::bench {
namespace {

constexpr int kWidth = 1600;
constexpr int kHeight = 1000;
constexpr int kSettlingFrames = 30;  // layout and the first animations

AppOptions appFor(const benchmark::State& state) {
  AppOptions options;
  options.document = documentOf(state.range(0), state.range(1), state.range(2));
  return options;
}

/// Draws frames until all computations have ended and everything that the frames asked for is
/// drawn.
void settle(host::Headless& host, App& app) {
  app.finish();
  do {
    host.frames(app, kSettlingFrames);
  } while (app.finish());
}

/// The program at rest, on a host without a GPU.
struct Settled {
  explicit Settled(const benchmark::State& state) : app(appFor(state)) { settle(host, app); }

  host::Headless host{kWidth, kHeight};
  App app;
};

void buildFrame(benchmark::State& state) {
  Settled settled(state);
  host::Headless& host = settled.host;
  App& app = settled.app;
  for (auto _ : state) host.frame(app);
  state.counters["vertices"] = ImGui::GetDrawData()->TotalVtxCount;
}

/// The mouse wanders over the step view, so that cells are looked up and lit.
void buildFrameHovering(benchmark::State& state) {
  Settled settled(state);
  host::Headless& host = settled.host;
  App& app = settled.app;
  int step = 0;
  for (auto _ : state) {
    host.moveMouse({static_cast<float>(step * 7 % kWidth), static_cast<float>(step * 3 % kHeight)});
    host.frame(app);
    ++step;
  }
}

void drawFrame(benchmark::State& state) {
  const host::OffscreenContext context;
  host::Headless host(kWidth, kHeight);
  host::RenderTarget target(kWidth, kHeight);
  host::Painter painter(host.session(), {});
  App app(appFor(state));
  settle(host, app);
  const auto draw = [&] {
    target.bind();
    painter.paint(app, kWidth, kHeight);
    glFinish();
  };
  draw();  // uploads the textures
  const gl::SceneRenderer::Stats before = painter.renderer().stats();
  for (auto _ : state) draw();
  const gl::SceneRenderer::Stats after = painter.renderer().stats();
  int interfaceCalls = 0;
  for (int i = 0; i < ImGui::GetDrawData()->CmdListsCount; ++i) {
    interfaceCalls += ImGui::GetDrawData()->CmdLists[i]->CmdBuffer.Size;
  }
  state.counters["calls"] = after.drawCalls;  // heatmaps and ribbons
  state.counters["imgui"] = interfaceCalls;
  state.counters["kB_held"] = static_cast<double>(after.bytesHeld) / 1e3;
  state.counters["uploaded_at_rest"] =
      static_cast<double>(after.bytesUploaded - before.bytesUploaded);
}

/// Edits by dragging with the mouse: the time from an edit to the frame that shows it, with the
/// values of its pictures, without drawing. Between the edit and its result the interface sleeps,
/// as the window does.
template <typename EditOfStep>
void drag(benchmark::State& state, EditOfStep&& editOfStep) {
  std::atomic<int> wakes = 0;
  Settled settled(state);
  host::Headless& host = settled.host;
  App& app = settled.app;
  app.onWake([&wakes] {
    ++wakes;
    wakes.notify_one();
  });
  host.moveMouse({kWidth - 3, kHeight - 3});  // a place without hover effects
  host.button(0, true);
  host.frames(app, 2);
  ShownPictures pictures;
  int step = 0;
  const auto next = [&] {
    app.apply(editOfStep(++step), "drag");
    for (;;) {
      const int seen = wakes;
      host.frame(app);
      if (app.trace()->documentPtr() == app.document()) break;
      wakes.wait(seen);
    }
    pictures.read(app.scene());
  };
  for (int n = 0; n < 4; ++n) next();  // allocates the memory of the versions
  for (auto _ : state) next();
  app.finish();  // no thread may wake destroyed objects
}

void dragCell(benchmark::State& state, TensorId id) {
  drag(state, [id](int step) { return moveCell(id, 0.001F * static_cast<float>(step)); });
}

void dragMaskCell(benchmark::State& state) {
  drag(state, [&state](int step) { return paintCell(state.range(2), step % 2 == 0); });
}

/// The frame that shows the result of a new pass, in which one token moved, measured in the same
/// way.
void showNewPass(benchmark::State& state) {
  Settled settled(state);
  host::Headless& host = settled.host;
  App& app = settled.app;
  ShownPictures pictures;
  float value = 0.0F;
  double building = 0.0;
  for (auto _ : state) {
    app.apply(SetCell{{TensorId::x, 0, -1, 17, 5}, value += 0.25F});
    app.finish();
    const double begin = clockSeconds();
    host.frame(app);
    building += clockSeconds() - begin;
    pictures.read(app.scene());
    state.SetIterationTime(clockSeconds() - begin);
    host.frames(app, kSettlingFrames);
  }
  state.counters["build_ms"] = {1e3 * building, benchmark::Counter::kAvgIterations};
}

/// The heads page, with everything measured that it shows.
void buildHeadsPage(benchmark::State& state) {
  host::Headless host(kWidth, kHeight);
  AppOptions options = appFor(state);
  options.view.selection.page = ui::kHeadsPage;
  App app(std::move(options));
  settle(host, app);
  for (auto _ : state) host.frame(app);
}

/// Shows half of the tokens, and another half in every frame: the cost of a frame while panning, as
/// pictures are drawn in the background.
void panHeadsPage(benchmark::State& state) {
  host::Headless host(kWidth, kHeight);
  AppOptions options = appFor(state);
  options.view.selection.page = ui::kHeadsPage;
  App app(std::move(options));
  const Index half = state.range(2) / 2;
  app.view().heads.queries = app.view().heads.keys = {0, half};
  settle(host, app);
  Index first = 0;
  for (auto _ : state) {
    first = (first + 1) % half;
    app.view().heads.queries.first = app.view().heads.keys.first = first;
    host.frame(app);
  }
}

/// The train page during a run at the default pace, from its start: the mean and the longest time
/// of its frames.
void buildTrainPage(benchmark::State& state) {
  host::Headless host(kWidth, kHeight);
  AppOptions options;
  options.document = documentOf(512, 8, 6);
  options.view.selection.page = ui::kTrainPage;
  App app(std::move(options));
  settle(host, app);
  constexpr int kFrames = 600;
  double longest = 0.0;
  for (auto _ : state) {
    host.press(app, ui::Key::home);
    host.press(app, ui::Key::enter);
    double sum = 0.0;
    for (int i = 0; i < kFrames; ++i) {
      const double begin = clockSeconds();
      host.frame(app);
      const double seconds = clockSeconds() - begin;
      sum += seconds;
      longest = std::max(longest, seconds);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));  // leaves time for the run
    }
    state.SetIterationTime(sum / kFrames);
  }
  app.finish();
  state.counters["longest_ms"] = 1e3 * longest;
}

struct View {
  const char* name;
  std::function<void(ui::ViewState&)> choose;
};

std::vector<View> everyView() {
  std::vector<View> views;
  for (const char* tool : {"flow", "terms", "mask", "temperature", "rotation", "changes",
                           "mistakes", "kvcache", "perhead"}) {
    views.push_back({tool, [tool](ui::ViewState& view) { view.selection.tool = tool; }});
  }
  using ui::EffectTab;
  for (const auto& [name, tab] :
       {std::pair("heads", EffectTab::off), std::pair("output_matrix", EffectTab::outputMatrix),
        std::pair("more_heads", EffectTab::moreHeads),
        std::pair("why_several", EffectTab::whySeveral),
        std::pair("how_learned", EffectTab::howLearned)}) {
    views.push_back({name, [tab = tab](ui::ViewState& view) {
                       view.selection.page = ui::kHeadsPage;
                       view.heads.effectTab = tab;
                     }});
  }
  for (const auto& [name, tab] :
       {std::pair("train", ui::TrainTab::live), std::pair("over_steps", ui::TrainTab::overSteps)}) {
    views.push_back({name, [tab = tab](ui::ViewState& view) {
                       view.selection.page = ui::kTrainPage;
                       view.train.tab = tab;
                     }});
  }
  views.push_back({"stage", [](ui::ViewState& view) { view.selection.page = ui::kStagePage; }});
  views.push_back({"journey", [](ui::ViewState& view) {
                     view.selection.page = ui::kStagePage;
                     view.stage.at = ui::journeyAt(65.0);
                   }});
  views.push_back({"learn", [](ui::ViewState& view) { view.selection.page = ui::kLearnPage; }});
  views.push_back({"model", [](ui::ViewState& view) {
                     view.selection.page = ui::kModelPage;
                     view.model.place.folder = formats::kInductionModel;
                   }});
  return views;
}

/// A page as the window opens it, with one of its tabs; the train page shows a finished run. The
/// argument is the scale of the interface: 2 is a 4K window.
void buildView(benchmark::State& state, const View& view) {
  const bool large = state.range(0) == 2;
  host::Headless host(large ? 3840 : kWidth, large ? 2160 : kHeight);
  AppOptions options;
  options.document = makePreset(presetByName("original-transformer"),
                                WeightSource{WeightInit::learned, 1, {}}, defaultMemoryBudget());
  options.view.preferences.scale = large ? 2.0F : 1.0F;
  view.choose(options.view);
  App app(std::move(options));
  settle(host, app);
  if (app.view().selection.page == ui::kTrainPage) {
    host.press(app, ui::Key::enter);
    settle(host, app);
  }
  for (auto _ : state) host.frame(app);
  state.counters["vertices"] = ImGui::GetDrawData()->TotalVtxCount;
}

void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"D", "H", "T"})
      ->Args({512, 8, 6})
      ->Args({768, 12, 128})
      ->Args({1024, 16, 1024})
      ->Args({768, 96, 64})
      ->MeasureProcessCPUTime()
      ->Apply(bestOfNine);
}

void longInputs(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"D", "H", "T"})
      ->Args({512, 8, 6})
      ->Args({768, 12, 512})
      ->Args({256, 16, 4096})
      ->Apply(bestOfNine);
}

void dragSizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"D", "H", "T"})
      ->Args({512, 8, 30})
      ->Args({768, 12, 1024})
      ->Apply(bestOfNine);
}

BENCHMARK_CAPTURE(dragCell, W_Q, TensorId::wQ)->Name("drag/W_Q")->Apply(dragSizes);
BENCHMARK_CAPTURE(dragCell, W_O, TensorId::wO)->Name("drag/W_O")->Apply(dragSizes);
BENCHMARK_CAPTURE(dragCell, b_Q, TensorId::bQ)->Name("drag/b_Q")->Apply(dragSizes);
BENCHMARK_CAPTURE(dragCell, b_V, TensorId::bV)->Name("drag/b_V")->Apply(dragSizes);
BENCHMARK(dragMaskCell)->Name("drag/mask")->Apply(dragSizes);
BENCHMARK_CAPTURE(dragCell, X, TensorId::x)->Name("drag/X")->Apply(dragSizes);
BENCHMARK(showNewPass)
    ->Name("show")
    ->ArgNames({"D", "H", "T"})
    ->Args({512, 8, 30})
    ->Args({768, 12, 128})
    ->Args({768, 12, 1024})
    ->Args({256, 16, 4096})
    ->Unit(benchmark::kMillisecond)
    ->UseManualTime()
    ->Iterations(5);
BENCHMARK(buildHeadsPage)->Name("heads/build")->Apply(longInputs);
BENCHMARK(panHeadsPage)->Name("heads/pan")->Apply(longInputs);
BENCHMARK(buildTrainPage)
    ->Name("train/frame")
    ->Unit(benchmark::kMillisecond)
    ->UseManualTime()
    ->Iterations(1)
    ->Repetitions(3);
BENCHMARK(buildFrame)->Name("frame/build")->Apply(sizes);
BENCHMARK(buildFrameHovering)->Name("frame/build_hovering")->Apply(sizes);
BENCHMARK(drawFrame)->Name("frame/draw")->Apply(sizes);

}  // namespace

void registerViews() {
  for (const View& view : everyView()) {
    benchmark::RegisterBenchmark(fmt::format("view/{}", view.name).c_str(), buildView, view)
        ->ArgName("scale")
        ->Arg(1)
        ->Arg(2)
        ->Apply(bestOfNine);
  }
}

}  // namespace headscope::bench
