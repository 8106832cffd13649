#include "core/formats/why_json.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/formats/model_tensors.h"
#include "core/formats/writer_json.h"
#include "core/model/tokenized.h"

namespace headscope::formats {
namespace {

using model::AskedScore;
using model::AskedWord;
using model::Stack;
using model::WhyLevel;
using model::WhyStep;
using model::WithoutWriter;
using model::WrittenPart;

template <typename Without>  // a writer or a pair
Json changesJson(const Without& without) {
  return {{"frozen", without.frozen}, {"total", without.total}};
}

/// Writes a chain.
class WhyWriter {
 public:
  WhyWriter(const model::WhyChain& chain, const WhyNames& names) : chain_(chain), names_(names) {}

  Json whole() const {
    Json json{{"schema", "headscope.why/1"}};
    json["ids"] = pass(stacksOf(*chain_.trace).front()).document().input.ids;
    if (config().crossAttention) json["decoder_ids"] = chain_.trace->document().input.ids;
    if (const auto* score = std::get_if<AskedScore>(&chain_.question)) {
      addQuestion(json, *score);
    } else {
      addQuestion(json, std::get<AskedWord>(chain_.question));
    }
    json["held"] = heldJson();
    json["steps"] = model::textOf(chain_.steps);
    Json levels = Json::emptyList();
    for (std::size_t i = 0; i < chain_.levels.size(); ++i) levels.push_back(levelJson(i));
    json["levels"] = std::move(levels);
    return json;
  }

 private:
  const model::ModelConfig& config() const { return chain_.trace->config(); }
  const model::ModelTrace& pass(Stack stack) const { return passOf(*chain_.trace, stack); }

  Json heldJson() const {
    Json held = Json::emptyList();
    held.push_back("patterns");
    held.push_back("norms");
    const bool ofWord = std::holds_alternative<AskedWord>(chain_.question);
    if (ofWord && config().readoutActivation != model::Activation::none) {
      held.push_back("head_activation");
    }
    return held;
  }
  void addQuestion(Json& json, const AskedWord& asked) const {
    json["at"] = asked.row;
    json["token_id"] = asked.word;
    addPredicted(json, config().labels.empty() ? "token" : "label", asked.word);
    if (asked.other) json["against_id"] = *asked.other;
    if (asked.other) addPredicted(json, "against", *asked.other);
    json["logit"] = chain_.levels.front().value;
  }
  void addQuestion(Json& json, const AskedScore& asked) const {
    Json of = Json::emptyObject();
    addHead(of, asked.head, asked.stack);
    of["query"] = asked.query;
    of["key"] = asked.key;
    of["value"] = chain_.levels.front().value;
    json["score"] = std::move(of);
  }
  void addPredicted(Json& json, const char* field, Index id) const {
    const std::string name = model::predictedName(id, config(), names_.text.get());
    if (!name.empty()) json[field] = name;
  }
  void addToken(Json& json, const char* field, Index id, Stack stack) const {
    const TokenizerPtr& names = names_.of(stack);
    if (names != nullptr) json[field] = model::namesOf({id}, *names).front();
  }

  Json placeJson(Index place, Stack stack) const {
    const model::ModelInput& input = pass(stack).document().input;
    const Index id = input.ids[static_cast<std::size_t>(place)];
    Json json{{"place", place}, {"id", id}};
    if (input.pixels != nullptr) {
      json["token"] = model::nameAt(input, place, nullptr);
    } else {
      addToken(json, "token", id, stack);
    }
    return json;
  }
  void addHead(Json& json, HeadOfLayer head, Stack stack) const {
    addLayer(json, head.layer, config(), stack);
    json["head"] = head.head;
  }
  Json partJson(const WrittenPart& part, const std::vector<WithoutWriter>& without) const {
    Json json = writerJson(part, config());
    json["value"] = part.value;
    const auto measured =
        std::ranges::find(without, static_cast<const model::Writer&>(part), &WithoutWriter::writer);
    if (measured != without.end()) json["without"] = changesJson(*measured);
    return json;
  }
  Json partsJson(const std::vector<WrittenPart>& parts,
                 const std::vector<WithoutWriter>& without) const {
    Json list = Json::emptyList();
    for (const WrittenPart& part : parts) list.push_back(partJson(part, without));
    return list;
  }

  Json levelJson(std::size_t i) const {
    const WhyLevel& level = chain_.levels[i];
    const model::WithoutParts& without = chain_.without[i];
    Json json = level.parts     ? levelOfParts(level, without)
                : level.sources ? levelOfHead(level, without)
                : level.neurons ? levelOfNetwork(level, without)
                                : levelOfScore(*level.score, without);
    json["value"] = level.value;
    json["sum"] = level.sum;
    json["share"] = level.share();
    json["shares"] = level.shares;
    if (level.parts || level.score) json["networks"] = partOfNetworks(level);
    if (i < chain_.steps.size()) addStep(json, level, chain_.steps[i]);
    return json;
  }

  Json levelOfParts(const WhyLevel& level, const model::WithoutParts& without) const {
    Json json{{"kind", level.neuron ? "neuron" : "parts"}};
    if (level.neuron) addNeuron(json, *level.neuron, level.reading.stack);
    if (!level.neuron && level.reading.stack == Stack::encoder) json["stack"] = "encoder";
    json["place"] = level.reading.place;
    json["parts"] = partsJson(*level.parts, without.parts);
    return json;
  }

