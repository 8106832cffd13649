// Writer JSON: a writer of the residual stream as {"part", "layer", "head"}.
#pragma once

#include "core/base/json.h"
#include "core/model/stream_parts.h"

namespace headscope::formats {

Json writerJson(const model::Writer& writer, const model::ModelConfig& config);

}  // namespace headscope::formats
