#include "core/input/series.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "core/base/random.h"
#include "core/input/embedding.h"

namespace headscope {

namespace {

double median(std::vector<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2.0;
}

}  // namespace

std::vector<Channel> standardise(const Series& series) {
  const ConstMatrixView values = series.values.matrix();
  const auto n = static_cast<double>(values.rows);
  std::vector<Channel> channels;
  for (Index c = 0; c < values.cols; ++c) {
    Channel& z = channels.emplace_back(static_cast<std::size_t>(values.rows));
    double sum = 0.0;
    for (Index i = 0; i < values.rows; ++i) sum += values(i, c);
    const double mean = sum / n;
    double squares = 0.0;
    for (Index i = 0; i < values.rows; ++i) squares += std::pow(values(i, c) - mean, 2);
    const double deviation = std::sqrt(squares / n);
    // The rounding error of the mean must not be scaled up to noise of size 1.
    const bool constant = deviation <= 1e-12 * std::abs(mean);
    for (Index i = 0; i < values.rows; ++i) {
      z[static_cast<std::size_t>(i)] = constant ? 0.0 : (values(i, c) - mean) / deviation;
    }
  }
  return channels;
}

Channel firstDifference(const Channel& z) {
  Channel difference(z.size(), 0.0);
  for (std::size_t i = 1; i < z.size(); ++i) difference[i] = z[i] - z[i - 1];
  return difference;
}

Channel runningMean(const Channel& z) {
  Channel mean(z.size());
  double sum = 0.0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    sum += z[i];
    mean[i] = sum / static_cast<double>(i + 1);
  }
  return mean;
}

std::vector<bool> spikes(const Channel& z) {
  constexpr std::size_t kReach = 3;
  constexpr double kNormal = 1.4826;  // of the median deviation, to estimate the standard one
  Channel deviation(z.size());
  for (std::size_t i = 0; i < z.size(); ++i) {
    const std::size_t begin = i - std::min(i, kReach);
    const std::size_t end = std::min(z.size(), i + kReach + 1);
    const std::span window(z.data() + begin, end - begin);
    deviation[i] = std::abs(z[i] - median({window.begin(), window.end()}));
  }
  const double threshold = std::max(5.0 * kNormal * median(deviation), 1.0);
  std::vector<bool> flags(z.size());
  for (std::size_t i = 0; i < z.size(); ++i) flags[i] = deviation[i] > threshold;
  return flags;
}

std::vector<bool> spikesOfAny(const std::vector<Channel>& channels) {
  std::vector<bool> any;
  for (const Channel& z : channels) {
    const std::vector<bool> flags = spikes(z);
    any.resize(flags.size());
    for (std::size_t i = 0; i < flags.size(); ++i) any[i] = any[i] || flags[i];
  }
  return any;
}

std::optional<Index> changePoint(const std::vector<Channel>& channels) {
  constexpr double kThreshold = 1.63;
  constexpr std::size_t kFewestRows = 8;
  if (channels.empty() || channels.front().size() < kFewestRows) return std::nullopt;
  const std::size_t rows = channels.front().size();
  double largest = kThreshold * std::sqrt(static_cast<double>(rows));
  std::optional<Index> found;
  for (const Channel& z : channels) {
    double sum = 0.0;
    for (std::size_t k = 1; k < rows; ++k) {
      sum += z[k - 1];
      if (std::abs(sum) <= largest) continue;
      largest = std::abs(sum);
      found = static_cast<Index>(k);
    }
  }
  return found;
}

// Series: constant, slow position, position pairs, each channel, its first difference and running
// mean, flags for spikes and the change point, and a fixed random mix of the channels in the rest.

