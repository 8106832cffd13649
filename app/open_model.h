// Open model: the model of the page Model with its generation, kept in step with the place that the
// view names.
#pragma once

#include <cstdint>
#include <functional>

#include "app/document_editor.h"
#include "app/live_generation.h"
#include "app/live_model.h"
#include "app/ui/model/model_view.h"

namespace headscope {

class OpenModel {
 public:
  /// `shown`: the moment shown at the start, whose place the view names.
  OpenModel(Scheduler& scheduler, Index memoryBudget, const ShownModel& shown,
            const ui::ModelPlace& place);

  /// Opens the model at `place`, which a session, a button or the command line has set; `asked`:
  /// even if it is the open one. Once a model is open, `place` names it.
  void follow(ui::ModelPlace& place, bool asked, DocumentEditor& documents, double now);

  /// Sets the model aside (LiveModel::setAside), or shows it again at its `place`. bringBack()
  /// returns whether one was aside.
  void setAside();
  bool bringBack(const ui::ModelPlace& place);

  void setWake(const std::function<void()>& wake) {
    live.setWake(wake);
    generation.setWake(wake);
  }
  bool finish() {
    const bool news = live.finish();
    return generation.finish() || news;
  }
  void stop() {
    live.stop();
    generation.stop();
  }

  LiveModel live;
  LiveGeneration generation;

 private:
  ui::ModelPlace place_;       // the place last shown or requested
  bool ownIsOpening_ = false;  // the model that is aside was being opened
  std::uint64_t shown_ = 0;    // the number of the moment that `place_` describes
};

}  // namespace headscope
