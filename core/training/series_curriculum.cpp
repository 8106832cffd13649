// The series curriculum: windows of measurements, embedded as any series is. A step is identified
// by its position pairs and the mix of its readings.
#include <algorithm>
#include <cmath>

#include "core/attention/steps/linear.h"
#include "core/training/curriculum.h"
#include "core/training/series_windows.h"

namespace headscope::training {
namespace {

constexpr Index kWindowsForMean = 128;

class SeriesCurriculum final : public BatchSource {
 public:
  SeriesCurriculum(Index channels, const CurriculumSettings& s)
      : channels_(channels),
        width_(s.width),
        batch_(s.batch),
        draws_(s.seed, "series to learn from") {
    std::vector<std::string> names;
    for (Index c = 0; c < channels; ++c) names.push_back("channel " + std::to_string(c + 1));
    layout_ = seriesLayout(names, width_);
    columnFactors_ =
        blockFactors(layout_, SeriesBlock::channels, SeriesBlock::flags, s.classFactor);
    Draws draws(s.seed, "series for the mean of X");
    const TrainingBatch batch = batchOf(drawBatch(kWindowsForMean, draws));
    meanX_ = meanOfPlaces(batch.x, batch.asked);
  }

  Index longest() const override { return kLongestWindow; }
  const std::vector<float>& columnFactors() const override { return columnFactors_; }
  std::vector<ColumnRange> identity() const override { return {pairs(), layout_.rest}; }
  double identityLength() const override {
    return std::sqrt(std::max(1.0, static_cast<double>(pairs().count) / 2.0));
  }
  const std::vector<double>& meanX() const override { return meanX_; }

  TrainingBatch next(const BlockStorePtr&) override {
    if (drawn_.empty()) drawn_ = drawBatch(batch_, draws_);
    return batchOf(drawn_);
  }
  void learned() override { drawn_.clear(); }

  Tensor values(const TrainingBatch& batch, const Tensor& wV,
                const ExecutionContext& execution) override {
    return linear(batch.x, wV, {}, execution);
  }

 private:
  using Windows = std::vector<std::shared_ptr<const Series>>;

  ColumnRange pairs() const { return layout_.blocks[SeriesBlock::positionPairs]; }

  /// Draws windows of one length.
  Windows drawBatch(Index count, Draws& draws) const {
    const Index steps = kShortestWindow + draws.below(kLongestWindow - kShortestWindow + 1);
    Windows windows;
    for (Index i = 0; i < count; ++i) windows.push_back(drawWindow(channels_, steps, draws));
    return windows;
  }

  TrainingBatch batchOf(const Windows& windows) const {
    std::vector<Partners> partners;
    for (const auto& window : windows) partners.push_back(partnersIn(*window));
    std::vector<AskedBatch::Item> items;
    for (std::size_t i = 0; i < windows.size(); ++i) {
      std::vector<Index> places;
      for (Index j = 0; j < windows[i]->values.dim(0); ++j) places.push_back(j);
      items.push_back({std::move(places), &partners[i]});
    }
    AskedBatch asked(items);
    const Index steps = windows.front()->values.dim(0);
    const Tensor embedded = embedSeries(windows, steps, width_, Positions::named).x;
    Tensor x = Tensor::zeros({asked.count, asked.length, width_});
    for (Index item = 0; item < asked.count; ++item) {
      for (Index i = 0; i < steps; ++i) {
        const auto from = embedded.matrixOf(item, 0).row(i);
        std::transform(from.begin(), from.end(), columnFactors_.begin(),
                       x.mutableMatrixOf(item, 0).row(i).begin(), std::multiplies<>());
      }
    }
    return {std::move(asked), std::move(x)};
  }

  Index channels_, width_, batch_;
  Draws draws_;
  Layout layout_;
  std::vector<float> columnFactors_;
  std::vector<double> meanX_;
  Windows drawn_;  // windows of the next batch
};

}  // namespace

std::unique_ptr<BatchSource> makeSeriesCurriculum(Index channels,
                                                  const CurriculumSettings& settings) {
  return std::make_unique<SeriesCurriculum>(channels, settings);
}

}  // namespace headscope::training
