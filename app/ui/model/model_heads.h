// All heads of a model as small heatmaps, layers down and heads across, or sorted; or as a map of
// what they do, one cell a head. Wheel and drag go from the whole model into one head.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/model/model_canvas.h"
#include "app/ui/model/model_study.h"
#include "app/ui/parts/matrix.h"

namespace headscope::ui {

/// Metrics that a map can show, and that sort: those that say in one number what a head does.
inline constexpr std::array kMappedMetrics{Metric::previousToken,  Metric::induction,
                                           Metric::duplicateToken, Metric::firstToken,
                                           Metric::self,           Metric::entropy};

/// What heads do in the pass that is shown.
struct ShownHeads {
  const model::MeasuredHeads* heads = nullptr;  // null: not there yet
  Index tokens = 0;                             // of what they were measured on
  bool current = false;                         // not of the pass before
  std::string_view problem;
};

/// The tokens chosen that the text has; of keys, the first where none is.
std::vector<Index> chosenQueries(const ModelHeadsView& view, const ModelMoment& moment);
std::vector<Index> chosenKeys(const ModelHeadsView& view, const ModelMoment& moment);

/// What heads do, in the order in which maps sort it. The n-th has the colour of head n; what is
/// not among them is muted.
inline constexpr std::array<std::string_view, 9> kColoredLabels{
    "previous_token", "induction", "duplicate_token", "first_token", "self",
    "next_token",     "local",     "uniform",         "far"};

/// A head as it is called in a few letters, counted from 1: "2·11".
std::string shortName(const model::HeadOfLayer& head);

/// Of all heads of a model: what an edit of a layer may make of its weights.
WeightRange weightRange(const model::ModelDocument& document);

class ModelHeads {
 public:
  /// What lasts from frame to frame.
  struct Memory {
    ModelCanvas canvas;
    Index litQuery = -1;
    bool takesWheel = false;

    std::uint64_t of = 0;            // the moment that these are of
    std::vector<std::string> names;  // of its tokens
    std::vector<bool> special;       // likewise
    std::uint64_t orderedBy = 0;
    std::vector<std::size_t> order;  // heads by their places
  };

  /// The heads of a moment's pass: maps, names of tokens and measures are all of it. `probe`: what
  /// was measured where the moment is that of the repeated random tokens; of the text it is found
  /// here. `live` says which heads are off.
  ModelHeads(const PanelContext& panel, const LiveModel& live, const ModelMoment& moment,
             Memory& memory, const std::optional<ShownHeads>& probe);

  const ShownHeads& shown() const { return shown_; }
  /// Gives the head that was double-clicked.
  std::optional<model::HeadOfLayer> draw();

 private:
  struct Under {
    model::HeadOfLayer head;
    std::optional<MatrixCell> cell;
  };
  /// How a head's cell of a map looks.
  struct MapCell {
    ImU32 fill;
    std::string words;
    std::string shorter;  // where the words do not fit; empty: none
  };

  static constexpr float kNamesRoom = 60.0F;  // points at the left of a tile and below it

  void remember();
  void sortHeads();
  bool inPlace() const { return view_.heads.order.empty(); }
  model::HeadOfLayer headAt(std::size_t order) const;
  Rect tile(Index row, Index column) const;
  Rect tileAt(std::size_t order) const;
  Rect tileOf(const model::HeadOfLayer& head) const;
  float narrower() const;
  bool titled() const;
  bool named() const;
  bool pictures() const { return view_.metric.empty(); }

  void arrange(const Rect& room);
  void headNames(const Rect& top) const;
  void layerNames(const Rect& left) const;
  void groupBrackets(const Rect& top) const;
  std::optional<Under> tiles(bool over);
  void picture(Heatmaps& heatmaps, const model::HeadOfLayer& head, const Rect& at) const;
  void frame(ImDrawList* list, const model::HeadOfLayer& head, const Rect& at) const;
  void groups(ImDrawList* list) const;
  void lines(ImDrawList* list) const;
  CellRows cells(const model::HeadOfLayer& head, const Rect& at) const;
  ColorScale scaleOf(const model::HeadOfLayer& head) const;

  // model_head_words.cpp: what is said of a head in its tile and beside the mouse
  std::optional<MapCell> mapCell(const model::HeadOfLayer& head) const;
  MapCell numberCell(const MetricValue& value, float most) const;
  ImU32 labelColor(const HeadLabel& label) const;
  void words(ImDrawList* list, const model::HeadOfLayer& head, const Rect& at) const;
  void wordsInCell(ImDrawList* list, const MapCell& cell, const Rect& at) const;
  void title(ImDrawList* list, const model::HeadOfLayer& head, const Rect& at) const;
  void tokenNames(ImDrawList* list, const Rect& at) const;
  const HeadLabel* labelOf(const model::HeadOfLayer& head) const;
  std::string inWords(const Under& under) const;
  /// Of a head, on the map of chosen tokens; none while they are computed.
  MetricValue onTokens(const model::HeadOfLayer& head) const;

  const PanelContext& panel_;
  const FrameContext& look_;
  const LiveModel& live_;
  const ModelMoment& moment_;
  ModelView& view_;
  Memory& memory_;
  ShownHeads shown_;
  WeightRange range_;  // of all heads of all layers
  std::vector<bool> rowsLeftOut_, columnsLeftOut_;
  const std::vector<float>* largest_ = nullptr;
  const SmallHeads* small_ = nullptr;  // null: not needed, or not there yet
  const std::vector<MetricValue>* onTokens_ = nullptr;
  const std::vector<model::ComposedHeads>* joined_ = nullptr;  // pairs of heads, by lines
};

}  // namespace headscope::ui
