#include "core/formats/asset_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/error.h"
#include "core/formats/asset_json.h"
#include "core/formats/csv.h"

namespace headscope::formats {
namespace {

using nlohmann::json;

template <typename Read>
auto readJson(std::string_view text, const char* file, Read read) {
  return readAsset<json, UserError>(text, file, read);
}

void requireFinite(const std::vector<float>& numbers) {
  const bool finite = std::all_of(numbers.begin(), numbers.end(),
                                  [](float number) { return std::isfinite(number); });
  if (!finite) throw UserError("a number is too large for 32 bits");
}

Tensor readVector(const json& values) {
  const auto numbers = values.get<std::vector<float>>();
  requireFinite(numbers);
  return Tensor::fromValues({static_cast<Index>(numbers.size())}, numbers);
}

Tensor readMatrix(const json& rows) {
  std::vector<float> numbers;
  for (const auto& row : rows.get<std::vector<std::vector<float>>>()) {
    if (row.size() != rows.front().size()) throw UserError("a matrix has rows of unequal length");
    numbers.insert(numbers.end(), row.begin(), row.end());
  }
  const auto count = static_cast<Index>(rows.size());
  if (numbers.empty()) throw UserError("a matrix is empty");
  requireFinite(numbers);
  return Tensor::fromValues({count, static_cast<Index>(numbers.size()) / count}, numbers);
}

Preset readPreset(const json& entry) {
  Preset preset;
  entry.at("name").get_to(preset.name);
  entry.at("title").get_to(preset.title);
  entry.at("about").get_to(preset.about);
  entry.at("example").get_to(preset.example);
  preset.config.dModel = wholeNumber<Index>(entry.at("d_model"));
  preset.config.numHeads = wholeNumber<Index>(entry.at("num_heads"));
  preset.config.seqLen = wholeNumber<Index>(entry.at("tokens"));
  preset.config.numKvHeads = preset.config.numHeads;
  if (entry.contains("batch")) preset.config.batch = wholeNumber<Index>(entry.at("batch"));
  preset.config.mask.causal = entry.value("causal", false);
  preset.explicitWeights = entry.contains("weights");
  return preset;
}

InputSource readSource(const json& entry, const std::string& name,
                       const std::function<std::string_view(std::string_view)>& file) {
  if (entry.contains("series")) {
    SeriesSource source;
    for (const auto& path : entry.at("series").get<std::vector<std::string>>()) {
      source.items.push_back(parseSeries(file(path), path));
    }
    return source;
  }
  if (entry.contains("x")) {
    TensorSource source;
    source.name = name;
    const Tensor x = readMatrix(entry.at("x"));
    source.x = x.reshaped({1, x.dim(0), x.dim(1)});
    source.tokens = entry.value("tokens", std::vector<std::string>{});
    return source;
  }
  return TextSource{entry.at("texts").get<std::vector<std::string>>(),
                    entry.value("memory_texts", std::vector<std::string>{})};
}

}  // namespace

std::vector<std::pair<std::string, std::vector<std::string>>> parseLexicon(std::string_view text) {
  return readJson(text, "lexicon.json", [](const json& file) {
    std::vector<std::pair<std::string, std::vector<std::string>>> classes;
    for (const auto& [name, words] : file.get<json::object_t>()) {
      classes.emplace_back(name, words.get<std::vector<std::string>>());
    }
    return classes;
  });
}

std::vector<Preset> parsePresets(std::string_view text) {
  return readJson(text, "presets.json", [](const json& file) {
    std::vector<Preset> presets;
    for (const json& entry : file) presets.push_back(readPreset(entry));
    return presets;
  });
}

Weights parsePresetWeights(std::string_view text, const Preset& preset) {
  return readJson(text, "presets.json", [&](const json& file) {
    for (const json& entry : file) {
      if (entry.at("name") != preset.name) continue;
      const json& given = entry.at("weights");
      return Weights{readMatrix(given.at("W_Q")), readMatrix(given.at("W_K")),
                     readMatrix(given.at("W_V")), readMatrix(given.at("W_O")),
                     readVector(given.at("b_Q")), readVector(given.at("b_K")),
                     readVector(given.at("b_V")), readVector(given.at("b_O"))};
    }
    throw UserError(fmt::format("no weights for \"{}\"", preset.name));
  });
}

std::vector<Example> parseExamples(std::string_view text,
                                   const std::function<std::string_view(std::string_view)>& file) {
  return readJson(text, "examples.json", [&](const json& entries) {
    std::vector<Example> examples;
    for (const json& entry : entries) {
      Example example;
      entry.at("name").get_to(example.name);
      entry.at("title").get_to(example.title);
      entry.at("about").get_to(example.about);
      example.source = readSource(entry, example.name, file);
      examples.push_back(std::move(example));
    }
    return examples;
  });
}

}  // namespace headscope::formats
