#include "app/ui/model/swept_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/ui/model/chosen_head.h"
#include "app/ui/model/image_view.h"
#include "app/ui/model/model_view.h"
#include "app/ui/model/prediction_views.h"
#include "app/ui/panel.h"
#include "app/ui/widgets.h"
#include "core/base/translation.h"

namespace headscope::ui {
namespace {

using model::Patch;
using model::Site;

/// "layer 2", of two stacks "encoder 2", "self 2" or "cross 2".
std::string layerName(const Patch& part, const model::ModelConfig& config) {
  if (part.stack == model::Stack::encoder) return trFormat("encoder {}", part.layer + 1);
  if (!config.crossAttention) return trFormat("layer {}", part.layer + 1);
  return fmt::format("{} {}", config.readsMemory(part.layer) ? tr("cross") : tr("self"),
                     config.depthOf(part.layer) + 1);
}

/// The name without the place.
std::string nameOfPart(const Patch& part, const model::ModelConfig& config) {
  const std::string layer = layerName(part, config);
  switch (part.site) {
    case Site::heads:
      return trFormat("{}, head {}", layer, part.head + 1);
    case Site::q:
      return trFormat("{}, queries {}", layer, part.head + 1);
    case Site::k:
      return trFormat("{}, keys {}", layer, part.head + 1);
    case Site::v:
      return trFormat("{}, values {}", layer, part.head + 1);
    case Site::residual:
      return layer;
    case Site::attention:
      return layer + ", attention";
    default:
      break;
  }
  return layer + ", FFN";
}

/// The column in a map with one row for each layer.
Index columnOf(const Patch& part) {
  if (isOfHeads(part.site)) return part.head;
  if (part.site == Site::residual) return part.place;
  return part.site == Site::attention ? 0 : 1;
}

/// Returns whether a part is one head's own; keys and values may belong to several.
bool hasHead(const Patch& part) { return part.site == Site::heads || part.site == Site::q; }

/// Returns whether the sweep replaces each part at each token in turn.
bool isByPlace(const Swept& swept) {
  const auto& parts = swept.found.parts;
  return parts.size() > 1 && parts.front().site != Site::residual && samePart(parts[0], parts[1]);
}

/// The rows of the map, named by their first parts.
struct MapRows {
  std::vector<Patch> first;        // of each row
  std::vector<std::size_t> rowOf;  // of each part

  explicit MapRows(const Swept& swept) {
    const bool byPlace = isByPlace(swept);
    for (const Patch& part : swept.found.parts) {
      const auto same = [&](const Patch& other) {
        return byPlace ? samePart(part, other)
                       : part.layer == other.layer && part.stack == other.stack;
      };
      if (first.empty() || !same(first.back())) first.push_back(part);
      rowOf.push_back(first.size() - 1);
    }
  }
};

}  // namespace

PlaceNames placesOf(const ModelMoment& moment, const Swept& swept) {
  PlaceNames places;
  if (moment.source != nullptr) places.ofSource = moment.source->tokenNames();
  if (swept.set == nullptr || moment.source != nullptr) places.own = moment.tokenNames();
  if (moment.ofImage() && !swept.ofOther) places.pictures = tokenPictures(moment);
  if (swept.set == nullptr && swept.ofOther) {
    (moment.source != nullptr ? places.ofSource : places.own) = swept.found.tokens;
  }
  if (swept.set == nullptr) return places;
  auto& names = moment.source != nullptr ? places.ofSource : places.own;
  names.clear();
  for (const Patch& part : swept.found.parts) {
    while (std::ssize(names) <= part.place) names.push_back(fmt::format("{}", names.size() + 1));
  }
  return places;
}

std::string partInWords(const Patch& part, const PlaceNames& tokens,
                        const model::ModelConfig& config) {
  const std::string name = nameOfPart(part, config);
  if (part.place < 0) return name;
  // words stand in a text more than once; a patch's name, and a place's number, do not
  const std::string token = tokens.of(part), number = std::to_string(part.place + 1);
  const bool numbered = !config.image.on() && token != number;
  return fmt::format("{}, “{}”{}", name, token, numbered ? " (" + number + ")" : "");
}

void choosePart(ModelView& view, const model::ModelConfig& config, const Patch& part) {
  view.prediction.sweepColumn = columnOf(part);
  view.prediction.sweepAt = part.place;
  chooseHead(view, config, part.stack, {part.layer, hasHead(part) ? part.head : view.head});
}

bool isChosenPart(const ModelView& view, const model::ModelConfig& config, const Patch& part) {
  const Index column = hasHead(part) ? view.head : view.prediction.sweepColumn;
  const bool there =
      view.prediction.sweptPlace != model::kEachPlace || part.place == view.prediction.sweepAt;
  return there && isChosenLayer(view, config, part.stack, part.layer) && columnOf(part) == column;
}

PartMap sweepMap(const PanelContext& panel, const model::ModelConfig& config, const Swept& swept,
                 EffectKind kind, const PlaceNames& tokens) {
  const FrameContext& look = panel.look;
  const bool two = config.crossAttention, byPlace = isByPlace(swept);
  const MapRows rows(swept);
  PartMap map{"sweep map", std::ssize(rows.first), 1, {}, {}, {}, isChange(kind)};
  if (byPlace || two) {
    map.widestLayer = !byPlace ? "encoder 00" : two ? "encoder 00, attention" : "layer 00, head 00";
    map.layerName = [first = rows.first, &config, byPlace](Index row) {
      const Patch& part = first[static_cast<std::size_t>(row)];
      return byPlace ? nameOfPart(part, config) : layerName(part, config);
    };
  }
  const Site site = swept.found.parts.front().site;
  const bool ofPlaces = byPlace || site == Site::residual;
  for (std::size_t i = 0; i < swept.found.parts.size(); ++i) {
    const Patch& part = swept.found.parts[i];
    const Index column = ofPlaces ? part.place : columnOf(part);
    map.columns = std::max(map.columns, column + 1);
    const double value = swept.value(i, kind).value_or(0.0);
    map.cells.push_back({static_cast<Index>(rows.rowOf[i]), column, value,
                         isChosenPart(panel.modelView, config, part)});
  }
  map.tip = [&swept, &tokens, &config, kind](std::size_t i) {
    const double value = swept.value(i, kind).value_or(0.0);
    return fmt::format("{}: {} {}", partInWords(swept.found.parts[i], tokens, config),
                       textOf(kind).title,
                       isChange(kind) ? changeInWords(value) : fmt::format("{:.2f}", value));
  };
  if (ofPlaces && tokens.pictures) map.pictures = &*tokens.pictures;
  map.columnName = [&look, &tokens, site, two, ofPlaces](Index column, float width) {
    if (ofPlaces && tokens.pictures && tokens.pictures->has(column)) return std::string();
    if (ofPlaces) {  // of two texts the places have two names
      const std::string name =
          two ? fmt::format("{}", column + 1) : tokens.own[static_cast<std::size_t>(column)];
      const bool fits = textSize(look.fonts.tiny, name).x <= width;
      if (tokens.pictures && !fits) return std::string();  // patches stand close to it
      // names that overlap their neighbours' are left out
      return elided(look.fonts.tiny, name, std::max(width - look.space.tight, look.px(40)));
    }
    if (isOfHeads(site)) {
      return fmt::format("{}{}", width > look.px(50) ? "head " : "", column + 1);
    }
    return std::string(column == 0 ? "attention" : "FFN");
  };
  return map;
}

}  // namespace headscope::ui
