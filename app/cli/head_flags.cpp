#include "app/cli/head_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "core/base/error.h"

namespace headscope::cli {
namespace {

HeadOfLayer plainHeadFrom(std::string_view flag, const std::string& text) {
  if (const auto head = plainHead(text)) return *head;
  throw UserError(fmt::format("{} {}: give layer and head, both from 0: 3.7 or L3H7", flag, text));
}

/// Every head of the only stack for "all", those of one attention for "cross:all"; nothing for
/// another text.
std::optional<HeadsOfStack> allHeads(std::string_view text, const model::Model& model) {
  const bool two = model.encoder() != nullptr;
  const bool ofEncoder = two && text == "encoder:all";
  const bool cross = two && text == "cross:all";
  if (!ofEncoder && !cross && text != (two ? "decoder:all" : "all")) return std::nullopt;
  HeadsOfStack all{ofEncoder ? model::Stack::encoder : model::Stack::decoder, {}};
  const model::ModelConfig& config = (ofEncoder ? *model.encoder() : model).config();
  for (Index layer = 0; layer < config.layers; ++layer) {
    if (config.readsMemory(layer) != cross) continue;
    for (Index head = 0; head < config.heads; ++head) all.heads.push_back({layer, head});
  }
  return all;
}

}  // namespace

std::optional<HeadOfLayer> plainHead(const std::string& text) {
  const char* end = text.data() + text.size();
  const auto read = [&](const char* from, std::string_view between) -> std::optional<HeadOfLayer> {
    HeadOfLayer head;
    const auto [middle, layerError] = std::from_chars(from, end, head.layer);
    if (layerError != std::errc() || middle == end) return std::nullopt;
    if (between.find(*middle) == std::string_view::npos) return std::nullopt;
    const auto [rest, headError] = std::from_chars(middle + 1, end, head.head);
    if (headError != std::errc() || rest != end) return std::nullopt;
    return head;
  };
  const bool named = text.starts_with('L') || text.starts_with('l');
  return named ? read(text.data() + 1, "Hh") : read(text.data(), ".");
}

HeadOfLayer headFrom(std::string_view flag, const std::string& text,
                     const model::ModelConfig& config) {
  if (!config.crossAttention) return plainHeadFrom(flag, text);
  for (const auto& [stack, layer] : {std::pair("decoder:", 0), std::pair("cross:", 1)}) {
    if (!text.starts_with(stack)) continue;
    HeadOfLayer head = plainHeadFrom(flag, text.substr(std::string_view(stack).size()));
    head.layer = 2 * head.layer + layer;
    return head;
  }
  throw UserError(fmt::format(
      "{} {}: the model has an encoder and a decoder: say of which attention the head is, as in "
      "decoder:0.3 or cross:0.3",
      flag, text));
}

HeadOfStack headOfStackFrom(std::string_view flag, const std::string& text,
                            const model::ModelConfig& config) {
  constexpr std::string_view kEncoder = "encoder:";
  if (!config.crossAttention || !text.starts_with(kEncoder)) {
    return {model::Stack::decoder, headFrom(flag, text, config)};
  }
  return {model::Stack::encoder, plainHeadFrom(flag, text.substr(kEncoder.size()))};
}

std::vector<HeadOfLayer> headsFrom(std::string_view flag, const std::vector<std::string>& texts,
                                   const model::ModelConfig& config) {
  std::vector<HeadOfLayer> heads;
  for (const std::string& text : texts) {
    if (text != "all") {
      heads.push_back(headFrom(flag, text, config));
      continue;
    }
    for (Index i = 0; i < config.layers * config.heads; ++i) {
      heads.push_back({i / config.heads, i % config.heads});
    }
  }
  return heads;
}

HeadsOfStack headsOfStackFrom(std::string_view flag, const std::vector<std::string>& texts,
                              const model::Model& model) {
  HeadsOfStack found;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    HeadsOfStack some;
    if (auto all = allHeads(texts[i], model)) {
      some = std::move(*all);
    } else {
      const HeadOfStack one = headOfStackFrom(flag, texts[i], model.config());
      some = {one.stack, {one.head}};
    }
    if (i > 0 && some.stack != found.stack) {
      throw UserError(
          fmt::format("{}: the heads are of both stacks: give those of the encoder and "
                      "those of the decoder one after the other",
                      flag));
    }
    found.stack = some.stack;
    found.heads.insert(found.heads.end(), some.heads.begin(), some.heads.end());
  }
  return found;
}

std::vector<Index> headsOfLayerFrom(std::string_view flag, const std::vector<std::string>& texts,
                                    Index layer, Index heads) {
  std::vector<Index> found;
  for (const std::string& text : texts) {
    if (text == "all") {
      for (Index head = 0; head < heads; ++head) found.push_back(head);
      continue;
    }
    Index head = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, head);
    if (error == std::errc() && rest == end && head >= 0) {
      found.push_back(head);
      continue;
    }
    const auto named = plainHead(text);
    if (!named) {
      throw UserError(fmt::format("{} {}: give heads from 0, as in 2, {}.2 or L{}H2, or all", flag,
                                  text, layer, layer));
    }
    if (named->layer != layer) {
      throw UserError(fmt::format("{} {}: this is layer {}: give its heads, as in {}.{}", flag,
                                  text, layer, layer, named->head));
    }
    found.push_back(named->head);
  }
  return found;
}

}  // namespace headscope::cli
