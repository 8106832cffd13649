// The circuits command: what the heads of a model do by their weights alone, without a text.
#include "core/model/circuits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/asked_word.h"
#include "app/cli/commands.h"
#include "app/cli/config_options.h"
#include "app/cli/model_text.h"
#include "app/cli/open_model.h"
#include "app/cli/output.h"
#include "core/base/error.h"
#include "core/base/memory_budget.h"
#include "core/model/compositions.h"
#include "core/model/position_patterns.h"

namespace headscope::cli {
namespace {
using model::Composition;
using model::HeadCircuits;
using model::TokenDirection;

struct CircuitsOptions {
  std::string directory;
  AdapterOptions adapter;
  std::optional<Index> layer, head;
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

/// The results of the command.
struct FoundCircuits {
  model::ModelPtr model;
  std::vector<HeadCircuits> heads;
  std::vector<model::PositionLook> looks;           // of each head; empty for two stacks
  std::optional<model::Compositions> compositions;  // of a model with several layers
  std::optional<model::HeadDirections> directions;  // of the chosen head
};

FoundCircuits findCircuits(const CircuitsOptions& options, OpenModels& models) {
  if (options.layer.has_value() != options.head.has_value()) {
    throw UserError("--layer and --head choose one head: give both, or neither");
  }
  ExecutionContext execution;
  execution.threads = options.threads;
  FoundCircuits found;
  found.model = models.model(adaptedFolderFrom(options.directory, options.adapter),
                             defaultMemoryBudget() / 2, options.strict);
  found.heads = headCircuits(*found.model, execution).value();
  if (hasPositionPatterns(*found.model)) {
    const Index tokens = std::min(options.positions, mostTokens(found.model->config()));
    found.looks = positionLooks(found.model, tokens, execution).value();
  }
  if (options.layer) {
    found.directions = headDirections(*found.model, {*options.layer, *options.head},
                                      options.directions, options.tokens, execution);
  } else if (found.model->config().layers > 1) {
    found.compositions = composeHeads(*found.model, execution);
  }
  return found;
}

/// Returns whether the flags ask for a head.
bool shown(const HeadCircuits& head, const CircuitsOptions& options) {
  return !options.layer || (head.head.layer == *options.layer && head.head.head == *options.head);
}

Json numbersJson(const std::vector<double>& numbers) {
  Json list = Json::emptyList();
  for (const double number : numbers) list.push_back(numberJson(number));
  return list;
}

Json circuitJson(const HeadCircuits& head, const model::PositionLook* look) {
  Json one{{"layer", head.head.layer}, {"head", head.head.head}};
  one["copying"] = head.copying ? numberJson(*head.copying) : Json();
  one["by_position"] = look == nullptr ? Json()
                                       : Json{{"previous", numberJson(look->previous)},
                                              {"self", numberJson(look->self)},
                                              {"first", numberJson(look->first)}};
  one["qk"] = numbersJson(head.qk);
  one["ov"] = numbersJson(head.ov);
  return one;
}

Json directionsJson(const std::vector<TokenDirection>& directions,
                    const formats::TokenizerPtr& names, const char* from, const char* to) {
  const auto tokensJson = [&](const std::vector<model::DirectionToken>& tokens) {
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
    one[from] = tokensJson(direction.from);
    one[to] = tokensJson(direction.to);
    all.push_back(std::move(one));
  }
  return all;
}

Json compositionsJson(const model::Compositions& compositions) {
  Json all = Json::emptyObject();
  for (std::size_t i = 0; i < model::kCompositions; ++i) {
    const auto kind = static_cast<Composition>(i);
    if (!compositions.has(kind)) {
      all[compositionKey(kind)] = nullptr;
      continue;
    }
    Json pairs = Json::emptyList();
    for (const auto& pair : compositions.strongest(kind, kStrongestPairs)) {
      pairs.push_back({{"from", {{"layer", pair.from.layer}, {"head", pair.from.head}}},
                       {"into", {{"layer", pair.into.layer}, {"head", pair.into.head}}},
                       {"score", numberJson(pair.score)}});
    }
    Json of{{"mean", numberJson(compositions.mean(kind))}};
    of["strongest"] = std::move(pairs);
    all[compositionKey(kind)] = std::move(of);
  }
  return all;
}

Json circuitsJson(const FoundCircuits& found, const CircuitsOptions& options,
                  const formats::TokenizerPtr& names) {
  Json json{{"schema", "headscope.circuits/1"}};
  Json heads = Json::emptyList();
  for (std::size_t i = 0; i < found.heads.size(); ++i) {
    if (!shown(found.heads[i], options)) continue;
    heads.push_back(circuitJson(found.heads[i], found.looks.empty() ? nullptr : &found.looks[i]));
  }
  json["heads"] = std::move(heads);
  if (found.directions) {
    json["qk_directions"] = directionsJson(found.directions->qk, names, "asks", "for");
    json["ov_directions"] = directionsJson(found.directions->ov, names, "reads", "writes");
  }
  if (found.compositions) json["compositions"] = compositionsJson(*found.compositions);
  return json;
}

std::string tokensInWords(const std::vector<model::DirectionToken>& tokens,
                          const formats::TokenizerPtr& names) {
  std::vector<std::string> words;
  for (const auto& each : tokens) words.push_back(tokenInWords(each.id, names));
  return fmt::format("{}", fmt::join(words, " "));
}

void printDirections(std::ostream& out, const char* title,
                     const std::vector<TokenDirection>& directions,
                     const formats::TokenizerPtr& names, const char* from, const char* to) {
  if (directions.empty()) return;
  out << '\n' << title << '\n';
  TextTable table({Align::right, Align::left, Align::left, Align::left});
  table.add({"σ", "", from, to});
  for (const TokenDirection& direction : directions) {
    table.add({fmt::format("{:.3f}", direction.singularValue), direction.positive ? "+" : "−",
               tokensInWords(direction.from, names), tokensInWords(direction.to, names)});
  }
  table.print(out);
}

void printCircuits(std::ostream& out, const FoundCircuits& found, const CircuitsOptions& options,
                   const formats::TokenizerPtr& names) {
  out << modelInWords(*found.model) << "\n\n";
  TextTable table({Align::left, Align::left, Align::right, Align::right, Align::right, Align::right,
                   Align::right, Align::right});
  std::vector<std::string> titles{"layer", "head", "copying", "σ of W_QK", "σ of W_OV"};
  if (!found.looks.empty()) titles.insert(titles.end(), {"previous", "itself", "first"});
  table.add(titles);
  for (std::size_t i = 0; i < found.heads.size(); ++i) {
    const HeadCircuits& head = found.heads[i];
    if (!shown(head, options)) continue;
    std::vector<std::string> cells{
        std::to_string(head.head.layer + 1), std::to_string(head.head.head + 1),
        head.copying ? fmt::format("{:+.3f}", *head.copying) : std::string("–"),
        fmt::format("{:.3f}", head.qk.front()), fmt::format("{:.3f}", head.ov.front())};
    if (!found.looks.empty()) {
      const model::PositionLook& look = found.looks[i];
      for (const double weight : {look.previous, look.self, look.first}) {
        cells.push_back(fmt::format("{:.2f}", weight));
      }
    }
    table.add(std::move(cells));
  }
  table.print(out);
  if (!found.looks.empty())
    out << "previous, itself, first: where the head looks by position alone, the mean weights in a "
           "text of equal tokens\n";
  if (found.directions) {
    printDirections(out, "W_QK: which tokens ask for which", found.directions->qk, names, "asks",
                    "for");
    printDirections(out, "W_OV: which tokens are turned into which", found.directions->ov, names,
                    "reads", "writes");
  }
  if (found.compositions) {
    out << "\nthe strongest compositions (later head reads what the earlier one writes)\n";
    TextTable pairs({Align::left, Align::left, Align::left, Align::right, Align::right});
    pairs.add({"into", "from", "to", "score", "mean of all"});
    for (std::size_t i = 0; i < model::kCompositions; ++i) {
      const auto kind = static_cast<Composition>(i);
      if (!found.compositions->has(kind)) continue;
      for (const auto& pair : found.compositions->strongest(kind, 3)) {
        pairs.add({compositionKey(kind),
                   fmt::format("layer {}, head {}", pair.from.layer + 1, pair.from.head + 1),
                   fmt::format("layer {}, head {}", pair.into.layer + 1, pair.into.head + 1),
                   fmt::format("{:.3f}", pair.score),
                   fmt::format("{:.3f}", found.compositions->mean(kind))});
      }
    }
    pairs.print(out);
  }
  out << "\nlayers and heads count from 1 here, from 0 in flags and JSON\n";
}

Json circuitsJsonOf(const CircuitsOptions& options, OpenModels& models) {
  const FoundCircuits found = findCircuits(options, models);
  return circuitsJson(found, options, models.names(options.directory));
}

void runCircuitsCommand(const CircuitsOptions& options, OpenModels& models, std::ostream& out) {
  if (options.json) return printJson(out, circuitsJsonOf(options, models));
  const FoundCircuits found = findCircuits(options, models);
  printCircuits(out, found, options, models.names(options.directory));
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
  sub->add_option("--layer", o.layer, "with --head, the directions of one head as tokens, from 0")
      ->check(notWhole)
      ->type_name("L");
  sub->add_option("--head", o.head, "the head, from 0")->check(notWhole)->type_name("H");
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
