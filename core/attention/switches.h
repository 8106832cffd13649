// Switches: the flags and numbers of AttentionConfig that change a pass, and the table that
// declares each of them once. Files, lessons, the command line, the menu, the undo list and the
// engine read the table.
//
//   AttentionConfig config;
//   config.switches->temperature = 2.0;
#pragma once

#include <span>
#include <string_view>
#include <variant>

#include "core/attention/steps/step_id.h"

namespace headscope {

struct AttentionConfig;

struct Switches {
  bool bias = true;
  bool scale = true;         // × 1/√d_k
  bool alibi = false;        // scores lose a head's slope times the distance (alibi.h)
  bool gate = false;         // each number of a head is multiplied by a gate: σ(X W_Gᵀ + b_G)
  double temperature = 1.0;  // scores are divided by it
  double scoreCap = 0.0;     // scores stay within ±scoreCap: cap·tanh(score / cap); 0: no cap

  bool operator==(const Switches&) const = default;
};

struct Switch {
  std::variant<bool Switches::*, double Switches::*> field;
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

/// In the order of Switches.
std::span<const Switch> allSwitches();
/// The switch of a field: switchOf(&Switches::scale).
const Switch& switchOf(const decltype(Switch::field)& field);

/// A switch's value; a flag counts 0 or 1.
double valueOf(const Switch& which, const AttentionConfig& config);
void setValue(const Switch& which, AttentionConfig& config, double value);
/// A switch's value in a configuration that sets none.
double defaultOf(const Switch& which);

/// Returns whether two configurations agree in the switches of a step.
bool sameSwitches(StepId step, const AttentionConfig& a, const AttentionConfig& b);

}  // namespace headscope
