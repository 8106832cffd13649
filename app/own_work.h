// Own work: what the user had before a lesson, which shows documents, views and training runs of
// its own: the documents with their history, the view, the run and the studies of the page Train,
// and the model of the page Model where the lesson shows another.
#pragma once

#include <optional>

#include "app/comparison.h"
#include "app/document_editor.h"
#include "app/live_language.h"
#include "app/live_shapes.h"
#include "app/live_study.h"
#include "app/live_training.h"
#include "app/open_model.h"
#include "app/ui/view_state.h"

namespace headscope {

class OwnWork {
 public:
  /// The parts that are set aside and brought back. They must outlive this object.
  struct Parts {
    ui::ViewState& view;
    DocumentEditor& documents;
    ReferencePass& reference;
    LiveTraining& training;
    LiveLanguage& language;
    LiveShapes& shapes;
    LiveStudy& headCounts;
    LiveStudy& scaleStudy;
    OpenModel& model;
  };
  explicit OwnWork(const Parts& parts) : parts_(parts) {}

  bool aside() const { return aside_.has_value(); }
  /// The user's own view where it is set aside; null: it is shown.
  const ui::ViewState* view() const { return aside_ ? &aside_->view : nullptr; }

  /// Sets the own work aside; the model too where `model` is set. What is shown then begins with
  /// the same document and view, and without a training run. Work that is aside already stays so,
  /// and the rest begins again.
  void setAside(bool model = false);
  /// Shows the own work again, with the preferences as they are now.
  void bringBack();

 private:
  struct Aside {
    ui::ViewState view;
    NamedDocument compared;
  };

  Parts parts_;
  std::optional<Aside> aside_;
};

}  // namespace headscope
