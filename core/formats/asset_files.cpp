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
#include "core/formats/json.h"
#include "core/formats/tables.h"

namespace headscope::formats {

namespace {

/// What `read` makes of the file, a JsonField. Throws `Error` that names it.
template <typename Error, typename Read>
auto readAsset(std::string_view text, const std::string& file, Read read) {
  try {
    const Json json = parseJson(text);
    return read(JsonField(json, file));
  } catch (const JsonError& error) {
    throw Error(fmt::format("{}: {}", file, error.what()));
  } catch (const UserError& error) {
    throw Error(error.what());
  }
}

/// The items of a list; none where it may be missing, and is.
std::vector<JsonField> itemsIn(const JsonField& entry, const char* name) {
  const auto list = entry.find(name);
  return list ? list->items() : std::vector<JsonField>{};
}

std::vector<std::string> textsIn(const JsonField& entry, const char* name) {
  const auto list = entry.find(name);
  return list ? list->texts() : std::vector<std::string>{};
}

std::string textIn(const JsonField& entry, const char* name) {
  const auto text = entry.find(name);
  return text ? text->text() : std::string();
}

bool flagIn(const JsonField& entry, const char* name) {
  const auto flag = entry.find(name);
  return flag && flag->flag();
}

std::vector<float> readNumbers(const JsonField& values) {
  std::vector<float> numbers;
  for (const JsonField& value : values.items()) {
    numbers.push_back(static_cast<float>(value.number()));
    if (!std::isfinite(numbers.back())) value.fail("is too large for 32 bits");
  }
  return numbers;
}

Tensor readVector(const JsonField& values) {
  const auto numbers = readNumbers(values);
  return Tensor::fromValues({static_cast<Index>(numbers.size())}, numbers);
}

Tensor readMatrix(const JsonField& matrix) {
  std::vector<float> numbers;
  std::size_t columns = 0;
  const auto rows = matrix.items();
  for (const JsonField& row : rows) {
    const auto values = readNumbers(row);
    if (!numbers.empty() && values.size() != columns)
      row.fail("is of unequal length: all rows are as long as the first");
    columns = values.size();
    numbers.insert(numbers.end(), values.begin(), values.end());
  }
  if (numbers.empty()) matrix.fail("is empty");
  const auto count = static_cast<Index>(rows.size());
  return Tensor::fromValues({count, static_cast<Index>(numbers.size()) / count}, numbers);
}

/// Numbers of its own.
TensorSource readTensors(const JsonField& entry, const std::string& name) {
  TensorSource source;
  source.name = name;
  const Tensor x = readMatrix(entry.at("x"));
  source.x = x.reshaped({1, x.dim(0), x.dim(1)});
  source.tokens = textsIn(entry, "tokens");
  return source;
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

std::vector<LexiconList> parseLexicon(std::string_view text) {
  return readAsset<UserError>(text, "lexicon.json", [](const JsonField& file) {
    std::vector<LexiconList> lists;
    for (const auto& [language, classes] : file.fields()) {
      for (const auto& [name, words] : classes.fields()) {
        lists.push_back({language, name, words.texts()});
      }
    }
    return lists;
  });
}

std::vector<std::pair<std::string, std::vector<std::string>>> parseMeanings(std::string_view text) {
  return readAsset<UserError>(text, "meanings.json", [](const JsonField& file) {
    std::vector<std::pair<std::string, std::vector<std::string>>> meanings;
    for (const auto& [meaning, words] : file.fields()) {
      meanings.emplace_back(meaning, words.texts());
    }
    return meanings;
  });
}

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
      example.source = readSource(entry, file);
      examples.push_back(std::move(example));
    }
    return examples;
  });
}

std::vector<GlossaryEntry> parseGlossary(std::string_view text) {
  return readAsset<std::runtime_error>(text, "glossary.json", [](const JsonField& file) {
    std::vector<GlossaryEntry> entries;
    for (const JsonField& entry : file.at("terms").items()) {
      const auto shown = entry.find("shown");
      const std::string term = entry.at("term").text();
      entries.push_back({term, shown ? shown->text() : term, entry.at("about").text()});
      if (term.empty() || entries.back().about.empty()) {
        entry.fail("has an empty term or explanation");
      }
    }
    return entries;
  });
}

