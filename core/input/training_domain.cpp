#include "core/input/training_domain.h"

#include <fmt/format.h>

#include <variant>

namespace headscope {

std::optional<TrainingDomain> trainingDomainOf(const InputSource& source) {
  if (std::holds_alternative<TextSource>(source)) return TrainingDomain{};
  const auto* series = std::get_if<SeriesSource>(&source);
  if (series == nullptr || isImage(series->items.front()->channels)) return std::nullopt;
  return TrainingDomain{std::ssize(series->items.front()->channels)};
}

std::string inWords(const TrainingDomain& domain) {
  if (!domain.series()) return "generated sentences";
  return fmt::format("generated series of {} channel{}", domain.channels,
                     domain.channels == 1 ? "" : "s");
}

}  // namespace headscope
