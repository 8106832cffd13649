// Fire document: the sentence on which the program opens, for tests of the page Stage.
#pragma once

#include <string>

#include "app/ui/ids.h"
#include "app/ui/view_state.h"
#include "app_driver.h"
#include "core/attention/config.h"
#include "core/editing/make_document.h"

namespace headscope::ui {

/// The sentence on which the program opens, with learned heads.
inline DocumentPtr fireDocument(
    const std::string& text = "The cat, which was very fluffy, slept by the warm fire.") {
  AttentionConfig config;
  config.dModel = 512;
  config.numHeads = config.numKvHeads = 8;
  return makeDocument("", config, TextSource{{text}, {}}, Positions::named,
                      {WeightInit::learned, 1, {}}, kTestBudget);
}

inline ViewState onStage() {
  ViewState view;
  view.selection.page = kStagePage;
  view.selection.head = 1;
  return view;
}

}  // namespace headscope::ui
