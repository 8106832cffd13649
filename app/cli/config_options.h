// Config options: the flags of dimensions, with the values of a preset for absent flags.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/index.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace headscope {
struct AttentionConfig;
struct Preset;
}  // namespace headscope

namespace headscope::cli {

struct ConfigOptions {
  std::string preset;  // empty: not given
  std::optional<Index> dModel, heads, kvHeads, headDim, seqLen, memoryLen, batch;
  bool noBias = false;

  /// Returns whether any flag except --preset is given.
  bool dimensionsGiven() const;
  /// The named preset, or original-transformer.
  const Preset& basis() const;
  /// The configuration's display name; empty where only dimensions are given.
  std::string name() const;
};

void addConfigOptions(CLI::App& app, ConfigOptions& options);

/// The preset's configuration, overridden by the flags; not validated.
AttentionConfig configFrom(const ConfigOptions& options);

/// Throws UserError for an invalid configuration; lists all problems.
void requireValid(const AttentionConfig& config);

/// Throws UserError where something is wrong.
void refuseIf(bool wrong, const char* sentence);

/// Checks for CLI11: each returns a sentence about the error, or an empty string.
std::string notWhole(const std::string& text);
std::string notNumber(const std::string& text);
std::string notEmpty(const std::string& text);
std::string notSeed(const std::string& text);  // a whole number from 0

/// Adds a flag that takes a whole number.
CLI::Option* addWhole(CLI::App& app, const std::string& flag, std::optional<Index>& value,
                      const std::string& about);
/// Adds a flag that may be given several times, with a value each. It keeps its values unchanged,
/// while a vector would read "{}" as an empty one.
CLI::Option* addRepeatable(CLI::App& app, const char* flag, std::vector<std::string>& values,
                           const char* type, const char* about);
/// Adds --threads.
CLI::Option* addThreads(CLI::App& app, int& threads,
                        const std::string& about = "0 (default): one per core");

}  // namespace headscope::cli
