// The heads of a run, live: layers × heads as heatmaps of the example, with the relation that each
// learns and the step where it was found.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/ui/compat.h"
#include "app/ui/frame_commands.h"
#include "app/ui/panel.h"
#include "app/ui/parts/axis_labels.h"
#include "app/ui/parts/head_grid.h"
#include "app/ui/selection.h"
#include "app/ui/train/train_page.h"
#include "app/ui/train/train_view.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kStretched = 1.5F;  // the largest width of a cell over its height

class LiveHeads {
 public:
  LiveHeads(const PanelContext& panel, const TrainingMoment& moment, const Rect& room)
      : panel_(panel),
        look_(panel.look),
        moment_(moment),
        heads_(moment.settings.model.heads),
        count_(heads_ * moment.layers()),
        names_(placesOf(*moment.task, moment.example)) {
    TileSpace space;
    space.count = count_;
    space.room = room.size();
    space.title = 2.0F * fontSize(look_.fonts.semibold) + look_.space.medium;
    const AxisLabels labels{names_, look_.fonts.tiny, 0, 0, -1, look_.px(60)};
    space.left = labels.width() + look_.space.small;
    space.right = 0.0F;
    space.below = ColumnLabels::turnedRoom(look_, labels);
    space.stretch = kStretched;
    space.edgesBelow = 240.0F;  // all tiles have the same names
    space.gap = look_.space.large;
    space.scale = look_.scale;
    grid_ = layoutTiles(space);
    room_ = room;
  }

  /// Returns the layer and head that were clicked.
  std::optional<HeadOfLayer> draw() {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ColorScale scale = sequentialScale(look_, 0.0F, 1.0F);
    Heatmaps heatmaps(look_);
    for (Index n = 0; n < count_; ++n) {
      heatmaps.add(Fingerprint("live head", n), Fingerprint("moment", moment_.number), cells(n),
                   scale, picture(n));
    }
    heatmaps.draw(list);
    std::optional<HeadOfLayer> clicked;
    for (Index n = 0; n < count_; ++n) {
      const Rect at = picture(n);
      list->AddRect(at.a, at.b, look_.theme.panelBorder);
      title(list, n, at);
      const MatrixPlace place{at, moment_.example.length, moment_.example.length};
      const auto under = place.hovered();
      if (under) {
        tipNow(inWords(n, *under));
        if (ImGui::IsMouseClicked(0)) clicked = {n / heads_, n % heads_};
      }
      TileNames names;
      names.rows = names_;
      names.columns = names_;
      names.font = look_.fonts.tiny;
      if (under) names.litRow = under->row, names.litColumn = under->col;
      drawTileNames(look_, list, grid_, n, count_, at, names);
      if (under) lightTile(look_, list, place, under->row, under->col);
    }
    return clicked;
  }

 private:
  Rect picture(Index n) const { return grid_.pictureAt(room_.a, n); }

  ConstMatrixView matrix(Index n) const {
    return moment_.weights[static_cast<std::size_t>(n / heads_)].matrix({0, n % heads_});
  }

  CellRows cells(Index n) const {
    return weightCells(moment_.weights[static_cast<std::size_t>(n / heads_)], n % heads_,
                       moment_.settings.model.causal);
  }

  std::string inWords(Index n, const MatrixCell& at) const {
    return fmt::format("{} looks at {}: {:.3f}", names_[static_cast<std::size_t>(at.row)],
                       names_[static_cast<std::size_t>(at.col)],
                       static_cast<double>(matrix(n)(at.row, at.col)));
  }

  void title(ImDrawList* list, Index n, const Rect& at) const {
    const Theme& t = look_.theme;
    const bool several = moment_.layers() > 1;
    const std::string name = several
                                 ? fmt::format("Layer {} · head {}", n / heads_ + 1, n % heads_ + 1)
                                 : fmt::format("Head {}", n + 1);
    const float line = fontSize(look_.fonts.semibold) + look_.space.thin;
    const ImVec2 top(at.a.x, at.a.y - 2.0F * line - look_.space.tight);
    drawText(list, look_.fonts.semibold, top, headColor(t, static_cast<std::size_t>(n)), name);
    const float room = std::min(grid_.place.x - look_.space.medium, room_.b.x - top.x);
    const training::Evaluation* evaluation = moment_.evaluation();
    if (evaluation == nullptr) return;
    const auto role = training::becoming(evaluation->roles, {n / heads_, n % heads_});
    if (!role) return;
    const auto& relation = moment_.task->relations[role->relation];
    const bool found = role->mass >= training::kFoundMass;
    const std::string words = fmt::format("{} {:.2f}", relation.name, role->mass);
    const training::Role& given = evaluation->roles.relations[role->relation];
    const auto when = moment_.foundAt[role->relation];
    if (found && when && *when <= moment_.step && given.head &&
        *given.head == HeadOfLayer{n / heads_, n % heads_}) {
      const float after = textSize(look_.fonts.semibold, name).x + look_.space.medium;
      for (const char* before : {"found at ", "at ", ""}) {
        const std::string text = fmt::format("{}{}", before, *when);
        if (textSize(look_.fonts.small, text).x > room - after) continue;
        drawText(list, look_.fonts.small, {top.x + after, top.y + look_.space.thin}, t.textMuted,
                 text);
        break;
      }
    }
    ImFont* font = found ? look_.fonts.semibold : look_.fonts.regular;
    drawText(list, font, {top.x, top.y + line},
             found ? headColor(t, static_cast<std::size_t>(n)) : t.textMuted,
             elided(font, words, room));
  }

