// Head label: the label of a head's behaviour, in the wording that every page uses.
#pragma once

#include <string>

#include "core/analysis/head_report.h"

namespace headscope::ui {

/// Returns "previous token 0.87 (n = 5)": the label, its score and the number of rows measured;
/// "not defined" where the head has no label.
std::string labelWithScore(const HeadLabel& label);
/// Returns the label with its rule: "previous token 0.87 (n = 5): previous token is 0.87 over 5
/// rows, at least 0.5 …".
std::string labelWithRule(const HeadLabel& label);

}  // namespace headscope::ui
