#include "app/cli/pass_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "core/attention/config.h"
#include "core/attention/switches.h"
#include "core/base/memory_budget.h"
#include "core/document/attention.h"
#include "core/document/trace_gradients.h"
#include "core/formats/pass_files.h"
#include "core/tensor/gemm.h"

namespace headscope::cli {
namespace {

constexpr const char* kSession = "Session";

/// The value of a flag: its name in the help, and the check that returns an error for a text.
struct Takes {
  const char* type;
  std::string (*check)(const std::string& text);
};
constexpr Takes kName{"NAME", notEmpty};
constexpr Takes kTensorFile{"FILE.safetensors", notEmpty};
constexpr Takes kWhole{"N", notWhole};
constexpr Takes kSeed{"N", notSeed};

template <typename Value>
CLI::Option* add(CLI::App& app, const char* flag, Value& value, const Takes& takes,
                 const char* about, const char* group) {
  return app.add_option(flag, value, about)
      ->check(takes.check)
      ->type_name(takes.type)
      ->group(group);
}

/// Adds a flag that takes whole numbers separated by commas.
void addList(CLI::App& app, const char* flag, std::vector<Index>& values, const char* about,
             const char* group) {
  add(app, flag, values, {"N,N", notWhole}, about, group)->delimiter(',')->allow_extra_args(false);
}

void addInputFlags(CLI::App& app, PassOptions& o) {
  const char* group = "Input (the preset's example without any)";
  addRepeatable(app, "--text", o.texts, "TEXT", "a sentence; repeat the flag for each batch item")
      ->group(group);
  addRepeatable(app, "--memory-text", o.memoryTexts, "TEXT",
                "text of the memory, for cross-attention")
      ->group(group);
  addRepeatable(app, "--series", o.series, "FILE.csv",
                "a series, one row for each time step; repeat the flag for each batch item")
      ->group(group);
  add(app, "--input", o.input, kTensorFile, "holds x (B,T,D or T,D), perhaps memory", group);
  app.add_flag("--no-positions", o.noPositions, "embed without positions")->group(group);
  app.add_flag("--sinusoidal-positions", o.sinusoidalPositions,
               "add Vaswani's sinusoids over all coordinates instead")
      ->group(group);
}

void addWeightFlags(CLI::App& app, PassOptions& o) {
  const char* group = "Weights";
  add(app, "--init", o.init, kName,
      "xavier (default; the window and render: learned), normal, identity, designed (heads built "
      "for stated purposes) or learned (from generated sentences or series; see `learn`)",
      group);
  add(app, "--seed", o.seed, kSeed, "seed of the weights (default 1)", group);
  add(app, "--weights", o.weights, kTensorFile,
      "state dict of nn.MultiheadAttention; with q_norm and k_norm, ε is 1e-6", group);
  add(app, "--prefix", o.prefix, kName,
      "prefix of its names in the file: encoder.layers.0.self_attn.", group);
}

}  // namespace

void addSwitches(CLI::App& app, GivenSwitches& switches, const char* group) {
  for (const Switch& each : allSwitches()) {
    if (each.flag == nullptr) continue;
    const auto take = [&switches, &each](double value) { switches.emplace_back(&each, value); };
    if (each.isFlag()) {
      app.add_flag_callback(
             each.flag, [take, &each] { take(1.0 - defaultOf(each)); }, each.about)
          ->group(group);
    } else {
      app.add_option_function<double>(each.flag, take, each.about)
          ->check(notNumber)
          ->type_name("X")
          ->group(group);
    }
  }
}

void setSwitches(AttentionConfig& config, const GivenSwitches& switches) {
  for (const auto& [which, value] : switches) setValue(*which, config, value);
}

void addPairBias(CLI::App& app, std::string& pairBias, const char* group) {
  add(app, "--pair-bias", pairBias, {"random|FILE", notEmpty},
      "a number for each head and pair of tokens that is added to their score, as in AlphaFold 2: "
      "drawn from the seed, or from a file: pair_bias (H,T,M) in .safetensors, or .npy",
      group);
}

PairBias pairBiasFrom(const std::string& pairBias, const AttentionConfig& config,
                      std::uint64_t seed) {
  return pairBias == kRandomBias
             ? PairBias::drawn(config.numHeads, config.seqLen, config.keys(), seed)
             : formats::loadPairBias(pairBias, config);
}

namespace {

void addPassFlags(CLI::App& app, PassOptions& o) {
  const char* group = "Attention";
  app.add_flag("--causal", o.causal, "no key after its query")->group(group);
  add(app, "--window", o.window, kWhole, "only keys less than N away (0: no window)", group);
  addList(app, "--lengths", o.lengths, "number of keys without padding, per batch item: 7,4,1",
          group);
  addSwitches(app, o.switches, group);
  app.add_option("--positions-kind", o.positionsKind,
                 "rope: pairs of coordinates of Q and K turn with their position (Su et al. 2021); "
                 "alibi: each head subtracts its slope times the distance from the scores, in the "
                 "step mask (Press et al. 2022)")
      ->check(CLI::IsMember({"rope", "alibi"}))
      ->type_name("rope|alibi")
      ->group(group);
  add(app, "--rope-dims", o.ropeDims, kWhole,
      "rope turns only the first N coordinates of each head (0: all)", group);
  app.add_option(
         "--rope-pairs", o.ropePairs,
         "the coordinates that rope pairs: j and j + d_k/2 (halves, the default), or 2j and "
         "2j + 1 (neighbours)")
      ->check(CLI::IsMember({"halves", "neighbours"}))
      ->type_name("halves|neighbours")
      ->group(group);
  add(app, "--sinks", o.sinks, {"S,S", notNumber},
      "a score without a key in the softmax of each head, as in gpt-oss: 0.5,-1,2,0", group)
      ->delimiter(',')
      ->allow_extra_args(false);
  addPairBias(app, o.pairBias, group);
  add(app, "--drop-heads", o.dropHeads, {"N,N", notEmpty},
      "heads that are off, from 0: 2,5; of a model's layer also 1.2 or L1H2; or all", group)
      ->delimiter(',')
      ->allow_extra_args(false);
  addRepeatable(
      app, "--pin", o.pins, "CELL=X",
      "gives a computed cell a value: \"raw_scores[0,5,2,1]=30\"; repeat the flag for others")
      ->group(group);
  addRepeatable(app, "--mistake", o.mistakes, "NAME",
                "makes a common mistake: reshape, softmax-queries, …; repeat the flag for others")
      ->group(group);
  add(app, "--dropout", o.dropout, {"RATE", notNumber},
      "rate of dropped weights, as in training (default 0)", group);
  add(app, "--dropout-seed", o.dropoutSeed, kSeed, "seed of the dropped weights (default 1)",
      group);
  addThreads(app, o.threads)->group(group);
}

void addSessionFlags(CLI::App& app, PassOptions& o) {
  add(app, "--session", o.session, {"FILE.headscope.json", notEmpty},
      "a saved session, instead of all flags for the pass", kSession);
  app.add_option("--scene", o.scene, "the scene of the session, 1 to 9")
      ->check(CLI::Range(1, formats::kScenes))
      ->type_name("N")
      ->group(kSession);
}

void addModelFlags(CLI::App& app, PassOptions& o) {
  const char* group = "Layer of a model (instead of all flags except --drop-heads and --pin)";
  add(app, "--model", o.model, {"DIR", notEmpty}, "folder of a transformer, as `model` opens it",
      group);
  add(app, "--layer", o.layer, kWhole, "the layer whose attention is shown, from 0", group);
  addList(app, "--ids", o.ids, "ids of its tokens: 1,2,3", group);
  addImageFlags(app, o.image, group);
  app.add_option("--attention", o.attention,
                 "of an encoder–decoder model: the encoder's, the decoder's own or the "
                 "cross-attention of the layer")
      ->check(CLI::IsMember({"encoder", "decoder", "cross"}))
      ->type_name("encoder|decoder|cross")
      ->group(group);
  addTargetFlags(app, o.target, group);
  addAdapterFlags(app, o.adapter, group);
  app.add_flag("--strict", o.strict, kStrictHelp)->group(group);
}

/// Returns whether a flag may be combined with --model: those of its text, of heads that are
/// switched off and of pinned cells.
bool goesWithModel(const std::string& flag) {
  return flag == "--threads" || flag == "--text" || flag == "--drop-heads" || flag == "--pin";
}

}  // namespace

void addPassOptions(CLI::App& app, PassOptions& options) {
  const auto others = app.get_options();
  addConfigOptions(app, options.config);
  addInputFlags(app, options);
  addWeightFlags(app, options);
  addPassFlags(app, options);
  const auto all = app.get_options();
  addSessionFlags(app, options);
  addModelFlags(app, options);
  // a session contains the values of these flags; parsing shows which of them were given
  app.parse_complete_callback([&options, others, all] {
    for (CLI::Option* option : all) {
      const bool ofPass = std::find(others.begin(), others.end(), option) == others.end();
      if (!ofPass || option->count() == 0 || option->get_name() == "--threads") continue;
      if (options.seedOfCommand && option->get_name() == "--seed") continue;
      options.contradiction = option->get_name();
      if (!goesWithModel(option->get_name())) options.modelContradiction = option->get_name();
    }
  });
}

void addFilesRead(FileFlags& files, const PassOptions& options) {
  files.reads("--weights", options.weights);
  files.reads("--input", options.input);
  if (options.pairBias != kRandomBias) files.reads("--pair-bias", options.pairBias);
  for (const std::string& series : options.series) files.reads("--series", series);
  for (const auto& file : formats::filesOf(options.session)) files.reads("--session", file);
  files.reads("--model", options.model);
  addFilesRead(files, options.image);
  files.reads("--adapter", options.adapter.folder);
}

TracePtr computePass(const PassOptions& options, const DocumentPtr& document) {
  prepareGemm();  // initializes the library, so that it does not count in the steps' times
  ExecutionContext execution;
  execution.threads = options.threads;
  return runAttention(document, nullptr, execution);
}

GradientsPtr computeGradients(const PassOptions& options, const TracePtr& trace,
                              const std::string& gradOutput) {
  const AttentionConfig& config = trace->config();
  checkGradientsFit(config, defaultMemoryBudget());
  const Tensor given = gradOutput.empty()
                           ? gradOutputOfSum(config)
                           : formats::loadGradOutput(SafetensorsFile(gradOutput), config);
  ExecutionContext execution;
  execution.threads = options.threads;
  return gradientsOf(trace, given, execution);
}

}  // namespace headscope::cli
