// Config options: the flags that describe dimensions, with a preset's for all that are not given.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/attention/config.h"
#include "core/presets/presets.h"

namespace CLI {
class App;
}

namespace headscope::cli {

struct ConfigOptions {
  std::string preset;  // empty: not given
  std::optional<Index> dModel, heads, kvHeads, headDim, seqLen, memoryLen, batch;
  bool noBias = false;

  /// True where any flag but --preset is given.
  bool dimensionsGiven() const;
  /// The preset named, or original-transformer's.
  const Preset& basis() const;
  /// What to call it: empty where only dimensions are given.
  std::string name() const;
};

void addConfigOptions(CLI::App& app, ConfigOptions& options);

/// The preset's configuration with what the flags say instead; not validated.
AttentionConfig configFrom(const ConfigOptions& options);

/// Throws UserError with all that is wrong, the first thing in its text.
void requireValid(const AttentionConfig& config);

inline constexpr int kMostThreads = 1024;  // that --threads takes

/// Checks for CLI11: the sentence that says what is wrong, or nothing.
std::string notWhole(const std::string& text);
std::string notNumber(const std::string& text);
std::string notEmpty(const std::string& text);
std::string notSeed(const std::string& text);  // a whole number from 0

inline constexpr int kMaxThreads = 1024;

}  // namespace headscope::cli
