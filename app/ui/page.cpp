#include "app/ui/page.h"

#include <algorithm>

#include "app/ui/compat.h"
#include "app/ui/panel.h"
#include "app/ui/selection.h"
#include "app/ui/status_bar.h"

namespace headscope::ui {

void Page::viewOpened(const ViewState& view) const {
  for (const auto& card : cards_.all()) card->viewOpened(view);
}

std::string Page::figuresInWords(const PanelContext& panel) const {
  return passFigures(panel.trace);
}

bool Page::takesWheel() const {
  const auto& all = cards_.all();
  return std::any_of(all.begin(), all.end(), [](const auto& card) { return card->takesWheel(); });
}

std::size_t Pages::placeOf(std::string_view id) const {
  const auto found = std::find_if(pages_.begin(), pages_.end(),
                                  [id](const auto& page) { return page->text().id == id; });
  return found != pages_.end() ? static_cast<std::size_t>(found - pages_.begin()) : 0;
}

const Page* Pages::withCard(std::string_view card) const {
  for (const auto& page : pages_) {
    for (const auto& each : page->cards().all()) {
      if (each->text().id == card && each->text().alone) return page.get();
    }
  }
  return nullptr;
}

bool Pages::keys(const PanelContext& panel) const {
  const std::size_t shown = placeOf(panel.selection.page);
  if (!keyPressed(Key{'V'}, false)) return pages_[shown]->keys(panel);
  const std::size_t next = (shown + 1) % pages_.size();
  panel.selection.page = pages_[next]->text().id;
  return true;
}

}  // namespace headscope::ui
