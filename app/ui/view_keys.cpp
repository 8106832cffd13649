#include "app/ui/view_keys.h"

#include "app/ui/compat.h"
#include "app/ui/head_switch.h"
#include "app/ui/heads/heads_choice.h"

namespace headscope::ui {
namespace {

/// The next of `count`, or with shift the one before, round in a circle.
Index cycled(Index now, Index count) {
  const Index by = ImGui::GetIO().KeyShift ? count - 1 : 1;
  return (now + by) % count;
}

}  // namespace

bool viewKeys(const Panel& panel) {
  if (headSwitchKeys(panel)) return true;
  ViewState& view = panel.view;
  const AttentionConfig& c = panel.trace.config();
  if (view.page == Page::heads && keyPressed(Key::enter, false)) {
    openHead(view, view.head);
  } else if (keyPressed(Key{'H'})) {
    view.head = cycled(view.head, c.numHeads);
  } else if (keyPressed(Key{'N'})) {
    view.item = cycled(view.item, c.batch);
  } else if (keyPressed(Key{'Q'}, false)) {
    constexpr TensorId kParts[] = {TensorId::q, TensorId::k, TensorId::v};
    const Index now = view.part == TensorId::k ? 1 : view.part == TensorId::v ? 2 : 0;
    view.part = kParts[cycled(now, 3)];
  } else if (keyPressed(Key{'G'}, false)) {
    view.scope = view.scope == StageScope::allHeads ? StageScope::thisHead : StageScope::allHeads;
  } else if (keyPressed(Key{'V'}, false)) {
    view.page = view.page == Page::flow ? Page::heads : Page::flow;
  } else if (keyPressed(Key{'I'}, false)) {
    view.inspectorTab = static_cast<InspectorTab>(cycled(static_cast<Index>(view.inspectorTab), 3));
  } else {
    return false;
  }
  return true;
}

}  // namespace headscope::ui
