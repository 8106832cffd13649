// Content scale: how much larger than usual a monitor shows things, and the interface that follows.
#pragma once

namespace headscope::host {

/// By quarters, within what the interface offers.
float interfaceScale(float contentScale);

/// The interface's scale once its window has come from a monitor of one content scale to another:
/// what the user has made larger or smaller stays so.
float rescaled(float scale, float before, float now);

}  // namespace headscope::host
