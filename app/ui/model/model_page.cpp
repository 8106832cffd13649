#include "app/ui/model/model_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/ui/ids.h"
#include "app/ui/model/model_view.h"
#include "app/ui/panel.h"
#include "app/ui/view_state.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"

namespace headscope::ui {
namespace {

constexpr Index kManyLayers = 16;      // from here on the heads get more of the page's height
constexpr float kModelWidth = 760.0F;  // points: a smaller body scrolls
constexpr float kModelHeight = 600.0F;

class ModelPage final : public Page {
 public:
  ModelPage(LiveModel& model, LiveGeneration& generation)
      : Page({kModelPage, tr("Model"), tr("All layers and heads of a model from its folder"),
              kModelHeadsCard, kModelTextCard},
             Cards::of(makeModelTextCard(model), makeModelHeadsCard(model),
                       makeModelPredictionCard(model, generation), makeModelChainCard(model))),
        model_(model) {}

  bool showsDocument(const ViewState& /*view*/) const override { return false; }
  bool editsLayer() const override { return false; }
  bool has(const ViewState& view, std::string_view card) const override {
    if (model_.moment() == nullptr && !model_.busy()) return card == kModelTextCard;
    return card != kModelChainCard || view.model.prediction.reading == kWhyReading;
  }

  std::string figuresInWords(const PanelContext& /*panel*/) const override {
    const auto moment = model_.moment();
    if (moment == nullptr) return {};
    const auto parameters = withThousands(moment->trace->document().model->parameters());
    if (moment->source != nullptr) {
      const model::ModelTrace& source = *moment->source->trace;
      return trFormat("{} parameters · {} source and {} target tokens in {:.1f} ms", parameters,
                      source.tokens(), moment->trace->tokens(), source.ms + moment->trace->ms);
    }
    return trFormat("{} parameters · {} tokens in {:.1f} ms", parameters,
                    withThousands(moment->trace->tokens()), moment->trace->ms);
  }

  ImVec2 content(const PanelContext& panel, ImVec2 body) const override {
    const auto px = [&](float length) { return panel.look.px(length); };
    return {std::max(body.x, px(kModelWidth)), std::max(body.y, px(kModelHeight))};
  }

  std::vector<Rect> layout(const PanelContext& panel, ImVec2 content) const override {
    Rect room = Rect{{0.0F, 0.0F}, content}.inset(panel.look.space.large);
    const float gap = panel.look.space.medium;
    const float left = std::clamp(room.width() * 0.27F, panel.look.px(300), panel.look.px(420));
    const Rect text = room.cutLeft(left, gap);
    if (model_.moment() == nullptr && !model_.busy()) return {text, {}, {}, {}};  // offers models
    PredictionView& view = panel.modelView.prediction;
    if (panel.frame.inSight && *panel.frame.inSight == kModelHeadsCard) {
      view.enlarged = false;  // a lesson or the search points at the heads
    }
    if (view.enlarged && !view.folded) return {text, {}, room, {}};
    const float tabs = panel.look.px(52);
    const auto moment = model_.moment();
    const bool many = moment != nullptr && moment->config().layers > kManyLayers;
    const float open =
        std::clamp(room.height() * (many ? 0.33F : 0.42F), panel.look.px(230), panel.look.px(460));
    const Rect prediction = room.cutBottom(view.folded ? tabs : open, gap);
    return {text, room, prediction, {}};  // the chain stands alone only
  }

  std::string placeInWords(const PanelContext& panel, std::string_view /*card*/) const override {
    const ModelView& view = panel.modelView;
    const auto moment = model_.moment();
    if (moment == nullptr) return {};
    const ModelMoment& shown = *momentShown(view, moment);
    return trFormat("{}, head {}", shown.config().layerInWords(view.layer, true), view.head + 1);
  }
  std::string keysInWords(const ViewState& /*view*/) const override { return {}; }

 private:
  LiveModel& model_;
};

}  // namespace

std::unique_ptr<Page> makeModelPage(LiveModel& model, LiveGeneration& generation) {
  return std::make_unique<ModelPage>(model, generation);
}

}  // namespace headscope::ui
