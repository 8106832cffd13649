#include "app/exports.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "core/error.h"
#include "core/formats/export_tensor.h"
#include "core/formats/files.h"
#include "core/formats/pytorch_script.h"
#include "core/formats/state_dict.h"
#include "core/formats/training_curves.h"
#include "core/platform/paths.h"

namespace headscope {
namespace {

using ui::ExportKind;
using ui::ExportRequest;

/// Writes what is of the pass and says so. A picture is the host's to draw.
std::string writeExport(const ExportRequest& request, const Trace& trace) {
  switch (request.kind) {
    case ExportKind::tensor:
      formats::exportTensor(request.path, trace, request.tensor, request.format);
      return fmt::format("exported {} {} to {}", info(request.tensor).name,
                         toString(shapeOf(request.tensor, trace.config())),
                         wholePath(request.path));
    case ExportKind::trace:
      formats::saveTrace(request.path, trace);
      return "saved every tensor to " + wholePath(request.path);
    case ExportKind::script:
      formats::exportPyTorch(request.path, trace);
      return fmt::format("exported a PyTorch script: run python3 {}",
                         wholePath(request.path / formats::kScriptName));
    case ExportKind::curves:
    case ExportKind::picture:
      break;
  }
  return {};
}

std::string writeCurves(const std::filesystem::path& path, const TrainingMoment* moment) {
  if (moment == nullptr) throw UserError("there are no curves yet: train on the page Train first");
  formats::writeAtomically(path, [&](std::ostream& file) {
    file << formats::curvesCsv(*moment->task, moment->records, moment->evaluations);
  });
  return fmt::format("exported the curves of {} steps to {}", moment->stepsTaken, wholePath(path));
}

}  // namespace

std::string wholePath(const std::filesystem::path& path) {
  return platform::absolutePath(path).string();
}

void Exports::askForTrace() {
  const auto same = [](const ExportRequest& asked) { return asked.kind == ExportKind::trace; };
  if (std::any_of(asked_.begin(), asked_.end(), same)) return;
  ask({ExportKind::trace, {}, {}, {}, 0, 0, tracePath_});
  if (documents_.busy()) documents_.say("the trace is saved as soon as it is computed");
}

std::optional<ExportRequest> Exports::start() {
  ExportRequest request = std::move(asked_.front());
  asked_.pop_front();
  if (request.kind == ExportKind::picture) return request;
  if (request.kind == ExportKind::curves) {
    write([path = request.path, moment = training_.moment()] {
      return writeCurves(path, moment.get());
    });
    return std::nullopt;
  }
  write([request = std::move(request), shown = documents_.trace()] {
    return writeExport(request, *shown);
  });
  return std::nullopt;
}

void Exports::write(std::function<std::string()> write) {
  task_.request([write = std::move(write)](const auto&) { return write(); });
}

void Exports::takeOutcome() {
  const auto outcome = task_.take();
  if (!outcome) return;
  const bool failed = !outcome->result;
  const std::string sentence = outcome->result.value_or(outcome->error);
  dialog_.finished(sentence, failed);
  documents_.say(sentence, failed);
}

}  // namespace headscope
