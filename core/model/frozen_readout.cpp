#include "core/model/frozen_readout.h"

#include <Eigen/Core>
#include <cmath>
#include <numeric>

#include "core/model/network.h"

namespace headscope::model {
namespace {

/// The weights of a head's layer: (E, D).
Eigen::MatrixXd layerOf(const Readout& readout) {
  using Floats = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Tensor& t = readout.transform;
  return Eigen::Map<const Floats>(t.data(), t.dim(0), t.dim(1)).cast<double>();
}

double sumOfProducts(const std::vector<double>& along, const float* bias) {
  return std::inner_product(along.begin(), along.end(), bias, 0.0);
}

}  // namespace

FrozenReadout::FrozenReadout(const ModelTrace& trace, Index row)
    : readout_(trace.document().model->readout()), logitFactor_(trace.config().logitFactor) {
  const Activation activation = trace.config().readoutActivation;
  if (readout_->transform.empty()) return;
  const std::span<const float> state = trace.last().matrix({0}).row(row);
  const Eigen::Map<const Eigen::VectorXf> x(state.data(), std::ssize(state));
  const Eigen::VectorXf product = (layerOf(*readout_) * x.cast<double>()).cast<float>();
  std::vector<float> values(product.begin(), product.end());
  if (!readout_->transformBias.empty()) {
    for (std::size_t j = 0; j < values.size(); ++j) values[j] += readout_->transformBias.data()[j];
  }
  std::vector<float> active = values;
  if (activation != Activation::none) {
    activate(activation, active);
    for (std::size_t j = 0; j < values.size(); ++j) {
      const double a = values[j];
      activations_.push_back(a != 0.0 ? static_cast<double>(active[j]) / a : 0.0);
    }
  }
  norm_ = FrozenNorm(active, readout_->transformNorm, trace.config());
}

FrozenReadout::Reading FrozenReadout::of(Index word) const {
  Reading found;
  std::vector<float> row(static_cast<std::size_t>(readout_->decoder.cols()));
  readout_->decoder.copyRow(word, row.data());
  found.along.assign(row.begin(), row.end());
  for (double& along : found.along) along *= logitFactor_;
  if (!readout_->bias.empty()) {
    found.constant = logitFactor_ * static_cast<double>(readout_->bias.data()[word]);
  }
  if (readout_->transform.empty()) return found;
  if (!norm_.bias().empty()) {
    found.constant +=
        std::inner_product(found.along.begin(), found.along.end(), norm_.bias().begin(), 0.0);
  }
  norm_.pullBack(found.along);
  for (std::size_t j = 0; j < activations_.size(); ++j) found.along[j] *= activations_[j];
  if (!readout_->transformBias.empty()) {
    found.constant += sumOfProducts(found.along, readout_->transformBias.data());
  }
  const Eigen::RowVectorXd through =
      Eigen::Map<const Eigen::RowVectorXd>(found.along.data(), std::ssize(found.along)) *
      layerOf(*readout_);
  found.along.assign(through.begin(), through.end());
  return found;
}

}  // namespace headscope::model
