// Sweep output: the result of a sweep as a table, JSON or CSV.
#pragma once

#include <ostream>

#include "app/cli/sweeper.h"
#include "core/base/json.h"

namespace headscope::cli {

Json sweepJson(const Swept& swept, const SweepOptions& options, const Sweeper& sweeper);
/// `titled`: with the names of the columns, of which one names the receiver where there are
/// several.
void printCsv(std::ostream& out, const Swept& swept, const SweepOptions& options,
              const model::ModelConfig& config, bool titled);
void printSweep(std::ostream& out, const Swept& swept, const SweepOptions& options,
                const Sweeper& sweeper);

}  // namespace headscope::cli
