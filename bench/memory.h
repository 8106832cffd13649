// Memory: one configuration opened, drawn and edited in this process, and what that took at most.
#pragma once

#include <string_view>

namespace headscope::bench {

/// "--memory=D,H,T": prints the ledger's bytes and the process's peaks as JSON. False where the
/// argument is another one.
bool measureMemory(std::string_view argument);

}  // namespace headscope::bench
