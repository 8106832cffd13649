#include "core/formats/families/rope_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <set>
#include <string>
#include <vector>

#include "core/attention/limits.h"
#include "core/formats/families/config_reader.h"

namespace headscope::formats {
namespace {

using model::ModelLimits;

/// How many of d_k coordinates a part is; 0: all.
Index rotatedCoordinates(const ConfigReader& reader, double part) {
  const Index all = reader.config.headDim;
  const auto turning = static_cast<Index>(static_cast<double>(all) * part);
  return turning == all ? 0 : turning;
}

/// One object of rotary fields and the rotation that it describes.
class RopeFields {
 public:
  /// `part`: the family reads partial_rotary_factor.
  RopeFields(ConfigReader& reader, const JsonField& field, Rotary start, bool part)
      : reader_(reader), field_(field), r_(std::move(start)), part_(part) {}

  Rotary read() {
    readPart();
    if (const auto theta = find("rope_theta")) r_.theta = ConfigReader::positiveOf(*theta);
    readScaling();
    for (const auto& [name, value] : field_.fields()) {
      reader_.refuseContradiction(name, value);
      if (value.value().fields() != nullptr) {
        reader_.refuseAsked(value, "a rotation of its own for each kind of layer");
      }
      if (!known_.contains(name)) reader_.checkOther(name, value);
    }
    return r_;
  }

 private:
  std::optional<JsonField> find(std::string_view name) {
    known_.emplace(name);
    return field_.find(name);
  }
  double number(const char* name) {
    known_.emplace(name);
    return ConfigReader::positiveOf(field_.at(name));
  }
  double number(const char* name, double otherwise) {
    const auto field = find(name);
    return field ? ConfigReader::positiveOf(*field) : otherwise;
  }
  std::vector<double> divisors(const char* name) {
    known_.emplace(name);
    std::vector<double> values;
    for (const JsonField& each : field_.at(name).items()) {
      values.push_back(ConfigReader::positiveOf(each));
    }
    return values;
  }
  Index turning() const { return r_.turning(reader_.config.headDim); }
  /// The positions of the training, before the scaling.
  Index trainedPositions(const char* what) {
    const auto own = find(what);
    if (own) return ConfigReader::sizeOf(*own, ModelLimits::kPositions);
    return reader_.size(what, ModelLimits::kPositions, reader_.config.positions);
  }

  void readPart() {
    if (!part_) return;
    if (const auto part = find("partial_rotary_factor")) {
      r_.dims = rotatedCoordinates(reader_, ConfigReader::positiveOf(*part));
    }
  }

  void readScaling() {
    const auto newer = find("rope_type");
    const auto older = find("type");
    if (newer && older && newer->text() != older->text()) {
      ConfigReader::refuse(*older, fmt::format("and rope_type is {}", newer->quoted()));
    }
    const auto& kind = newer ? newer : older;
    const std::string name = kind ? kind->text() : "default";
    if (const auto factor = field_.find("factor"); factor && !kind) {
      ConfigReader::refuse(*factor, "and rope_type, which gives the meaning of factor, is missing");
    }
    if (name == "linear") {
      r_.scaling = Rotary::Scaling::linear;
      r_.factor = number("factor");
    } else if (name == "llama3") {
      r_.scaling = Rotary::Scaling::llama3;
      r_.factor = number("factor");
      r_.lowFrequencyFactor = number("low_freq_factor");
      r_.highFrequencyFactor = number("high_freq_factor");
      known_.emplace("original_max_position_embeddings");
      r_.originalPositions = ConfigReader::sizeOf(field_.at("original_max_position_embeddings"),
                                                  ModelLimits::kPositions);
    } else if (name == "dynamic") {
      readDynamic();
    } else if (name == "yarn") {
      readYarn();
    } else if (name == "longrope" || name == "su") {
      readLongRope();
    } else if (name != "default") {
      reader_.refuseAsked(*kind,
                          "a scaling of rotary positions other than \"linear\", \"dynamic\", "
                          "\"llama3\", \"yarn\" and \"longrope\"");
    }
  }

  /// Dynamic NTK: theta grows with texts longer than those of the training.
  void readDynamic() {
    auto& longTexts = reader_.config.longTexts;
    longTexts.positions = reader_.config.positions;
    longTexts.dynamicFactor = number("factor");
    find("original_max_position_embeddings");  // transformers counts from max_position_embeddings
    reader_.config.positions = Limits::kTokens;
  }

