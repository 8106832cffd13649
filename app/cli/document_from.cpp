// Builds the document of a pass from its flags: input, weights and configuration, each checked
// against the others.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "app/cli/head_flags.h"
#include "app/cli/layer_of_model.h"
#include "app/cli/output.h"
#include "app/cli/pass_input.h"
#include "app/cli/pass_options.h"
#include "core/attention/state_dict.h"
#include "core/attention/switches.h"
#include "core/base/memory_budget.h"
#include "core/document/document.h"
#include "core/editing/edit.h"
#include "core/editing/make_document.h"
#include "core/formats/pass_files.h"
#include "core/input/tables.h"
#include "core/input/training_domain.h"
#include "core/presets/presets.h"
#include "core/training/learned_layer.h"
#include "core/training/learned_weights.h"

namespace headscope::cli {
namespace {

/// Given weights, not drawn at random: a file's, or a preset's own.
struct GivenWeights {
  std::string name;  // the name of the file or preset
  Weights weights;
  bool bias = true;
  Index heads = 0;
  Index kvHeads = 0;
  HeadNorm headNorm = {};
};

void refuseContradictions(const PassOptions& o) {
  const bool text = !o.texts.empty();
  const bool memoryText = !o.memoryTexts.empty();
  const bool input = !o.input.empty();
  const bool weights = !o.weights.empty();
  const Index memoryLen = o.config.memoryLen.value_or(1);
  refuseIf(text && !o.series.empty(),
           "--text and --series both give the input: leave one of them out");
  refuseIf(text && input, "--text and --input both give the input: leave one of them out");
  refuseIf(memoryText && !o.series.empty(),
           "--memory-text needs a text as input, and --series gives a series: leave one out");
  refuseIf(memoryText && input,
           "--memory-text needs a text as input, and --input gives tensors: leave one out");
  refuseIf(input && !o.series.empty(),
           "--series and --input both give the input: leave one of them out");
  refuseIf(!o.prefix.empty() && !weights,
           "--prefix names tensors of a file: give --weights as well");
  refuseIf(!o.init.empty() && weights,
           "--init and --weights both give the weights: leave one of them out");
  refuseIf(o.seed && weights,
           "--seed draws weights and --weights loads them: leave one of them out");
  refuseIf(o.init == "designed" && input,
           "--init designed needs the named coordinates of a text or a series, and --input gives X "
           "as numbers: leave one of them out");
  refuseIf(o.init == "learned" && input,
           "--init learned needs a text or a series, and --input gives X as numbers: leave one of "
           "them out");
  refuseIf(o.noPositions && o.sinusoidalPositions,
           "--no-positions and --sinusoidal-positions contradict each other: leave one out");
  refuseIf(o.dropoutSeed && !o.dropout,
           "--dropout-seed chooses the dropped weights: give --dropout as well");
  refuseIf(memoryLen == 0 && memoryText,
           "--memory-len 0 means no memory: leave out --memory-len or --memory-text");
}

/// Checks the dimensions before anything of their size is allocated; the mask is checked later,
/// with the final dimensions.
void requireValidSizes(AttentionConfig config) {
  config.mask = {};
  config.pairBias = {};
  config.headGains.clear();
  requireValid(config);
}

/// The number of heads of loaded weights: the file's own, the requested one, or as many as fit into
/// W_Q at --head-dim.
Index headsOfFile(const PassOptions& o, const AttentionConfig& c,
                  const formats::LoadedWeights& loaded, const std::string& where) {
  if (const Index heads = formats::headsOfNorm(loaded); heads > 0) {
    requireSame(o.config.heads, heads, "--heads", where);
    return heads;
  }
  if (o.config.heads || !o.config.preset.empty()) return c.numHeads;
  if (!o.config.headDim) {
    throw UserError(
        fmt::format("{} do not contain their number of heads (d_model is {}): give --heads", where,
                    loaded.dModel));
  }
  const Index headDim = *o.config.headDim;
  if (loaded.queryFeatures % headDim != 0) {
    throw UserError(
        fmt::format("--head-dim {} does not divide the {} rows of W_Q in {}: give one that does",
                    headDim, loaded.queryFeatures, o.weights));
  }
  return loaded.queryFeatures / headDim;
}

std::optional<GivenWeights> weightsOfFile(const PassOptions& o, const AttentionConfig& c) {
  const auto loaded = formats::loadWeights(SafetensorsFile(o.weights), o.prefix);
  const std::string where = "the weights of " + o.weights;
  const Index heads = headsOfFile(o, c, loaded, where);
  requireSame(o.config.dModel, loaded.dModel, "--d-model", where);
  AttentionConfig own = c;
  own.dModel = loaded.dModel;
  own.numHeads = own.numKvHeads = heads;
  own.headDim = headDimOf(loaded.weights, heads);
  requireValidSizes(own);  // the heads must divide d_model before they are assigned
  const Index kvHeads = formats::kvHeadsFor(loaded, heads, o.weights);
  requireSame(o.config.kvHeads, kvHeads, "--kv-heads", where);
  return GivenWeights{o.weights, loaded.weights, loaded.bias, heads, kvHeads, loaded.headNorm};
}

std::optional<GivenWeights> givenWeights(const PassOptions& o, const AttentionConfig& c) {
  if (!o.weights.empty()) return weightsOfFile(o, c);
  const Preset& preset = o.config.basis();
  if (!preset.explicitWeights || !o.init.empty() || o.seed) return std::nullopt;
  const DocumentPtr own = makePreset(preset, {}, defaultMemoryBudget());
  return GivenWeights{own->weightSource.loadedFrom, own->weights, true, c.numHeads, c.numKvHeads};
}

/// Takes over the dimensions of given weights; `sourceFixes`: the input fixes them, too.
void takeDimensions(AttentionConfig& c, const GivenWeights& given, bool sourceFixes,
                    const PassOptions& o) {
  const Index dModel = given.weights.wQ.dim(1);
  const Index kvWidth = given.weights.wK.dim(1);
  const bool fixed = sourceFixes || o.config.dModel || !o.config.preset.empty();
  if (fixed && c.dModel != dModel) {
    throw UserError(fmt::format("{} is for d_model {}, and the {} for {}: {}", given.name, dModel,
                                sourceFixes ? "input is" : "pass asked for is", c.dModel,
                                o.weights.empty() ? "add --init xavier to draw new weights"
                                : sourceFixes     ? "give an input of that width"
                                                  : fmt::format("add --d-model {}", dModel)));
  }
  c.dModel = dModel;
  c.numHeads = given.heads;
  c.numKvHeads = given.kvHeads;
  c.headDim = headDimOf(given.weights, given.heads);
  if (o.config.headDim && *o.config.headDim != c.dK()) {
    throw UserError(fmt::format(
        "--head-dim {} does not agree with {}, whose {} heads are {} wide: {}", *o.config.headDim,
        given.name, c.numHeads, c.dK(),
        o.weights.empty() ? "add --init xavier to draw new weights" : "leave --head-dim out"));
  }
  c.switches->bias = c.switches->bias && given.bias;
  if (kvWidth != dModel && !c.crossAttention()) {
    throw UserError(fmt::format(
        "{}: W_K takes {} features, and X has {}: give a memory (--memory-text, or --input with "
        "one of that width)",
        given.name, kvWidth, dModel));
  }
  if (!sourceFixes) c.memoryWidth = kvWidth == dModel ? 0 : kvWidth;
}

void setPassSettings(AttentionConfig& c, const PassOptions& o) {
  setSwitches(c, o.switches);
  if (o.positionsKind == "rope") c.rotary.theta = Rotary::kUsualTheta;
  const bool turnsOtherwise = o.ropeDims.has_value() || !o.ropePairs.empty();
  if (turnsOtherwise && !c.rotary.on()) {
    throw UserError("--rope-dims and --rope-pairs change a rotation: add --positions-kind rope");
  }
  if (o.ropeDims) c.rotary.dims = *o.ropeDims;
  if (o.ropePairs == "neighbours") c.rotary.pairing = Rotary::Pairing::neighbours;
  if (o.ropePairs == "halves") c.rotary.pairing = Rotary::Pairing::halves;
  if (!o.sinks.empty()) {
    c.sinks.clear();
    for (const double sink : o.sinks) c.sinks.push_back(static_cast<float>(sink));
  }
  if (o.positionsKind == "alibi") c.switches->alibi = true;
  if (o.causal) c.mask.causal = true;
  if (o.window) c.mask.window = *o.window;
  if (!o.lengths.empty()) c.mask.lengths = o.lengths;
}

Pin pinFrom(const std::string& text) {
  const std::size_t equals = text.find('=');
  const auto cell = cellFromString(text.substr(0, equals));
  if (!cell || equals == std::string::npos) {
    throw UserError(fmt::format(
        "--pin {}: give a cell and its value, as in \"raw_scores[0,5,2,1]=30\" (item, head, row, "
        "column, from 0)",
        text));
  }
  return {*cell, parseNumber(text.substr(equals + 1), "--pin " + toString(*cell))};
}

/// Runs `action` and prefixes its UserError with the flag that caused it.
template <typename Do>
void underFlag(const char* flag, const std::string& text, Do action) {
  try {
    action();
  } catch (const UserError& error) {
    throw UserError(fmt::format("{} {}: {}", flag, text, error.what()));
  }
}

/// Returns the function that makes weights; learning prints its progress on stderr.
WeightMaker makerOf(int threads) {
  return [threads](const Document& d, WeightInit init, std::uint64_t seed) {
    if (init != WeightInit::learned) return drawWeightsFor(d, init, seed);
    ExecutionContext execution;
    execution.threads = threads;
    return formats::learnedWeights(d.config, trainingDomainOf(d), seed, execution, tellLearning)
        .value();
  };
}

/// Switches heads off; `layer`: the number of the document's layer in its model.
template <typename Apply>
void dropHeads(const PassOptions& o, Index heads, Index layer, Apply edit) {
  for (const Index head : headsOfLayerFrom("--drop-heads", o.dropHeads, layer, heads)) {
    edit(SetHeadGain{head, 0.0F});
  }
}

/// Applies dropout, mistakes and pins, after all other settings.
template <typename Apply>
void setWhatIf(const PassOptions& o, Apply edit) {
  if (o.dropout) {
    underFlag("--dropout", fmt::format("{}", *o.dropout), [&] {
      edit(SetDropout{{*o.dropout, o.dropoutSeed.value_or(1)}});
    });
  }
  for (const std::string& id : o.mistakes) {
    underFlag("--mistake", id, [&] { edit(SetMistake{mistakeFromString(id), true}); });
  }
  std::vector<Pin> pins;
  for (const std::string& text : o.pins) {
    const Pin pin = pinFrom(text);
    const auto before = std::ranges::find(pins, pin.cell, &Pin::cell);
    if (before != pins.end()) {
      throw UserError(
          fmt::format("--pin {} and --pin {} give the same cell two values: leave one out",
                      o.pins[static_cast<std::size_t>(before - pins.begin())], text));
    }
    pins.push_back(pin);
    underFlag("--pin", text, [&] { edit(SetPin{pin}); });
  }
}

}  // namespace

formats::Session sessionFrom(const PassOptions& o) {
  if (!o.contradiction.empty()) {
    throw UserError(fmt::format(
        "--session gives the whole pass, and {} describes it too: leave one of them out",
        o.contradiction));
  }
  return formats::loadSession(o.session, defaultMemoryBudget());
}

const formats::SavedScene* sceneFrom(const PassOptions& o, const formats::Session& session) {
  if (!o.scene) return nullptr;
  std::vector<int> numbers;
  for (const formats::SavedScene& scene : session.scenes) {
    numbers.push_back(scene.number);
    if (scene.number == *o.scene) return &scene;
  }
  throw UserError(fmt::format(
      "--scene {}: {} has {}", *o.scene, o.session,
      numbers.empty() ? std::string("no scenes: leave --scene out")
                      : fmt::format("the scenes {}: give one of them", fmt::join(numbers, ", "))));
}

DocumentPtr withChanges(DocumentPtr document, const PassOptions& o, Index layer) {
  const Index budget = defaultMemoryBudget();
  const auto edit = [&](const Edit& change) {
    document = apply(*document, change, budget).document;
  };
  dropHeads(o, document->config.numHeads, layer, edit);
  setWhatIf(o, edit);
  return document;
}

DocumentPtr documentFrom(const PassOptions& o) {
  refuseIf(o.scene && o.session.empty(), "--scene needs a session: give --session as well");
  if (!o.model.empty()) {
    const LayerOfModel layer = layerOfModel(o);
    return withChanges(layer.document, o, *o.layer);
  }
  refuseIf(o.layer.has_value(), "--layer needs a model: give --model as well");
  refuseIf(o.strict, "--strict needs a model's folder: give --model as well");
  refuseIf(!o.adapter.folder.empty(), "--adapter needs a model: give --model as well");
  refuseIf(!o.ids.empty(), "--ids needs a model: give --model as well");
  refuseIf(o.image.given(), "--image and --pixels need a model: give --model as well");
  refuseIf(!o.attention.empty(), "--attention needs a model: give --model as well");
  refuseIf(o.target.given(), "--target and --decoder-ids need a model: give --model as well");
  if (!o.session.empty()) {
    const formats::Session session = sessionFrom(o);
    const formats::SavedScene* scene = sceneFrom(o, session);
    return scene != nullptr ? scene->document : session.document;
  }
  refuseContradictions(o);
  const Index budget = defaultMemoryBudget();
  AttentionConfig config = configFrom(o.config);
  setPassSettings(config, o);
  AttentionConfig lengths = config;  // files may still set heads and d_model
  lengths.dModel = lengths.numHeads = lengths.numKvHeads = 1;
  lengths.rotary = {};
  lengths.sinks.clear();
  requireValidSizes(lengths);

  InputSource source = sourceFrom(o);
  config = fitTo(source, config);
  const auto* tensors = std::get_if<TensorSource>(&source);
  if (tensors != nullptr) requireAgreement(o, *tensors, config);
  if (tensors == nullptr && o.config.seqLen) config.seqLen = *o.config.seqLen;

  if (tensors != nullptr && o.init == "designed") {
    throw UserError(
        fmt::format("--init designed needs the named coordinates of a text or a series, and {} "
                    "gives X as numbers: add --text, or leave --init out",
                    tensors->name));
  }
  if (o.init == "learned" && tensors != nullptr) {
    throw UserError(
        fmt::format("--init learned needs a text or a series, and {} gives X as numbers: add "
                    "--text or --series, or leave --init out",
                    tensors->name));
  }
  if (o.init == "learned" && !trainingDomainOf(source)) {
    throw UserError(
        "--init learned needs a text or a series of steps, and this input is patches of an image: "
        "take --init designed, or leave --init out");
  }
  const auto given = givenWeights(o, config);
  if (given) takeDimensions(config, *given, tensors != nullptr, o);
  const WeightSource drawn{
      o.init.empty() ? WeightInit::xavier : weightInitFromString(o.init), o.seed.value_or(1), {}};
  DocumentPtr document =
      makeDocument(o.config.name(), config, std::move(source), positionsFrom(o), drawn, budget,
                   tensors == nullptr && o.config.seqLen.has_value(), makerOf(o.threads));
  const auto edit = [&](const Edit& change) {
    document = apply(*document, change, budget).document;
  };
  if (given) {
    edit(SetWeights{given->name, given->weights, config.switches->bias, config.numHeads,
                    config.numKvHeads, given->headNorm});
  }
  if (!o.pairBias.empty()) {
    underFlag("--pair-bias", o.pairBias, [&] {
      edit(SetPairBias{pairBiasFrom(o.pairBias, document->config, o.seed.value_or(1))});
    });
  }
  return withChanges(document, o);
}

namespace {

/// Returns whether neither flags nor a preset determine the weights, and X comes from words or
/// measurements.
bool opensFreely(const PassOptions& o) {
  const bool saysWeights =
      !o.init.empty() || o.seed || !o.weights.empty() || !o.session.empty() || !o.model.empty();
  const Preset& preset = o.config.basis();
  const bool given =
      o.texts.empty() && o.series.empty() && (preset.explicitWeights || preset.unlearned);
  return !saysWeights && o.input.empty() && !given;
}

bool canLearn(const PassOptions& o) {
  return trainingDomainOf(sourceFrom(o)) && training::learnsQuickly(configFrom(o.config));
}

bool areThere(const PassOptions& o) {
  const auto domain = trainingDomainOf(sourceFrom(o));
  return domain && formats::learnedAsset(configFrom(o.config), *domain, 1);
}

/// Sets the example text where no flag determines the input.
void takeOpeningText(PassOptions& o) {
  const bool said = !o.config.preset.empty() || !o.texts.empty() || !o.series.empty() ||
                    !o.input.empty() || !o.session.empty() || !o.model.empty();
  if (!said) o.texts = std::get<TextSource>(examples().front().source).texts;
}

}  // namespace

DocumentPtr documentForWindow(PassOptions o, bool learnNow) {
  takeOpeningText(o);
  if (opensFreely(o)) {
    o.init = canLearn(o) && (learnNow || areThere(o)) ? "learned" : "designed";
  }
  return documentFrom(o);
}

bool windowLearns(PassOptions o) {
  takeOpeningText(o);
  return opensFreely(o) && canLearn(o) && !areThere(o);
}

}  // namespace headscope::cli