  const PanelContext& panel_;
  const FrameContext& look_;
  const TrainingMoment& moment_;
  Index heads_, count_;
  std::vector<std::string> names_;
  TileGrid grid_;
  Rect room_;
};

class LiveHeadsCard final : public Card {
 public:
  explicit LiveHeadsCard(LiveTraining& training)
      : Card({kLiveHeadsCard, "All heads", "every head as it forms"}), training_(training) {}

  void draw(const PanelContext& panel) override {
    const FrameContext& look = panel.look;
    training_.request(LiveTraining::Extra::nothing);
    const auto moment = training_.moment();
    middleTabs(panel, TrainTab::live, nullptr);
    if (moment == nullptr) return;
    label(look.fonts.small, look.theme.textMuted,
          elided(look.fonts.small, whereInRun(*moment), ImGui::GetContentRegionAvail().x));
    if (const std::string problem = whyHalted(*moment); !problem.empty()) {
      wrappedLabel(look.fonts.small, look.theme.bad, problem);
    }
    Rect room = Rect::rest();
    if (panel.slide) {
      training_.showExample(panel.trainView.example);
      questions(panel, *moment, room);
    } else {
      controls(panel, *moment);
      room = Rect::rest();
    }
    LiveHeads heads(panel, *moment, room);
    if (const auto clicked = heads.draw()) layer_ = clicked->layer;
    if (moment->document != nullptr && moment->number != opened_) {
      opened_ = moment->number;
      panel.commands.add(OpenDocument{
          moment->document,
          fmt::format("{}, layer {} at step {}", moment->task->title, layer_ + 1, moment->step)});
      panel.selection.page = kFlowPage;
    }
  }

 private:
  static std::string whereInRun(const TrainingMoment& moment) {
    std::string text = fmt::format("step {} of {}", moment.step, moment.settings.steps);
    if (moment.step < moment.stepsTaken) {
      text += fmt::format(" (the run is at {})", moment.stepsTaken);
    }
    if (const auto* record = moment.record()) text += fmt::format(" · loss {:.3f}", record->loss);
    if (moment.stepsTaken > 0) text += fmt::format(" · {:.2f} s", moment.trainingMs / 1000.0);
    return text + " · rows: queries, columns: keys, weights 0 to 1";
  }
  std::string whyHalted(const TrainingMoment& moment) const {
    return moment.stopped ? moment.stopped->words : training_.problem();
  }

  /// Draws the task's questions in large type at the left of a slide, each in its colour.
  static void questions(const PanelContext& panel, const TrainingMoment& moment, Rect& room) {
    const FrameContext& look = panel.look;
    Rect at = room.cutLeft(room.width() * 0.24F, look.space.wide);
    const auto& relations = moment.task->relations;
    ImDrawList* list = ImGui::GetWindowDrawList();
    drawText(
        list, look.fonts.title, at.a, look.theme.text,
        relations.size() == 1 ? "The question" : fmt::format("The {} questions", relations.size()));
    at.cutTop(fontSize(look.fonts.title), look.space.large);
    for (std::size_t i = 0; i < relations.size(); ++i) {
      const std::string text =
          wrapped(look.fonts.title, fmt::format("{}: {}", relations[i].name, relations[i].words),
                  at.width());
      list->AddText(look.fonts.title, fontSize(look.fonts.title), at.a,
                    relationColor(look.theme, moment, i), text.c_str());
      at.cutTop(textSize(look.fonts.title, text).y, look.space.large);
    }
  }

  /// Draws the run's buttons, its speed, and the actions on the shown moment.
  void controls(const PanelContext& panel, const TrainingMoment& moment) {
    const FrameContext& look = panel.look;
    runButtons(panel, training_, moment);
    static constexpr std::array kSpeeds{5.0, LiveTraining::kSlow, 0.0};
    const auto now = std::find(kSpeeds.begin(), kSpeeds.end(), training_.speed());
    flowOn(look, choicesWidth(look, {"5/s", "20/s", "fast"}), 14.0F);
    const int clicked =
        choices(look, "speed", {"5/s", "20/s", "fast"}, static_cast<int>(now - kSpeeds.begin()));
    if (clicked >= 0) training_.setSpeed(kSpeeds[static_cast<std::size_t>(clicked)]);
    tip(look, "Steps per second: slow enough to watch, or as fast as possible");
    if (flowingPill(look, "another example",
                    "Another example of the same task; all heads are drawn on it")) {
      panel.trainView.example = (panel.trainView.example + 1) % training::kEvaluationExamples;
    }
    training_.showExample(panel.trainView.example);
    layer_ = std::clamp<Index>(layer_, 0, moment.layers() - 1);
    for (Index layer = 0; layer < moment.layers(); ++layer) {
      const std::string text = moment.layers() == 1
                                   ? std::string("open in Flow")
                                   : fmt::format("open layer {} in Flow", layer + 1);
      if (flowingPill(
              look, text,
              "Opens this layer, with these weights and this example, with all its tools")) {
        layer_ = layer;
        training_.askForDocument(layer);
      }
    }
    detailPills(panel);
    if (moment.step == moment.stepsTaken) return;
    if (flowingPill(look, "go on from here", "The steps after this one are discarded")) {
      training_.goBack(moment.step);
    }
    if (flowingPill(look, "back to the newest", "Where the run is")) {
      training_.lookAt(std::nullopt);
    }
  }

  LiveTraining& training_;
  Index layer_ = 0;
  std::uint64_t opened_ = 0;
};

}  // namespace

std::unique_ptr<Card> makeLiveHeadsCard(LiveTraining& training) {
  return std::make_unique<LiveHeadsCard>(training);
}

}  // namespace headscope::ui
