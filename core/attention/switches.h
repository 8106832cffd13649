// Switches: every flag and number of AttentionConfig that changes a pass, declared once. Files,
// lessons, the command line, the menu, the undo list and the engine read this table.
#pragma once

#include <span>
#include <string_view>
#include <tuple>
#include <variant>

#include "core/attention/steps/step_id.h"

namespace headscope {

struct AttentionConfig;

struct Switch {
  std::variant<bool AttentionConfig::*, double AttentionConfig::*> field;
  std::string_view key;  // in files, lessons and messages: "temperature"
  const char* title;     // in the menu and the undo list: "temperature"
  const char* about;     // its effect, for the menu and --help
  StepId step;           // the first step that computes with it
  // The command line's flag, with its sign: "--temperature" takes a number, "--no-scale" changes
  // the default of a bool. Null: it belongs to other flags.
  const char* flag = nullptr;
  bool inEveryFile = false;  // false: a file has it only where it is not the default
  // For numbers: the values that a pass can have, as a test and in words ("it must be …").
  bool (*accepts)(double value) = nullptr;
  const char* range = "";

  bool isFlag() const { return field.index() == 0; }
};

/// In the order of AttentionConfig.
std::span<const Switch> allSwitches();
/// The switch of a field: switchOf(&AttentionConfig::scale).
const Switch& switchOf(const decltype(Switch::field)& field);

/// A switch's value; a flag counts 0 or 1.
double valueOf(const Switch& which, const AttentionConfig& config);
void setValue(const Switch& which, AttentionConfig& config, double value);
/// A switch's value in a configuration that sets none.
double defaultOf(const Switch& which);

/// Returns whether two configurations agree in the switches of a step.
bool sameSwitches(StepId step, const AttentionConfig& a, const AttentionConfig& b);

/// References to all fields of a configuration. A new field does not compile before it is named
/// here, and a new flag or number does not before it has a row in the table of switches.
template <typename Config>
constexpr auto fieldsOf(Config& config) {
  auto& [dModel, numHeads, numKvHeads, headDim, seqLen, memoryLen, memoryWidth, batch, bias, scale,
         alibi, gate, mistakes, temperature, scoreCap, rotary, headNorm, relative, pairBias, mask,
         headGains, sinks, firstQuery, dropout] = config;
  return std::tie(dModel, numHeads, numKvHeads, headDim, seqLen, memoryLen, memoryWidth, batch,
                  bias, scale, alibi, gate, mistakes, temperature, scoreCap, rotary, headNorm,
                  relative, pairBias, mask, headGains, sinks, firstQuery, dropout);
}

}  // namespace headscope
