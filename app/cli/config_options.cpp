#include "app/cli/config_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>

#include "core/attention/config.h"
#include "core/attention/switches.h"
#include "core/platform/from_chars.h"
#include "core/presets/presets.h"

namespace headscope::cli {
namespace {

/// Returns a sentence where `text` as a whole is not a `Number`; else an empty string.
template <typename Number>
std::string unlike(const std::string& text, const char* what) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = platform::fromChars(text.data(), end, value);
  if (error == std::errc() && stop == end) return {};
  const bool outOfRange = error == std::errc::result_out_of_range && stop == end;
  return outOfRange ? fmt::format("'{}' is out of range", text)
                    : fmt::format("'{}' is not {}", text, what);
}

}  // namespace

bool ConfigOptions::dimensionsGiven() const {
  return dModel || heads || kvHeads || headDim || seqLen || memoryLen || batch || noBias;
}

const Preset& ConfigOptions::basis() const {
  return presetByName(preset.empty() ? "original-transformer" : preset);
}

std::string ConfigOptions::name() const {
  return preset.empty() && dimensionsGiven() ? "" : basis().name;
}

void addConfigOptions(CLI::App& app, ConfigOptions& options) {
  const char* group = "Dimensions";
  const auto whole = [&](const char* flag, std::optional<Index>& value, const char* about) {
    addWhole(app, flag, value, about)->group(group);
  };
  app.add_option("--preset", options.preset,
                 "the source of all values that no flag gives ('info --presets' lists them)")
      ->check(notEmpty)
      ->type_name("NAME")
      ->group(group);
  whole("--d-model", options.dModel, "D, features per token");
  whole("--heads", options.heads, "H, heads; must divide d_model, unless --head-dim is given");
  whole("--kv-heads", options.kvHeads, "key/value heads: fewer are shared (GQA), 1 is MQA");
  whole("--head-dim", options.headDim,
        "d_k, columns of Q and K per head (default d_model / heads)");
  whole("--seq-len", options.seqLen, "T, tokens; a text is cut or repeated to this length");
  whole("--memory-len", options.memoryLen,
        "M, tokens of the memory (cross-attention); a text is cut or repeated to this length");
  whole("--batch", options.batch, "B, batch items; the given ones repeat in turn");
  app.add_flag("--no-bias", options.noBias, "without b_Q, b_K, b_V, b_O and b_G")->group(group);
}

AttentionConfig configFrom(const ConfigOptions& options) {
  AttentionConfig config = options.basis().config;
  const auto take = [](const std::optional<Index>& given, Index& field) {
    if (given) field = *given;
  };
  take(options.dModel, config.dModel);
  take(options.heads, config.numHeads);
  if (options.heads) config.numKvHeads = config.numHeads;
  take(options.kvHeads, config.numKvHeads);
  if (options.headDim && *options.headDim < 1) {
    throw UserError(
        fmt::format("--head-dim is {}: it must be at least 1; leave it out for d_model / heads",
                    *options.headDim));
  }
  take(options.headDim, config.headDim);
  take(options.seqLen, config.seqLen);
  take(options.memoryLen, config.memoryLen);
  take(options.batch, config.batch);
  if (options.noBias) config.switches->bias = false;
  return config;
}

void refuseIf(bool wrong, const char* sentence) {
  if (wrong) throw UserError(sentence);
}

void requireValid(const AttentionConfig& config) {
  auto problems = validate(config);
  if (!problems.empty()) throw UserError(std::move(problems));
}

std::string notWhole(const std::string& text) { return unlike<Index>(text, "a whole number"); }

std::string notNumber(const std::string& text) {
  const char* what = "a finite number";
  double value = 0.0;
  platform::fromChars(text.data(), text.data() + text.size(), value);
  return std::isfinite(value) ? unlike<double>(text, what)
                              : fmt::format("'{}' is not {}", text, what);
}

std::string notEmpty(const std::string& text) { return text.empty() ? "it needs a value" : ""; }

std::string notSeed(const std::string& text) {
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  return digits ? notWhole(text) : "'" + text + "' is not a whole number of at least 0";
}

CLI::Option* addWhole(CLI::App& app, const std::string& flag, std::optional<Index>& value,
                      const std::string& about) {
  return app.add_option(flag, value, about)->check(notWhole)->type_name("N");
}

CLI::Option* addRepeatable(CLI::App& app, const char* flag, std::vector<std::string>& values,
                           const char* type, const char* about) {
  return app
      .add_option(
          flag,
          // unchanged: newer versions of CLI11 rewrite "{}" before this callback
          [&values, &app, flag](const CLI::results_t&) {
            values = app.get_option(flag)->results();
            return true;
          },
          about)
      ->allow_extra_args(false)
      ->take_all()
      ->type_name(type);
}

CLI::Option* addThreads(CLI::App& app, int& threads, const std::string& about) {
  constexpr int kMostThreads = 1024;
  return app.add_option("--threads", threads, about)
      ->check(CLI::Range(0, kMostThreads))
      ->type_name("N");
}

}  // namespace headscope::cli
