#include "app/cli/sweep_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "app/cli/asked_word.h"
#include "app/cli/model_readings.h"
#include "app/cli/output.h"
#include "core/base/numbers.h"
#include "core/formats/csv_table.h"
#include "core/formats/model_tensors.h"
#include "core/model/tokenized.h"

namespace headscope::cli {
namespace {

using model::EffectKind;
using model::Patch;
using model::PatchEffect;
using model::Site;
using model::SweepOver;

/// A kind of part that a sweep replaces, and the column of its number.
struct SweptKind {
  SweepOver over;
  const char* column;   // in JSON and CSV
  const char* heading;  // in the table
  const char* inWords;
};
constexpr std::array kSwept{
    SweptKind{SweepOver::heads, "head", "head", "each head's output"},
    SweptKind{SweepOver::layers, "part", "part", "each layer's attention or network"},
    SweptKind{SweepOver::places, "place", "place",
              "the residual stream before each layer, at each place"},
    SweptKind{SweepOver::queries, "head", "head", "each head's queries"},
    SweptKind{SweepOver::keys, "kv_head", "key/value head", "each key/value head's keys"},
    SweptKind{SweepOver::values, "kv_head", "key/value head", "each key/value head's values"}};

const SweptKind& kindOf(const SweepOptions& options) {
  return *std::ranges::find(kSwept, overOf(options), &SweptKind::over);
}

/// The number of a part in its layer, or its name.
Json partNumber(const Patch& patch) {
  if (isOfHeads(patch.site)) return patch.head;
  if (patch.site == Site::residual) return patch.place;
  return patch.site == Site::attention ? "attention" : "network";
}

bool eachPlace(const SweepOptions& options) { return options.place == "each"; }

Json placeJson(const SweepOptions& options) {
  const Index place = placeOf(options);
  return place >= 0 ? Json(place) : Json(options.place);
}

/// The name of the patch of an image where a part is replaced; nothing for one that is replaced at
/// every place, and for a text, whose words stand in it more than once.
std::optional<std::string> patchOf(const Swept& swept, Index place,
                                   const model::ModelConfig& config) {
  if (!config.image.on() || place < 0) return std::nullopt;
  return swept.tokens[static_cast<std::size_t>(place)];
}

/// " at place 3 alone"; empty where parts are replaced at every place.
std::string placeInWords(const SweepOptions& options, const Swept& swept,
                         const model::ModelConfig& config) {
  if (options.place.empty()) return {};
  const Index place = placeOf(options);
  if (place == model::kEachPlace) return " at one place alone, each in turn";
  if (place == model::kAskedPlace) return " at the place whose prediction is read";
  const auto patch = patchOf(swept, place, config);
  return fmt::format(" at place {}{} alone", place + 1, patch ? fmt::format(" ({})", *patch) : "");
}

/// The numbers that --by sorts by.
constexpr std::array kSortedBy{std::pair("total", EffectKind::total),
                               std::pair("direct", EffectKind::direct),
                               std::pair("probability", EffectKind::probability),
                               std::pair("kl", EffectKind::divergence),
                               std::pair("looks", EffectKind::looks),
                               std::pair("adds", EffectKind::adds),
                               std::pair("estimate", EffectKind::estimate)};
static_assert(kSortedBy.size() == model::kEffectKinds);

EffectKind kindBy(const SweepOptions& options) {
  if (options.by.empty()) return EffectKind::total;
  const auto is = [&](const auto& each) { return options.by == each.first; };
  return std::ranges::find_if(kSortedBy, is)->second;
}

/// The parts by the size of a number, the largest first.
std::vector<std::size_t> ordered(const Swept& swept, EffectKind by) {
  std::vector<std::size_t> order(swept.parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const PatchEffect base = swept.effects.base();
  std::vector<double> sizes;
  for (const std::size_t i : order) {
    sizes.push_back(std::abs(valueOf(base, swept.effects.mean(i), by).value_or(0.0)));
  }
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return sizes[i]; });
  return order;
}

/// The parts as CSV lists them: by --by, or in the order of the model.
std::vector<std::size_t> orderOf(const Swept& swept, const SweepOptions& options) {
  if (!options.by.empty()) return ordered(swept, kindBy(options));
  std::vector<std::size_t> order(swept.parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

}  // namespace

Json sweepJson(const Swept& swept, const SweepOptions& options, const Sweeper& sweeper) {
  const formats::TokenizerPtr& names = sweeper.names();
  const auto asked = swept.word();
  Json json{{"schema", "headscope.sweep/1"},
            {"metric", !asked || asked->other ? "logit_difference" : "logit"},
            {"over", options.over},
            {"with", options.with}};
  if (!options.to.empty()) json["to"] = options.to;
  if (!options.place.empty()) json["place"] = placeJson(options);
  if (asked) {
    json["at"] = asked->row;
    json["token_id"] = asked->word;
    const model::ModelConfig& config = sweeper.config();
    const auto addName = [&](const char* field, Index id) {
      const std::string name = model::predictedName(id, config, names.get());
      if (!name.empty()) json[field] = name;
    };
    addName(config.labels.empty() ? "token" : "label", asked->word);
    if (asked->other) json["against_id"] = *asked->other;
    if (asked->other) addName("against", *asked->other);
  }
  const bool set = swept.effects.texts() > 1;
  if (set) json["texts"] = swept.effects.texts();
  if (!set && !swept.aligned.empty()) addAlignment(json, swept.aligned.front());
  const PatchEffect base = swept.effects.base();
  json["base"] = numberJson(base.metric);
  json["base_probability"] = numberJson(base.probability);
  const auto other = swept.other();
  json["other"] = other ? numberJson(*other) : Json();
  const EffectKind by = kindBy(options);
  if (!options.by.empty()) json["by"] = options.by;
  Json effects = Json::emptyList();
  for (std::size_t i = 0; i < swept.parts.size(); ++i) {
    const Patch& patch = swept.parts[i];
    const PatchEffect mean = swept.effects.mean(i);
    Json one = Json::emptyObject();
    formats::addLayer(one, patch.layer, sweeper.config(), patch.stack);
    one[kindOf(options).column] = partNumber(patch);
    if (eachPlace(options)) one["place"] = patch.place;
    if (const auto name = patchOf(swept, patch.place, sweeper.config())) one["token"] = *name;
    one["value"] = numberJson(mean.metric);
    one["direct"] = mean.direct ? numberJson(*mean.direct) : Json();
    one["estimate"] = mean.estimate ? numberJson(*mean.estimate) : Json();
    one["probability"] = numberJson(mean.probability);
    one["kl"] = numberJson(mean.divergence);
    one["looks"] = mean.looks ? numberJson(*mean.looks) : Json();
    one["adds"] = mean.adds ? numberJson(*mean.adds) : Json();
    if (set) {
      one["spread"] = numberJson(swept.effects.spread(i, by));
      one["strongest"] = swept.names[swept.effects.strongest(i, by).front()];
      Json best = Json::emptyList();
      for (const auto& [text, number] : swept.effects.best(i, by)) {
        best.push_back({{"text", swept.names[text]}, {"value", numberJson(number)}});
      }
      one["best"] = std::move(best);
    }
    effects.push_back(std::move(one));
  }
  json["effects"] = std::move(effects);
  return json;
}

namespace {

/// "encoder", "decoder" or "cross"; empty for a model of one stack.
const char* attentionOf(const Patch& patch, const model::ModelConfig& config) {
  if (patch.stack == model::Stack::encoder) return "encoder";
  if (!config.crossAttention) return "";
  return config.readsMemory(patch.layer) ? "cross" : "decoder";
}
/// The layer as the model's authors count, from 0.
Index depthOf(const Patch& patch, const model::ModelConfig& config) {
  return patch.stack == model::Stack::encoder ? patch.layer : config.depthOf(patch.layer);
}

}  // namespace

void printCsv(std::ostream& out, const Swept& swept, const SweepOptions& options,
              const model::ModelConfig& config, bool titled) {
  const bool two = config.crossAttention;
  const bool set = swept.effects.texts() > 1;
  const bool several = options.receivers.size() > 1 || options.receivers != std::vector{options.to};
  const std::string receiver = !options.to.empty() && several ? options.to + ',' : "";
  if (titled) {
    out << fmt::format("{}{}layer,{},{}value,direct,estimate,probability,kl,adds,looks{}\n",
                       receiver.empty() ? "" : "to,", two ? "attention," : "",
                       kindOf(options).column, eachPlace(options) ? "place," : "",
                       set ? ",spread,strongest" : "");
  }
  const auto cell = [](const std::optional<double>& number) {
    return number ? fmt::format("{}", *number) : std::string();
  };
  for (const std::size_t i : orderOf(swept, options)) {
    const Patch& patch = swept.parts[i];
    const PatchEffect effect = swept.effects.mean(i);
    const Json part = partNumber(patch);
    out << receiver;
    if (two) out << attentionOf(patch, config) << ',';
    out << fmt::format("{},{},", depthOf(patch, config),
                       part.text() != nullptr ? *part.text() : part.dump());
    if (eachPlace(options)) out << patch.place << ',';
    out << fmt::format("{},{},{},{},{},{},{}", effect.metric, cell(effect.direct),
                       cell(effect.estimate), effect.probability, effect.divergence,
                       cell(effect.adds), cell(effect.looks));
    if (set) {
      const EffectKind by = kindBy(options);
      out << fmt::format(",{},{}", swept.effects.spread(i, by),
                         formats::csvField(swept.names[swept.effects.strongest(i, by).front()]));
    }
    out << '\n';
  }
}

namespace {

const char* whatIsRead(const model::ModelConfig& config) {
  return config.image.on() ? "image" : "text";
}

std::string replacedBy(const SweepOptions& options, const model::ModelConfig& config) {
  if (options.with == "zero") return "zero";
  const char* read = whatIsRead(config);
  if (options.with == "other") return fmt::format("its values on the other {}", read);
  return options.set.empty() ? fmt::format("its mean over the {}", read)
                             : "its mean over the set's texts";
}

/// Names the number that is read where texts ask for different words.
std::string askedInWords(const Swept& swept) {
  const bool all = std::ranges::all_of(
      swept.asked, [](const model::AskedWord& each) { return each.other.has_value(); });
  return all ? "the right answer minus the wrong" : "the word that each text asks for";
}

/// The heading of a column for the number of --by that the table has no column for otherwise.
std::optional<std::string> headingBy(EffectKind by) {
  if (by == EffectKind::divergence) return "KL";
  if (by == EffectKind::probability) return "change of p";
  return std::nullopt;
}

std::string cellBy(const PatchEffect& base, const PatchEffect& effect, EffectKind by) {
  const double number = valueOf(base, effect, by).value_or(0.0);
  return by == EffectKind::divergence ? fmt::format("{:.4f}", number)
                                      : fmt::format("{:+.4f}", number);
}

}  // namespace

void printSweep(std::ostream& out, const Swept& swept, const SweepOptions& options,
                const Sweeper& sweeper) {
  const formats::TokenizerPtr& names = sweeper.names();
  const model::ModelConfig& config = sweeper.config();
  constexpr std::size_t kShown = 20;
  const PatchEffect base = swept.effects.base();
  const bool set = swept.effects.texts() > 1;
  const auto asked = swept.word();
  const auto other = swept.other();
  out << fmt::format(
      "the logit of {}{} is {:.4f}{}", asked ? inWords(*asked, config, names) : askedInWords(swept),
      set ? fmt::format(", the mean over {} texts,", withThousands(swept.effects.texts())) : "",
      base.metric,
      other ? fmt::format(" here and {:.4f} on the other {}", *other, whatIsRead(config)) : "");
  out << '\n';
  if (!set && !swept.aligned.empty()) printAlignment(out, swept.aligned.front());
  out << fmt::format("with {} replaced by {}", kindOf(options).inWords,
                     replacedBy(options, config));
  out << placeInWords(options, swept, config);
  if (!options.to.empty()) {
    out << fmt::format(", through {} alone (from 0), heads between held", options.to);
  }
  std::vector<std::size_t> order = ordered(swept, kindBy(options));
  out << (order.size() > kShown
              ? fmt::format(", the {} largest of {} effects:\n", kShown, order.size())
              : std::string(":\n"));
  order.resize(std::min(order.size(), kShown));
  std::vector<Align> columns(8, Align::right);
  columns[0] = columns[1] = Align::left;
  std::vector<std::string> titles{
      "layer", kindOf(options).heading, "becomes", "total", "direct", "estimate", "adds", "looks"};
  const EffectKind by = kindBy(options);
  const auto heading = headingBy(by);
  if (heading) {
    columns.push_back(Align::right);
    titles.push_back(*heading);
  }
  if (set) {
    columns.push_back(Align::right);
    titles.emplace_back("spread");
  }
  if (eachPlace(options)) {
    columns.push_back(Align::right);
    titles.insert(titles.begin() + 2, "place");
  }
  if (config.crossAttention) {
    columns.insert(columns.begin(), Align::left);
    titles.insert(titles.begin(), "attention");
  }
  TextTable table(columns);
  table.add(titles);
  for (const std::size_t i : order) {
    const Patch& patch = swept.parts[i];
    const PatchEffect effect = swept.effects.mean(i);
    const Json part = partNumber(patch);
    const auto number = part.whole();
    const auto name = patchOf(swept, patch.place, config);
    const std::string place =
        fmt::format("{}{}", patch.place + 1, name ? fmt::format(" ({})", *name) : "");
    std::vector<std::string> cells{
        std::to_string(depthOf(patch, config) + 1),
        patch.site == Site::residual ? place
        : number                     ? std::to_string(*number + 1)
                                     : *part.text(),
        fmt::format("{:.4f}", effect.metric),
        fmt::format("{:+.4f}", effect.metric - base.metric),
        effect.direct ? fmt::format("{:+.4f}", *effect.direct) : std::string("–"),
        effect.estimate ? fmt::format("{:+.4f}", *effect.estimate) : std::string("–"),
        effect.adds ? fmt::format("{:+.4f}", *effect.adds) : std::string("–"),
        effect.looks ? fmt::format("{:.2f}", *effect.looks) : std::string("–")};
    if (heading) cells.push_back(cellBy(base, effect, by));
    if (set) cells.push_back(fmt::format("{:.4f}", swept.effects.spread(i, by)));
    if (eachPlace(options)) cells.insert(cells.begin() + 2, place);
    if (config.crossAttention) cells.insert(cells.begin(), attentionOf(patch, config));
    table.add(std::move(cells));
  }
  table.print(out);
  out << "layers, heads and places count from 1 here, from 0 in flags, JSON and CSV\n";
}

}  // namespace headscope::cli
