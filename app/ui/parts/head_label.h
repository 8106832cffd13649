// Head label: the label of a head's behaviour, in the wording that every page uses.
#pragma once

#include <string>

#include "core/analysis/head_report.h"
#include "core/base/index.h"

namespace headscope::ui {

/// Returns "previous token 0.87, 5 rows": the label, its score and the number of rows measured;
/// "not defined" where the head has no label.
std::string labelWithScore(const HeadLabel& label);
/// Returns the label with its rule: "previous token 0.87, 5 rows: previous token is 0.87, at least
/// 0.5 …".
std::string labelWithRule(const HeadLabel& label);

/// The caption of a head on the shown input, in the same words wherever heads have one.
struct HeadCaption {
  std::string title;  // its purpose, whatever the input; without one its measured label
  // "here 0.92, 2 rows", "weak here 0.31, 9 rows", "not found here"; empty for a label
  std::string here;
  bool holds = true;       // whether the title is true here; if not, it is drawn in grey
  std::string brief = {};  // what is the matter where it does not hold: "no job here", "not found"
};
/// `purpose`: what the head was made or trained for; empty: nothing. `report`: null while nothing
/// is measured.
HeadCaption headCaption(const std::string& purpose, const HeadReport* report, Index head);
/// Returns the caption in one line: "Verb → its subject", "Verb → its subject (not found here)".
std::string inOneLine(const HeadCaption& caption);

}  // namespace headscope::ui
