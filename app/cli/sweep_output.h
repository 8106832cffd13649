// Sweep output: the result of a sweep as a table, JSON or CSV.
#pragma once

#include <ostream>

#include "app/cli/sweeper.h"
#include "core/base/json.h"

namespace headscope::cli {

Json sweepJson(const Swept& swept, const SweepOptions& options, const Sweeper& sweeper);
void printCsv(std::ostream& out, const Swept& swept, const SweepOptions& options,
              const model::ModelConfig& config);
void printSweep(std::ostream& out, const Swept& swept, const SweepOptions& options,
                const Sweeper& sweeper);

}  // namespace headscope::cli
