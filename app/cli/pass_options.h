// Pass options: the flags that describe one pass, shared by all commands that compute one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/config_options.h"
#include "app/cli/file_flags.h"
#include "core/document/document.h"
#include "core/document/trace_gradients.h"
#include "core/formats/session.h"

namespace headscope::cli {

struct PassOptions {
  ConfigOptions config;

  std::string init;  // empty where not given, as are the file names
  std::optional<std::uint64_t> seed;
  std::string weights;
  std::string prefix;

  std::vector<std::string> texts;        // one per batch item
  std::vector<std::string> memoryTexts;  // likewise
  std::vector<std::string> series;       // files, likewise
  std::string input;

  bool causal = false;
  std::optional<Index> window;
  std::vector<Index> lengths;
  std::optional<double> temperature;
  bool noScale = false;
  std::string positionsKind;  // "rope", "alibi", or empty
  bool noPositions = false;
  bool sinusoidalPositions = false;
  std::vector<Index> dropHeads;
  std::vector<std::string> pins;  // "raw_scores[0,5,2,1]=30"
  std::vector<std::string> mistakes;
  std::optional<double> dropout;
  std::optional<std::uint64_t> dropoutSeed;
  int threads = 0;  // 0: one per core

  std::string session;  // the whole pass, in place of all flags above but --threads
  std::optional<int> scene;
  std::string contradiction;  // a flag that was given beside --session

  std::string model;  // a layer of it, in place of all flags above but --threads and what is tried
  std::optional<Index> layer;
  std::vector<Index> ids;          // of its tokens
  bool strict = false;             // what its pass would leave out is refused
  std::string modelContradiction;  // a flag that was given beside --model
};

void addPassOptions(CLI::App& app, PassOptions& options);

/// Adds the files that the pass is read from.
void addFilesRead(FileFlags& files, const PassOptions& options);

/// The session that --session names.
formats::Session sessionFrom(const PassOptions& options);
/// Its scene that --scene names; null where no scene is asked for.
const formats::SavedScene* sceneFrom(const PassOptions& options, const formats::Session& session);

/// Throws UserError for flags that contradict each other and for whatever cannot be used.
DocumentPtr documentFrom(const PassOptions& options);

/// The same for the window and its pictures, which open on learned heads where no flag says where
/// weights are from, and on designed ones where none can be learned.
DocumentPtr documentForWindow(PassOptions options, bool learnNow = false);
/// Whether learned ones of its size are not there yet, and are to take the place of the designed
/// ones that it opens on unless it is to `learnNow`.
bool windowLearns(PassOptions options);

/// One whole pass over it.
TracePtr computePass(const PassOptions& options, const DocumentPtr& document);

/// Its gradients. `gradOutput` names the file of --grad-output; empty: 1 for every cell, the
/// gradient of the output's sum.
GradientsPtr computeGradients(const PassOptions& options, const TracePtr& trace,
                              const std::string& gradOutput);

}  // namespace headscope::cli
