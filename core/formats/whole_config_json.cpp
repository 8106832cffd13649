// A configuration as JSON, with every field it has.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/formats/document_json.h"
#include "core/ledger.h"
#include "core/mistakes.h"

namespace headscope::formats {
namespace {

/// Lengths of the runs of equal values, row-major, allowed pairs first: drawn masks have few.
Json paintedJson(const PaintedMask& mask) {
  Json runs = Json::array();
  bool allowed = true;
  Index length = 0;
  for (const std::uint8_t value : mask.allowed) {
    if ((value != 0) != allowed) {
      runs.push_back(length);
      allowed = !allowed;
      length = 0;
    }
    ++length;
  }
  runs.push_back(length);
  return {{"queries", mask.queries}, {"keys", mask.keys}, {"runs", std::move(runs)}};
}

std::shared_ptr<const PaintedMask> paintedFrom(const JsonField& field, const AttentionConfig& c) {
  auto mask = std::make_shared<PaintedMask>();
  mask->queries = field.at("queries").whole();
  mask->keys = field.at("keys").whole();
  if (mask->queries != c.seqLen || mask->keys != c.keys()) {
    field.fail(fmt::format("is {} × {}, and the scores are {} × {}", mask->queries, mask->keys,
                           c.seqLen, c.keys()));
  }
  const Index cells = mask->queries * mask->keys;
  const JsonField runs = field.at("runs");
  Index left = cells;
  for (const Index run : runs.wholes()) {
    if (run < 0 || run > left) runs.fail(fmt::format("do not add up to {} pairs", cells));
    left -= run;
  }
  if (left != 0) runs.fail(fmt::format("do not add up to {} pairs", cells));
  mask->allowed.reserve(static_cast<std::size_t>(cells));
  std::uint8_t allowed = 1;
  for (const Index run : runs.wholes()) {
    mask->allowed.insert(mask->allowed.end(), static_cast<std::size_t>(run), allowed);
    allowed ^= 1U;
  }
  return mask;
}

Json mistakesJson(const AttentionConfig& config) {
  Json ids = Json::array();
  for (const Mistake mistake : mistakesOn(config)) ids.push_back(textOf(mistake).id);
  return ids;
}

/// What core finds wrong with the configuration, as a finding about the file.
void requireUsable(const JsonField& field, const AttentionConfig& config, Index memoryBudget) {
  const auto problems = validate(config);
  if (!problems.empty()) field.fail("cannot be used: " + problems.front().message);
  try {
    checkFits(config, memoryBudget);
  } catch (const UserError& error) {
    field.fail(fmt::format("cannot be used: {}", error.what()));
  }
}

}  // namespace

Json wholeConfigJson(const AttentionConfig& c) {
  Json json = {{"d_model", c.dModel},
               {"num_heads", c.numHeads},
               {"num_kv_heads", c.numKvHeads},
               {"head_dim", c.headDim},
               {"seq_len", c.seqLen},
               {"memory_len", c.memoryLen},
               {"memory_width", c.memoryWidth},
               {"batch", c.batch},
               {"bias", c.bias},
               {"scale", c.scale},
               {"temperature", c.temperature},
               {"causal", c.mask.causal},
               {"window", c.mask.window},
               {"lengths", c.mask.lengths},
               {"painted", nullptr},
               {"head_gains", c.headGains},
               {"dropout", {{"rate", c.dropout.rate}, {"seed", c.dropout.seed}}},
               {"mistakes", mistakesJson(c)}};
  if (c.mask.painted != nullptr) json["painted"] = paintedJson(*c.mask.painted);
  return json;
}

AttentionConfig wholeConfigFrom(const JsonField& field, Index memoryBudget) {
  AttentionConfig c;
  c.dModel = field.at("d_model").whole();
  c.numHeads = field.at("num_heads").whole();
  c.numKvHeads = field.at("num_kv_heads").whole();
  // files from before d_k could be given by itself have none
  if (const auto headDim = field.find("head_dim")) c.headDim = headDim->whole();
  c.seqLen = field.at("seq_len").whole();
  c.memoryLen = field.at("memory_len").whole();
  c.memoryWidth = field.at("memory_width").whole();
  c.batch = field.at("batch").whole();
  c.bias = field.at("bias").flag();
  c.scale = field.at("scale").flag();
  c.temperature = field.at("temperature").number();
  c.mask.causal = field.at("causal").flag();
  c.mask.window = field.at("window").whole();
  c.mask.lengths = field.at("lengths").wholes();
  for (const JsonField& gain : field.at("head_gains").items()) {
    c.headGains.push_back(static_cast<float>(gain.number()));
  }
  const JsonField dropout = field.at("dropout");
  c.dropout = {dropout.at("rate").number(), dropout.at("seed").seed()};
  for (const JsonField& id : field.at("mistakes").items()) {
    try {
      setMistake(c, mistakeFromString(id.text()), true);
    } catch (const UserError& error) {
      id.fail(fmt::format("cannot be used: {}", error.what()));
    }
  }
  requireUsable(field, c, memoryBudget);
  if (const auto painted = field.find("painted")) c.mask.painted = paintedFrom(*painted, c);
  return c;
}

}  // namespace headscope::formats
