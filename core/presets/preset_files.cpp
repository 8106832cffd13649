#include "core/presets/preset_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "core/attention/switches.h"
#include "core/base/asset_json.h"
#include "core/base/assets.h"
#include "core/base/error.h"
#include "core/input/tables.h"

namespace headscope {
namespace {

Tensor readVector(const JsonField& values) {
  const auto numbers = values.floats();
  return Tensor::fromValues({static_cast<Index>(numbers.size())}, numbers);
}

Tensor readMatrix(const JsonField& matrix) {
  std::vector<float> numbers;
  std::size_t columns = 0;
  const auto rows = matrix.items();
  for (const JsonField& row : rows) {
    const auto values = row.floats();
    if (!numbers.empty() && values.size() != columns)
      row.fail("has another length than the first row");
    columns = values.size();
    numbers.insert(numbers.end(), values.begin(), values.end());
  }
  if (numbers.empty()) matrix.fail("is empty");
  const auto count = static_cast<Index>(rows.size());
  return Tensor::fromValues({count, static_cast<Index>(numbers.size()) / count}, numbers);
}

/// A preset's own numbers.
TensorSource readTensors(const JsonField& entry, const std::string& name) {
  TensorSource source;
  source.name = name;
  const Tensor x = readMatrix(entry.at("x"));
  source.x = x.reshaped({1, x.dim(0), x.dim(1)});
  source.tokens = textsIn(entry, "tokens");
  return source;
}

/// A bias of pairs in a file of assets/: the heads' matrices one below the other, under a header.
PairBias readPairBias(const JsonField& file, const AttentionConfig& c) {
  const auto found = std::ranges::find(allAssets(), file.text(), &Asset::name);
  if (found == allAssets().end()) file.fail("is no file of assets/");
  const Tensor numbers = parseSeries(found->data, file.text())->values;
  if (numbers.shape() != Shape{c.numHeads * c.seqLen, c.seqLen}) {
    file.fail(fmt::format("has {} numbers, and {} heads of {} × {} pairs need others",
                          toString(numbers.shape()), c.numHeads, c.seqLen, c.seqLen));
  }
  return PairBias::of(numbers.reshaped({c.numHeads, c.seqLen, c.seqLen}));
}

Preset readPreset(const JsonField& entry,
                  const std::function<InputSource(const std::string&)>& example) {
  Preset preset;
  preset.name = entry.at("name").text();
  preset.title = entry.at("title").text();
  const auto brief = entry.find("short");
  preset.brief = brief ? brief->text() : preset.title;
  preset.about = entry.at("about").text();
  const auto named = entry.find("example");
  preset.source = named ? example(named->text()) : readTensors(entry.at("input"), preset.name);
  preset.config.dModel = entry.at("d_model").whole();
  preset.config.numHeads = entry.at("num_heads").whole();
  preset.config.seqLen = entry.at("tokens").whole();
  preset.config.numKvHeads = preset.config.numHeads;
  if (const auto batch = entry.find("batch")) preset.config.batch = batch->whole();
  preset.config.mask.causal = flagIn(entry, "causal");
  preset.config.switches->gate = flagIn(entry, "gate");
  preset.unlearned = flagIn(entry, "unlearned");
  if (const auto file = entry.find("pair_bias")) {
    preset.config.pairBias = readPairBias(*file, preset.config);
    preset.biasedHeads = entry.at("biased_heads").texts();
  }
  preset.explicitWeights = entry.find("weights").has_value();
  return preset;
}

InputSource readSource(const JsonField& entry,
                       const std::function<std::string_view(std::string_view)>& file) {
  if (const auto series = entry.find("series")) {
    SeriesSource source;
    for (const auto& path : series->texts()) source.items.push_back(parseSeries(file(path), path));
    return source;
  }
  return TextSource{entry.at("texts").texts(), textsIn(entry, "memory_texts")};
}

}  // namespace

std::vector<Preset> parsePresets(std::string_view text,
                                 const std::function<InputSource(const std::string&)>& example) {
  return readAsset<UserError>(text, "presets.json", [&](const JsonField& file) {
    std::vector<Preset> presets;
    for (const JsonField& entry : file.items()) presets.push_back(readPreset(entry, example));
    return presets;
  });
}

Weights parsePresetWeights(std::string_view text, const Preset& preset) {
  return readAsset<UserError>(text, "presets.json", [&](const JsonField& file) {
    for (const JsonField& entry : file.items()) {
      if (entry.at("name").text() != preset.name) continue;
      const JsonField given = entry.at("weights");
      return Weights{readMatrix(given.at("W_Q")), readMatrix(given.at("W_K")),
                     readMatrix(given.at("W_V")), readMatrix(given.at("W_O")),
                     readVector(given.at("b_Q")), readVector(given.at("b_K")),
                     readVector(given.at("b_V")), readVector(given.at("b_O"))};
    }
    file.fail(fmt::format("has no weights for \"{}\"", preset.name));
  });
}

std::vector<Example> parseExamples(std::string_view text,
                                   const std::function<std::string_view(std::string_view)>& file) {
  return readAsset<UserError>(text, "examples.json", [&](const JsonField& entries) {
    std::vector<Example> examples;
    for (const JsonField& entry : entries.items()) {
      Example example;
      example.name = entry.at("name").text();
      example.title = entry.at("title").text();
      example.about = entry.at("about").text();
      if (const auto drawing = entry.find("drawing")) example.drawing = drawing->text();
      example.source = readSource(entry, file);
      examples.push_back(std::move(example));
    }
    return examples;
  });
}

}  // namespace headscope
