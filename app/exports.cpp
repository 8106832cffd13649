#include "app/exports.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <utility>

#include "app/ui/export_subject.h"
#include "app/ui/model/chosen_head.h"
#include "app/ui/model/why_question.h"
#include "app/worksheet_pdf.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/trace.h"
#include "core/formats/export_tensor.h"
#include "core/formats/pass_files.h"
#include "core/formats/pytorch_script.h"
#include "core/formats/training_curves.h"
#include "core/formats/why_json.h"
#include "core/platform/paths.h"
#include "core/presets/worksheet.h"

namespace headscope {
namespace {

using ui::ExportKind;
using ui::ExportRequest;

std::string scriptSentence(const std::string& of, const std::filesystem::path& folder) {
  return trFormat("exported a PyTorch script of {}: run python3 {}", of,
                  wholePath(folder / formats::kScriptName));
}

/// Writes a tensor, the trace or a script of Flow's layer. Returns the sentence that reports it.
/// The host draws pictures.
std::string writeExport(const ExportRequest& request, const Trace& trace) {
  const std::string of = ui::layerInWords(trace.document());
  switch (request.kind) {
    case ExportKind::tensor:
      formats::exportTensor(request.path, trace, request.tensor, request.format);
      return trFormat("exported {} {} of {} to {}", info(request.tensor).name,
                      toString(shapeOf(request.tensor, trace.config())), of,
                      wholePath(request.path));
    case ExportKind::trace:
      formats::saveTrace(request.path, trace);
      return trFormat("saved every tensor of {} to {}", of, wholePath(request.path));
    case ExportKind::script:
      formats::exportPyTorch(request.path, trace);
      return scriptSentence(of, request.path);
    case ExportKind::chain:
    case ExportKind::curves:
    case ExportKind::film:
    case ExportKind::picture:
    case ExportKind::worksheet:
      break;
  }
  return {};
}

/// Writes a tensor, the trace or a script of the model's pass; the script is of the chosen layer.
std::string writeModelExport(const ExportRequest& request, const model::ModelTrace& trace) {
  switch (request.kind) {
    case ExportKind::tensor:
      formats::exportTensor(request.path, trace, request.modelTensor, request.format);
      return trFormat("exported {} {} of {} to {}", toString(request.modelTensor),
                      toString(shapeOf(request.modelTensor, trace)), ui::modelInWords(trace),
                      wholePath(request.path));
    case ExportKind::trace:
      formats::saveTrace(request.path, trace);
      return trFormat("saved every tensor of {} to {}", ui::modelInWords(trace),
                      wholePath(request.path));
    case ExportKind::script: {
      const Index layer = ui::chosenHead(request.view.model, trace.config()).layer;
      formats::exportPyTorch(request.path, *trace.layer(layer));
      return scriptSentence(ui::layerOfModelInWords(trace, layer), request.path);
    }
    case ExportKind::chain:
    case ExportKind::curves:
    case ExportKind::film:
    case ExportKind::picture:
    case ExportKind::worksheet:
      break;
  }
  return {};
}

std::string writeSheet(const ExportRequest& request, const Document& document) {
  const auto seed = static_cast<std::uint64_t>(request.seed);
  writeWorksheet(request.path, seed, request.ofLayer ? document : *byHandDocument());
  return trFormat("exported worksheet {} with its answers to {}", seed, wholePath(request.path));
}

std::string writeCurves(const std::filesystem::path& path, const TrainingMoment* moment) {
  if (moment == nullptr)
    throw UserError(tr("there are no curves yet: train a model on the page Train first"));
  writeAtomically(path, [&](std::ostream& file) {
    file << formats::curvesCsv(*moment->task, moment->records, moment->evaluations);
  });
  return trFormat("exported the curves of {} steps on the task {} ({} layers of {} heads) to {}",
                  withThousands(moment->stepsTaken), moment->task->title,
                  moment->settings.model.layers, moment->settings.model.heads, wholePath(path));
}

std::string writeStoryCurves(const std::filesystem::path& path, const LanguageMoment* moment) {
  if (moment == nullptr) {
    throw UserError(tr("there are no curves yet: train a model on the page Train first"));
  }
  writeAtomically(path, [&](std::ostream& file) {
    file << formats::curvesCsv(moment->records, moment->evaluations);
  });
  return trFormat("exported the curves of {} steps on {} ({} layers of {} heads) to {}",
                  withThousands(moment->stepsTaken),
                  moment->corpus->stories ? "stories" : moment->corpus->title,
                  moment->settings.model.layers, moment->settings.model.heads, wholePath(path));
}

std::string writeShapeCurves(const std::filesystem::path& path, const ShapeMoment* moment) {
  if (moment == nullptr || moment->records.empty()) {
    throw UserError(tr("there are no curves yet: train a model on the page Train first"));
  }
  const images::ImageModelSettings& m = moment->settings.model;
  writeAtomically(path, [&](std::ostream& file) {
    file << formats::curvesCsv(moment->records, moment->evaluations, m.heads);
  });
  return trFormat("exported the curves of {} steps on shapes ({} layers of {} heads) to {}",
                  withThousands(std::ssize(moment->records)), m.layers, m.heads, wholePath(path));
}

/// Writes the chain that the page Model shows, as `headscope why --json` does.
std::string writeChain(const ExportRequest& request, const ModelMoment* moment) {
  const auto question =
      moment == nullptr ? std::nullopt : ui::whyQuestion(request.view.model, *moment);
  if (!question) {
    throw UserError(tr("there is no chain yet: open a model, and its tab Why on the page Model"));
  }
  const model::WhyChain chain =
      whyChain(moment->trace, *question, model::stepsFrom(request.view.model.prediction.why),
               formats::kMeasuredParts);
  const formats::WhyNames names{moment->tokenizer, moment->first().tokenizer};
  const Json json = whyJson(chain, names);
  writeAtomically(request.path, [&](std::ostream& file) { file << json.dump(2) << '\n'; });
  return trFormat("exported the chain of {} steps to {}", chain.steps.size(),
                  wholePath(request.path));
}

}  // namespace

std::string wholePath(const std::filesystem::path& path) {
  return platform::absolutePath(path).string();
}

void Exports::askForTrace(const ui::Selection& selection) {
  ExportRequest request;
  request.kind = ExportKind::trace;
  request.ofModel = selection.page == ui::kModelPage;
  request.path = tracePath_;
  const auto same = [&](const ExportRequest& asked) {
    return asked.kind == ExportKind::trace && asked.ofModel == request.ofModel;
  };
  if (std::any_of(asked_.begin(), asked_.end(), same)) return;
  if (request.ofModel && model_.moment() == nullptr) {
    return documents_.say(tr("no model is open: open one on the page Model first"), true);
  }
  const bool busy = request.ofModel ? model_.busy() : documents_.busy();
  ask(std::move(request));
  if (busy) documents_.say(tr("the trace is saved as soon as it is computed"));
}

std::optional<ExportRequest> Exports::start() {
  ExportRequest request = std::move(asked_.front());
  asked_.pop_front();
  if (request.kind == ExportKind::picture || request.kind == ExportKind::film) return request;
  if (request.kind == ExportKind::curves && learnsLanguage(request.view.train)) {
    write([path = request.path, moment = language_.moment()] {
      return writeStoryCurves(path, moment.get());
    });
    return std::nullopt;
  }
  if (request.kind == ExportKind::curves && learnsShapes(request.view.train)) {
    write([path = request.path, moment = shapes_.moment()] {
      return writeShapeCurves(path, moment.get());
    });
    return std::nullopt;
  }
  if (request.kind == ExportKind::curves) {
    write([path = request.path, moment = training_.moment()] {
      return writeCurves(path, moment.get());
    });
    return std::nullopt;
  }
  if (request.kind == ExportKind::worksheet) {
    write([request = std::move(request), document = documents_.newest()] {
      return writeSheet(request, *document);
    });
    return std::nullopt;
  }
  if (request.kind == ExportKind::chain) {
    write([request = std::move(request), moment = model_.moment()] {
      return writeChain(request, moment.get());
    });
    return std::nullopt;
  }
  if (request.ofModel) {
    write([request = std::move(request), shown = model_.moment()->trace] {
      return writeModelExport(request, *shown);
    });
    return std::nullopt;
  }
  write([request = std::move(request), shown = documents_.trace()] {
    return writeExport(request, *shown);
  });
  return std::nullopt;
}

bool Exports::reportFilmProgress(const FilmProgress& progress) {
  film_ = progress;
  return !std::exchange(filmStops_, false);
}

void Exports::filmStopped() {
  film_.reset();
  const char* const kSentence = tr("the film was stopped: no file was written");
  dialog_.finished(kSentence, false);
  documents_.say(kSentence, false);
}

void Exports::write(std::function<std::string()> write) {
  film_.reset();
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
