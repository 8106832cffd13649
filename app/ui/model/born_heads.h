// Born heads: the heads of a model that was learning on the page Train, next to those of the page
// Model: both read the same texts, and the same number of each head is measured.
#pragma once

#include <string>

#include "app/ui/model/swept.h"
#include "app/ui/parts/computed.h"
#include "core/formats/tokenizer_json.h"
#include "core/model/model.h"

namespace headscope::ui {

struct PanelContext;

struct BornModel {
  std::string name;       // "your run at step 700"
  std::string texts;      // the set on which it is compared: "template:box"
  std::string looking;    // the head that the run found, in words
  model::ModelPtr model;  // null: the run kept no weights of that step
  formats::TokenizerPtr tokenizer;
};

/// Returns the model that a sweep over a set's heads is compared with; null where the view has none
/// for this set.
const BornModel* bornModelFor(const PanelContext& panel, const std::string& set);

/// Requests the sweep of its heads, each replaced by zero or its mean, over the texts of a page's
/// sweep, which both models must read.
Computed<Swept> sweepOfBorn(const PanelContext& panel, const BornModel& born, const TextSet& texts,
                            model::SweepWith with);

/// "layer 2, head 3 looks most: 0.85", "layer 1, head 2 has the largest total: -1.24".
std::string largestInWords(const Swept& swept, EffectKind kind);

}  // namespace headscope::ui
