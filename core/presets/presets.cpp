#include "core/presets/presets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/assets.h"
#include "core/document/document.h"
#include "core/editing/make_document.h"
#include "core/presets/preset_files.h"

namespace headscope {
namespace {

template <typename Entry>
const Entry& byName(const std::vector<Entry>& entries, std::string_view name, const char* what) {
  std::vector<std::string> names;
  for (const Entry& entry : entries) {
    if (entry.name == name) return entry;
    names.push_back(entry.name);
  }
  throw UserError(
      fmt::format("there is no {} \"{}\"; choose one of {}", what, name, fmt::join(names, ", ")));
}

}  // namespace

const std::vector<Preset>& presets() {
  static const std::vector<Preset> all =
      parsePresets(asset("presets.json"),
                   [](const std::string& example) { return exampleByName(example).source; });
  return all;
}

const Preset& presetByName(std::string_view name) { return byName(presets(), name, "preset"); }

const std::vector<Example>& examples() {
  static const std::vector<Example> all =
      parseExamples(asset("examples.json"),
                    [](std::string_view file) { return asset(fmt::format("examples/{}", file)); });
  return all;
}

const Example& exampleByName(std::string_view name) { return byName(examples(), name, "example"); }

std::vector<std::string> biasedHeads(const PairBias& bias) {
  if (!bias.ofPairs()) return {};
  for (const Preset& preset : presets()) {
    if (!preset.biasedHeads.empty() && preset.config.pairBias == bias) return preset.biasedHeads;
  }
  return {};
}

std::string drawingOf(const Series& series) {
  for (const Example& example : examples()) {
    const auto* of = std::get_if<SeriesSource>(&example.source);
    if (of == nullptr || example.drawing.empty()) continue;
    const Series& shipped = *of->items.front();
    const bool same = shipped.name == series.name && shipped.channels == series.channels &&
                      shipped.values.values() == series.values.values();
    if (same) return example.drawing;
  }
  return {};
}

Preset presetOf(const Example& example) {
  Preset preset = presetByName("original-transformer");
  preset.source = example.source;
  return preset;
}

DocumentPtr makePreset(const Preset& preset, const WeightSource& weights, Index memoryBudgetBytes) {
  DocumentPtr drawn =
      makeDocument(preset.name, preset.config, preset.source, Positions::named,
                   preset.explicitWeights ? WeightSource{} : weights, memoryBudgetBytes);
  if (!preset.explicitWeights) return drawn;
  Document given = *drawn;
  given.weightSource.loadedFrom = fmt::format("the {} preset", preset.name);
  given.weights = parsePresetWeights(asset("presets.json"), preset);
  checkWeights(given.weights, given.config, given.weightSource.loadedFrom);
  return std::make_shared<const Document>(std::move(given));
}

}  // namespace headscope
