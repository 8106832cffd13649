// Head label: what a head does here, as every page writes it.
#pragma once

#include <string>

#include "core/analysis/head_report.h"

namespace headscope::ui {

/// "previous token 0.87 (n = 5)": the label, its score and the number of rows it was measured over;
/// "not defined" where the head has no label.
std::string labelWithScore(const HeadLabel& label);
/// "previous token 0.87 (n = 5): previous token is 0.87 over 5 rows, at least 0.5 …".
std::string labelWithRule(const HeadLabel& label);

}  // namespace headscope::ui
