// The cards of a run on shapes: three pictures with a head's row over each, and the curves of the
// run: its loss, the shapes that it names right, and how much each head looks at them.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/ids.h"
#include "app/ui/model/image_view.h"
#include "app/ui/panel.h"
#include "app/ui/parts/patch_map.h"
#include "app/ui/scene_commands.h"
#include "app/ui/train/loss_chart.h"
#include "app/ui/train/run_controls.h"
#include "app/ui/train/shape_run_view.h"
#include "app/ui/train/train_page.h"
#include "app/ui/widgets.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/words/head_place.h"

namespace headscope::ui {
namespace {

using images::ShapeEvaluation;

/// "1·3", layer and head from 1.
std::string shapeHeadName(const ShapeMoment& moment, std::size_t head) {
  const Index heads = moment.settings.model.heads;
  const auto place = static_cast<Index>(head);
  return shortName(HeadOfLayer{place / heads, place % heads});
}

class ShapePicturesCard final : public Card {
 public:
  explicit ShapePicturesCard(LiveShapes& shapes)
      : Card({kShapePicturesCard, tr("Pictures"), tr("where the class token looks, as it learns")}),
        shapes_(shapes) {}

  void draw(const PanelContext& panel) override {
    const FrameContext& look = panel.look;
    const auto moment = shapes_.moment();
    heading(look, tr("Pictures"), tr("where the class token looks, with one head"));
    if (!shapes_.problem().empty()) {
      wrappedLabel(look.fonts.small, look.theme.bad, shapes_.problem());
    }
    if (moment == nullptr) return;
    label(look.fonts.small, look.theme.textMuted,
          elided(look.fonts.small, whereInRun(*moment), ImGui::GetContentRegionAvail().x));
    if (moment->stopped) {
      wrappedLabel(look.fonts.small, look.theme.bad, moment->stopped->words);
    }
    if (!panel.slide) {
      runButtons(look, shapes_, *moment, [&] { beginShapes(panel, shapes_); });
      speedChoice(look, shapes_, {2.0, 10.0, 0.0});
      earlierStepPills(look, shapes_, *moment);
      if (flowingPill(look, tr("other pictures"), tr("The three forms at another place"))) {
        panel.trainView.example = (panel.trainView.example + 1) % kExamples;
      }
    }
    const std::size_t head = headChoice(panel, *moment);
    patchMapLegend(look, 0.0F);
    const Rect room = Rect::rest();
    for (std::size_t kind = 0; kind < moment->seen.size(); ++kind) {
      picture(look, *moment, kind, head,
              room.column(static_cast<int>(kind), static_cast<int>(moment->seen.size()),
                          look.space.large));
    }
    ImGui::Dummy(room.size());
  }

 private:
  static constexpr Index kExamples = 20;

  /// Draws a pill for each head, with the share of its weights that lies on the shape. Returns the
  /// chosen one.
  static std::size_t headChoice(const PanelContext& panel, const ShapeMoment& moment) {
    const FrameContext& look = panel.look;
    const std::size_t count = moment.seen.front().rows.size();
    TrainView& view = panel.trainView;
    view.relation = std::clamp<Index>(view.relation, 0, static_cast<Index>(count) - 1);
    rowCaption(look, tr("head"));
    const ShapeEvaluation* now = moment.evaluation();
    for (std::size_t head = 0; head < count; ++head) {
      const std::string name = shapeHeadName(moment, head);
      const std::string text =
          now == nullptr ? name
                         : fmt::format("{}: {:.0f} %", name, 100.0 * now->answers.onShape[head]);
      if (head > 0) flowOn(look, buttonWidth(look, text), 3.0F);
      const std::string id = fmt::format("{}##head {}", text, head);
      if (pill(look, id.c_str(), static_cast<std::size_t>(view.relation) == head)) {
        view.relation = static_cast<Index>(head);
      }
      tip(look, trFormat("The mean share of its weights on the shape, over {} pictures that are "
                         "never learned from; as much as chance: {:.0f} %",
                         withThousands(images::kLookedAtDrawings), 100.0 * moment.touchedShare));
    }
    return static_cast<std::size_t>(view.relation);
  }

  static void picture(const FrameContext& look, const ShapeMoment& moment, std::size_t kind,
                      std::size_t head, Rect room) {
    const SeenShape& seen = moment.seen[kind];
    const float line = fontSize(look.fonts.regular) + look.space.tight;
    const float side = std::min(room.width(), std::max(1.0F, room.height() - 2.0F * line));
    const Rect at = Rect::at(room.a, {side, side});
    gl::PictureBatch batch{{Fingerprint("shape picture", kind).value(),
                            Fingerprint("shape picture", kind, moment.example).value(),
                            static_cast<int>(seen.picture->width),
                            static_cast<int>(seen.picture->height),
                            {seen.picture, seen.picture->rgb.data()}},
                           {{{at.a.x, at.a.y, at.b.x, at.b.y}}}};
    ImDrawList* list = ImGui::GetWindowDrawList();
    addPicture(list, look.scene, std::move(batch));
    const model::ImageInput image = inputOf(moment.settings.model);
    const std::vector<float>& row = seen.rows[head];
    const std::vector<Rect> patches = patchRects(image, image.size, at);
    drawPatchMap(look, ImGui::GetWindowDrawList(), patches, row.data(), look.theme.accent,
                 largestOnPatch(patches, row.data()));
    const auto said = std::ranges::max_element(seen.probabilities) - seen.probabilities.begin();
    const bool right = said == static_cast<std::ptrdiff_t>(kind);
    const auto write = [&](int place, ImU32 color, const std::string& text) {
      drawText(list, look.fonts.regular,
               {at.a.x, at.b.y + look.space.tight + static_cast<float>(place) * line}, color,
               elided(look.fonts.regular, text, room.width()));
    };
    write(0, right ? look.theme.text : look.theme.bad,
          fmt::format("“{}”, {:.2f}", images::kShapeNames[static_cast<std::size_t>(said)],
                      seen.probabilities[static_cast<std::size_t>(said)]));
    write(1, look.theme.textMuted,
          trFormat("on the shape: {:.0f} %",
                   100.0 * images::weightOn(seen.touched, row.data() + image.firstPatch())));
  }

