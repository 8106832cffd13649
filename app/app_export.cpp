// What the program writes to files: exports, aside from the interface's thread.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <utility>

#include "app/app_state.h"
#include "core/formats/export_tensor.h"
#include "core/formats/pytorch_script.h"
#include "core/formats/state_dict.h"

namespace headscope {
namespace {

using ui::ExportKind;
using ui::ExportRequest;

std::string whole(const std::filesystem::path& path) {
  return std::filesystem::absolute(path).string();
}

/// Writes it and says so. A picture is the host's to draw.
std::string writeExport(const ExportRequest& request, const Trace& trace) {
  switch (request.kind) {
    case ExportKind::tensor:
      formats::exportTensor(request.path, trace, request.tensor, request.format);
      return fmt::format("exported {} {} to {}", info(request.tensor).name,
                         toString(shapeOf(request.tensor, trace.config())), whole(request.path));
    case ExportKind::trace:
      formats::saveTrace(request.path, trace);
      return "saved every tensor to " + whole(request.path);
    case ExportKind::script:
      formats::exportPyTorch(request.path, trace);
      return fmt::format("exported a PyTorch script: run python3 {}",
                         whole(request.path / formats::kScriptName));
    case ExportKind::picture:
      break;
  }
  return {};
}

}  // namespace

void App::State::exportNow(const ExportRequest& request) {
  if (request.kind != ExportKind::picture) {
    exporting.request(
        [request, shown = trace](const auto&) { return writeExport(request, *shown); });
    return;
  }
  PictureRequest picture;
  picture.program.history = std::make_shared<const History>(history);
  picture.program.trace = trace;
  picture.program.view = request.view;
  picture.program.compared = {keptState.document, keptState.name};
  picture.program.sessionPath = store.path();
  picture.program.scenes = store.scenes();
  picture.program.memoryBudget = memoryBudget;
  picture.width = static_cast<int>(request.width);
  picture.height = static_cast<int>(request.height);
  picture.path = request.path;
  pictureAsked = std::move(picture);
}

/// Once the newest document's trace is there, so that what is written is what was asked for.
void App::State::exportIfDue() {
  if (!exportAsked) return;
  if (worker.progress().busy || exporting.busy()) {
    nextChange = ui::kProgressPace;
    return;
  }
  takeResult();
  exportNow(*std::exchange(exportAsked, std::nullopt));
}

void App::State::takeExported() {
  const auto outcome = exporting.take();
  if (!outcome) return;
  exportDialog.writing = false;
  exportDialog.answerIsError = !outcome->result;
  exportDialog.answer = outcome->result.value_or(outcome->error);
  say(exportDialog.answer, exportDialog.answerIsError);
}

std::optional<PictureRequest> App::takePictureRequest() {
  return std::exchange(state_->pictureAsked, std::nullopt);
}

void App::pictureDrawn(const PictureRequest& request, std::function<void()> write) {
  state_->exporting.request([write = std::move(write), request](const auto&) {
    write();
    return fmt::format("exported a picture of {} × {} pixels to {}", request.width, request.height,
                       whole(request.path));
  });
}

}  // namespace headscope
