#include "app/ui/page_switch.h"

#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

struct PageName {
  Page page;
  const char* name;
  const char* about;
};

constexpr PageName kPages[] = {{Page::flow, "Flow", "Every step of one pass (v)"},
                               {Page::heads, "Heads", "All heads at once (v)"}};

}  // namespace

void pageSwitch(const Look& look, ViewState& view, WrappingRow& row) {
  for (const PageName& p : kPages) {
    const float width =
        textSize(look.fonts.regular, p.name).x + ImGui::GetStyle().FramePadding.x * 2;
    row.place(width, p.page == Page::flow ? 14.0F : 2.0F);
    if (pill(look, p.name, view.page == p.page)) view.page = p.page;
    tip(look, p.about);
  }
}

}  // namespace headscope::ui
