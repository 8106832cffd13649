// Step view heading: the step's number and description above its matrices, with the switches for
// what the matrices show: Q, K or V, one head or all, values or gradients.
#pragma once

namespace headscope::ui {

struct PanelContext;

/// Draws the description at the left of the switches, or above them where it is narrow. `perHead`:
/// the matrices are of the chosen head.
void stepViewHeading(const PanelContext& panel, bool perHead);

}  // namespace headscope::ui
