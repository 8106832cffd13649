#include "core/weights/head_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "core/assets.h"
#include "core/formats/asset_files.h"

namespace headscope {
namespace {

const HeadDescriptions& descriptions() {
  static const HeadDescriptions all = formats::parseDesignedHeads(asset("designed_heads.json"));
  return all;
}

bool readsCoordinates(const HeadDescription& d) {
  return d.peaks || !d.shape.empty() || d.away != 0.0 || !d.meet.empty() || !d.each.empty() ||
         d.identity;
}

bool readsPositions(const HeadDescription& d) {
  const auto position = [](const auto& part) {
    return part.first == "first place" || part.first == "slow position";
  };
  return d.peaks || !d.shape.empty() || d.away != 0.0 ||
         std::any_of(d.meet.begin(), d.meet.end(), [&](const Meeting& m) {
           return std::any_of(m.query.begin(), m.query.end(), position) ||
                  std::any_of(m.key.begin(), m.key.end(), position);
         });
}

/// What the input lacks for it, in words; empty: nothing.
std::string whatIsMissing(const HeadDescription& d, const AttentionConfig& c, Positions positions) {
  if (positions == Positions::sinusoidal && readsCoordinates(d)) {
    return "sinusoids are added over all coordinates, so none can be read by itself";
  }
  if (positions == Positions::none && readsPositions(d)) {
    return "positions are off, and it reads them";
  }
  if (c.crossAttention() && !d.across) {
    return "it relates places of one sequence, and here queries and keys come from two";
  }
  return {};
}

}  // namespace

std::vector<PlannedHead> planHeads(const AttentionConfig& c, const InputSource& source,
                                   Positions positions) {
  std::vector<PlannedHead> plan(static_cast<std::size_t>(c.numHeads));
  if (std::holds_alternative<TensorSource>(source)) {
    for (auto& head : plan) head.why = "X was given as numbers, whose coordinates have no names";
    return plan;
  }
  const bool text = std::holds_alternative<TextSource>(source);
  const auto& all = text ? descriptions().text : descriptions().series;
  std::size_t next = 0;
  for (Index h = 0; h < c.numHeads; ++h) {
    PlannedHead& head = plan[static_cast<std::size_t>(h)];
    const Index owner = c.kvHead(h) * c.headsPerGroup();
    if (h != owner) {
      head.why = fmt::format("it shares its keys with head {}, which they are made for", owner + 1);
    } else if (next == all.size()) {
      head.why = fmt::format("{} heads are designed for {}, and this one is beyond them",
                             all.size(), text ? "text" : "a series");
    } else {
      head.description = &all[next++];
      head.why = whatIsMissing(*head.description, c, positions);
    }
  }
  return plan;
}

}  // namespace headscope
