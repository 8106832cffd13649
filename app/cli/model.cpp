// The model command: one pass of a whole model from its folder: its prediction at each token, the
// behaviour of each head, and a file with its attentions, hidden states and logits.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/config_options.h"
#include "app/cli/file_flags.h"
#include "app/cli/head_json.h"
#include "app/cli/image_options.h"
#include "app/cli/json_lines.h"
#include "app/cli/model_compare.h"
#include "app/cli/model_image.h"
#include "app/cli/model_pass.h"
#include "app/cli/model_readings.h"
#include "app/cli/model_set.h"
#include "app/cli/model_text.h"
#include "app/cli/open_model.h"
#include "app/cli/output.h"
#include "app/cli/steering_options.h"
#include "app/cli/target_text.h"
#include "app/cli/text_sets.h"
#include "app/cli/trace_options.h"
#include "core/base/error.h"
#include "core/base/memory_budget.h"
#include "core/base/numbers.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/formats/clip_folder.h"
#include "core/formats/families/family.h"
#include "core/formats/model_directory.h"
#include "core/formats/model_tensors.h"
#include "core/formats/shipped_model.h"
#include "core/formats/shipped_picture.h"
#include "core/formats/text_templates.h"
#include "core/images/shape_looks.h"
#include "core/model/model_heads.h"
#include "core/tensor/gemm.h"

