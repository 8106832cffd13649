#include "app/own_work.h"

#include <utility>

namespace headscope {

void OwnWork::setAside() {
  bringBack();
  aside_ = Aside{parts_.view, parts_.reference.kept()};
  parts_.documents.setOwnAside();
  parts_.training.setAside();
  parts_.language.setAside();
  parts_.headCounts.setAside();
  parts_.scaleStudy.setAside();
}

void OwnWork::bringBack() {
  if (!aside_) return;
  Aside own = *std::exchange(aside_, std::nullopt);
  parts_.documents.returnToOwn();
  parts_.reference.keep(std::move(own.compared));
  parts_.training.bringBack();
  parts_.language.bringBack();
  parts_.headCounts.bringBack();
  parts_.scaleStudy.bringBack();
  parts_.view = ui::withPreferencesOf(std::move(own.view), parts_.view);
}

}  // namespace headscope
