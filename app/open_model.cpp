#include "app/open_model.h"

#include <string>

#include "core/base/translation.h"

namespace headscope {

OpenModel::OpenModel(Scheduler& scheduler, Index memoryBudget, const ShownModel& shown,
                     const ui::ModelPlace& place)
    : live(scheduler, memoryBudget, shown), generation(scheduler) {
  const auto moment = live.moment();
  if (moment == nullptr) return;
  place_ = place;
  shown_ = moment->number;
}

void OpenModel::setAside() {
  ownIsOpening_ = live.busy();
  live.setAside();
  place_ = {};
  shown_ = 0;
}

bool OpenModel::bringBack(const ui::ModelPlace& place) {
  if (!live.bringBack()) return false;
  place_ = ownIsOpening_ ? ui::ModelPlace() : place;
  const auto moment = live.moment();
  shown_ = moment != nullptr ? moment->number : 0;
  return true;
}

void OpenModel::follow(ui::ModelPlace& place, bool asked, DocumentEditor& documents, double now) {
  if ((asked || place != place_) && !place.folder.empty()) {
    live.open(place.folder, place.text, {place.adapter, place.adapterStrength}, place.target);
  } else {
    live.follow();  // takes results; a request of this frame finishes in a later one
  }
  if (const std::string why = live.takeKeptProblem(); !why.empty()) {
    documents.say(tr("the session's edits of the model stay in it and are not shown: ") + why,
                  true);
  }
  live.watchFiles(now);
  live.followDocument(documents.ownNewest());
  const auto moment = live.moment();
  const bool isNew = moment != nullptr && moment->number != shown_;
  const bool failed = !live.problem().empty() && !live.busy() && !live.cutOffered();
  if (moment != nullptr && (isNew || failed)) {  // a failed request is not repeated
    shown_ = moment->number;
    place = {moment->folder.string(), moment->given(), moment->adapter.folder.string(),
             moment->adapter.strength};
    if (moment->source != nullptr && !moment->written) place.target = moment->text;
  }
  place_ = place;
  generation.follow(moment != nullptr ? moment->trace : nullptr);
}

}  // namespace headscope