namespace {

/// One column per feature, as many rows as the series has.
struct Features {
  std::vector<Channel> channels, differences, means;
  std::vector<Channel> flags;  // spike, change point
};

bool tellsPlace(const std::string& channel) { return channel == "row" || channel == "column"; }

/// The channels of an image that are no places of its patches; all of a series.
std::vector<std::string> contentOf(const std::vector<std::string>& channels) {
  if (!isImage(channels)) return channels;
  std::vector<std::string> content = channels;
  std::erase_if(content, tellsPlace);
  return content;
}

Features featuresOf(const Series& series) {
  Features features;
  const std::vector<Channel> all = standardise(series);
  const bool image = isImage(series.channels);
  for (std::size_t c = 0; c < all.size(); ++c) {
    if (!image || !tellsPlace(series.channels[c])) features.channels.push_back(all[c]);
  }
  if (image) return features;
  const auto rows = static_cast<std::size_t>(series.values.dim(0));
  Channel spike(rows, 0.0);
  Channel change(rows, 0.0);
  for (const Channel& z : features.channels) {
    features.differences.push_back(firstDifference(z));
    features.means.push_back(runningMean(z));
  }
  const std::vector<bool> found = spikesOfAny(features.channels);
  for (std::size_t i = 0; i < rows; ++i) spike[i] = found[i] ? 1.0 : 0.0;
  if (const auto row = changePoint(features.channels)) {
    change[static_cast<std::size_t>(*row)] = 1.0;
  }
  features.flags = {std::move(spike), std::move(change)};
  return features;
}

CoordinateBlock channelBlock(const std::string& one, const std::string& prefix,
                             const std::vector<std::string>& channels) {
  CoordinateBlock block{one, one + "s", {}, channels};
  for (const std::string& channel : channels) block.names.push_back(prefix + channel);
  return block;
}

void copyBlock(std::span<float> row, ColumnRange range, const std::vector<Channel>& columns,
               std::size_t source) {
  for (Index c = 0; c < range.count; ++c) {
    row[static_cast<std::size_t>(range.begin + c)] =
        static_cast<float>(columns[static_cast<std::size_t>(c)][source]);
  }
}

/// Column m of the mix: Σ_c u(m, c)·z_c / √width with u uniform in [−1, 1), the same in every run.
class ChannelMix {
 public:
  ChannelMix(ColumnRange range, std::size_t channels)
      : range_(range), factors_(static_cast<std::size_t>(range.count) * channels) {
    const RandomStream stream(1, "mix");
    for (std::size_t n = 0; n < factors_.size(); ++n) {
      factors_[n] = static_cast<double>(stream.uniform(n));
    }
  }

  void fill(std::span<float> row, const std::vector<Channel>& channels, std::size_t source) const {
    const double scale = 1.0 / std::sqrt(static_cast<double>(range_.count));
    const double* factor = factors_.data();
    for (Index m = 0; m < range_.count; ++m) {
      double sum = 0.0;
      for (const Channel& z : channels) sum += *factor++ * z[source];
      row[static_cast<std::size_t>(range_.begin + m)] = static_cast<float>(sum * scale);
    }
  }

 private:
  ColumnRange range_;
  std::vector<double> factors_;  // (columns, channels)
};

/// Writes the pairs of a patch's row and column, or the flag of a token without them.
void fillPatchPlace(std::span<float> row, const Layout& layout,
                    const std::optional<PatchPlace>& place) {
  if (!place) {
    const ColumnRange flag = layout.blocks[SeriesBlock::slowPosition];
    if (flag.count > 0) row[static_cast<std::size_t>(flag.begin)] = 1.0F;
    return;
  }
  const ColumnRange pairs = layout.blocks[SeriesBlock::positionPairs];
  for (Index pair = 0; pair < pairs.count / 4; ++pair) {
    auto column = static_cast<std::size_t>(pairs.begin + 4 * pair);
    for (const Index at : {place->row, place->column}) {
      const double angle = positionFrequency(pair) * static_cast<double>(at);
      row[column++] = static_cast<float>(std::cos(angle));
      row[column++] = static_cast<float>(std::sin(angle));
    }
  }
}

/// The place of a row of a series in X.
struct TimeStep {
  const Series& series;
  std::size_t source = 0;
  Index position = 0;
  Positions positions = Positions::named;
};

void fillPlace(std::span<float> row, const Layout& layout, const TimeStep& step) {
  if (!isImage(step.series.channels)) {
    fillSlowPosition(row, layout.blocks[SeriesBlock::slowPosition], step.position, step.positions);
    fillPositionPairs(row, layout.blocks[SeriesBlock::positionPairs], step.position,
                      step.positions);
  } else if (step.positions == Positions::named) {
    const auto readings = step.series.values.matrix().row(static_cast<Index>(step.source));
    fillPatchPlace(row, layout, patchPlace(step.series.channels, readings));
  }
}

void fillStep(std::span<float> row, const Layout& layout, const Features& features,
              const ChannelMix& mix, const TimeStep& step) {
  const auto& blocks = layout.blocks;
  const std::size_t source = step.source;
  if (blocks[SeriesBlock::constant].count > 0)
    row[static_cast<std::size_t>(blocks[SeriesBlock::constant].begin)] = 1.0F;
  fillPlace(row, layout, step);
  copyBlock(row, blocks[SeriesBlock::channels], features.channels, source);
  copyBlock(row, blocks[SeriesBlock::differences], features.differences, source);
  copyBlock(row, blocks[SeriesBlock::means], features.means, source);
  copyBlock(row, blocks[SeriesBlock::flags], features.flags, source);
  mix.fill(row, features.channels, source);
}

/// "t12"; in an image the patch's row and column, and "class" where the first token is no patch.
std::string tokenOf(const Series& series, Index source, Index place) {
  const auto patch = patchPlace(series.channels, series.values.matrix().row(source));
  if (patch) return patchName(*patch);
  return isImage(series.channels) && place == 0 ? "class" : fmt::format("t{}", place);
}

Layout imageLayout(const std::vector<std::string>& channels, Index width) {
  Layout layout =
      layOut(width,
             {constantBlock(), CoordinateBlock{"class token", "", {"class token"}, {"class token"}},
              channelBlock("channel", "", contentOf(channels)), patchPairsBlock()},
             "mix");
  layout.blocks.resize(SeriesBlock::flags + 1);
  // the channels come first: narrow X keeps them
  std::swap(layout.blocks[SeriesBlock::positionPairs], layout.blocks[SeriesBlock::channels]);
  return layout;
}

}  // namespace

