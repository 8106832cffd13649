// Lesson seen: a picture of what a lesson's last scene shows, drawn on the lesson's end card.
#pragma once

#include <memory>
#include <string>

#include "app/ui/frame_context.h"

namespace headscope {
struct LanguageMoment;
struct ModelMoment;
struct StudyMoment;
struct TrainingMoment;
}  // namespace headscope

namespace headscope::ui {

struct PanelContext;

/// The newest moments of the runs and of the model that a lesson may show; null: none.
struct LessonMoments {
  std::shared_ptr<const TrainingMoment> training;
  std::shared_ptr<const LanguageMoment> language;
  std::shared_ptr<const StudyMoment> scale;
  std::shared_ptr<const ModelMoment> model;
};

/// Draws what the shown page has: on the page Train the heads of the run, or the losses of a study;
/// on the page Model the picture with a head's weights; else the followed word with its arcs, or
/// the weights where there are no words. Returns it in one sentence; empty where there is nothing
/// to see yet, and nothing is drawn.
std::string drawSeen(const PanelContext& panel, const LessonMoments& moments, const Rect& at);

}  // namespace headscope::ui
