// First look: the initial view where nothing else was requested. It chooses a score in a head with
// a known purpose and shows a sentence on things to try, which disappears after any action.
#pragma once

#include <optional>
#include <string>

#include "core/attention/tensor_id.h"
#include "core/document/fwd.h"

namespace headscope::ui {

struct PanelContext;
struct ViewState;

class FirstLook {
 public:
  /// Chooses, among the scores that the heads were trained or designed for, the one whose query and
  /// key are farthest apart, of an image the one whose patches differ most from those around them.
  /// Where no purpose is known, the view stays and there is no sentence. A view of a model keeps
  /// its page; the others then open on the same word. The page Heads opens on arcs
  /// where the input is short or an image.
  void open(const Document& document, ViewState& view);

  /// The sentence to show; empty once the user has acted. Call once a frame.
  std::string inWords(const PanelContext& panel);

 private:
  bool isAsOpened(const PanelContext& panel) const;

  std::optional<CellRef> cell_;
  const Document* document_ = nullptr;  // address of the document first shown: compared, never read
};

}  // namespace headscope::ui
