#include "app/cli/generated.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <string>

#include "app/cli/asked_word.h"
#include "app/cli/output.h"
#include "core/base/numbers.h"

namespace headscope::cli {
namespace {

Generated bestBeam(const model::ModelTracePtr& trace, const Writing& writing,
                   const ExecutionContext& execution) {
  model::BeamSearch search(trace, writing.most, writing.beams);
  while (!search.runUnit(execution)) continue;
  Generated made;
  made.beams = search.found();
  made.tokens = made.beams.tokensOf(made.beams.paths.front());
  made.cacheBytes = made.beams.cacheBytes;
  made.ended = made.beams.paths.front().ended;
  return made;
}

}  // namespace

Generated continued(const model::ModelTracePtr& trace, const Writing& writing,
                    const ExecutionContext& execution) {
  if (writing.beams > 0) return bestBeam(trace, writing, execution);
  model::Continuation continuation(trace, writing.most, writing.sampling);
  Generated made;
  while (const auto next = continuation.next(execution)) made.tokens.push_back(*next);
  made.cacheBytes = continuation.cacheBytes();
  made.ended = continuation.ended();
  return made;
}

namespace {

/// The text of tokens; empty without a tokenizer.
std::string textOf(const std::vector<model::ChosenToken>& tokens,
                   const formats::TokenizerPtr& names) {
  if (names == nullptr) return {};
  std::vector<tokenizer::TokenId> ids;
  for (const auto& each : tokens) ids.push_back(static_cast<tokenizer::TokenId>(each.id));
  return names->decode(ids);
}

/// Adds the rule that had a part in the choice of a token.
void addRule(Json& json, const model::ChosenToken& token, const formats::TokenizerPtr& names) {
  if (token.forced()) json["forced"] = token.rule == model::TokenRule::first ? "first" : "last";
  if (token.rule != model::TokenRule::barred) return;
  Json barred{{"id", token.barred.id}};
  if (names != nullptr) barred["token"] = tokenInWords(token.barred.id, names);
  barred["p"] = numberJson(token.barred.probability);
  json["barred"] = std::move(barred);
}

std::string ruleOf(const model::ChosenToken& token, const formats::TokenizerPtr& names) {
  return ruleInWords(token, [&](Index id) { return tokenInWords(id, names); });
}

/// "0.178", "2.1e-05": three decimals would say of a forced token that it is impossible.
std::string probabilityText(double probability) {
  return probability < 0.001 ? fmt::format("{:.1e}", probability)
                             : fmt::format("{:.3f}", probability);
}

Json beamsJson(const model::Beams& beams, const formats::TokenizerPtr& names) {
  Json nodes = Json::emptyList(), paths = Json::emptyList();
  for (const model::BeamNode& node : beams.nodes) {
    Json one{{"parent", node.parent < 0 ? Json() : Json(node.parent)}, {"id", node.token.id}};
    if (names != nullptr) one["token"] = tokenInWords(node.token.id, names);
    one["p"] = numberJson(node.token.probability);
    addRule(one, node.token, names);
    one["log_probability"] = numberJson(node.logProbability);
    nodes.push_back(std::move(one));
  }
  for (const model::BeamPath& path : beams.paths) {
    Json one{{"nodes", beams.nodesOf(path)}, {"score", numberJson(path.score)}};
    one["ended"] = path.ended;
    if (names != nullptr) one["text"] = textOf(beams.tokensOf(path), names);
    paths.push_back(std::move(one));
  }
  return {{"nodes", std::move(nodes)}, {"paths", std::move(paths)}};
}

/// "chosen, forced: last, path of mean -1.203"
std::string noteOn(const model::Beams& beams, Index node, bool chosen,
                   const formats::TokenizerPtr& names) {
  std::vector<std::string> notes;
  if (chosen) notes.emplace_back("chosen");
  const std::string rule = ruleOf(beams.nodes[static_cast<std::size_t>(node)].token, names);
  if (!rule.empty()) notes.push_back(rule);
  const auto path = std::ranges::find(beams.paths, node, &model::BeamPath::end);
  if (path != beams.paths.end()) notes.push_back(fmt::format("path of mean {:.3f}", path->score));
  return fmt::format("{}", fmt::join(notes, ", "));
}

/// Prints the tree of a beam search: each token with the sum of log-probabilities up to it; those
/// of the best path are marked.
void printBranches(std::ostream& out, const model::Beams& beams,
                   const formats::TokenizerPtr& names) {
  const std::vector<Index> best = beams.nodesOf(beams.paths.front());
  TextTable table({Align::left, Align::right, Align::right, Align::left});
  table.add({"branches", "p", "log-probability", ""});
  const std::function<void(Index, std::size_t)> below = [&](Index parent, std::size_t depth) {
    for (Index i = 0; i < std::ssize(beams.nodes); ++i) {
      const model::BeamNode& node = beams.nodes[static_cast<std::size_t>(i)];
      if (node.parent != parent) continue;
      const bool chosen = std::ranges::find(best, i) != best.end();
      table.add({std::string(2 * depth, ' ') + tokenInWords(node.token.id, names),
                 probabilityText(node.token.probability),
                 fmt::format("{:.3f}", node.logProbability), noteOn(beams, i, chosen, names)});
      below(i, depth + 1);
    }
  };
  below(-1, 0);
  table.print(out);
}

}  // namespace

void addGenerated(Json& json, const Generated& made, const formats::TokenizerPtr& names) {
  Json tokens = Json::emptyList();
  for (const model::ChosenToken& each : made.tokens) {
    Json one{{"id", each.id}};
    if (names != nullptr) one["token"] = tokenInWords(each.id, names);
    one["p"] = numberJson(each.probability);
    addRule(one, each, names);
    tokens.push_back(std::move(one));
  }
  json["generated"] = std::move(tokens);
  if (names != nullptr) json["generated_text"] = textOf(made.tokens, names);
  json["ended"] = made.ended;
  json["cache_bytes"] = made.cacheBytes;
  if (!made.beams.paths.empty()) json["beams"] = beamsJson(made.beams, names);
}

void printGenerated(std::ostream& out, std::string_view title, const Generated& made,
                    const Writing& writing, const formats::TokenizerPtr& names) {
  out << fmt::format("\n{} ({}; keys and values {})\n", title,
                     writing.beams > 0 ? fmt::format("beam search, {} beams", writing.beams)
                     : writing.sampling.temperature > 0.0
                         ? fmt::format("temperature {}, seed {}", writing.sampling.temperature,
                                       writing.sampling.seed)
                         : std::string("greedy"),
                     bytesInWords(made.cacheBytes));
  if (const std::string text = textOf(made.tokens, names); !text.empty()) out << text << '\n';
  if (!made.beams.paths.empty()) return printBranches(out, made.beams, names);
  TextTable table({Align::left, Align::right, Align::left});
  for (const model::ChosenToken& each : made.tokens) {
    table.add(
        {tokenInWords(each.id, names), probabilityText(each.probability), ruleOf(each, names)});
  }
  table.print(out);
  if (!made.ended) return;
  out << (made.tokens.back().forced()
              ? "the last of them is forced, since the text may not be longer\n"
              : "the last of them is the model's end of a text\n");
}

}  // namespace headscope::cli
