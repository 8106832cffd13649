// Series features: features computed from a series in addition to its values: standardised
// channels, running means, spikes and the change point.
#pragma once

#include <optional>
#include <vector>

#include "core/input/input.h"

namespace headscope {

using Channel = std::vector<double>;

/// Returns the channels with mean 0 and standard deviation 1 over all rows; a constant channel
/// becomes zeros.
std::vector<Channel> standardise(const Series& series);

/// z_i − z_{i−1}; 0 at the first row.
Channel firstDifference(const Channel& z);

/// Mean of z_0 … z_i.
Channel runningMean(const Channel& z);

/// Hampel's filter. r_i = z_i − median(z_{i−3} … z_{i+3}); row i is a spike of the channel where
/// |r_i| > max(5 · 1.4826 · median|r|, 1): five robust standard deviations, and one of the channel.
std::vector<bool> spikes(const Channel& z);

/// Rows that are a spike of some channel.
std::vector<bool> spikesOfAny(const std::vector<Channel>& channels);

/// CUSUM over the standardised channels: S_c(k) = z_c0 + … + z_c,k−1. The change point is the row k
/// at which max_c |S_c(k)| / √n is largest, if that passes 1.63 (Kolmogorov's distribution: one
/// channel of independent noise does so once in a hundred); none otherwise, nor below 8 rows.
std::optional<Index> changePoint(const std::vector<Channel>& channels);

}  // namespace headscope
