#include "core/formats/attention_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/attention/limits.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/numbers.h"
#include "core/model/tokenized.h"
#include "core/tensor/safetensors.h"

namespace headscope::formats {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAttentions = "attentions";
constexpr Index kMostPlaces = 2048;  // a matrix of a head's queries is as large as its weights
constexpr double kSumTolerance = 1e-3;
/// The logarithm of weight 0: softmax gives exactly 0 for it.
constexpr float kLogOfZero = -200.0F;

Tensor unitMatrix(Index size) {
  Tensor matrix = Tensor::zeros({size, size});
  for (Index i = 0; i < size; ++i) matrix.mutableData()[i * size + i] = 1.0F;
  return matrix;
}

/// The shape (layers, heads, T, M) of the file's weights. Throws UserError for any other.
Shape checkedShape(const SafetensorsFile& file) {
  const Shape& shape = file.shape(kAttentions);
  const auto fail = [&](const std::string& why) {
    throw UserError(
        fmt::format("{}: attentions {}: {}", file.path().string(), toString(shape), why));
  };
  if (shape.size() != 4) {
    fail("they need the shape (layers, heads, queries, keys), without a batch");
  }
  if (std::max(shape[2], shape[3]) > kMostPlaces)
    fail(fmt::format("at most {} tokens are read", withThousands(kMostPlaces)));
  if (shape[0] < 1 || shape[0] > model::ModelLimits::kLayers || shape[1] < 1 ||
      shape[1] > Limits::kDModel || shape[2] < 1 || shape[3] < 1) {
    fail(fmt::format("1 to {} layers and 1 to {} heads are read", model::ModelLimits::kLayers,
                     Limits::kDModel));
  }
  return shape;
}

/// Throws UserError for a weight below 0 and for a row that does not add up to 1.
void checkRow(const SafetensorsFile& file, std::span<const float> row, const Shape& place) {
  const double sum = std::accumulate(row.begin(), row.end(), 0.0);
  const auto where = [&] {
    return fmt::format("{}: attentions[{}]", file.path().string(), fmt::join(place, ", "));
  };
  if (const auto below = std::ranges::find_if(row, [](float w) { return w < 0.0F; });
      below != row.end()) {
    throw UserError(fmt::format("{}: the weight {} is below 0: give the weights after the softmax",
                                where(), *below));
  }
  if (std::abs(sum - 1.0) > kSumTolerance) {
    throw UserError(
        fmt::format("{}: the row adds up to {:.4g}, not to 1: give the weights after the "
                    "softmax, without dropout, and leave padding out",
                    where(), sum));
  }
}

/// Checks all rows. Returns whether all weights on later tokens are 0.
bool checkedIsCausal(const SafetensorsFile& file, const Tensor& weights, const Shape& shape) {
  const Index tokens = shape[2], keys = shape[3];
  bool causal = tokens > 1 && tokens == keys;
  for (Index row = 0; row < shape[0] * shape[1] * tokens; ++row) {
    const std::span<const float> cells(weights.data() + row * keys, static_cast<std::size_t>(keys));
    const Index query = row % tokens, head = row / tokens;
    checkRow(file, cells, {head / shape[1], head % shape[1], query});
    causal = causal && std::ranges::all_of(cells.subspan(static_cast<std::size_t>(query) + 1),
                                           [](float weight) { return weight == 0.0F; });
  }
  return causal;
}

template <typename Fail>
Json parsed(const std::string& text, const Fail& fail) {
  try {
    return parseJson(text);
  } catch (const JsonError& error) {
    fail(fmt::format("is no JSON: {}", error.what()));
    throw;
  }
}

/// The names of tokens, as the metadata has them under `field`; the places' numbers where it has
/// none.
std::vector<std::string> tokensOf(const SafetensorsFile& file, const std::string& field,
                                  Index count) {
  std::vector<std::string> names;
  const auto found = file.metadata().find(field);
  if (found == file.metadata().end()) {
    for (Index place = 0; place < count; ++place) names.push_back(fmt::format("{}", place + 1));
    return names;
  }
  const auto fail = [&](const std::string& why) {
    throw UserError(fmt::format("{}: its metadata \"{}\" {}", file.path().string(), field, why));
  };
  const Json tokens = parsed(found->second, fail);
  if (tokens.list() == nullptr) fail("is no JSON list of names");
  for (const Json& token : *tokens.list()) {
    if (token.text() == nullptr) fail("is no JSON list of names");
    names.push_back(*token.text());
  }
  if (std::ssize(names) != count) {
    fail(fmt::format("has {} names for {} tokens", names.size(), withThousands(count)));
  }
  return names;
}

/// Returns whether queries and keys are different tokens: by their numbers, or since both have
/// names of their own.
bool isCross(const SafetensorsFile& file, const Shape& shape) {
  return shape[2] != shape[3] || file.metadata().contains("queries") ||
         file.metadata().contains("keys");
}

std::vector<Index> placesOf(const model::ModelConfig& config) {
  std::vector<Index> places(static_cast<std::size_t>(config.positions));
  std::iota(places.begin(), places.end(), Index{0});
  return places;
}

/// Settings of `layers` layers over these tokens; `width` is at least as many.
model::ModelConfig configOf(const Shape& shape, Index width, bool causal,
                            std::vector<std::string> tokens) {
  model::ModelConfig config;
  config.modelType = kAttentionsAlone;
  config.layers = shape[0];
  config.heads = shape[1];
  config.kvHeads = 1;
  config.dModel = config.headDim = config.vocabulary = width;
  config.positions = std::ssize(tokens);
  config.ffWidth = 0;
  config.attentionOnly = true;
  config.norms = false;
  config.causal = causal;
  config.scale = false;
  config.queryKeyValueBias = config.outputBias = config.feedForwardBias = false;
  config.languageModelHead = false;
  config.labels = std::move(tokens);
  config.example = fmt::format("{}", fmt::join(placesOf(config), ", "));
  return config;
}

/// Which layers have the weights of the file: all, those of cross-attention, or none.
enum class Given { all, cross, none };

class GivenWeights final : public model::WeightReader {
 public:
  GivenWeights(std::shared_ptr<const SafetensorsFile> file, Tensor weights, Shape shape,
               Given given = Given::all)
      : file_(std::move(file)),
        weights_(std::move(weights)),
        shape_(std::move(shape)),
        width_(std::max(shape_[2], shape_[3])),
        given_(given) {}