namespace {

Rgb parseColor(const JsonField& field) {
  const std::string& text = field.text();
  unsigned value = 0;
  const char* end = text.data() + text.size();
  if (text.size() != 7 || text[0] != '#' ||
      std::from_chars(text.data() + 1, end, value, 16).ptr != end) {
    field.fail("must be a colour such as \"#5b4bdb\"");
  }
  return {static_cast<std::uint8_t>(value >> 16), static_cast<std::uint8_t>(value >> 8 & 255U),
          static_cast<std::uint8_t>(value & 255U)};
}

ColorStops parseStops(const JsonField& list) {
  ColorStops stops;
  for (const JsonField& color : list.items()) stops.push_back(parseColor(color));
  if (stops.size() < 2) list.fail("must have 2 colours or more");
  return stops;
}

ColorMapPair::Variant parseVariant(const JsonField& maps) {
  return {parseStops(maps.at("sequential")), parseStops(maps.at("diverging"))};
}

}  // namespace

std::vector<ColorMapPair> parseColorMaps(std::string_view text) {
  return readAsset<std::runtime_error>(text, "colormaps.json", [](const JsonField& file) {
    std::vector<ColorMapPair> pairs;
    for (const JsonField& pair : file.at("pairs").items()) {
      pairs.push_back(
          {pair.at("name").text(), parseVariant(pair.at("light")), parseVariant(pair.at("dark"))});
    }
    return pairs;
  });
}

namespace {

Mix readMix(const JsonField& field) {
  Mix mix;
  for (const auto& [name, factor] : field.fields()) mix.emplace_back(name, factor.number());
  return mix;
}

Looks readLooks(const JsonField& field) {
  const std::string& name = field.text();
  if (name.empty()) return Looks::anywhere;
  if (name == "left") return Looks::left;
  if (name == "right") return Looks::right;
  if (name != "both") field.fail("must be left, right or both");
  return Looks::both;
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

/// A distance that stands as a field's name.
int readDistance(const std::string& text, const JsonField& field) {
  int distance = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), distance);
  if (error != std::errc() || end != text.data() + text.size()) field.fail("is at no distance");
  return distance;
}

HeadDescription readHead(const JsonField& entry) {
  HeadDescription head;
  head.title = entry.at("title").text();
  head.about = entry.at("about").text();
  if (const auto given = entry.find("peaks")) {
    Peaks peaks{{}, given->at("lead").number()};
    for (const auto& [distance, height] : given->at("at").fields()) {
      peaks.at.emplace_back(readDistance(distance, height), height.number());
    }
    head.peaks = std::move(peaks);
  }
  for (const JsonField& piece : itemsIn(entry, "shape")) {
    const auto values = piece.items();
    if (values.size() != 4) piece.fail("must be two distances and two numbers");
    head.shape.push_back({values[0].wholeOf<int>(), values[1].wholeOf<int>(), values[2].number(),
                          values[3].number()});
  }
  if (const auto pairs = entry.find("pairs")) head.pairs = pairs->wholeOf<long>();
  if (const auto away = entry.find("away")) head.away = away->number();
  for (const JsonField& meeting : itemsIn(entry, "meet")) {
    head.meet.push_back({readMix(meeting.at("query")), readMix(meeting.at("key"))});
  }
  if (const auto each = entry.find("each")) {
    head.each = each->at("coordinates").text();
    head.eachGain = each->at("gain").number();
  }
  if (const auto identity = entry.find("identity")) {
    head.identity =
        IdentityMeeting{identity->at("gain").number(), identity->at("least").wholeOf<long>()};
  }
  if (const auto looks = entry.find("looks")) head.looks = readLooks(*looks);
  for (const JsonField& rule : itemsIn(entry, "partner")) {
    head.partner.push_back({readClasses(textIn(rule, "of")), readClasses(textIn(rule, "is")),
                            rule.at("where").text()});
  }
  return head;
}

std::vector<HeadDescription> readHeads(const JsonField& list) {
  std::vector<HeadDescription> heads;
  for (const JsonField& entry : list.items()) heads.push_back(readHead(entry));
  return heads;
}

}  // namespace

HeadDescriptions parseDesignedHeads(std::string_view text) {
  return readAsset<std::runtime_error>(text, "designed_heads.json", [](const JsonField& file) {
    return HeadDescriptions{readHeads(file.at("text")), readHeads(file.at("across")),
                            readHeads(file.at("series"))};
  });
}

}  // namespace headscope::formats
