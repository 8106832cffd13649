#include "app/cli/pass_options.h"

#include <CLI/CLI.hpp>

#include "core/attention.h"
#include "core/gemm.h"

namespace headscope::cli {
namespace {

constexpr int kMaxThreads = 1024;

std::string notSeed(const std::string& text) {
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  return digits ? notWhole(text) : "'" + text + "' is not a whole number from 0";
}

/// A flag given once per batch item. Its values are taken as they stand: CLI11 would read "{}" and
/// "[a,b]" as lists.
void addRepeatable(CLI::App& app, const char* flag, std::vector<std::string>& values,
                   const char* type, const char* about, const char* group) {
  app.add_option(
         flag,
         // as typed: newer versions of CLI11 rewrite "{}" on the way to this callback
         [&values, &app, flag](const CLI::results_t&) {
           values = app.get_option(flag)->results();
           return true;
         },
         about)
      ->allow_extra_args(false)
      ->take_all()
      ->type_name(type)
      ->group(group);
}

void addInputFlags(CLI::App& app, PassOptions& o) {
  const char* group = "Input (the preset's example without any)";
  addRepeatable(app, "--text", o.texts, "TEXT", "a sentence; again for each batch item", group);
  addRepeatable(app, "--memory-text", o.memoryTexts, "TEXT",
                "what is attended to instead: cross-attention", group);
  addRepeatable(app, "--series", o.series, "FILE.csv",
                "a series, one row a time step; again for each batch item", group);
  app.add_option("--input", o.input, "holds x (B,T,D or T,D), perhaps memory")
      ->check(notEmpty)
      ->type_name("FILE.safetensors")
      ->group(group);
  app.add_flag("--no-positions", o.noPositions, "embed without positions")->group(group);
  app.add_flag("--sinusoidal-positions", o.sinusoidalPositions,
               "add Vaswani's sinusoids over all coordinates instead")
      ->group(group);
}

void addWeightFlags(CLI::App& app, PassOptions& o) {
  const char* group = "Weights";
  app.add_option("--init", o.init, "xavier (default), normal or identity")
      ->check(notEmpty)
      ->type_name("NAME")
      ->group(group);
  app.add_option("--seed", o.seed, "of the weights (default 1)")
      ->check(notSeed)
      ->type_name("N")
      ->group(group);
  app.add_option("--weights", o.weights, "state dict of nn.MultiheadAttention")
      ->check(notEmpty)
      ->type_name("FILE.safetensors")
      ->group(group);
  app.add_option("--prefix", o.prefix, "of its names there: encoder.layers.0.self_attn.")
      ->check(notEmpty)
      ->type_name("NAME")
      ->group(group);
}

void addPassFlags(CLI::App& app, PassOptions& o) {
  const char* group = "Attention";
  app.add_flag("--causal", o.causal, "no key after its query")->group(group);
  app.add_option("--window", o.window, "only keys less than N away (0: no window)")
      ->check(notWhole)
      ->type_name("N")
      ->group(group);
  app.add_option("--lengths", o.lengths, "keys that count, per batch item: 7,4,1")
      ->check(notWhole)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("N,N")
      ->group(group);
  app.add_option("--temperature", o.temperature, "the scores are divided by it")
      ->check(notNumber)
      ->type_name("X")
      ->group(group);
  app.add_flag("--no-scale", o.noScale, "without 1/√d_k")->group(group);
  app.add_option("--drop-heads", o.dropHeads, "heads that are off, from 0: 2,5")
      ->check(notWhole)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("N,N")
      ->group(group);
  app.add_option("--threads", o.threads, "0 (default): one per core")
      ->check(CLI::Range(0, kMaxThreads))
      ->type_name("N")
      ->group(group);
}

}  // namespace

void addPassOptions(CLI::App& app, PassOptions& options) {
  addConfigOptions(app, options.config);
  addInputFlags(app, options);
  addWeightFlags(app, options);
  addPassFlags(app, options);
}

TracePtr computePass(const PassOptions& options, const DocumentPtr& document) {
  prepareGemm();  // so that the times are the steps' own
  Execution execution;
  execution.threads = options.threads;
  return runAttention(document, nullptr, execution);
}

}  // namespace headscope::cli
