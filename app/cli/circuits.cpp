// The circuits command: what the heads of a model do by their weights alone, without a text.
#include "core/model/circuits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/asked_word.h"
#include "app/cli/commands.h"
#include "app/cli/config_options.h"
#include "app/cli/head_flags.h"
#include "app/cli/model_text.h"
#include "app/cli/open_model.h"
#include "app/cli/output.h"
#include "core/base/error.h"
#include "core/base/memory_budget.h"
#include "core/formats/model_tensors.h"
#include "core/model/compositions.h"
#include "core/model/position_patterns.h"
#include "core/model/stacks.h"

namespace headscope::cli {
namespace {
using model::Composition;
using model::HeadCircuits;
using model::TokenDirection;

struct CircuitsOptions {
  std::string directory;
  AdapterOptions adapter;
  std::string attention;           // of two stacks: "encoder", "decoder" or "cross"
  std::optional<Index> layer;      // of heads that are given without it
  std::vector<std::string> heads;  // as head_flags.h has them
  Index directions = 4, tokens = 8, positions = 32;
  int threads = 0;
  bool strict = false;
  bool json = false;
};

constexpr std::size_t kStrongestPairs = 8;

const char* compositionKey(Composition kind) {
  switch (kind) {
    case Composition::query:
      return "query";
    case Composition::key:
      return "key";
    case Composition::value:
      return "value";
  }
  return "";
}

/// The compositions of heads of one stack, or of the encoder with cross-attention.
struct ComposedStacks {
  const char* key;  // in JSON
  model::Stack from, into;
  model::Compositions found;
};

/// The results of the command.
struct FoundCircuits {
  model::ModelPtr model;
  model::ModelPtr stack;  // whose heads follow: the model, or its encoder
  std::vector<HeadCircuits> heads, ofEncoder;
  std::vector<model::PositionLook> looks;    // of each head; empty for two stacks
  std::vector<ComposedStacks> compositions;  // of stacks with several layers; none of chosen heads
  std::vector<HeadOfLayer> chosen;
  std::vector<model::HeadDirections> directions;  // of each chosen head
  formats::TokenizerPtr names, sourceNames;       // of what is read and said, and of a source text

