// The parts of a model that reads images: patches, special tokens, LayerScale, the classifier.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/error.h"
#include "core/formats/parts_reader.h"

namespace headscope::formats {

using model::Embedding;
using model::Readout;

namespace {

/// Each row of a matrix, or each number of a vector, times its factor.
Tensor scaledRows(const Tensor& rows, const Tensor& factors) {
  Tensor scaled = rows.clone();
  const Index width = rows.rank() == 2 ? rows.dim(1) : 1;
  for (Index row = 0; row < factors.size(); ++row) {
    float* values = scaled.mutableData() + row * width;
    for (Index j = 0; j < width; ++j) values[j] *= factors.data()[row];
  }
  return scaled;
}

/// The rows of two matrices side by side, halved: their product with two states side by side is the
/// mean of the two products.
Tensor halvesSideBySide(const Tensor& left, const Tensor& right) {
  const Index rows = left.dim(0), d = left.dim(1);
  Tensor both = Tensor::uninitialised({rows, 2 * d});
  for (Index row = 0; row < rows; ++row) {
    float* to = both.mutableData() + row * 2 * d;
    for (Index j = 0; j < d; ++j) {
      to[j] = 0.5F * left.data()[row * d + j];
      to[d + j] = 0.5F * right.data()[row * d + j];
    }
  }
  return both;
}

Tensor meanOf(const Tensor& a, const Tensor& b) {
  Tensor mean = a.clone();
  for (Index i = 0; i < a.size(); ++i) {
    mean.mutableData()[i] = 0.5F * (a.data()[i] + b.data()[i]);
  }
  return mean;
}

}  // namespace

Tensor PartsReader::flatRows(const std::string& name, Index rows) const {
  Shape shape{rows, c_.dModel};
  const std::string inFiles = prefix_.whole() + name;
  if (files_.has(inFiles) && elementCount(files_.shape(inFiles)) == rows * c_.dModel) {
    shape = files_.shape(inFiles);
  }
  const Tensor read = base(name, shape);
  return read.empty() ? read : read.reshaped({rows, c_.dModel});
}

Embedding PartsReader::imageEmbedding() const {
  const model::ImageInput& image = c_.image;
  const Index d = c_.dModel;
  Embedding e;
  const std::string stem = n_.tokens;
  const Tensor patches =
      base(stem + ".weight", {d, image.channels, image.patch.height, image.patch.width});
  if (n_.patchBias) e.patchesBias = base(stem + ".bias", {d});
  const Index positioned = image.firstPatch() - image.registers + image.grid().area();
  e.positions =
      flatRows(n_.positions + std::string(n_.positionWeight ? ".weight" : ""), positioned);
  e.norm = norm("", n_.embeddingNorm, d);
  std::vector<Tensor> specials{flatRows(n_.classToken, 1)};
  if (image.distillation) specials.push_back(flatRows(n_.distillationToken, 1));
  if (image.registers > 0) specials.push_back(flatRows(n_.registerTokens, image.registers));
  if (!reads()) return e;
  e.patches = patches.reshaped({d, image.channels * image.patch.area()});
  e.specials = Tensor::uninitialised({image.firstPatch(), d});
  float* to = e.specials.mutableData();
  for (const Tensor& rows : specials) to = std::copy_n(rows.data(), rows.size(), to);
  return e;
}

/// Multiplies LayerScale's factors into W_O, b_O and the network's last matrix and bias, which give
/// what each half of the layer adds.
void PartsReader::scaleLayer(const std::string& at, model::LayerWeights& w) const {
  const Tensor ofAttention = base(at + n_.attentionScale, {c_.dModel});
  const Tensor ofNetwork = base(at + n_.networkScale, {c_.dModel});
  const Tensor down = base(at + n_.down + ".weight", {c_.dModel, c_.ffWidth});
  if (!reads()) return;
  w.attention.wO = scaledRows(w.attention.wO, ofAttention);
  w.attention.bO = scaledRows(w.attention.bO, ofAttention);
  w.feedForward.down = packed(scaledRows(down, ofNetwork));
  if (c_.feedForwardBias) w.feedForward.downBias = scaledRows(w.feedForward.downBias, ofNetwork);
}

Readout PartsReader::classifier(Readout r) const {
  if (n_.otherDecoder == nullptr) {
    r.decoder = takeStored(decoderName(), {c_.vocabulary, c_.readoutWidth()});
    r.bias = take(n_.decoderBias, {c_.vocabulary});
    return r;
  }
  const auto weightOf = [&](const std::string& stem) {
    return take(stem + ".weight", {c_.vocabulary, c_.dModel});
  };
  const auto biasOf = [&](const std::string& stem) {
    return take(stem + ".bias", {c_.vocabulary});
  };
  const Tensor first = weightOf(n_.decoder), second = weightOf(n_.otherDecoder);
  const Tensor bias = biasOf(n_.decoder), otherBias = biasOf(n_.otherDecoder);
  if (!reads()) return r;
  r.decoder = halvesSideBySide(first, second);
  r.bias = meanOf(bias, otherBias);
  return r;
}

}  // namespace headscope::formats
