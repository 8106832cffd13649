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

/// The shape (layers, heads, T, T) of the file's weights. Throws UserError for any other.
Shape checkedShape(const SafetensorsFile& file) {
  const Shape& shape = file.shape(kAttentions);
  const auto fail = [&](const std::string& why) {
    throw UserError(
        fmt::format("{}: attentions {}: {}", file.path().string(), toString(shape), why));
  };
  if (shape.size() != 4) {
    fail("they need the shape (layers, heads, tokens, tokens), without a batch");
  }
  if (shape[2] != shape[3]) {
    fail("queries and keys must be the same tokens; cross-attention is not read from a file");
  }
  if (shape[2] > kMostPlaces)
    fail(fmt::format("at most {} tokens are read", withThousands(kMostPlaces)));
  if (shape[0] < 1 || shape[0] > model::ModelLimits::kLayers || shape[1] < 1 ||
      shape[1] > Limits::kDModel || shape[2] < 1) {
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
  const Index tokens = shape[2];
  bool causal = tokens > 1;
  for (Index row = 0; row < shape[0] * shape[1] * tokens; ++row) {
    const std::span<const float> cells(weights.data() + row * tokens,
                                       static_cast<std::size_t>(tokens));
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

/// The names of the tokens, as the metadata has them; the places' numbers where it has none.
std::vector<std::string> tokensOf(const SafetensorsFile& file, Index count) {
  std::vector<std::string> names;
  const auto found = file.metadata().find("tokens");
  if (found == file.metadata().end()) {
    for (Index place = 0; place < count; ++place) names.push_back(fmt::format("{}", place + 1));
    return names;
  }
  const auto fail = [&](const std::string& why) {
    throw UserError(fmt::format("{}: its metadata \"tokens\" {}", file.path().string(), why));
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

std::vector<Index> placesOf(const model::ModelConfig& config) {
  std::vector<Index> places(static_cast<std::size_t>(config.positions));
  std::iota(places.begin(), places.end(), Index{0});
  return places;
}

model::ModelConfig configOf(const Shape& shape, bool causal, std::vector<std::string> tokens) {
  model::ModelConfig config;
  config.modelType = kAttentionsAlone;
  config.layers = shape[0];
  config.heads = shape[1];
  config.kvHeads = 1;
  config.dModel = config.headDim = config.vocabulary = config.positions = shape[2];
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

class GivenWeights final : public model::WeightReader {
 public:
  GivenWeights(std::shared_ptr<const SafetensorsFile> file, Tensor weights, Shape shape)
      : file_(std::move(file)), weights_(std::move(weights)), shape_(std::move(shape)) {}

  model::Embedding embedding() const override {
    model::Embedding embedding;
    embedding.tokens = unitMatrix(shape_[2]);
    return embedding;
  }
  model::LayerWeights layer(Index layer) const override {
    const Index heads = shape_[1], tokens = shape_[2];
    model::LayerWeights weights;
    weights.attention.wQ = Tensor::zeros({heads * tokens, tokens});
    float* queries = weights.attention.wQ.mutableData();
    for (Index head = 0; head < heads; ++head) {
      const float* given = weights_.data() + (layer * heads + head) * tokens * tokens;
      for (Index query = 0; query < tokens; ++query) {
        for (Index key = 0; key < tokens; ++key) {
          const float weight = given[query * tokens + key];
          queries[(head * tokens + key) * tokens + query] =
              weight > 0.0F ? std::max(std::log(weight), kLogOfZero) : kLogOfZero;
        }
      }
    }
    weights.attention.wK = weights.attention.wV = unitMatrix(tokens);
    weights.attention.wO = Tensor::zeros({tokens, heads * tokens});
    weights.attention.bQ = Tensor::zeros({heads * tokens});
    weights.attention.bK = weights.attention.bV = weights.attention.bO = Tensor::zeros({tokens});
    return weights;
  }
  model::Readout readout() const override { return {}; }
  bool hasReadout() const override { return false; }
  Index parameters() const override { return 0; }
  bool changedOnDisk() const override { return file_->changed(); }

 private:
  std::shared_ptr<const SafetensorsFile> file_;
  Tensor weights_;  // (layers, heads, T, T)
  Shape shape_;
};

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
  std::vector<std::string> tokens = tokensOf(*file, shape[2]);
  Tensor weights = file->read(kAttentions);
  const bool causal = checkedIsCausal(*file, weights, shape);
  const auto named = file->metadata().find("model");
  const std::string name = named != file->metadata().end() ? named->second : path.stem().string();
  model::ModelNotes notes;
  notes.files.push_back(
      "Only the attention weights are those of the file. Queries, keys and values were chosen so "
      "that the softmax gives these weights; nothing else is known of the model.");
  return std::make_shared<const model::Model>(
      name, configOf(shape, causal, std::move(tokens)),
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
