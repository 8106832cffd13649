// Model heads table: the labels of all heads of a model's pass, printed.
#pragma once

#include <ostream>

#include "core/model/model_heads.h"

namespace headscope::cli {

void printHeads(std::ostream& out, const model::MeasuredPass& pass);
/// Of the probe, with the metrics that it is there for.
void printProbe(std::ostream& out, const model::MeasuredPass& probe);

}  // namespace headscope::cli
