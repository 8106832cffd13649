// Pass options: the flags that describe one pass, shared by all commands that compute one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/config_options.h"
#include "core/document.h"
#include "core/trace.h"

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
  bool noPositions = false;
  bool sinusoidalPositions = false;
  std::vector<Index> dropHeads;
  int threads = 0;  // 0: one per core
};

void addPassOptions(CLI::App& app, PassOptions& options);

/// Throws UserError for flags that contradict each other and for whatever cannot be used.
DocumentPtr documentFrom(const PassOptions& options);

/// One whole pass over it.
TracePtr computePass(const PassOptions& options, const DocumentPtr& document);

}  // namespace headscope::cli