  /// YaRN (Peng et al. 2023), as transformers computes it.
  void readYarn() {
    const auto trained = static_cast<double>(trainedPositions("original_max_position_embeddings"));
    const double factor = number("factor", static_cast<double>(reader_.config.positions) / trained);
    const double fast = number("beta_fast", 32.0), slow = number("beta_slow", 1.0);
    const auto truncated = find("truncate");
    const bool whole = !truncated || truncated->flag();
    const auto turning = static_cast<double>(this->turning());
    const auto dimensionOf = [&](double rotations) {
      return turning * std::log(trained / (rotations * 2.0 * std::numbers::pi)) /
             (2.0 * std::log(r_.theta));
    };
    double low = dimensionOf(fast), high = dimensionOf(slow);
    if (whole) {
      low = std::floor(low);
      high = std::ceil(high);
    }
    low = std::max(low, 0.0);
    high = std::min(high, turning - 1.0);
    if (low == high) high += 0.001;
    r_.scaling = Rotary::Scaling::perPair;
    r_.divisors.clear();
    for (Index j = 0; j < this->turning() / 2; ++j) {
      const double ramp = std::clamp((static_cast<double>(j) - low) / (high - low), 0.0, 1.0);
      r_.divisors.push_back(1.0 / (ramp / factor + (1.0 - ramp)));
    }
    readYarnAmplitude(factor);
  }

  void readYarnAmplitude(double factor) {
    const auto grown = [factor](double scale) {
      return factor <= 1.0 ? 1.0 : 0.1 * scale * std::log(factor) + 1.0;
    };
    const auto given = find("attention_factor");
    const auto ofPart = find("mscale"), ofAll = find("mscale_all_dim");
    const auto isOn = [](const auto& field) { return field && field->number() != 0.0; };
    if (given) {
      r_.amplitude = ConfigReader::positiveOf(*given);
    } else if (isOn(ofPart) && isOn(ofAll)) {
      r_.amplitude = grown(ofPart->number()) / grown(ofAll->number());
    } else {
      r_.amplitude = grown(1.0);
    }
    // in latent attention the scores grow as well
    if (reader_.config.latent.on() && isOn(ofAll)) {
      reader_.config.scoreFactor =
          reader_.config.scoreFactor.value_or(1.0) * std::pow(grown(ofAll->number()), 2.0);
    }
  }

  /// LongRoPE (Ding et al. 2024): other divisors for texts longer than those of the training.
  void readLongRope() {
    const Index trained = trainedPositions("original_max_position_embeddings");
    const double factor = number(
        "factor", static_cast<double>(reader_.config.positions) / static_cast<double>(trained));
    r_.scaling = Rotary::Scaling::perPair;
    r_.divisors = divisors("short_factor");
    reader_.config.longTexts.positions = trained;
    reader_.config.longTexts.divisors = divisors("long_factor");
    for (const auto* name : {"short_factor", "long_factor"}) {
      const auto given = field_.at(name);
      if (std::ssize(given.items()) != turning() / 2) {
        given.fail(fmt::format("has {} numbers for {} pairs", given.items().size(), turning() / 2));
      }
    }
    const double usual =
        factor <= 1.0 ? 1.0
                      : std::sqrt(1.0 + std::log(factor) / std::log(static_cast<double>(trained)));
    r_.amplitude = number("attention_factor", usual);
  }

  ConfigReader& reader_;
  const JsonField& field_;
  Rotary r_;
  bool part_;
  std::set<std::string, std::less<>> known_;
};

/// The object with the scaling, under either of its names.
std::optional<JsonField> scalingField(ConfigReader& reader) {
  const auto parameters = reader.find("rope_parameters");
  const auto scaling = reader.find("rope_scaling");
  if (parameters && scaling && parameters->value().dump() != scaling->value().dump()) {
    ConfigReader::refuse(*scaling,
                         "and rope_parameters says something else: leave one of them out");
  }
  return parameters ? parameters : scaling;
}

}  // namespace

void readRope(ConfigReader& reader, double theta, std::optional<double> part) {
  Rotary& r = reader.config.rotary;
  const auto given = scalingField(reader);
  r.theta = reader.positive("rope_theta", theta);
  if (part) r.dims = rotatedCoordinates(reader, reader.positive("partial_rotary_factor", *part));
  if (given) r = RopeFields(reader, *given, r, part.has_value()).read();
}

void readRopeOfLayerTypes(ConfigReader& reader, const ThetaField& full, const ThetaField& sliding) {
  model::ModelConfig& c = reader.config;
  const auto given = scalingField(reader);
  c.rotary.theta = reader.positive(full.name, full.otherwise);
  Rotary local;
  local.theta = reader.positive(sliding.name, sliding.otherwise);
  if (given && given->find("full_attention")) {
    c.rotary = RopeFields(reader, given->at("full_attention"), c.rotary, false).read();
    local = RopeFields(reader, given->at("sliding_attention"), local, false).read();
  } else if (given) {
    c.rotary = RopeFields(reader, *given, c.rotary, false).read();
  }
  for (const Index window : c.windows) c.rotaryOfLayer.push_back(window > 0 ? local : c.rotary);
}

}  // namespace headscope::formats
