// Pass options: the flags that describe one pass, shared by all commands that compute a pass.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/cli/config_options.h"
#include "app/cli/file_flags.h"
#include "app/cli/image_options.h"
#include "app/cli/open_model.h"
#include "app/cli/target_text.h"
#include "core/attention/pair_bias.h"
#include "core/document/fwd.h"
#include "core/document/trace_gradients.h"
#include "core/formats/session.h"

namespace headscope {
struct Switch;
}  // namespace headscope

namespace headscope::cli {

/// The value of --pair-bias that draws it.
inline constexpr std::string_view kRandomBias = "random";

/// The switches whose flags are given, with their values.
using GivenSwitches = std::vector<std::pair<const Switch*, double>>;

struct PassOptions {
  ConfigOptions config;

  std::string init;  // empty where not given, like the file names
  std::optional<std::uint64_t> seed;
  bool seedOfCommand = false;  // --seed is of what the command makes, and goes with --session
  std::string weights;
  std::string prefix;

  std::vector<std::string> texts;        // one per batch item
  std::vector<std::string> memoryTexts;  // one per batch item
  std::vector<std::string> series;       // files, one per batch item
  std::string input;

  bool causal = false;
  std::optional<Index> window;
  std::vector<Index> lengths;
  GivenSwitches switches;
  std::string positionsKind;  // "rope", "alibi", or empty
  std::optional<Index> ropeDims;
  std::string ropePairs;      // "halves", "neighbours", or empty
  std::vector<double> sinks;  // one for each head
  std::string pairBias;       // "random", a file, or empty
  bool noPositions = false;
  bool sinusoidalPositions = false;
  std::vector<std::string> dropHeads;  // as head_flags.h has them
  std::vector<std::string> pins;       // "raw_scores[0,5,2,1]=30"
  std::vector<std::string> mistakes;
  std::optional<double> dropout;
  std::optional<std::uint64_t> dropoutSeed;
  int threads = 0;  // 0: one per core

  std::string session;  // the file of a session that replaces all flags above except --threads
  std::optional<int> scene;
  std::string contradiction;  // a flag given together with --session

  AdapterOptions adapter;  // of the model
  std::string model;  // a model's folder; its layer replaces the flags above, but not --threads
  std::optional<Index> layer;
  std::vector<Index> ids;  // the ids of the model's tokens
  ImageOptions image;      // of a model that reads images
  std::string attention;   // of two stacks: "encoder", "decoder" or "cross"
  TargetOptions target;
  bool strict = false;             // refuses a model with parts that the pass would leave out
  std::string modelContradiction;  // a flag given together with --model
};

/// Adds the flags of all switches that have one.
void addSwitches(CLI::App& app, GivenSwitches& switches, const char* group);
void setSwitches(AttentionConfig& config, const GivenSwitches& switches);
/// Adds --pair-bias.
void addPairBias(CLI::App& app, std::string& pairBias, const char* group);
/// The bias that --pair-bias names, for the sizes of a configuration. Throws UserError.
PairBias pairBiasFrom(const std::string& pairBias, const AttentionConfig& config,
                      std::uint64_t seed);

void addPassOptions(CLI::App& app, PassOptions& options);

/// Adds the files that the pass is read from.
void addFilesRead(FileFlags& files, const PassOptions& options);

/// The session that --session names.
formats::Session sessionFrom(const PassOptions& options);
/// Returns the session's scene that --scene names; null where the flag is absent.
const formats::SavedScene* sceneFrom(const PassOptions& options, const formats::Session& session);

/// Returns the document of the flags. Throws UserError for contradictory flags and unusable files.
DocumentPtr documentFrom(const PassOptions& options);

/// The document with the heads that are off, the pins, mistakes and dropout of the flags; `layer`:
/// its number in its model.
DocumentPtr withChanges(DocumentPtr document, const PassOptions& options, Index layer = 0);

/// Returns the document for the window and its pictures. Texts and series without flags for weights
/// get learned heads if these are stored or `learnNow` is set, and designed ones otherwise.
DocumentPtr documentForWindow(PassOptions options, bool learnNow = false);
/// Returns whether the window has to learn the heads of this size because none are stored. It shows
/// designed heads until then, unless it opens with `learnNow`.
bool windowLearns(PassOptions options);

/// Computes one whole pass.
TracePtr computePass(const PassOptions& options, const DocumentPtr& document);

/// Computes the gradients of a pass. `gradOutput`: the file of --grad-output; empty: 1 for every
/// cell, the gradient of the output's sum.
GradientsPtr computeGradients(const PassOptions& options, const TracePtr& trace,
                              const std::string& gradOutput);

}  // namespace headscope::cli
