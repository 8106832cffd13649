#include "app/cli/sweeper.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <utility>

#include "app/cli/config_options.h"
#include "app/cli/model_readings.h"
#include "core/base/error.h"
#include "core/base/memory_budget.h"

namespace headscope::cli {
namespace {

using model::AskedWord;
using model::Receiver;
using model::SweepOver;
using model::SweepWith;
using model::TextsSweep;
using model::TextToSweep;

/// "9.6:q" as "9.6" and "q". Throws UserError that names the flag.
std::pair<std::string, std::string> headAndSide(const std::string& to) {
  const std::size_t colon = to.rfind(':');
  const std::string side = colon == std::string::npos ? "" : to.substr(colon + 1);
  if (side == "q" || side == "k" || side == "v") return {to.substr(0, colon), side};
  throw UserError(fmt::format(
      "--to {}: give layer, head and q, k or v, as in 9.6:q (of k and v: the key/value head)", to));
}

std::optional<Receiver> receiverOf(const SweepOptions& options, const model::ModelConfig& config) {
  if (options.to.empty()) return std::nullopt;
  if (options.over != "heads") throw UserError("--to: paths lead from heads: give --over heads");
  const auto [name, side] = headAndSide(options.to);
  const auto [stack, head] = headOfStackFrom("--to", name, config);
  if (head.layer == 0) {
    throw UserError(fmt::format(
        "--to {}: a path leads from a head of an earlier layer, and layer 0 has none", options.to));
  }
  return Receiver{model::siteFromName(side), head.layer, head.head, stack};
}

SweepWith withOf(const SweepOptions& options) {
  return options.with == "zero"   ? SweepWith::zero
         : options.with == "mean" ? SweepWith::mean
                                  : SweepWith::other;
}

}  // namespace

std::vector<SweepOptions> forEachReceiver(const SweepOptions& options, OpenModels& models) {
  std::vector<SweepOptions> each;
  const auto add = [&](const std::string& to) {
    each.push_back(options);
    each.back().to = to;
  };
  for (const std::string& receiver : options.receivers) {
    const auto [name, side] = headAndSide(receiver);
    if (name != "all") {
      add(receiver);
      continue;
    }
    const auto model = models.model(adaptedFolderFrom(options.directory, options.adapter),
                                    defaultMemoryBudget() / 2, options.strict);
    const model::ModelConfig& c = model->config();
    for (const HeadOfLayer& head : headsFrom("--to", {name}, c)) {
      if (head.layer == 0 || (side != "q" && head.head >= c.kvHeads)) continue;
      add(fmt::format("{}{}.{}:{}",
                      !c.crossAttention           ? ""
                      : c.readsMemory(head.layer) ? "cross:"
                                                  : "decoder:",
                      c.depthOf(head.layer), head.head, side));
    }
  }
  if (options.receivers.empty()) each.push_back(options);
  return each;
}

SweepOver overOf(const SweepOptions& options) {
  constexpr std::array kNames{
      std::pair("heads", SweepOver::heads),   std::pair("layers", SweepOver::layers),
      std::pair("places", SweepOver::places), std::pair("queries", SweepOver::queries),
      std::pair("keys", SweepOver::keys),     std::pair("values", SweepOver::values)};
  const auto named = [&](const auto& each) { return options.over == each.first; };
  return std::ranges::find_if(kNames, named)->second;
}

Index placeOf(const SweepOptions& options) {
  if (options.place.empty()) return model::Patch::kEveryPlace;
  if (options.place == "each") return model::kEachPlace;
  if (options.place == "asked") return model::kAskedPlace;
  Index place = 0;
  const char* end = options.place.data() + options.place.size();
  const auto read = std::from_chars(options.place.data(), end, place);
  if (read.ec == std::errc() && read.ptr == end && place >= 0) return place;
  throw UserError(fmt::format("--place {}: give a token of the text, from 0, or each, or asked",
                              options.place));
}

std::optional<double> Swept::other() const {
  if (otherMetrics.empty()) return std::nullopt;
  return std::accumulate(otherMetrics.begin(), otherMetrics.end(), 0.0) /
         static_cast<double>(otherMetrics.size());
}

std::optional<AskedWord> Swept::word() const {
  const auto same = [&](const AskedWord& each) {
    return each.word == asked.front().word && each.other == asked.front().other;
  };
  return std::ranges::all_of(asked, same) ? std::optional(asked.front()) : std::nullopt;
}

Sweeper::Sweeper(const SweepOptions& options, OpenModels& models)
    : options_(options),
      models_(models),
      model_(models.model(adaptedFolderFrom(options.directory, options.adapter),
                          defaultMemoryBudget() / 2, options.strict)),
      names_(twoStacks() ? models.targetNames(options.directory) : models.names(options.directory)),
      setting_{overOf(options),
               withOf(options),
               {},
               receiverOf(options, model_->config()),
               placeOf(options)} {
  refuseTarget(options.target, *model_);
  execution_.threads = options.threads;
}

Swept Sweeper::run() {
  const std::vector<formats::TextOfSet> set =
      options_.set.empty() ? std::vector<formats::TextOfSet>() : textsOf(options_.set);
  // with a text of its own, the command uses the set for means alone
  const bool one =
      options_.text.given() > 0 || !options_.ids.empty() || options_.image.given() || set.empty();
  if (!one) return over(set);
  std::vector<model::ModelInput> meanOf;
  if (setting_.with == SweepWith::mean) {
    for (const formats::TextOfSet& text : set) meanOf.push_back(inputOf(text.text));
  }
  return over({textOfFlags()}, {""}, std::move(meanOf));
}

Swept Sweeper::over(const std::vector<formats::TextOfSet>& set) {
  std::vector<TextToSweep> texts;
  std::vector<std::string> names;
  for (const formats::TextOfSet& text : set) {
    texts.push_back(textOf(text));
    names.push_back(text.name);
  }
  return over(std::move(texts), std::move(names), {});
}

Swept Sweeper::over(std::vector<TextToSweep> texts, std::vector<std::string> names,
                    std::vector<model::ModelInput> meanOf) {
  setting_.meanOf = std::move(meanOf);
  const std::size_t count = texts.size();
  const Index units = TextsSweep::units(count, setting_, *model_);
  const auto document = documentOver(texts);
  TextsSweep sweep(document, std::move(texts), setting_, execution_);
  for (Index done = 0; !sweep.runUnit();) {
    if (count == 1) {
      progress_.at(++done, units, "steps");
    } else {
      progress_.at(static_cast<Index>(sweep.textsDone()), static_cast<Index>(count), "texts");
    }
  }
  return {sweep.found().value(), std::move(names)};
}

model::ModelInput Sweeper::inputOf(const formats::TextOrIds& text) const {
  ModelTextOptions flags;
  std::vector<Index> ids;
  setText(flags, ids, text);
  return modelInput(models_, options_.directory, flags, ids, readingConfig());
}

/// The document of the first text. Of an encoder–decoder model the texts so far are sources; their
/// target, that of the first one, becomes the input of all.
model::ModelDocumentPtr Sweeper::documentOver(std::vector<TextToSweep>& texts) const {
  if (!twoStacks()) return makeModelDocument(model_, texts.front().input);
  const auto document = documentWithTarget(options_.target, models_, options_.directory, model_,
                                           texts.front().input, execution_);
  for (TextToSweep& text : texts) {
    text.source = std::move(text.input);
    text.input = document->input;
  }
  return document;
}

TextToSweep Sweeper::textOfFlags() const {
  requireImage(options_.image, options_.directory, *model_);
  TextToSweep text{
      {},
      options_.image.given()
          ? imageInputFrom(options_.image, options_.directory, *model_)
          : modelInput(models_, options_.directory, options_.text, options_.ids, readingConfig()),
      {},
      [this](const model::ModelTrace& trace) { return askedWord(options_.asked, trace, names_); }};
  if (setting_.with != SweepWith::other) return text;
  requireImage(options_.otherImage, options_.directory, *model_);
  if (options_.otherImage.given()) {
    text.other = imageInputFrom(options_.otherImage, options_.directory, *model_);
    return text;
  }
  if (!options_.otherText && options_.otherIds.empty()) {
    throw UserError("--with other needs the other text: give --other-text or --other-ids");
  }
  text.other = inputOf({options_.otherText.value_or(""), options_.otherIds});
  return text;
}

TextToSweep Sweeper::textOf(const formats::TextOfSet& text) const {
  TextToSweep one{text.name,
                  inputOf(text.text),
                  {},
                  [this, answers = text.answers](const model::ModelTrace& trace) {
                    return askedWord(withAnswers(options_.asked, answers), trace, names_);
                  }};
  if (!text.other.empty()) one.other = inputOf(text.other);
  if (setting_.with != SweepWith::other) return one;
  if (!one.other) {
    throw UserError(fmt::format(
        "{} has no \"corrupt\" text, whose values --with other puts in place", text.name));
  }
  if (options_.swap) std::swap(one.input, *one.other);
  return one;
}

}  // namespace headscope::cli
