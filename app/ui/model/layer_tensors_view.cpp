// A tensor of the chosen layer outside of its attention, of its residual stream or network: its
// values next to the gradient of the word's logit, and the cells on which the logit depends most.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/model/chosen_head.h"
#include "app/ui/model/compared_pictures.h"
#include "app/ui/model/image_view.h"
#include "app/ui/model/model_view.h"
#include "app/ui/model/prediction_views.h"
#include "app/ui/panel.h"
#include "app/ui/parts/computed.h"
#include "app/ui/parts/layout.h"
#include "app/ui/parts/matrix.h"
#include "app/ui/parts/table.h"
#include "app/ui/widgets.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/model/layer_tensors.h"
#include "core/model/model_gradients.h"

namespace headscope::ui {
namespace {

using model::LayerPart;
using model::LayerTensor;
using model::Stack;

/// A cell of a tensor, by its place in row-major order.
struct DependedCell {
  Index place = 0;
  double product = 0.0;  // gradient × value
};

struct ShownTensor {
  LayerTensor tensor;
  std::vector<DependedCell> cells;  // those with the largest products
  double sum = 0.0;                 // of all products
  float largest = 0.0F, steepest = 0.0F;

  Index width() const { return tensor.values.dim(1); }
};

using LayerShown = std::vector<ShownTensor>;

ShownTensor shownTensor(LayerTensor tensor) {
  constexpr Index kMostCells = 200;
  ShownTensor shown{.tensor = std::move(tensor), .cells = {}};
  const float* value = shown.tensor.values.data();
  const float* gradient = shown.tensor.gradient.data();
  const auto productAt = [&](Index i) { return double{value[i]} * double{gradient[i]}; };
  std::vector<Index> places(static_cast<std::size_t>(shown.tensor.values.size()));
  std::iota(places.begin(), places.end(), Index{0});
  for (const Index i : places) {
    shown.sum += productAt(i);
    shown.largest = std::max(shown.largest, std::abs(value[i]));
    shown.steepest = std::max(shown.steepest, std::abs(gradient[i]));
  }
  const auto most = places.begin() + std::min<Index>(kMostCells, std::ssize(places));
  std::ranges::partial_sort(places, most, std::greater<>{},
                            [&](Index i) { return std::abs(productAt(i)); });
  for (auto i = places.begin(); i != most; ++i) shown.cells.push_back({*i, productAt(*i)});
  return shown;
}

/// The chosen layer, of the stack whose heads are shown.
struct ChosenLayerOfStack {
  Stack stack;
  Index layer;
  const ModelMoment& of;
};

ChosenLayerOfStack layerOfView(const ModelView& view, const ModelMoment& moment) {
  const bool encoder = view.attention == AttentionShown::encoder && moment.source != nullptr;
  const ModelMoment& of = encoder ? *moment.source : moment;
  return {encoder ? Stack::encoder : Stack::decoder,
          std::clamp<Index>(view.layer, 0, of.config().layers - 1), of};
}

Computed<LayerShown> layerShown(const PanelContext& panel, const AskedWord& asked,
                                const ChosenLayerOfStack& of) {
  const Fingerprint key = asked.key("layer tensors").add(of.layer).add(of.stack);
  return panel.computations.request<LayerShown>("layer tensors", key, Schedule::background, [&] {
    return [asked, stack = of.stack,
            layer = of.layer](const std::atomic<bool>& cancelled) -> std::optional<LayerShown> {
      const ExecutionContext execution{0, &cancelled};
      const model::ModelTracePtr& trace = asked.moment->trace;
      auto found = layerTensors(
          trace, stack, layer,
          gradLastOfLogit(*trace, asked.row, asked.word, asked.other, execution), execution);
      if (!found) return std::nullopt;
      LayerShown shown;
      for (LayerTensor& each : *found) shown.push_back(shownTensor(std::move(each)));
      return shown;
    };
  });
}

void chooseLayerOf(const PanelContext& panel, const ModelMoment& moment,
                   const ChosenLayerOfStack& of) {
  const model::ModelConfig& c = of.of.config();
  std::vector<std::string> names;
  for (Index layer = 0; layer < c.layers; ++layer) {
    names.push_back(of.stack == Stack::encoder
                        ? layerInWords(moment.config(), Stack::encoder, layer)
                        : c.layerInWords(layer));
  }
  const int chosen =
      menuOf(panel.look, "of", "##layer of tensors", names, static_cast<int>(of.layer), true);
  tip(panel.look, tr("The chosen layer; that of the head that is chosen above"));
  if (chosen >= 0) {
    chooseHead(panel.modelView, moment.config(), of.stack, {chosen, panel.modelView.head});
  }
}

const char* shortNameOf(LayerPart part) {
  switch (part) {
    case LayerPart::entering:
      return tr("stream before");
    case LayerPart::between:
      return tr("stream after attention");
    case LayerPart::networkInput:
      return "network's input";
    case LayerPart::neurons:
      return "neurons";
    case LayerPart::network:
      return "network's addition";
    case LayerPart::leaving:
      break;
  }
  return tr("stream after the layer");
}

/// Draws the choice of a tensor among those that the layer has, and returns it.
const ShownTensor& chooseTensor(const PanelContext& panel, const LayerShown& layer) {
  int& part = panel.modelView.prediction.layerPart;
  const auto isShown = [&](const ShownTensor& each) {
    return static_cast<int>(each.tensor.part) == part;
  };
  const auto found = std::ranges::find_if(layer, isShown);
  const ShownTensor* shown = found != layer.end() ? &*found : &layer.front();
  for (const ShownTensor& each : layer) {
    const std::string name = shortNameOf(each.tensor.part);
    flowOn(panel.look, buttonWidth(panel.look, name), 3.0F);
    if (pill(panel.look, name.c_str(), &each == shown)) part = static_cast<int>(each.tensor.part);
    tip(panel.look,
        trFormat("{}: {} tokens × {}", inWords(each.tensor.part),
                 withThousands(each.tensor.values.dim(0)), withThousands(each.width())));
  }
  return *shown;
}

std::string nameOfCell(const ShownTensor& shown, const std::vector<std::string>& tokens, Index row,
                       Index column) {
  return fmt::format("{} {}, {} {}", row + 1, tokens[static_cast<std::size_t>(row)],
                     shown.tensor.part == LayerPart::neurons ? tr("neuron") : tr("coordinate"),
                     column + 1);
}

Pictures picturesOfTensor(const FrameContext& look, const ShownTensor& shown, const ModelMoment& of,
                          Fingerprint values) {
  Pictures pictures;
  pictures.values = values.add(shown.tensor.part);
  pictures.count = 2;
  pictures.stretched = true;
  const std::vector<std::string> tokens = of.tokenNames();
  pictures.nameOf = [&shown, tokens](const MatrixCell& at) {
    return nameOfCell(shown, tokens, at.row, at.col);
  };
  pictures.all[0] = {rowsOf(shown.tensor.values),
                     divergingScale(look, std::max(shown.largest, 1e-12F)),
                     tr("values"),
                     {},
                     tokens};
  if (of.ofImage()) pictures.all[0].patches = tokenPictures(of);
  pictures.all[1] = {rowsOf(shown.tensor.gradient),
                     divergingScale(look, std::max(shown.steepest, 1e-12F)),
                     tr("gradient"),
                     {},
                     tokens};
  pictures.all[1].patches = pictures.all[0].patches;
  pictures.all[0].extent = trFormat("at most {:.3g}", shown.largest);
  pictures.all[1].extent = trFormat("at most {:.3g}", shown.steepest);
  return pictures;
}

void drawDependedCells(const FrameContext& look, const ShownTensor& shown, const ModelMoment& of,
                       const Rect& room) {
  const std::vector<std::string> tokens = of.tokenNames();
  const std::optional<TokenPictures> patches =
      of.ofImage() ? std::optional(tokenPictures(of)) : std::nullopt;
  ImGui::SetCursorScreenPos(room.a);
  const bool neurons = shown.tensor.part == LayerPart::neurons;
  Table table(look, {.id = "cells of a layer", .height = room.height(), .dense = true},
              {{"", tr("the token's place, from 1"), true, 24, 0, false},
               {tr("token"), {}, false, 60, 1, false},
               {neurons ? tr("neuron") : tr("coordinate"), {}, true, 60, 0, false},
               {tr("value"), {}, true, 60, 0, false},
               {tr("gradient"), tr("How the logit changes with this cell"), true, 66, 0, false},
               {"product",
                tr("gradient × value: about what the logit loses where the cell is 0. The largest "
                   "first"),
                true, 60, 0, false}});
  table.rows(std::ssize(shown.cells), [&](Index i) {
    const DependedCell& cell = shown.cells[static_cast<std::size_t>(i)];
    const Index row = cell.place / shown.width(), column = cell.place % shown.width();
    table.row(i);
    table.number(withThousands(row + 1), look.theme.textMuted);
    patchInCell(look, table, patches ? &*patches : nullptr, row);
    table.text(tokens[static_cast<std::size_t>(row)]);
    table.number(withThousands(column + 1));
    table.number(fmt::format("{:.3g}", shown.tensor.values.data()[cell.place]));
    table.number(fmt::format("{:.3g}", shown.tensor.gradient.data()[cell.place]));
    table.number(changeInWords(cell.product));
  });
}

}  // namespace

void drawLayerTensors(const PanelContext& panel, const AskedWord& asked) {
  const FrameContext& look = panel.look;
  const ChosenLayerOfStack of = layerOfView(panel.modelView, *asked.moment);
  chooseLayerOf(panel, *asked.moment, of);
  const auto found = layerShown(panel, asked, of);
  if (!found.problem.empty()) {
    return wrappedLabel(look.fonts.regular, look.theme.bad, found.problem);
  }
  if (found.current == nullptr) {
    return label(look.fonts.regular, look.theme.textMuted, tr("running the model backward …"));
  }
  const ShownTensor& shown = chooseTensor(panel, *found.current);
  wrappedLabel(look.fonts.small, look.theme.textMuted,
               trFormat("Rows are tokens, columns {}. The gradient is that of the {}; gradient "
                        "× value is {:+.3f} in all.",
                        shown.tensor.part == LayerPart::neurons ? tr("neurons") : tr("coordinates"),
                        asked.logitName(), shown.sum));
  if (of.of.config().experts.at(of.layer)) {
    wrappedLabel(
        look.fonts.small, look.theme.textMuted,
        tr("This layer's network is a mixture of experts, whose neurons differ from token to "
           "token: the tab Why takes them apart."));
  }
  Rect room = Rect::rest();
  const Rect right =
      room.cutRight(std::clamp(room.width() * 0.36F, look.px(330), look.px(460)), look.space.large);
  drawPictures(
      look,
      picturesOfTensor(look, shown, of.of, asked.key("layer tensors").add(of.layer).add(of.stack)),
      room);
  drawDependedCells(look, shown, of.of, right);
}

}  // namespace headscope::ui
