#include "app/own_work.h"

#include <utility>

namespace headscope {

void OwnWork::setAside(bool model) {
  bringBack();
  aside_ = Aside{parts_.view, parts_.reference.kept()};
  parts_.documents.setOwnAside();
  parts_.training.setAside();
  parts_.language.setAside();
  parts_.shapes.setAside();
  parts_.headCounts.setAside();
  parts_.scaleStudy.setAside();
  if (model) parts_.model.setAside();
}

void OwnWork::bringBack() {
  if (!aside_) return;
  Aside own = *std::exchange(aside_, std::nullopt);
  parts_.documents.returnToOwn();
  parts_.reference.keep(std::move(own.compared));
  parts_.training.bringBack();
  parts_.language.bringBack();
  parts_.shapes.bringBack();
  parts_.headCounts.bringBack();
  parts_.scaleStudy.bringBack();
  const ui::ModelView ownModel = own.view.model;
  parts_.view = ui::withPreferencesOf(std::move(own.view), parts_.view);
  if (parts_.model.bringBack(ownModel.place)) parts_.view.model = ownModel;
}

}  // namespace headscope
