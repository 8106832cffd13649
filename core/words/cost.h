// Cost in words: a tooltip that compares the cost of two configurations.
#pragma once

#include <string>

namespace headscope {

struct AttentionConfig;

/// Two lines: the cost of `now` and, where it is valid, of `doubled`.
std::string costTip(const AttentionConfig& now, const AttentionConfig& doubled);

}  // namespace headscope