  LiveShapes& shapes_;
};

class ShapeCurvesCard final : public Card {
 public:
  explicit ShapeCurvesCard(LiveShapes& shapes)
      : Card({kShapeCurvesCard, tr("Curves"), tr("its loss, right names, and looks at the shape")}),
        shapes_(shapes) {}

  void draw(const PanelContext& panel) override {
    const FrameContext& look = panel.look;
    const auto moment = shapes_.moment();
    heading(look, tr("Curves"), tr("of pictures that are never learned from; drag to go back"));
    if (moment == nullptr) return;
    const Rect room = Rect::rest();
    constexpr int kCharts = 3;
    const auto place = [&](int chart) { return room.column(chart, kCharts, look.space.large); };
    lossChart(look, place(0), shapes_, *moment, tr("held out"), {},
              [](const ShapeEvaluation& at) { return at.answers.loss; });
    named(look, *moment, place(1));
    looks(look, *moment, place(2));
  }

 private:
  void named(const FrameContext& look, const ShapeMoment& moment, const Rect& room) {
    constexpr auto kCount = images::kShapeNames.size();
    std::vector<ChartKey> keys;
    for (std::size_t kind = 0; kind < kCount; ++kind) {
      keys.push_back({std::string(images::kShapeNames[kind]), look.theme.text, kind});
    }
    RunChart chart(look, room, runStepsOf(moment), tr("named right"), std::move(keys),
                   roundAxis(0.0, 1.0));
    chart.level(1.0 / static_cast<double>(kCount));
    for (std::size_t kind = 0; kind < kCount; ++kind) {
      chart.curve(kind, pointsOf(moment, [&](const ShapeEvaluation& at) {
                    return at.answers.rightOf[kind];
                  }));
    }
    finish(chart, "named", moment, [](const ShapeEvaluation& at) {
      return trFormat("step {}: {:.1f} % named right", withThousands(at.step),
                      100.0 * at.answers.right);
    });
  }

  void looks(const FrameContext& look, const ShapeMoment& moment, const Rect& room) {
    const std::size_t count = moment.seen.front().rows.size();
    std::vector<ChartKey> keys;
    for (std::size_t head = 0; head < count; ++head) {
      keys.push_back({shapeHeadName(moment, head), headColor(look.theme, head)});
    }
    RunChart chart(look, room, runStepsOf(moment), tr("weight on the shape"), std::move(keys),
                   roundAxis(0.0, 1.0), false);
    chart.level(moment.touchedShare);
    for (std::size_t head = 0; head < count; ++head) {
      chart.curve(head, pointsOf(moment, [&](const ShapeEvaluation& at) {
                    return at.answers.onShape[head];
                  }));
    }
    if (apart(moment)) chart.endNames();
    finish(chart, "looks", moment, [&](const ShapeEvaluation& at) {
      std::string text = trFormat("step {}", withThousands(at.step));
      for (std::size_t head = 0; head < count; ++head) {
        text += trFormat("\nhead {} {:.0f} %", shapeHeadName(moment, head),
                         100.0 * at.answers.onShape[head]);
      }
      return text;
    });
  }

  /// Returns whether the heads look at the shape differently; at first all curves end at one point,
  /// where their names have no room.
  static bool apart(const ShapeMoment& moment) {
    constexpr double kApart = 0.1;
    const ShapeEvaluation* now = moment.evaluation();
    if (now == nullptr) return false;
    const auto [least, most] = std::ranges::minmax(now->answers.onShape);
    return most - least > kApart;
  }

  template <typename Value>
  static std::vector<ChartPoint> pointsOf(const ShapeMoment& moment, Value value) {
    std::vector<ChartPoint> points;
    for (const ShapeEvaluation& at : moment.evaluations) {
      points.push_back({static_cast<double>(at.step), value(at)});
    }
    return points;
  }

  template <typename Words>
  void finish(const RunChart& chart, const char* id, const ShapeMoment& moment, Words words) {
    const auto dragged = chart.finish(id, {}, [&](Index step) {
      const ShapeEvaluation* at = newestAt(moment.evaluations, step);
      return at != nullptr ? words(*at) : std::string();
    });
    if (dragged) shapes_.showStep(*dragged);
  }

  LiveShapes& shapes_;
};

}  // namespace

std::unique_ptr<Card> makeShapePicturesCard(LiveShapes& shapes) {
  return std::make_unique<ShapePicturesCard>(shapes);
}

std::unique_ptr<Card> makeShapeCurvesCard(LiveShapes& shapes) {
  return std::make_unique<ShapeCurvesCard>(shapes);
}

}  // namespace headscope::ui