  model::Embedding embedding() const override {
    model::Embedding embedding;
    embedding.tokens = unitMatrix(width_);
    return embedding;
  }
  model::LayerWeights layer(Index layer) const override {
    const Index heads = shape_[1];
    model::LayerWeights weights;
    weights.attention.wQ = Tensor::zeros({heads * width_, width_});
    const bool cross = given_ == Given::cross && layer % 2 == 1;
    if (given_ == Given::all) setQueries(layer, weights.attention.wQ);
    if (cross) setQueries(layer / 2, weights.attention.wQ);
    weights.attention.wK = weights.attention.wV = unitMatrix(width_);
    weights.attention.wO = Tensor::zeros({width_, heads * width_});
    weights.attention.bQ = Tensor::zeros({heads * width_});
    weights.attention.bK = weights.attention.bV = weights.attention.bO = Tensor::zeros({width_});
    return weights;
  }
  model::Readout readout() const override { return {}; }
  bool hasReadout() const override { return false; }
  Index parameters() const override { return 0; }
  bool changedOnDisk() const override { return file_->changed(); }

 private:
  /// The query of each token has the logarithms of its weights on the keys.
  void setQueries(Index layer, Tensor& wQ) const {
    const Index heads = shape_[1], tokens = shape_[2], keys = shape_[3];
    float* queries = wQ.mutableData();
    for (Index head = 0; head < heads; ++head) {
      const float* given = weights_.data() + (layer * heads + head) * tokens * keys;
      for (Index query = 0; query < tokens; ++query) {
        for (Index key = 0; key < keys; ++key) {
          const float weight = given[query * keys + key];
          queries[(head * width_ + key) * width_ + query] =
              weight > 0.0F ? std::max(std::log(weight), kLogOfZero) : kLogOfZero;
        }
      }
    }
  }

  std::shared_ptr<const SafetensorsFile> file_;
  Tensor weights_;  // (layers, heads, T, M)
  Shape shape_;
  Index width_;  // max(T, M)
  Given given_;
};

constexpr const char* kWeightsAlone =
    "Only the attention weights are those of the file. Queries, keys and values were chosen so "
    "that the softmax gives these weights; nothing else is known of the model.";

/// Cross-attention: an encoder of the keys, and a decoder of the queries that looks at it.
model::ModelPtr crossModel(const std::shared_ptr<const SafetensorsFile>& file, const Shape& shape,
                           const Tensor& weights, const std::string& name, Index budget) {
  const Index width = std::max(shape[2], shape[3]);
  model::ModelConfig encoder =
      configOf({1, shape[1]}, width, false, tokensOf(*file, "keys", shape[3]));
  model::ModelConfig decoder =
      configOf({2 * shape[0], shape[1]}, width, false, tokensOf(*file, "queries", shape[2]));
  decoder.crossAttention = true;
  model::ModelNotes notes;
  notes.files.emplace_back(kWeightsAlone);
  const auto keys = std::make_shared<const model::Model>(
      name, std::move(encoder), std::make_unique<GivenWeights>(file, weights, shape, Given::none),
      budget / 2);
  return std::make_shared<const model::Model>(
      name, std::move(decoder), std::make_unique<GivenWeights>(file, weights, shape, Given::cross),
      budget / 2, std::move(notes), std::nullopt, keys);
}

}  // namespace

bool isAttentionFile(const fs::path& path) {
  if (path.extension() != ".safetensors") return false;
  try {
    return SafetensorsFile(path).has(kAttentions);
  } catch (const UserError&) {
    return false;  // whoever opens the file says what is wrong with it
  }
}

model::ModelPtr openAttentionFile(const fs::path& path, Index layerBudgetBytes) {
  const auto file = std::make_shared<const SafetensorsFile>(path);
  const Shape shape = checkedShape(*file);
  Tensor weights = file->read(kAttentions);
  const bool causal = checkedIsCausal(*file, weights, shape);
  const auto named = file->metadata().find("model");
  const std::string name = named != file->metadata().end() ? named->second : path.stem().string();
  if (isCross(*file, shape)) return crossModel(file, shape, weights, name, layerBudgetBytes);
  model::ModelNotes notes;
  notes.files.emplace_back(kWeightsAlone);
  return std::make_shared<const model::Model>(
      name, configOf(shape, shape[2], causal, tokensOf(*file, "tokens", shape[2])),
      std::make_unique<GivenWeights>(file, std::move(weights), shape), layerBudgetBytes,
      std::move(notes));
}

model::ModelInput inputOfAttentionFile(const model::ModelConfig& config, std::vector<Index> ids) {
  model::ModelInput input{std::move(ids), {}, {}};
  if (input.ids.empty()) input.ids = placesOf(config);
  for (const Index id : input.ids) {
    input.tokens.push_back(model::predictedName(id, config, nullptr));
  }
  return input;
}

}  // namespace headscope::formats
