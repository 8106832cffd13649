// PartsReader: reads the parts of a model from its files by the names that its family gives the
// tensors.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/families/tensor_names.h"
#include "core/formats/tensor_prefixes.h"
#include "core/formats/weight_files.h"
#include "core/model/model_weights.h"

namespace headscope::formats {

/// When a model is opened, this class checks names and shapes without reading values; later it
/// reads them. Throws UserError that names the file and the tensor.
class PartsReader {
 public:
  PartsReader(const WeightFiles& files, const model::ModelConfig& config, const TensorNames& names,
              NamePrefix prefix)
      : files_(files), c_(config), n_(names), prefix_(std::move(prefix)) {}

  /// From now on, tensors are checked and their names collected, but not read.
  void checkOnly(std::set<std::string>& names) { noted_ = &names; }

  model::Embedding embedding() const;
  model::LayerWeights layer(Index number) const;
  model::Readout readout() const;

  /// Returns whether the model has a readout: an encoder saved with that head, or a decoder with
  /// one or with the embedding as its head.
  bool hasReadout() const;
  /// Returns whether the readout's matrix is the model's own, not the embedding.
  bool ownDecoder() const;
  /// The tensor that an unread tensor repeats; empty: none.
  std::string repeatedBy(std::string_view name) const;

 private:
  struct Dense {
    Tensor weight, bias;  // (out, in), (out); the bias is empty where there is none
  };

  bool has(const std::string& name) const { return files_.has(prefix_.wrapper + name); }
  bool reads() const { return noted_ == nullptr; }
  std::string decoderName() const { return std::string(n_.decoder) + ".weight"; }
  std::string weightName(const std::string& stem) const;
  /// Returns whether the model was saved with a head that its file lacks.
  bool lacksHead() const { return c_.languageModelHead && !prefix_.base.empty(); }
  [[noreturn]] void refuseMissing(const std::string& name) const;

  /// Checks a tensor by its name in the model. Returns its name in the files; empty where names are
  /// only checked.
  std::string checked(const std::string& inModel, const Shape& shape) const;
  /// A tensor by its name in the model; empty where names are only checked.
  Tensor take(const std::string& inModel, const Shape& shape) const;
  StoredMatrix takeStored(const std::string& inModel, const Shape& shape) const;
  Tensor base(const std::string& name, const Shape& shape) const {
    return take(prefix_.base + name, shape);
  }
  Tensor firstOf(const char* name, const char* other, const Shape& shape) const;
  /// A matrix (out, in) as the file keeps it.
  StoredMatrix stored(const std::string& stem, Index out, Index in) const;
  Dense dense(const std::string& stem, Index out, Index in, bool biased) const;
  /// A norm; older files name its weights gamma and beta. `stem` is within the model.
  model::NormWeights normCalled(const std::string& stem, Index width) const;
  /// The norm with this name behind the base; empty for a null name.
  model::NormWeights norm(const std::string& at, const char* stem, Index width) const;
  std::vector<float> gains(const std::string& name, Index heads) const;

  /// The names of the four projections of an attention.
  struct Projections {
    const char *query, *key, *value, *output;
  };
  Weights attention(const std::string& at, const Projections& names) const;
  Weights combined(Dense q, Dense k, Dense v, Dense o) const;
  void splitFused(const Dense& all, Dense& q, Dense& k, Dense& v) const;
  void latentAttention(const std::string& at, model::LayerWeights& w) const;
  model::FeedForward network(const std::string& at, const char* up, const char* gate,
                             const char* down, Index width) const;
  model::ExpertWeights experts(const std::string& at) const;
  void expertsInOneTensor(const std::string& at, model::ExpertWeights& e) const;
  PairBias distanceBias(const std::string& at) const;
  model::Embedding imageEmbedding() const;
  /// Rows (rows, D) of a tensor whose leading axes may be of any rank.
  Tensor flatRows(const std::string& name, Index rows) const;
  void scaleLayer(const std::string& at, model::LayerWeights& w) const;
  model::Readout classifier(model::Readout r) const;
  RelativeScores relativeScores(const std::string& at, const Weights& own) const;

  const WeightFiles& files_;
  const model::ModelConfig& c_;
  const TensorNames& n_;
  NamePrefix prefix_;
  std::set<std::string>* noted_ = nullptr;
};

}  // namespace headscope::formats
