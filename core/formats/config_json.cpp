#include "core/formats/config_json.h"

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/formats/json_field.h"
#include "core/mistakes.h"
#include "core/steps/step.h"

namespace headscope::formats {
namespace {

/// Bytes that are not UTF-8 are replaced rather than refused: labels never stop a save.
std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string configJson(const AttentionConfig& config) {
  Json json{{"d_model", config.dModel},
            {"num_heads", config.numHeads},
            {"num_kv_heads", config.numKvHeads},
            {"d_k", config.dK()},
            {"seq_len", config.seqLen},
            {"memory_len", config.keys()},
            {"batch", config.batch},
            {"bias", config.bias}};
  if (config.headDim > 0) json["head_dim"] = config.headDim;
  const std::string mistakes = idsOfMistakes(config);
  if (!mistakes.empty()) json["mistakes"] = mistakes;
  return dump(json);
}

std::string tokensJson(const std::vector<std::vector<std::string>>& tokens) { return dump(tokens); }

std::vector<std::vector<std::string>> parseTokens(const std::string& text) {
  using List = std::vector<std::string>;
  try {
    const Json json = parseJson(text, "tokens");
    if (!json.empty() && json.front().is_array()) return json.get<std::vector<List>>();
    return {json.get<List>()};
  } catch (const UserError&) {
    return {};
  } catch (const Json::exception&) {
    return {};
  }
}

std::string stepsJson(const AttentionConfig& config) {
  Json steps = Json::array();
  for (const Step* step : stepsOf(config)) {
    const StepText text = step->text(config);
    Json outputs = Json::array();
    for (const TensorId id : step->outputs()) outputs.push_back(info(id).name);
    steps.push_back({{"id", text.id}, {"formula", text.formula}, {"outputs", outputs}});
  }
  return dump(steps);
}

}  // namespace headscope::formats
