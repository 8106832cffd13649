#include "core/training/material.h"

#include <fmt/format.h>

#include <variant>

namespace headscope::training {

std::optional<Material> materialOf(const InputSource& source) {
  if (std::holds_alternative<TextSource>(source)) return Material{};
  const auto* series = std::get_if<SeriesSource>(&source);
  if (series == nullptr) return std::nullopt;
  return Material{std::ssize(series->items.front()->channels)};
}

std::string inWords(const Material& material) {
  if (!material.series()) return "generated sentences";
  return fmt::format("generated series of {} channel{}", material.channels,
                     material.channels == 1 ? "" : "s");
}

}  // namespace headscope::training