  bool two() const { return model->encoder() != nullptr; }
  /// Where a head looks by position alone; null for two stacks.
  const model::PositionLook* lookOf(const HeadCircuits& head) const {
    return looks.empty() ? nullptr : &looks[placeOf(head.head, model->config())];
  }
  bool chose(HeadOfLayer head) const { return std::ranges::find(chosen, head) != chosen.end(); }
  bool ofMemory(HeadOfLayer head) const { return stack->config().readsMemory(head.layer); }
  bool inEncoder() const { return stack != model; }
};

/// The heads of the flags: all of a layer, or of an attention, that is given alone.
std::vector<std::string> headsOf(const CircuitsOptions& options) {
  const bool alone = options.layer || !options.attention.empty();
  return options.heads.empty() && alone ? std::vector<std::string>{"all"} : options.heads;
}

/// The heads of the flags, each with the attention that stands in a flag of its own: "cross:1.2".
std::vector<std::string> headsWithAttention(const CircuitsOptions& options) {
  std::vector<std::string> heads = headsOf(options);
  if (options.attention.empty()) return heads;
  for (std::string& head : heads) {
    if (head.find(':') != std::string::npos) {
      throw UserError(fmt::format("--head {} names its attention: leave --attention out", head));
    }
    head = fmt::format("{}:{}", options.attention, head);
  }
  return heads;
}

/// The chosen heads of the flags, and their stack. Throws UserError that names them.
HeadsOfStack chosenHeads(const CircuitsOptions& options, const model::Model& model) {
  const bool two = model.encoder() != nullptr;
  if (!options.attention.empty() && !two) {
    throw UserError("--attention is for a model with an encoder and a decoder: leave it out");
  }
  const std::vector<std::string> heads = headsOf(options);
  if (heads.empty()) return {};
  if (!options.layer) return headsOfStackFrom("--head", headsWithAttention(options), model);
  if (two && options.attention.empty()) {
    throw UserError(
        "the model has an encoder and a decoder: say of which attention the head is with "
        "--attention encoder, decoder or cross");
  }
  const bool ofEncoder = two && options.attention == "encoder";
  const Index layer = two && !ofEncoder
                          ? 2 * *options.layer + (options.attention == "cross" ? 1 : 0)
                          : *options.layer;
  HeadsOfStack found{ofEncoder ? model::Stack::encoder : model::Stack::decoder, {}};
  const Index count = (ofEncoder ? *model.encoder() : model).config().heads;
  for (const Index head : headsOfLayerFrom("--head", heads, *options.layer, count)) {
    found.heads.push_back({layer, head});
  }
  return found;
}

std::vector<ComposedStacks> composed(const model::Model& model, const ExecutionContext& execution) {
  using enum model::Stack;
  std::vector<ComposedStacks> all;
  if (model.encoder() != nullptr) {
    if (model.encoder()->config().layers > 1) {
      all.push_back({"encoder_compositions", encoder, encoder,
                     composeHeads(*model.encoder(), execution).value()});
    }
    all.push_back(
        {"cross_compositions", encoder, decoder, composeWithEncoder(model, execution).value()});
  }
  if (model.config().layers > 1) {
    all.push_back({"compositions", decoder, decoder, composeHeads(model, execution).value()});
  }
  return all;
}

FoundCircuits findCircuits(const CircuitsOptions& options, OpenModels& models) {
  ExecutionContext execution;
  execution.threads = options.threads;
  FoundCircuits found;
  found.model = models.model(adaptedFolderFrom(options.directory, options.adapter),
                             defaultMemoryBudget() / 2, options.strict);
  requireOwnWeights(*found.model, options.directory);
  const bool two = found.two();
  auto [stack, chosen] = chosenHeads(options, *found.model);
  found.chosen = std::move(chosen);
  found.stack = stack == model::Stack::encoder ? found.model->encoder() : found.model;
  found.sourceNames = models.names(options.directory);
  found.names =
      two && !found.inEncoder() ? models.targetNames(options.directory) : found.sourceNames;
  found.heads = headCircuits(*found.stack, execution).value();
  if (hasPositionPatterns(*found.model)) {
    const Index length = std::min(options.positions, mostTokens(found.model->config()));
    found.looks = positionLooks(found.model, length, execution).value();
  }
  if (two && found.chosen.empty()) {
    found.ofEncoder = *headCircuits(*found.model->encoder(), execution);
  }
  for (const HeadOfLayer& head : found.chosen) {
    found.directions.push_back(
        headDirections(*found.stack, head, options.directions, options.tokens, execution));
  }
  if (found.chosen.empty()) {
    found.compositions = composed(*found.model, execution);
  }
  return found;
}

Json numbersJson(const std::vector<double>& numbers) {
  Json list = Json::emptyList();
  for (const double number : numbers) list.push_back(numberJson(number));
  return list;
}

Json circuitJson(const HeadCircuits& head, const FoundCircuits& found, bool ofEncoder) {
  const model::PositionLook* look = found.lookOf(head);
  Json one = Json::emptyObject();
  formats::addLayer(one, head.head.layer, found.model->config(),
                    ofEncoder ? model::Stack::encoder : model::Stack::decoder);
  one["head"] = head.head.head;
  one["copying"] = head.copying ? numberJson(*head.copying) : Json();
  one["by_position"] = look == nullptr ? Json()
                                       : Json{{"previous", numberJson(look->previous)},
                                              {"self", numberJson(look->self)},
                                              {"first", numberJson(look->first)}};
  one["qk"] = numbersJson(head.qk);
  one["ov"] = numbersJson(head.ov);
  return one;
}

/// One side of a head's directions: its name, and the tokenizer of its tokens.
struct DirectionSide {
  const char* name;
  const formats::TokenizerPtr& names;
};

/// The sides of W_QK and of W_OV.
std::pair<DirectionSide, DirectionSide> sidesOfQk(const FoundCircuits& found, HeadOfLayer head) {
  return {{"asks", found.names}, {"for", found.ofMemory(head) ? found.sourceNames : found.names}};
}
std::pair<DirectionSide, DirectionSide> sidesOfOv(const FoundCircuits& found, HeadOfLayer head) {
  return {{"reads", found.ofMemory(head) ? found.sourceNames : found.names},
          {"writes", found.names}};
}

Json directionsJson(const std::vector<TokenDirection>& directions,
                    const std::pair<DirectionSide, DirectionSide>& sides) {
  const auto tokensJson = [&](const std::vector<model::DirectionToken>& tokens,
                              const formats::TokenizerPtr& names) {
    Json list = Json::emptyList();
    for (const auto& each : tokens) {
      Json one{{"id", each.id}, {"value", numberJson(each.value)}};
      if (names != nullptr) one["token"] = tokenInWords(each.id, names);
      list.push_back(std::move(one));
    }
    return list;
  };
  Json all = Json::emptyList();
  for (const TokenDirection& direction : directions) {
    Json one{{"singular_value", numberJson(direction.singularValue)},
             {"end", direction.positive ? "+" : "-"}};
    one[sides.first.name] = tokensJson(direction.from, sides.first.names);
    one[sides.second.name] = tokensJson(direction.to, sides.second.names);
    all.push_back(std::move(one));
  }
  return all;
}

/// Adds the directions of a chosen head.
void addDirections(Json& json, const FoundCircuits& found, HeadOfLayer head) {
  const auto at = std::ranges::find(found.chosen, head) - found.chosen.begin();
  const model::HeadDirections& of = found.directions[static_cast<std::size_t>(at)];
  json["qk_directions"] = directionsJson(of.qk, sidesOfQk(found, head));
  json["ov_directions"] = directionsJson(of.ov, sidesOfOv(found, head));
}

Json composedHeadJson(HeadOfLayer head, const model::ModelConfig& config, model::Stack stack) {
  Json json = Json::emptyObject();
  formats::addLayer(json, head.layer, config, stack);
  json["head"] = head.head;
  return json;
}

Json compositionsJson(const ComposedStacks& stacks, const model::ModelConfig& config) {
  Json all = Json::emptyObject();
  for (std::size_t i = 0; i < model::kCompositions; ++i) {
    const auto kind = static_cast<Composition>(i);
    if (!stacks.found.has(kind)) {
      all[compositionKey(kind)] = nullptr;
      continue;
    }
    Json pairs = Json::emptyList();
    for (const auto& pair : stacks.found.strongest(kind, kStrongestPairs)) {
      pairs.push_back({{"from", composedHeadJson(pair.from, config, stacks.from)},
                       {"into", composedHeadJson(pair.into, config, stacks.into)},
                       {"score", numberJson(pair.score)}});
    }
    Json of{{"mean", numberJson(stacks.found.mean(kind))}};
    of["strongest"] = std::move(pairs);
    all[compositionKey(kind)] = std::move(of);
  }
  return all;
}

/// Calls `call` for each head that is shown, and whether it is of the encoder.
template <typename Call>
void eachShown(const FoundCircuits& found, const Call& call) {
  for (const HeadCircuits& head : found.ofEncoder) call(head, true);
  for (const HeadCircuits& head : found.heads) {
    if (found.chosen.empty() || found.chose(head.head)) call(head, found.inEncoder());
  }
}

Json circuitsJson(const FoundCircuits& found) {
  Json json{{"schema", "headscope.circuits/1"}};
  Json heads = Json::emptyList();
  eachShown(found, [&](const HeadCircuits& head, bool ofEncoder) {
    Json one = circuitJson(head, found, ofEncoder);
    if (found.chosen.size() > 1) addDirections(one, found, head.head);
    heads.push_back(std::move(one));
  });
  json["heads"] = std::move(heads);
  if (found.chosen.size() == 1) addDirections(json, found, found.chosen.front());
  if (const auto why = whyNoFixedScores(found.model->config()); !why.empty()) {
    json["values_alone"] = why;
  }
  for (const ComposedStacks& stacks : found.compositions) {
    json[stacks.key] = compositionsJson(stacks, found.model->config());
  }
  return json;
}

std::string tokensInWords(const std::vector<model::DirectionToken>& tokens,
                          const formats::TokenizerPtr& names) {
  std::vector<std::string> words;
  for (const auto& each : tokens) words.push_back(tokenInWords(each.id, names));
  return fmt::format("{}", fmt::join(words, " "));
}

void printDirections(std::ostream& out, const std::string& title,
                     const std::vector<TokenDirection>& directions,
                     const std::pair<DirectionSide, DirectionSide>& sides) {
  if (directions.empty()) return;
  out << '\n' << title << '\n';
  TextTable table({Align::right, Align::left, Align::left, Align::left});
  table.add({"σ", "", sides.first.name, sides.second.name});
  for (const TokenDirection& direction : directions) {
    table.add({fmt::format("{:.3f}", direction.singularValue), direction.positive ? "+" : "−",
               tokensInWords(direction.from, sides.first.names),
               tokensInWords(direction.to, sides.second.names)});
  }
  table.print(out);
}

void printCompositions(std::ostream& out, const FoundCircuits& found) {
  if (found.compositions.empty()) return;
  out << "\nthe strongest compositions (one head reads what an earlier one writes)\n";
  const model::ModelConfig& config = found.model->config();
  TextTable pairs({Align::left, Align::left, Align::left, Align::right, Align::right});
  pairs.add({"into", "from", "to", "score", "mean of all"});
  const auto named = [&](const HeadOfLayer& head, model::Stack stack) {
    return fmt::format("{}, head {}", layerInWords(config, stack, head.layer), head.head + 1);
  };
  for (const ComposedStacks& stacks : found.compositions) {
    for (std::size_t i = 0; i < model::kCompositions; ++i) {
      const auto kind = static_cast<Composition>(i);
      if (!stacks.found.has(kind)) continue;
      for (const auto& pair : stacks.found.strongest(kind, 3)) {
        pairs.add({compositionKey(kind), named(pair.from, stacks.from),
                   named(pair.into, stacks.into), fmt::format("{:.3f}", pair.score),
                   fmt::format("{:.3f}", stacks.found.mean(kind))});
      }
    }
  }
  pairs.print(out);
}

void printCircuits(std::ostream& out, const FoundCircuits& found) {
  const model::ModelConfig& config = found.model->config();
  out << modelInWords(*found.model) << "\n\n";
  TextTable table({Align::left, Align::left, Align::right, Align::right, Align::right, Align::right,
                   Align::right, Align::right});
  std::vector<std::string> titles{"layer", "head", "copying", "σ of W_QK", "σ of W_OV"};
  if (!found.looks.empty()) titles.insert(titles.end(), {"previous", "itself", "first"});
  table.add(titles);
  eachShown(found, [&](const HeadCircuits& head, bool ofEncoder) {
    const std::string layer =
        found.two()
            ? layerInWords(config, ofEncoder ? model::Stack::encoder : model::Stack::decoder,
                           head.head.layer)
            : std::to_string(head.head.layer + 1);
    std::vector<std::string> cells{
        layer, std::to_string(head.head.head + 1),
        head.copying ? fmt::format("{:+.3f}", *head.copying) : std::string("–"),
        fmt::format("{:.3f}", head.qk.front()), fmt::format("{:.3f}", head.ov.front())};
    if (const model::PositionLook* look = found.lookOf(head)) {
      for (const double weight : {look->previous, look->self, look->first}) {
        cells.push_back(fmt::format("{:.2f}", weight));
      }
    }
    table.add(std::move(cells));
  });
  table.print(out);
  if (!found.looks.empty()) {
    out << "previous, itself, first: where the head looks by position alone, the mean weights in a "
           "text of equal tokens\n";
  }
  for (std::size_t i = 0; i < found.chosen.size(); ++i) {
    const HeadOfLayer& head = found.chosen[i];
    const std::string of =
        found.chosen.size() == 1
            ? std::string()
            : fmt::format("layer {}, head {}, ", found.stack->config().depthOf(head.layer) + 1,
                          head.head + 1);
    printDirections(out, of + "W_QK: which tokens ask for which", found.directions[i].qk,
                    sidesOfQk(found, head));
    printDirections(out, of + "W_OV: which tokens are turned into which", found.directions[i].ov,
                    sidesOfOv(found, head));
  }
  if (const auto why = whyNoFixedScores(config); !why.empty() && found.chosen.empty()) {
    out << fmt::format(
        "\n{}: W_QK is no fixed matrix, so that heads are composed through values alone\n", why);
  }
  printCompositions(out, found);
  out << "\nlayers and heads count from 1 here, from 0 in flags and JSON\n";
}

Json circuitsJsonOf(const CircuitsOptions& options, OpenModels& models) {
  return circuitsJson(findCircuits(options, models));
}

void runCircuitsCommand(const CircuitsOptions& options, OpenModels& models, std::ostream& out) {
  if (options.json) return printJson(out, circuitsJsonOf(options, models));
  printCircuits(out, findCircuits(options, models));
}

}  // namespace

Command addCircuits(CLI::App& app, Context& context) {
  CLI::App* sub = app.add_subcommand(
      "circuits", "what the heads of a model do by their weights alone, without a text");
  auto options = std::make_shared<CircuitsOptions>();
  CircuitsOptions& o = *options;
  sub->add_option("directory", o.directory, "the model's folder")
      ->required()
      ->check(notEmpty)
      ->type_name("DIR");
  addAdapterFlags(*sub, o.adapter);
  sub->add_option("--layer", o.layer, "the layer of the heads of --head, from 0")
      ->check(notWhole)
      ->type_name("L");
  sub->add_option("--head", o.heads,
                  "the directions of these heads as tokens: 2 with --layer, else 1.2 or L1H2; "
                  "several with commas, or all")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(notEmpty)
      ->type_name("L.H");
  sub->add_option("--attention", o.attention,
                  "of a model with an encoder and a decoder: which attention the head is of")
      ->check(CLI::IsMember({"encoder", "decoder", "cross"}))
      ->type_name("encoder|decoder|cross");
  sub->add_option("--directions", o.directions, "the number of singular values as tokens (4)")
      ->check(CLI::Range(Index{1}, Index{4096}))
      ->type_name("N");
  sub->add_option("--tokens", o.tokens, "the number of tokens for each (8)")
      ->check(CLI::Range(Index{1}, Index{1000}))
      ->type_name("N");
  sub->add_option("--positions", o.positions,
                  "the length of the text of equal tokens that shows where heads look by position "
                  "alone (32)")
      ->check(CLI::Range(Index{3}, Index{4096}))
      ->type_name("T");
  addThreads(*sub, o.threads);
  sub->add_flag("--strict", o.strict, kStrictHelp);
  sub->add_flag("--json", o.json, "print JSON");
  return {
      sub,
      [options, &context](std::ostream& out) { runCircuitsCommand(*options, context.models, out); },
      [options, &context] { return circuitsJsonOf(*options, context.models); }};
}

}  // namespace headscope::cli
