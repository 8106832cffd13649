// The JSON of every command names its schema, whose fields stand in the command's manual page.
#include <fmt/format.h>

#include <regex>
#include <set>

#include "core/analysis/head_metrics.h"
#include "core/base/assets.h"
#include "tests/cli/cli_test.h"

namespace headscope {
namespace {

using nlohmann::json;

struct Printed {
  std::string schema;                  // "model"
  std::string page;                    // the manual page
  std::vector<std::string> arguments;  // of a command that prints every field
};

std::vector<Printed> everyJson() {
  const std::string gpt2 = dataFile("tiny-gpt2");
  return {
      {"info", "info", {"info"}},
      {"run", "run", {"run"}},
      {"explain",
       "explain",
       {"explain", "--step", "score", "--head", "0", "--row", "1", "--col", "0"}},
      {"analyze", "analyze", {"analyze"}},
      {"train", "train", {"train", "--task", "cards", "--steps", "1"}},
      {"train",
       "train",
       {"train", "--task", "stories", "--steps", "0", "--layers", "1", "--d-model", "8", "--heads",
        "1", "--context", "48", "--batch", "1"}},
      {"learn", "learn", {"learn", "--steps", "1", "--d-model", "64"}},
      {"tokenize", "tokenize", {"tokenize", dataFile("tiny-bert"), "--pair", "a", "b"}},
      {"decode", "decode", {"decode", dataFile("tiny-gpt2"), "--ids", "283"}},
      {"model",
       "model",
       {"model", gpt2, "--text", "The cat", "--probe", "--lens", "--attribute", "5", "--patch",
        "0.0", "--generate", "1", "--steer-layer", "1", "--steer-from", "The mat"}},
      {"model", "model", {"model", dataFile("families/mixtral"), "--ids", "1,2"}},
      {"measures", "model", {"model", gpt2, "--set", dataFile("texts.jsonl"), "--by", "induction"}},
      {"compare", "model", {"model", gpt2, "--compare", gpt2}},
      {"sweep", "sweep", {"sweep", gpt2, "--text", "The cat", "--over", "layers"}},
      {"sweep", "sweep", {"sweep", gpt2, "--text", "The cat", "--to", "all:q"}},
      {"sweep",
       "sweep",
       {"sweep", gpt2, "--set", dataFile("texts.jsonl"), "--over", "layers", "--token-id", "5"}},
      {"why", "why", {"why", gpt2, "--text", "The cat sat"}},
      {"why",
       "why",
       {"why", gpt2, "--text", "The cat sat", "--score", "1.2:2:1", "--pairs", "--depth", "3"}},
      {"model",
       "model",
       {"model", dataFile("families/t5"), "--ids", "3,5", "--generate", "2", "--beam", "2"}},
      {"why", "why", {"why", dataFile("families/t5"), "--ids", "3,5", "--decoder-ids", "0"}},
      {"circuits", "circuits", {"circuits", gpt2, "--layer", "0", "--head", "0"}}};
}

/// The keys of all objects within a value.
std::set<std::string> keysOf(const json& value) {
  std::set<std::string> keys;
  for (const auto& [key, inner] : value.items()) {
    if (value.is_object()) keys.insert(key);
    if (inner.is_structured()) keys.merge(keysOf(inner));
  }
  return keys;
}

TEST(Schemas, AreNamedAndTheirFieldsStandInTheManual) {
  for (const Printed& each : everyJson()) {
    const json found = jsonOf(each.arguments);
    EXPECT_EQ(found["schema"], "headscope." + each.schema + "/1");
    const std::string page(asset("manual/" + each.page + ".txt"));
    EXPECT_NE(page.find("schema headscope." + each.schema + "/1"), std::string::npos) << page;
    for (const std::string& key : keysOf(found)) {
      const std::regex word("\\b" + key + "\\b");
      EXPECT_TRUE(std::regex_search(page, word)) << each.page << ".txt: " << key;
    }
  }
}

TEST(Schemas, EachMeasureStandsInTheManual) {
  for (const char* page : {"analyze", "model"}) {
    const std::string text(asset(fmt::format("manual/{}.txt", page)));
    for (const MetricInfo& metric : allMetrics()) {
      const std::regex word("\\b" + std::string(metric.key) + "\\b");
      EXPECT_TRUE(std::regex_search(text, word)) << page << ".txt: " << metric.key;
    }
  }
}

}  // namespace
}  // namespace headscope
