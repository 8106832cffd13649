// TrainView: the part of the view for the train page: the shown run and its presentation. The run
// itself is not part of it.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/index.h"

namespace headscope::ui {

/// The card in the page's middle.
enum class TrainTab { live, overSteps, headCounts, scale, headOff };

/// The tab of the card of the questions about stories.
enum class QuestionsTab { thisRun, otherSizes, otherModels };

struct TrainView {
  std::string task = "cards";
  Index layers = 0, dModel = 0, heads = 0;             // 0: the task's own
  Index kvHeads = 0;                                   // of a language model; 0: as many as heads
  bool networks = true, norms = true, rotary = false;  // parts of a language model
  std::uint64_t seed = 1;
  Index example = 0;
  TrainTab tab = TrainTab::live;
  QuestionsTab questions = QuestionsTab::thisRun;
  Index relation = 0;           // the relation whose partners the arrows of the example show
  bool curves = false;          // shows the run's curves below the heads
  bool step = false;            // shows what a training step does, at the right
  bool kept = false;            // shows the run on stories that comes with the program
  std::string sentence = {};    // that a language model reads; empty: an example
  std::string text = {};        // the file that a language model learns from
  std::string cutInto = "bpe";  // its tokens: as formats::textTokensFromString reads it
  Index vocabulary = 1000;      // … and how many at most

  bool operator==(const TrainView&) const = default;
};

/// The tasks of a view that trains a whole model, in addition to training::allTasks().
inline constexpr const char* kStories = "stories";
inline constexpr const char* kOwnText = "text";
inline constexpr const char* kShapes = "shapes";  // trains an image model
inline bool learnsStories(const TrainView& view) { return view.task == kStories; }
/// Returns whether a run is shown that was kept, and none is trained.
inline bool showsKeptRun(const TrainView& view) { return learnsStories(view) && view.kept; }
inline bool learnsText(const TrainView& view) { return view.task == kOwnText; }
inline bool learnsLanguage(const TrainView& view) {
  return learnsStories(view) || learnsText(view);
}

inline bool learnsShapes(const TrainView& view) { return view.task == kShapes; }
/// Returns whether a whole model is trained, on next words or on shapes.
inline bool learnsWholeModel(const TrainView& view) {
  return learnsLanguage(view) || learnsShapes(view);
}

}  // namespace headscope::ui