  Json levelOfHead(const WhyLevel& level, const model::WithoutParts& without) const {
    Json json{{"kind", "head"}};
    addHead(json, level.sources->head, level.reading.stack);
    json["place"] = level.reading.place;
    Json sources = Json::emptyList();
    for (std::size_t j = 0; j < level.sources->values.size(); ++j) {
      Json one = placeJson(static_cast<Index>(j), level.sources->tokens);
      one["weight"] = level.sources->weights[j];
      one["value"] = level.sources->values[j];
      sources.push_back(std::move(one));
    }
    json["sources"] = std::move(sources);
    if (without.followed) json["without"] = changesJson(*without.followed);
    return json;
  }

  static void addNeuron(Json& json, Index expert, Index number) {
    if (expert >= 0) json["expert"] = expert;
    if (expert == model::Neuron::kShared) json["expert"] = "shared";
    json["neuron"] = number;
  }
  static const char* sideOf(model::NeuronSide side) {
    return side == model::NeuronSide::gate ? "gate" : "up";
  }
  void addNeuron(Json& json, const model::PreActivation& neuron, Stack stack) const {
    addLayer(json, neuron.of.layer, config(), stack);
    addNeuron(json, neuron.of.expert, neuron.of.number);
    if (!neuron.other) return;
    json["side"] = sideOf(neuron.of.side);
    json["other_side"] = *neuron.other;
  }

  Json levelOfNetwork(const WhyLevel& level, const model::WithoutParts& without) const {
    Json json{{"kind", "network"}};
    addLayer(json, level.neurons->layer, config(), level.reading.stack);
    json["place"] = level.reading.place;
    Json neurons = Json::emptyList();
    for (const model::Neuron& neuron : level.neurons->neurons) {
      Json one = Json::emptyObject();
      addNeuron(one, neuron.expert, neuron.number);
      one["activation"] = neuron.activation;
      one["value"] = neuron.value;
      neurons.push_back(std::move(one));
    }
    json["neurons"] = std::move(neurons);
    json["bias"] = level.neurons->bias;
    if (without.followed) json["without"] = changesJson(*without.followed);
    return json;
  }

  Json levelOfScore(const model::ScoreParts& score, const model::WithoutParts& without) const {
    Json json{{"kind", "score"}};
    addHead(json, score.head, score.stack);
    json["query"] = score.query;
    json["key"] = score.key;
    json["penalty"] = 0.0 - score.bias;
    const auto sums = contentAndPosition(score);
    json["content"] = sums ? Json(sums->content) : Json();
    json["content_and_position"] = sums ? Json(sums->mixed) : Json();
    json["position"] = sums ? Json(sums->position) : Json();
    json["queries"] = partsJson(partsOfQuery(score), without.queries);
    json["keys"] = partsJson(partsOfKey(score), without.keys);
    Json entries = Json::emptyList();
    for (const ScoreEntry& entry : sortedEntries(score)) {
      Json one{{"query", writerJson(entry.query, config())},
               {"key", writerJson(entry.key, config())},
               {"value", entry.value}};
      if (const auto* measured = changeWithout(without.pairs, entry.query, entry.key)) {
        one["without"] = changesJson(*measured);
      }
      entries.push_back(std::move(one));
    }
    json["entries"] = std::move(entries);
    return json;
  }

  void addStep(Json& json, const WhyLevel& level, const WhyStep& step) const {
    json["follows"] = stepJson(step, level.reading.stack);
    Json passed = Json::emptyList();
    for (const model::PassedPart& part : passedOver(level, step)) {
      Json one = part.key ? Json{{"query", writerJson(part.writer, config())},
                                 {"key", writerJson(*part.key, config())}}
                          : writerJson(part.writer, config());
      one["value"] = part.value;
      passed.push_back(std::move(one));
    }
    if (level.parts || level.score) json["passed_over"] = std::move(passed);
  }

  Json stepJson(const WhyStep& step, Stack stack) const {
    Json json = Json::emptyObject();
    switch (step.kind) {
      case WhyStep::Kind::head:
        addHead(json, step.head, stack);
        break;
      case WhyStep::Kind::network:
        json["network_of"] = step.head.layer;
        break;
      case WhyStep::Kind::neuron:
        addNeuron(json, step.neuron.expert, step.neuron.number);
        if (step.neuron.side != model::NeuronSide::larger) json["side"] = sideOf(step.neuron.side);
        break;
      case WhyStep::Kind::value:
        json["value_of"] = step.source;
        break;
      case WhyStep::Kind::score:
        json["score_of"] = step.source;
        break;
      case WhyStep::Kind::entry:
        json["query"] = writerJson(step.query, config());
        json["key"] = writerJson(step.key, config());
        json["along"] = step.alongKey ? "key" : "query";
        break;
    }
    return json;
  }

  const model::WhyChain& chain_;
  const WhyNames& names_;
};

}  // namespace

std::vector<ScoreEntry> sortedEntries(const model::ScoreParts& score) {
  std::vector<ScoreEntry> entries;
  for (std::size_t i = 0; i < score.queries.size(); ++i) {
    for (std::size_t j = 0; j < score.keys.size(); ++j) {
      entries.push_back({score.queries[i], score.keys[j],
                         score.values(static_cast<Index>(i), static_cast<Index>(j))});
    }
  }
  std::ranges::stable_sort(entries, std::ranges::greater(),
                           [](const ScoreEntry& entry) { return std::abs(entry.value); });
  return entries;
}

Json whyJson(const model::WhyChain& chain, const WhyNames& names) {
  return WhyWriter(chain, names).whole();
}

}  // namespace headscope::formats