namespace headscope::cli {
namespace {
using model::MeasuredPass;
using model::ModelConfig;
using model::ModelInput;
using model::ModelPtr;
using model::ModelTrace;

struct ModelOptions {
  std::string directory;
  AdapterOptions adapter;
  std::string compare;  // the same model unrounded
  ModelTextOptions text;
  ImageOptions image;
  std::vector<Index> ids;
  TargetOptions target;
  std::optional<Index> maskToken;
  std::vector<std::string> dropHeads;  // "L.H"
  std::string jsonLines;               // a file of texts, or a template
  SetOptions set;
  TemplateOptions templates;
  SteeringOptions steering;
  TraceOptions trace;
  bool probe = false;
  bool noHeads = false;
  Index predictions = 10;
  ModelReadings readings;
  int threads = 0;
  bool cut = false;
  bool strict = false;
  bool json = false;
};

/// Masks a token, as in the training of masked language models.
void maskOut(ModelInput& input, Index place, const std::string& folder, OpenModels& models) {
  if (place < 0 || place >= std::ssize(input.ids)) {
    throw UserError(fmt::format("--mask-token {}: the text has the tokens 0 to {}", place,
                                std::ssize(input.ids) - 1));
  }
  const auto tokenizer = models.tokenizer(folder);
  const auto mask = model::maskToken(*tokenizer);
  if (!mask) {
    throw UserError(fmt::format("--mask-token: {} knows no token [MASK] or <mask>", folder));
  }
  const auto at = static_cast<std::size_t>(place);
  input.ids[at] = *mask;
  input.tokens = model::namesOf(input.ids, *tokenizer);
}

/// Returns the whole text, or with --cut its first tokens that fit.
ModelInput fittingInput(const ModelOptions& options, OpenModels& models,
                        const ModelConfig& config) {
  ModelInput input = modelInput(models, options.directory, options.text, options.ids, config);
  const Index most = mostTokens(config);
  if (std::ssize(input.ids) <= most) return input;
  if (!options.cut || !options.text.pair.empty()) {
    throw UserError(
        fmt::format("the text has {} tokens, and {} takes at most {}: {}",
                    withThousands(std::ssize(input.ids)), options.directory, withThousands(most),
                    options.text.pair.empty() ? "shorten it, or give --cut to use only its start"
                                              : "shorten it; --cut cannot cut a pair"));
  }
  if (!options.ids.empty()) {
    std::vector<Index> first(options.ids.begin(), options.ids.begin() + most);
    return modelInput(models, options.directory, options.text, first, config);
  }
  const auto tokenizer = models.tokenizer(options.directory);
  const std::string whole = tokenized(options.text, *tokenizer).texts.front();
  ModelTextOptions cut;
  cut.texts = {std::string(model::firstTokens(whole, *tokenizer, most))};
  return modelInput(models, options.directory, cut, {}, config);
}

/// Throws UserError for flags that only a text gives a meaning, and for a missing image.
void checkImageFlags(const ModelOptions& o, const model::Model& model, bool clip) {
  requireImage(o.image, o.directory, model);
  if (o.readings.patchImage.given()) requireImage(o.readings.patchImage, o.directory, model);
  if (!o.image.given()) return;
  const std::array<std::pair<const char*, bool>, 9> ofTexts{{
      {"--text, --pair or --file", o.text.given() > 0 && !clip},
      {"--ids", !o.ids.empty()},
      {"--mask-token", o.maskToken.has_value()},
      {"--cut", o.cut},
      {"--jsonl", !o.jsonLines.empty()},
      {"--probe", o.probe},
      {"--generate", o.readings.generate > 0},
      {"--patch-text or --patch-ids", o.readings.patchText || !o.readings.patchIds.empty()},
      {"--steer-from", o.steering.from || o.steering.against},
  }};
  for (const auto& [flag, given] : ofTexts) {
    if (!given) continue;
    throw UserError(fmt::format(
        "{}: {} reads an image, for which this has no meaning: leave it out", flag, o.directory));
  }
}

ModelInput inputFrom(const ModelOptions& options, OpenModels& models, const model::Model& model) {
  const ModelConfig& config = model.config();
  if (options.image.given()) return imageInputFrom(options.image, options.directory, model);
  ModelInput input = fittingInput(options, models, config);
  if (options.maskToken) maskOut(input, *options.maskToken, options.directory, models);
  return input;
}

/// Runs a pass, and measures its heads unless the flags say otherwise.
MeasuredPass measured(const model::ModelDocumentPtr& document, const ModelOptions& options,
                      const ExecutionContext& execution) {
  const Index budget = defaultMemoryBudget() / 2;
  if (!options.noHeads) return measureModel(document, execution, budget).value();
  MeasuredPass pass;
  pass.trace = runModel(document, nullptr, execution, budget);
  return pass;
}

constexpr std::string_view kOfEncoder = "encoder:";

/// The flag's heads of one stack. Of two stacks, those of the encoder are written "encoder:0.3".
std::vector<HeadOfLayer> droppedHeads(const ModelOptions& options, const model::Model& stack,
                                      bool encoder) {
  std::vector<std::string> own;
  for (const std::string& text : options.dropHeads) {
    const bool ofEncoder = text.starts_with(kOfEncoder);
    if (text == "all" || ofEncoder == encoder) {
      own.push_back(ofEncoder ? text.substr(kOfEncoder.size()) : text);
    }
  }
  return headsFrom("--drop-heads", own, stack.config());
}

/// The document steered as the flags say.
model::ModelDocumentPtr steeredDocument(const ModelOptions& options,
                                        const model::ModelDocumentPtr& document,
                                        const formats::TokenizerPtr& names, ModelPass& pass,
                                        const ExecutionContext& execution) {
  auto steering = steeringFrom(options.steering, *document, names.get(), execution);
  pass.steering = steeringJson(options.steering, steering);
  return withSteering(*document, std::move(steering));
}

bool steersDecoder(const ModelOptions& options) {
  return options.steering.given() && !options.steering.inEncoder;
}

/// The document of a decoder over the target of the flags, or the one that it writes, steered and
/// without some heads, behind its start token.
model::ModelDocumentPtr overTarget(const ModelOptions& options, OpenModels& models,
                                   model::ModelDocumentPtr document, ModelPass& pass,
                                   const ExecutionContext& execution) {
  document = withoutHeads(*document, droppedHeads(options, *document->model, false));
  auto begun = document;
  std::optional<model::Steering> steering;
  if (steersDecoder(options)) {
    steering = steeringFrom(options.steering, *document, pass.names.get(), execution);
    pass.steering = steeringJson(options.steering, *steering);
    // its place may be one that the target does not have yet
    auto steered = std::make_shared<model::ModelDocument>(*document);
    steered->steering.push_back(*steering);
    begun = steered;
  }
  const bool continues = options.target.given() || options.readings.generate == 0;
  Target target = targetOf(options.target, models, options.directory, begun,
                           continues ? Writing() : options.readings.writing(), execution);
  pass.written = std::move(target.generated);
  document = withInput(*document, std::move(target.input));
  return steering ? withSteering(*document, std::move(*steering)) : document;
}

/// Runs the encoder, and returns the document of the decoder over the target.
model::ModelDocumentPtr decoderDocument(const ModelOptions& options, OpenModels& models,
                                        const ModelPtr& model, ModelPass& pass,
                                        const ExecutionContext& execution) {
  const ModelPtr& encoder = model->encoder();
  auto source = withoutHeads(*makeModelDocument(encoder, inputFrom(options, models, *encoder)),
                             droppedHeads(options, *encoder, true));
  if (options.steering.inEncoder) {
    source = steeredDocument(options, source, models.names(options.directory), pass, execution);
  }
  pass.encoder = measured(source, options, execution);
  return overTarget(options, models, emptyTarget(model, pass.encoder->trace), pass, execution);
}

/// The document of a model of one stack.
model::ModelDocumentPtr stackDocument(const ModelOptions& options, OpenModels& models,
                                      const ModelPtr& model, ModelPass& pass,
                                      const ExecutionContext& execution) {
  if (options.steering.inEncoder) {
    throw UserError(fmt::format(
        "--steer-encoder: {} has no encoder beside its decoder: leave it out", model->name()));
  }
  const auto document = withoutHeads(*makeModelDocument(model, inputFrom(options, models, *model)),
                                     droppedHeads(options, *model, false));
  return steersDecoder(options) ? steeredDocument(options, document, pass.names, pass, execution)
                                : document;
}

ModelPass computeModel(const ModelOptions& options, OpenModels& models) {
  const Index budget = defaultMemoryBudget();
  // half of the memory is for weights, the rest for the pass
  const bool clip = formats::isClipFolder(options.directory);
  const auto encoder = encoderFor(options.directory, options.image.given());
  const ModelPtr model = models.model(adaptedFolderFrom(options.directory, options.adapter),
                                      budget / 2, options.strict, encoder);
  refuseTarget(options.target, *model);
  checkImageFlags(options, *model, clip);
  prepareGemm();
  ExecutionContext execution;
  execution.threads = options.threads;
  ModelPass pass;
  const bool two = model->encoder() != nullptr;
  pass.names = two ? models.targetNames(options.directory) : models.names(options.directory);
  const auto document = two ? decoderDocument(options, models, model, pass, execution)
                            : stackDocument(options, models, model, pass, execution);
  static_cast<MeasuredPass&>(pass) = measured(document, options, execution);
  const auto touched = options.image.image.empty()
                           ? std::vector<bool>()
                           : formats::shapePatchesOf(options.image.image, model->config().image);
  if (!touched.empty()) pass.onShape = images::looksOnShape(*pass.trace, touched);
  if (clip && options.image.given()) {
    pass.match = textMatch(*pass.trace, options.directory, options.text, models, budget / 4,
                           !options.noHeads);
  }
  if (options.probe) {
    const auto random = repeatedRandomTokens(model->config(), pass.names.get());
    pass.probe = measureModel(withInput(*document, random), execution, budget / 2);
  }
  return pass;
}

/// The readings of a pass; a target that the model wrote is not continued further.
ModelReadings readingsOf(const ModelOptions& options, const ModelPass& pass) {
  ModelReadings readings = options.readings;
  readings.folder = options.directory;
  if (pass.written) readings.generate = 0;
  readings.gradients = options.trace.gradOfId || !options.trace.gradOf.empty();
  return readings;
}

Json modelJson(const ModelPass& pass, const ModelOptions& options) {
  const ModelTrace& trace = *pass.trace;
  const ModelInput& target = trace.document().input;
  const ModelInput& input = pass.encoder ? pass.encoder->trace->document().input : target;
  Json json = {{"schema", "headscope.model/1"},
               {"config", formats::configJson(*trace.document().model)}};
  if (input.pixels != nullptr) {
    json["image"] = imageJson(trace);
  } else {
    json["ids"] = input.ids;
  }
  if (!input.tokens.empty()) json["tokens"] = input.tokens;
  if (pass.encoder) {
    json["decoder_ids"] = target.ids;
    if (!target.tokens.empty()) json["decoder_tokens"] = target.tokens;
  }
  json["predictions"] = predictionsJson(pass, options.predictions);
  if (pass.written) addGenerated(json, *pass.written, pass.names);
  if (pass.match) json["match"] = matchJson(*pass.match, trace.config());
  if (!options.noHeads) {
    Json heads = Json::emptyList();
    if (pass.encoder) addHeads(heads, *pass.encoder, true);
    addHeads(heads, pass, false, pass.onShape);
    json["heads"] = std::move(heads);
  }
  if (pass.probe) {
    Json heads = Json::emptyList();
    addHeads(heads, *pass.probe);
    json["probe"] = {{"ids", pass.probe->trace->document().input.ids}, {"heads", heads}};
  }
  if (!pass.steering.isNull()) json["steering"] = pass.steering;
  if (trace.config().experts.count > 0) json["experts"] = expertsJson(trace);
  addNotes(json, trace.document().model->notes());
  json["ms"] = trace.ms;
  return json;
}

/// Returns whether all requested output can be shown in the window.
bool wantsWindow(const ModelOptions& o) {
  return o.text.given() == 0 && !o.image.given() && o.ids.empty() && !o.target.given() &&
         o.jsonLines.empty() && !o.set.given() && !o.maskToken && o.dropHeads.empty() &&
         !o.steering.given() && o.trace.path.empty() && !o.probe && !o.noHeads &&
         !o.readings.any() && !o.json && !o.cut;
}

/// The options with an adapter's base in the place of the adapter's own folder.
ModelOptions onBase(ModelOptions options) {
  const formats::AdaptedFolder place = adaptedFolderFrom(options.directory, options.adapter);
  options.directory = place.model.string();
  options.adapter.folder = place.adapter.folder.string();
  return options;
}

/// Throws UserError for a seed from which nothing is drawn.
void checkSeed(const ModelOptions& o) {
  if (!o.readings.seed || o.readings.temperature > 0.0) return;
  if (formats::isTextTemplate(o.jsonLines) || formats::isTextTemplate(o.set.texts)) return;
  throw UserError(
      "--seed: nothing is drawn: give --generate with a --temperature above 0, or --jsonl with a "
      "template");
}

/// Checks the flags of files, then computes.
ModelPass checkedPass(const ModelOptions& options, OpenModels& models) {
  checkSeed(options);
  checkTemplateFlags({options.templates.count, {}}, options.jsonLines);
  FileFlags files;
  files.reads("DIR", options.directory);
  files.reads("--adapter", options.adapter.folder);
  if (options.text.file != "-") files.reads("--file", options.text.file);
  addFilesRead(files, options.image);
  addFilesRead(files, options.readings.patchImage);
  noteTraceFile(files, options.trace);
  files.check();
  options.trace.check();
  return computeModel(options, models);
}

void writeTrace(const ModelOptions& options, const ModelPass& pass) {
  if (options.trace.path.empty()) return;
  TraceFile(options.trace, pass.trace, pass.names, options.threads, options.readings.at,
            pass.match ? matchTensors(*pass.match) : std::vector<NamedTensor>())
      .save();
}

// Errors are raised before anything is printed or written.

Json modelJsonOf(const ModelOptions& given, OpenModels& models) {
  const ModelOptions options = onBase(given);
  const ModelPass pass = checkedPass(options, models);
  Json json = modelJson(pass, options);
  addReadings(json, readingsOf(options, pass), pass.trace, pass.names);
  writeTrace(options, pass);
  return json;
}

void runModelCommand(const ModelOptions& given, OpenModels& models, std::ostream& out) {
  const formats::AdaptedFolder place = adaptedFolderFrom(given.directory, given.adapter);
  if (!given.compare.empty()) {
    return compareModels(place.model.string(), given.compare, given.json, out);
  }
  if (wantsWindow(given)) return openModelWindow(place, given.threads, given.strict, out);
  const ModelOptions options = onBase(given);
  const TemplateOptions made{options.templates.count, options.readings.seed};
  checkSetOptions(options.set);
  if (options.set.given()) {
    checkTemplateFlags(made, options.set.texts);
    const auto model = models.model(place, defaultMemoryBudget() / 2, options.strict,
                                    encoderFor(options.directory, false));
    return printMeasuresOfSet(options.set, made, models, model, options.directory, options.threads,
                              options.json, out);
  }
  if (!options.jsonLines.empty()) {
    const auto texts =
        textsOfSet(options.jsonLines, made, models, options.directory, options.text.in);
    return printJsonLines(out, texts, "model", [&](const formats::TextOfSet& text) {
      ModelOptions line = options;
      setText(line.text, line.ids, text.text);
      return modelJsonOf(line, models);
    });
  }
  if (options.json) return printJson(out, modelJsonOf(options, models));
  const ModelPass pass = checkedPass(options, models);
  std::ostringstream text;
  print(text, pass);
  if (pass.written) {
    printGenerated(text, "the target, written by the model", *pass.written,
                   options.readings.writing(), pass.names);
  }
  printReadings(text, readingsOf(options, pass), pass.trace, pass.names);
  writeTrace(options, pass);
  out << text.str();
  if (!options.trace.path.empty()) out << "\ntrace: " << options.trace.path << '\n';
}

}  // namespace

Command addModel(CLI::App& app, Context& context) {
  CLI::App* sub =
      app.add_subcommand("model",
                         "a whole model from its folder: opens its window; with a text, "
                         "prints one pass with predictions and all heads");
  auto options = std::make_shared<ModelOptions>();
  sub->add_option(
         "directory", options->directory,
         fmt::format("folder with config.json and model.safetensors (or its index and "
                     "parts), or of a LoRA adapter whose base is found; {}, {} or {}: the "
                     "models that come with the program",
                     formats::kStoriesModel, formats::kInductionModel, formats::kShapesModel))
      ->required()
      ->check(notEmpty)
      ->type_name("DIR");
  sub->footer(fmt::format("Models of these kinds (model_type) open: {}.\n\n{}",
                          formats::knownTypes(), labelRule()));
  addAdapterFlags(*sub, options->adapter);
  addModelText(*sub, options->text, context);
  sub->add_option("--mask-token", options->maskToken,
                  "hide this token, from 0, and print the model's prediction for it")
      ->type_name("K");
  sub->get_option("--text")->description(
      "the text; with --image of a CLIP one of several, each with the flag");
  addModelIds(*sub, options->ids);
  addTargetFlags(*sub, options->target);
  addImageFlags(*sub, options->image);
  sub->add_option("--compare", options->compare,
                  "print what the rounding of the weights (GGUF, F16) changed in each tensor, "
                  "against the same model in this folder or file")
      ->check(notEmpty)
      ->type_name("DIR");
  sub->add_flag("--cut", options->cut,
                "use only the start of a text that is longer than the model's positions");
  sub->add_flag("--strict", options->strict, kStrictHelp);
  sub->add_option("--drop-heads", options->dropHeads,
                  "switch off these heads, from 0: 0.3,L5H1, or all of them: all")
      ->delimiter(',')
      ->type_name("L.H,…");
  addSteeringFlags(*sub, options->steering);
  addTraceOptions(*sub, options->trace);
  addJsonLines(*sub, options->jsonLines)->excludes(sub->get_option("--trace"));
  addSetOptions(*sub, options->set, context);
  sub->add_flag("--probe", options->probe,
                "also label the heads on random tokens given twice (Olsson et al. 2022)");
  sub->add_flag("--no-heads", options->noHeads, "do not measure and label the heads");
  sub->add_option("--predictions", options->predictions,
                  "the number of most probable tokens at each place in the JSON, 10 unless given")
      ->check(CLI::Range(Index{0}, Index{1000}))
      ->type_name("K");
  addModelReadings(*sub, options->readings);
  addTemplateFlags(*sub, options->templates);
  addThreads(*sub, options->threads);
  sub->add_flag("--json", options->json, "print JSON");
  return {
      sub,
      [options, &context](std::ostream& out) { runModelCommand(*options, context.models, out); },
      [options, &context] { return modelJsonOf(*options, context.models); }};
}

}  // namespace headscope::cli