Layout seriesLayout(const std::vector<std::string>& channels, Index width) {
  if (isImage(channels)) return imageLayout(channels, width);
  const std::vector<std::string> flags{"spike", "change point"};
  return layOut(width,
                {constantBlock(), slowPositionBlock(), positionPairsBlock(),
                 channelBlock("channel", "", channels),
                 channelBlock("first difference", "difference of ", channels),
                 channelBlock("running mean", "running mean of ", channels),
                 CoordinateBlock{"flag", "flags", flags, flags}},
                "mix");
}

Embedded embedSeries(const std::vector<std::shared_ptr<const Series>>& items, Index places,
                     Index width, Positions positions) {
  std::vector<Index> lengths;
  for (const auto& series : items) lengths.push_back(series->values.dim(0));
  const Filling filling(std::move(lengths), places);

  Embedded result;
  result.layout = seriesLayout(items.front()->channels, width);
  const ChannelMix mix(result.layout.rest, contentOf(items.front()->channels).size());
  result.lengths = filling.validLengths();
  result.x = Tensor::zeros({static_cast<Index>(items.size()), places, width});
  result.tokens.resize(items.size());
  const auto embed = [&](std::size_t item, const Features& features) {
    MatrixView x = result.x.mutableMatrix({static_cast<Index>(item)});
    auto& tokens = result.tokens[item];
    tokens.resize(static_cast<std::size_t>(places));
    for (Index place = 0; place < filling.valid(item); ++place) {
      const Index source = filling.at(item, place);
      tokens[static_cast<std::size_t>(place)] = tokenOf(*items[item], source, place);
      fillStep(x.row(place), result.layout, features, mix,
               {*items[item], static_cast<std::size_t>(source), place, positions});
    }
    if (positions == Positions::sinusoidal) addSinusoids(x, filling.valid(item));
  };
  for (std::size_t first = 0; first < items.size(); ++first) {
    if (!result.tokens[first].empty()) continue;
    const Features features = featuresOf(*items[first]);  // once for all repetitions of a series
    for (std::size_t item = first; item < items.size(); ++item) {
      if (items[item]->values.sameAs(items[first]->values)) embed(item, features);
    }
  }
  return result;
}

Readings readingsOf(const std::vector<std::shared_ptr<const Series>>& items, Index places) {
  std::vector<Index> lengths;
  for (const auto& series : items) lengths.push_back(series->values.dim(0));
  const Filling filling(std::move(lengths), places);
  Readings readings;
  readings.channels = items.front()->channels;
  const auto channels = std::ssize(readings.channels);
  readings.values = Tensor::zeros({std::ssize(items), places, channels});
  readings.lowest = Tensor::zeros({std::ssize(items), channels});
  readings.highest = Tensor::zeros({std::ssize(items), channels});
  for (std::size_t item = 0; item < items.size(); ++item) {
    const auto b = static_cast<Index>(item);
    const std::span<float> low = readings.lowest.mutableMatrix().row(b);
    const std::span<float> high = readings.highest.mutableMatrix().row(b);
    readings.lengths.push_back(filling.valid(item));
    for (Index place = 0; place < readings.lengths.back(); ++place) {
      const auto from = items[item]->values.matrix().row(filling.at(item, place));
      const std::span<float> row = readings.values.mutableMatrix({b}).row(place);
      std::copy(from.begin(), from.end(), row.begin());
      for (std::size_t c = 0; c < row.size(); ++c) {
        low[c] = place == 0 ? row[c] : std::min(low[c], row[c]);
        high[c] = place == 0 ? row[c] : std::max(high[c], row[c]);
      }
    }
  }
  return readings;
}

}  // namespace headscope
