
#include "core/formats/asset_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

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

std::vector<GlossaryEntry> parseGlossary(std::string_view json) {
  using Json = nlohmann::json;
  return readAsset<Json, std::runtime_error>(json, "glossary.json", [](const Json& file) {
    std::vector<GlossaryEntry> entries;
    for (const auto& entry : file.at("terms")) {
      const auto term = entry.at("term").get<std::string>();
      entries.push_back({term, entry.value("shown", term), entry.at("about").get<std::string>()});
      if (entries.back().term.empty() || entries.back().about.empty()) {
        throw std::runtime_error("a term or its explanation is empty");
      }
    }
    return entries;
  });
}

namespace {

Rgb parseColor(const std::string& text) {
  unsigned value = 0;
  const char* end = text.data() + text.size();
  if (text.size() != 7 || text[0] != '#' ||
      std::from_chars(text.data() + 1, end, value, 16).ptr != end) {
    throw std::runtime_error("\"" + text + "\" is no colour like \"#5b4bdb\"");
  }
  return {static_cast<std::uint8_t>(value >> 16), static_cast<std::uint8_t>(value >> 8 & 255U),
          static_cast<std::uint8_t>(value & 255U)};
}

ColorStops parseStops(const nlohmann::json& json) {
  ColorStops stops;
  for (const auto& color : json) stops.push_back(parseColor(color.get<std::string>()));
  if (stops.size() < 2) throw std::runtime_error("a map has fewer than 2 colours");
  return stops;
}

ColorMapPair::Variant parseVariant(const nlohmann::json& json) {
  return {parseStops(json.at("sequential")), parseStops(json.at("diverging"))};
}

}  // namespace

std::vector<ColorMapPair> parseColorMaps(std::string_view json) {
  return readAsset<nlohmann::json, std::runtime_error>(
      json, "colormaps.json", [](const nlohmann::json& file) {
        std::vector<ColorMapPair> pairs;
        for (const auto& pair : file.at("pairs")) {
          pairs.push_back({pair.at("name").get<std::string>(), parseVariant(pair.at("light")),
                           parseVariant(pair.at("dark"))});
        }
        return pairs;
      });
}

namespace {

using Json = nlohmann::ordered_json;

Mix readMix(const Json& field) {
  Mix mix;
  for (const auto& [name, factor] : field.items()) mix.emplace_back(name, factor.get<double>());
  return mix;
}

Looks readLooks(const std::string& name) {
  if (name.empty()) return Looks::anywhere;
  if (name == "left") return Looks::left;
  if (name == "right") return Looks::right;
  if (name == "both") return Looks::both;
  throw std::runtime_error("a head looks left, right or both, not " + name);
}

/// "verb or adjective": both.
std::vector<std::string> readClasses(const std::string& text) {
  static const std::string kOr = " or ";
  std::vector<std::string> classes;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(kOr, begin), text.size());
    classes.push_back(text.substr(begin, end - begin));
    begin = end + kOr.size();
  }
  return classes;
}

int readDistance(const std::string& text) {
  int distance = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), distance);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw std::runtime_error("\"" + text + "\" is no distance");
  }
  return distance;
}

HeadDescription readHead(const Json& entry) {
  HeadDescription head;
  entry.at("title").get_to(head.title);
  entry.at("about").get_to(head.about);
  if (entry.contains("peaks")) {
    Peaks peaks{{}, entry.at("peaks").at("lead").get<double>()};
    for (const auto& [distance, height] : entry.at("peaks").at("at").items()) {
      peaks.at.emplace_back(readDistance(distance), height.get<double>());
    }
    head.peaks = std::move(peaks);
  }
  for (const Json& piece : entry.value("shape", Json::array())) {
    head.shape.push_back({wholeNumber<int>(piece.at(0)), wholeNumber<int>(piece.at(1)),
                          piece.at(2).get<double>(), piece.at(3).get<double>()});
  }
  if (entry.contains("pairs")) head.pairs = wholeNumber<long>(entry.at("pairs"));
  head.away = entry.value("away", 0.0);
  for (const Json& meeting : entry.value("meet", Json::array())) {
    head.meet.push_back({readMix(meeting.at("query")), readMix(meeting.at("key"))});
  }
  if (entry.contains("each")) {
    entry.at("each").at("coordinates").get_to(head.each);
    entry.at("each").at("gain").get_to(head.eachGain);
  }
  if (entry.contains("identity")) {
    const Json& identity = entry.at("identity");
    head.identity =
        IdentityMeeting{identity.at("gain").get<double>(), wholeNumber<long>(identity.at("least"))};
  }
  head.looks = readLooks(entry.value("looks", std::string()));
  head.across = entry.value("across", false);
  for (const Json& rule : entry.value("partner", Json::array())) {
    head.partner.push_back({readClasses(rule.value("of", std::string())),
                            readClasses(rule.value("is", std::string())),
                            rule.at("where").get<std::string>()});
  }
  return head;
}

std::vector<HeadDescription> readHeads(const Json& list) {
  std::vector<HeadDescription> heads;
  for (const Json& entry : list) heads.push_back(readHead(entry));
  return heads;
}

}  // namespace

HeadDescriptions parseDesignedHeads(std::string_view text) {
  return readAsset<Json, std::runtime_error>(text, "designed_heads.json", [](const Json& file) {
    return HeadDescriptions{readHeads(file.at("text")), readHeads(file.at("series"))};
  });
}

}  // namespace headscope::formats
