#include "app/cli/pass_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "core/base/numbers.h"
#include "core/formats/pass_files.h"
#include "core/input/tables.h"
#include "core/presets/presets.h"

namespace headscope::cli {
namespace {

/// Cuts `items` to `count`, or repeats them in turn up to it.
template <typename T>
void takeInTurn(std::vector<T>& items, Index count) {
  const std::size_t given = items.size();
  const auto wanted = static_cast<std::size_t>(count);
  while (items.size() < wanted) items.push_back(items[items.size() % given]);
  items.resize(wanted);
}

void requireBatchHolds(const PassOptions& o) {
  if (!o.config.batch) return;
  const std::size_t given = std::max({o.texts.size(), o.memoryTexts.size(), o.series.size()});
  if (static_cast<Index>(given) <= *o.config.batch) return;
  throw UserError(fmt::format("--batch {} is less than the {} given items: leave --batch out",
                              *o.config.batch, given));
}

/// Returns a text of exactly `count` tokens: cut, or repeated from its start.
std::string ofLength(const std::string& text, Index count) {
  auto tokens = tokenize(text, "memory text");
  takeInTurn(tokens, count);
  std::string joined;
  for (const auto& token : tokens) joined += (joined.empty() ? "" : " ") + token;
  return joined;
}

/// Returns the source's own memory texts, or those of the first example that has any.
const std::vector<std::string>& memoryOf(const TextSource& source) {
  if (!source.memoryTexts.empty()) return source.memoryTexts;
  for (const Example& example : examples()) {
    const auto* text = std::get_if<TextSource>(&example.source);
    if (text != nullptr && !text->memoryTexts.empty()) return text->memoryTexts;
  }
  throw std::logic_error("no example has a memory text");
}

InputSource chosenSource(const PassOptions& o) {
  if (!o.input.empty()) return formats::loadInput(SafetensorsFile(o.input));
  if (!o.series.empty()) {
    SeriesSource source;
    for (const auto& file : o.series) source.items.push_back(readSeries(file));
    return source;
  }
  InputSource source = o.config.basis().source;
  if (!o.texts.empty()) source = TextSource{o.texts, {}};
  if (auto* text = std::get_if<TextSource>(&source)) {
    if (!o.memoryTexts.empty()) text->memoryTexts = o.memoryTexts;
  } else if (!o.memoryTexts.empty()) {
    throw UserError(
        fmt::format("--memory-text needs a text as input, and preset {} has none: give --text",
                    o.config.basis().name));
  }
  return source;
}

/// Fits a source of texts or series to --batch and --memory-len.
struct FitItems {
  const ConfigOptions& asked;

  void operator()(TextSource& source) const {
    if (asked.memoryLen == 0) source.memoryTexts.clear();
    if (asked.memoryLen.value_or(0) > 0) {
      source.memoryTexts = memoryOf(source);
      for (auto& text : source.memoryTexts) text = ofLength(text, *asked.memoryLen);
    }
    fillBatch(source.texts);
    fillBatch(source.memoryTexts);
  }
  void operator()(SeriesSource& source) const {
    if (asked.memoryLen.value_or(0) > 0) {
      throw UserError("--memory-len needs a text, since a series has no memory: give --text");
    }
    fillBatch(source.items);
  }
  void operator()(TensorSource&) const {}

 private:
  /// Fits several items to --batch; a single item is repeated later.
  template <typename T>
  void fillBatch(std::vector<T>& items) const {
    if (asked.batch && items.size() > 1) takeInTurn(items, *asked.batch);
  }
};

}  // namespace

InputSource sourceFrom(const PassOptions& o) {
  requireBatchHolds(o);
  InputSource source = chosenSource(o);
  std::visit(FitItems{o.config}, source);
  return source;
}

std::string memoryNote(const PassOptions& o) {
  const Index wanted = o.config.memoryLen.value_or(0);
  if (wanted == 0 || !o.memoryTexts.empty() || !o.input.empty()) return {};
  const InputSource source = chosenSource(o);
  const std::string& text = memoryOf(std::get<TextSource>(source)).front();
  const auto given = static_cast<Index>(tokenize(text, "memory text").size());
  const std::string fitted = given == wanted ? ""
                                             : fmt::format(", {} from {} to {} tokens",
                                                           given > wanted ? "cut" : "repeated",
                                                           given, withThousands(wanted));
  return fmt::format("without --memory-text the memory is the example \"{}\"{}", text, fitted);
}

void requireAgreement(const PassOptions& o, const TensorSource& source, const AttentionConfig& c) {
  const std::string where = "the input " + source.name;
  requireSame(o.config.dModel, c.dModel, "--d-model", where);
  requireSame(o.config.seqLen, c.seqLen, "--seq-len", where);
  requireSame(o.config.memoryLen, c.memoryLen, "--memory-len", where);
  requireSame(o.config.batch, c.batch, "--batch", where);
  if (o.noPositions || o.sinusoidalPositions) {
    throw UserError(fmt::format(
        "{} changes how text and series are embedded, and {} gives X itself: leave it out",
        o.noPositions ? "--no-positions" : "--sinusoidal-positions", where));
  }
}

void requireSame(const std::optional<Index>& asked, Index found, const char* flag,
                 const std::string& where) {
  if (!asked || *asked == found) return;
  throw UserError(fmt::format("{} {} does not agree with {}, which has {}: leave {} out", flag,
                              *asked, where, found, flag));
}

Positions positionsFrom(const PassOptions& o) {
  if (o.noPositions) return Positions::none;
  return o.sinusoidalPositions ? Positions::sinusoidal : Positions::named;
}

}  // namespace headscope::cli
