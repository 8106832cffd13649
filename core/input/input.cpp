// Turns a source into X: text and series are embedded, tensors are checked and used unchanged.
#include "core/input/input.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/attention/config.h"
#include "core/input/embedding.h"
#include "core/tensor/finite.h"

namespace headscope {
namespace {

using Tokens = std::vector<std::string>;

std::vector<Tokens> tokenizeAll(const std::vector<std::string>& texts, const std::string& what) {
  std::size_t bytes = 0;
  for (const std::string& text : texts) bytes += text.size();
  if (texts.size() > 1 && bytes > kMaxTextBytes) {
    throw UserError(
        fmt::format("the {}s have {:.1f} MB together; the limit is 1 MB, so shorten them", what,
                    static_cast<double>(bytes) / (1 << 20)));
  }
  std::vector<Tokens> sentences;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string name = texts.size() == 1 ? what : fmt::format("{} {}", what, i + 1);
    sentences.push_back(tokenize(texts[i], name));
  }
  return sentences;
}

/// Returns `count` items, taken in turn.
template <typename T>
std::vector<T> inTurn(const std::vector<T>& items, Index count) {
  std::vector<T> out;
  for (Index i = 0; i < count; ++i)
    out.push_back(items[static_cast<std::size_t>(i) % items.size()]);
  return out;
}

Index longest(const std::vector<Tokens>& sentences) {
  std::size_t length = 0;
  for (const Tokens& tokens : sentences) length = std::max(length, tokens.size());
  return static_cast<Index>(length);
}

void setBatch(AttentionConfig& config, std::size_t items) {
  if (items > 1) config.batch = static_cast<Index>(items);
}

AttentionConfig fit(const TextSource& source, AttentionConfig config) {
  const auto sentences = tokenizeAll(source.texts, "text");
  const auto memory = tokenizeAll(source.memoryTexts, "memory text");
  if (sentences.empty()) throw UserError("text is empty; give it at least one word");
  config.seqLen = longest(sentences);
  config.memoryLen = longest(memory);
  if (memory.empty()) config.memoryWidth = 0;
  setBatch(config, std::max(sentences.size(), memory.size()));
  return config;
}

void checkSeries(const SeriesSource& source) {
  if (source.items.empty()) throw UserError("the series has no file; give at least one");
  const Series& first = *source.items.front();
  for (const auto& series : source.items) {
    if (series->channels != first.channels) {
      throw UserError(
          fmt::format("{} and {} have different columns; items of one batch need the same columns "
                      "in the same order",
                      first.name, series->name));
    }
    requireFinite(series->values, "values", series->name);
  }
}

AttentionConfig fit(const SeriesSource& source, AttentionConfig config) {
  checkSeries(source);
  config.seqLen = 0;
  for (const auto& series : source.items) {
    config.seqLen = std::max(config.seqLen, series->values.dim(0));
  }
  config.memoryLen = 0;
  config.memoryWidth = 0;
  setBatch(config, source.items.size());
  return config;
}

AttentionConfig fit(const TensorSource& source, AttentionConfig config) {
  config.batch = source.x.dim(0);
  config.seqLen = source.x.dim(1);
  config.dModel = source.x.dim(2);
  config.memoryLen = source.memory.empty() ? 0 : source.memory.dim(1);
  const Index width = source.memory.empty() ? config.dModel : source.memory.dim(2);
  config.memoryWidth = width == config.dModel ? 0 : width;
  return config;
}

Input make(const TextSource& source, Positions positions, const AttentionConfig& config) {
  Input input;
  const auto sentences = tokenizeAll(source.texts, "text");
  if (sentences.empty()) throw UserError("text is empty; give it at least one word");
  const Identity identity = config.crossAttention() ? Identity::meaning : Identity::word;
  Embedded x =
      embedText(inTurn(sentences, config.batch), config.seqLen, config.dModel, positions, identity);
  input.x = x.x;
  input.tokens = std::move(x.tokens);
  input.coordinates = std::move(x.layout.names);
  input.lengths = std::move(x.lengths);
  if (!x.layout.note.empty()) input.notes.push_back(x.layout.note);
  if (!config.crossAttention()) return input;

  const auto memoryTexts = tokenizeAll(source.memoryTexts, "memory text");
  if (memoryTexts.empty()) {
    throw UserError("cross-attention needs a memory text; give one, or set memory_len to 0");
  }
  Embedded memory = embedText(inTurn(memoryTexts, config.batch), config.memoryLen, config.kvWidth(),
                              positions, identity);
  input.memory = memory.x;
  input.memoryTokens = std::move(memory.tokens);
  input.lengths = std::move(memory.lengths);
  return input;
}

Input make(const SeriesSource& source, Positions positions, const AttentionConfig& config) {
  checkSeries(source);
  if (config.crossAttention()) {
    throw UserError("a series has no memory to attend to; set memory_len to 0, or use a text");
  }
  Input input;
  const auto items = inTurn(source.items, config.batch);
  Embedded x = embedSeries(items, config.seqLen, config.dModel, positions);
  input.x = x.x;
  input.tokens = std::move(x.tokens);
  input.coordinates = std::move(x.layout.names);
  input.lengths = std::move(x.lengths);
  if (!x.layout.note.empty()) input.notes.push_back(x.layout.note);
  input.readings = readingsOf(items, config.seqLen);
  input.patches = patchGridOf(input.readings);
  return input;
}

void requireShape(const Tensor& tensor, const Shape& expected, const std::string& name,
                  const std::string& where) {
  if (tensor.shape() == expected) return;
  throw UserError(
      fmt::format("{}: expected {}, found {} in {}; set batch, tokens and width to the file's",
                  name, toString(expected), toString(tensor.shape()), where));
}

std::vector<Tokens> labels(const Tokens& tokens, Index count, Index batch) {
  Tokens item = tokens;
  if (static_cast<Index>(item.size()) != count) {
    item.clear();
    for (Index i = 0; i < count; ++i) item.push_back(std::to_string(i));
  }
  return {static_cast<std::size_t>(batch), item};
}

Input make(const TensorSource& source, Positions, const AttentionConfig& config) {
  requireShape(source.x, {config.batch, config.seqLen, config.dModel}, "x", source.name);
  requireFinite(source.x, "x", source.name);
  Input input;
  input.x = source.x;
  input.tokens = labels(source.tokens, config.seqLen, config.batch);
  input.patches = source.patches;
  if (!config.crossAttention()) return input;
  requireShape(source.memory, {config.batch, config.memoryLen, config.kvWidth()}, "memory",
               source.name);
  requireFinite(source.memory, "memory", source.name);
  input.memory = source.memory;
  input.memoryTokens = labels(source.memoryTokens, config.memoryLen, config.batch);
  return input;
}

}  // namespace

AttentionConfig fitTo(const InputSource& source, AttentionConfig config) {
  return std::visit([&](const auto& s) { return fit(s, std::move(config)); }, source);
}

Input makeInput(const InputSource& source, Positions positions, const AttentionConfig& config) {
  return std::visit([&](const auto& s) { return make(s, positions, config); }, source);
}

}  // namespace headscope
