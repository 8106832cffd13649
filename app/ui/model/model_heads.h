// All heads of a model as small heatmaps, with one row per layer and one column per head, or
// sorted; or as a map with one cell per head. Wheel and drag zoom from the whole model into one
// head.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/model/model_canvas.h"
#include "app/ui/model/model_study.h"
#include "app/ui/model/model_view.h"
#include "app/ui/parts/matrix.h"
#include "core/model/compositions.h"

namespace headscope::ui {

/// The measured heads of the shown pass.
struct ShownHeads {
  const model::MeasuredHeads* heads = nullptr;  // null: not computed yet
  Index tokens = 0;      // the number of tokens on which the heads were measured
  bool current = false;  // measured on this pass, not on the one before
  std::string_view problem;
};

/// The chosen tokens that the text contains; chosenKeys() returns the first token where none is
/// chosen.
std::vector<Index> chosenQueries(const ModelHeadsView& view, const ModelMoment& moment);
std::vector<Index> chosenKeys(const ModelHeadsView& view, const ModelMoment& moment);

/// The labels of heads in the order in which maps sort them. The n-th label has the colour of head
/// n; other labels are muted.
inline constexpr std::array<std::string_view, 12> kColoredLabels{
    "previous_token", "induction",  "duplicate_token", "first_token", "self",
    "next_token",     "local",      "uniform",         "far",         "same_row",
    "same_column",    "patch_local"};

/// The short name of a head, counted from 1: "2·11"; of a decoder "cross 2·11".
std::string shortName(const HeadOfLayer& head, const model::ModelConfig& config);
/// The stack of the open model that a moment shows the heads of.
model::Stack stackOf(const LiveModel& live, const ModelMoment& shown);

/// The range of weights in all edited layers of a model; an edit may exceed 0 … 1.
WeightRange weightRange(const model::ModelDocument& document);

class ModelHeads {
 public:
  /// The state that persists between frames.
  struct Memory {
    ModelCanvas canvas;
    Index litQuery = -1, litKey = -1;
    bool takesWheel = false;

    std::uint64_t of = 0;            // the number of the moment that the next two members describe
    std::vector<std::string> names;  // the names of the moment's tokens
    std::vector<bool> special;       // whether each token is special
    std::vector<std::string> sourceNames;  // likewise, those of the source text
    std::vector<bool> sourceSpecial;
    std::uint64_t orderedBy = 0;
    std::vector<std::size_t> order;  // the head shown at each place
  };

  /// The heads of a pass, which gives all maps, token names and measures; of a decoder those of its
  /// own attention, or with `view.attention` those of the cross-attention. Pictures show its
  /// weights, or their difference from those of another pass. `measured`: the measured heads where
  /// the pass is not over the page's own text; on that they are computed here. `live` knows which
  /// heads are off.
  ModelHeads(const PanelContext& panel, const LiveModel& live, const ShownWeights& weights,
             Memory& memory, const std::optional<ShownHeads>& measured);

  const ShownHeads& shown() const { return shown_; }
  /// Draws all heads. Returns the head that was double-clicked.
  std::optional<HeadOfLayer> draw();

 private:
  struct Under {
    HeadOfLayer head;
    std::optional<MatrixCell> cell;
  };
  /// The look of a head's cell in a map.
  struct MapCell {
    ImU32 fill;
    std::string words;
    std::string shorter;  // the text where `words` does not fit; empty: none
  };

  static constexpr float kNamesRoom = 60.0F;  // points to the left of a tile and below it

  void remember();
  void noteHovered(const std::optional<Under>& under) const;
  void patchNames(ImDrawList* list, const Rect& at) const;
  void sortHeads();
  bool inPlace() const { return view_.heads.order.empty(); }
  HeadOfLayer headAt(std::size_t order) const;
  Rect tile(Index row, Index column) const;
  Rect tileAt(std::size_t order) const;
  Rect tileOf(const HeadOfLayer& head) const;
  float narrower() const;
  bool titled() const;
  bool named() const;
  bool pictures() const { return view_.metric.empty(); }
  /// Returns whether the scale of pictures depends on their values.
  bool scaled() const { return view_.ownScale || weights_.against != nullptr; }
  /// The row of a layer among those that are shown.
  Index rowOf(Index layer) const;
  /// The names of the tokens that a layer's keys are of.
  const std::vector<std::string>& keyNames(Index layer) const;

  void arrange(const Rect& room);
  void headNames(const Rect& top) const;
  void layerNames(const Rect& names) const;
  void groupBrackets(const Rect& top) const;
  std::optional<Under> tiles(bool over);
  void picture(Heatmaps& heatmaps, const HeadOfLayer& head, const Rect& at) const;
  void frame(ImDrawList* list, const HeadOfLayer& head, const Rect& at) const;
  void groups(ImDrawList* list) const;
  void lines(ImDrawList* list) const;
  CellRows cells(const HeadOfLayer& head, const Rect& at) const;
  ColorScale scaleOf(const HeadOfLayer& head) const;

  // model_head_words.cpp: the texts of a head in its tile and at the mouse
  std::optional<MapCell> mapCell(const HeadOfLayer& head) const;
  float mostOf(Metric metric) const;
  MapCell numberCell(const MetricValue& value, float most) const;
  MapCell signedCell(const MetricValue& value) const;  // of −1 to 1
  ImU32 labelColor(const HeadLabel& label) const;
  void words(ImDrawList* list, const HeadOfLayer& head, const Rect& at) const;
  void wordsInCell(ImDrawList* list, const MapCell& cell, const Rect& at) const;
  void title(ImDrawList* list, const HeadOfLayer& head, const Rect& at) const;
  void tokenNames(ImDrawList* list, Index layer, const Rect& at) const;
  const HeadLabel* labelOf(const HeadOfLayer& head) const;
  std::string inWords(const Under& under) const;
  std::string inOtherPass(const Under& under) const;
  /// The values of the heads on a map that depends on more than the pass: on chosen tokens, on a
  /// word, on the adapter. Null for other maps, and while they are computed.
  const std::vector<MetricValue>* valuesOn(std::string_view map) const;
  /// The value of a head on the shown map of that kind.
  MetricValue onMap(const HeadOfLayer& head) const;

  const PanelContext& panel_;
  const FrameContext& look_;
  const LiveModel& live_;
  ShownWeights weights_;
  const ModelMoment& moment_;  // of the pass
  model::Stack stack_;         // of the heads
  ModelView& view_;
  Memory& memory_;
  ShownHeads shown_;
  WeightRange range_;          // the range of weights of all heads
  std::vector<Index> layers_;  // those that are shown
  LeftOut leftOut_;
  const std::vector<float>* largest_ = nullptr;
  const SmallHeads* small_ = nullptr;                    // null: not needed, or not computed yet
  const std::vector<MetricValue>* onTokens_ = nullptr;   // of the map of chosen tokens
  const std::vector<MetricValue>* gradients_ = nullptr;  // of the map of gradients
  const std::vector<MetricValue>* byAdapter_ = nullptr;  // of the map of the adapter's changes
  const std::vector<MetricValue>* copying_ = nullptr;    // of the map of copying scores
  const std::vector<MetricValue>* byPosition_ = nullptr;
  const std::vector<MetricValue>* onShape_ = nullptr;
  const std::vector<MetricValue>* distances_ = nullptr;  // of the map of distances to another pass
  std::vector<model::ComposedHeads> joined_;             // the pairs that lines connect
};

}  // namespace headscope::ui
