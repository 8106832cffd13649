// Cases: configurations of every kind, small and awkward ones first; tests run over all of them.
#pragma once

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "core/attention/config.h"
#include "core/document/document.h"
#include "tests/core/support/passes.h"

namespace headscope {
struct Switch;
}

namespace headscope::test {

struct Case {
  std::string name;
  AttentionConfig config;
};

std::ostream& operator<<(std::ostream& out, const Case& c);

AttentionConfig sized(Index dModel, Index heads, Index tokens, Index kvHeads = 0);

template <typename Change>
AttentionConfig with(AttentionConfig config, Change change) {
  change(config);
  return config;
}

std::vector<Case> allCases();

/// Interventions in attention: mistakes, dropout, and pins with each of them.
std::vector<Case> whatIfCases();

/// Queries and keys that are normalised or turned before they meet.
std::vector<Case> turnedCases();

/// Numbers added to scores: by distance, for later keys too or not, and for each pair.
std::vector<Case> pairBiasCases();

/// Settings that belong to a layer's weights: sinks, and scores of content and position.
std::vector<Case> learnedSettingCases();

/// ALiBi over head counts that are and are no powers of two, and over masks.
std::vector<Case> alibiCases();

/// Gates over grouped heads, wider ones, a memory and without biases.
std::vector<Case> gateCases();

/// A value of a switch other than its default.
double changedValue(const Switch& which);

/// Every switch by itself, ALiBi with other settings, and settings that are weights.
std::vector<Case> switchCases();

/// Pins in every tensor that takes them, at corners and side by side in a row; at forbidden pairs
/// too, where the case has any.
DocumentPtr withPins(const DocumentPtr& document);

/// Passes of every kind, with what is done to attention, and with pins.
std::vector<std::pair<std::string, DocumentPtr>> documentsOfAllKinds();

}  // namespace headscope::test
