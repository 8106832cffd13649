#include "core/formats/setting_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "core/attention/config.h"

namespace headscope::formats {
namespace {

constexpr std::array kRotaryScalings{"none", "linear", "llama3", "per_pair"};
constexpr std::array kPairings{"halves", "neighbours"};
constexpr std::array kNormOver{"head", "all_heads"};
constexpr std::array kNormKinds{"rms", "layer"};

/// The enumerator with a name. Throws UserError at the field for another name.
template <typename Enum, std::size_t kCount>
Enum enumFrom(const JsonField& field, const std::array<const char*, kCount>& names) {
  const auto found = std::find(names.begin(), names.end(), field.text());
  if (found == names.end()) field.fail(fmt::format("must be one of {}", fmt::join(names, ", ")));
  return static_cast<Enum>(found - names.begin());
}
template <typename Enum, std::size_t kCount>
const char* enumName(Enum value, const std::array<const char*, kCount>& names) {
  // cppcheck-suppress CastIntegerToAddressAtReturn  ; the names are pointers
  return names[static_cast<std::size_t>(value)];
}

}  // namespace

Json rotaryJson(const Rotary& r) {
  Json json = {{"theta", r.theta},
               {"scaling", enumName(r.scaling, kRotaryScalings)},
               {"factor", r.factor},
               {"low_freq_factor", r.lowFrequencyFactor},
               {"high_freq_factor", r.highFrequencyFactor},
               {"original_positions", r.originalPositions}};
  const Rotary usual;
  if (r.dims != usual.dims) json["dims"] = r.dims;
  if (r.pairing != usual.pairing) json["pairing"] = enumName(r.pairing, kPairings);
  if (r.divisors != usual.divisors) json["divisors"] = r.divisors;
  if (r.amplitude != usual.amplitude) json["amplitude"] = r.amplitude;
  return json;
}

Json headNormJson(const HeadNorm& norm) {
  Json json = {{"q", norm.q()}, {"k", norm.k()}, {"epsilon", norm.epsilon()}};
  if (norm.over() != HeadNorm::Over::head) json["over"] = enumName(norm.over(), kNormOver);
  if (norm.kind() != HeadNorm::Kind::rms) json["kind"] = enumName(norm.kind(), kNormKinds);
  return json;
}

Json relativeJson(const RelativeScores::Settings& s) {
  return {{"position_keys", s.positionKeys},
          {"position_queries", s.positionQueries},
          {"span", s.span},
          {"buckets", s.buckets},
          {"max_distance", s.maxDistance}};
}

Json pairBiasJson(const PairBias::Settings& s) {
  if (s.seed) {
    const Index heads = std::ssize(s.values) / (s.queries * s.keys);
    return {{"seed", *s.seed}, {"heads", heads}, {"queries", s.queries}, {"keys", s.keys}};
  }
  if (s.buckets == 0) return {{"values", s.values}, {"queries", s.queries}, {"keys", s.keys}};
  return {{"values", s.values},
          {"buckets", s.buckets},
          {"max_distance", s.maxDistance},
          {"both_ways", s.bothWays}};
}

Rotary rotaryFrom(const JsonField& field) {
  Rotary r;
  r.theta = field.at("theta").number();
  const JsonField scaling = field.at("scaling");
  r.scaling = enumFrom<Rotary::Scaling>(scaling, kRotaryScalings);
  r.factor = field.at("factor").number();
  r.lowFrequencyFactor = field.at("low_freq_factor").number();
  r.highFrequencyFactor = field.at("high_freq_factor").number();
  r.originalPositions = field.at("original_positions").whole();
  if (const auto dims = field.find("dims")) r.dims = dims->whole();
  if (const auto pairing = field.find("pairing")) {
    r.pairing = enumFrom<Rotary::Pairing>(*pairing, kPairings);
  }
  if (const auto divisors = field.find("divisors")) {
    for (const JsonField& each : divisors->items()) r.divisors.push_back(each.number());
  }
  if (const auto amplitude = field.find("amplitude")) r.amplitude = amplitude->number();
  return r;
}

HeadNorm headNormFrom(const JsonField& field) {
  const auto over = field.find("over");
  const auto kind = field.find("kind");
  return {field.at("q").floats(), field.at("k").floats(), field.at("epsilon").number(),
          over ? enumFrom<HeadNorm::Over>(*over, kNormOver) : HeadNorm::Over::head,
          kind ? enumFrom<HeadNorm::Kind>(*kind, kNormKinds) : HeadNorm::Kind::rms};
}

RelativeScores relativeFrom(const JsonField& field) {
  return RelativeScores({field.at("position_keys").floats(), field.at("position_queries").floats(),
                         field.at("span").whole(), field.at("buckets").whole(),
                         field.at("max_distance").whole()});
}

PairBias pairBiasFrom(const JsonField& field, const AttentionConfig& config) {
  if (const auto seed = field.find("seed")) {
    const auto requireSize = [&](const char* name, Index size) {
      if (field.at(name).whole() == size) return;
      field.at(name).fail(fmt::format("must be {}, as in the layer", size));
    };
    requireSize("heads", config.numHeads);
    requireSize("queries", config.seqLen);
    requireSize("keys", config.keys());
    return PairBias::drawn(config.numHeads, config.seqLen, config.keys(), seed->seed());
  }
  PairBias::Settings s;
  s.values = field.at("values").floats();
  if (const auto buckets = field.find("buckets")) {
    s.buckets = buckets->whole();
    s.maxDistance = field.at("max_distance").whole();
    s.bothWays = field.at("both_ways").flag();
  } else {
    s.queries = field.at("queries").whole();
    s.keys = field.at("keys").whole();
  }
  return PairBias(std::move(s));
}

}  // namespace headscope::formats
