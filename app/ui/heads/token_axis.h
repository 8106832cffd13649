// Token axis: the tokens below a picture that has one column for each: turned where there is room
// for it, else every nth.
#pragma once

#include <string>
#include <vector>

#include "app/ui/panel.h"

namespace headscope::ui {

class TokenAxis {
 public:
  /// Below a picture of this width, in a part of the card of this height.
  TokenAxis(const Panel& panel, float width, float height);

  /// The height it takes.
  float room() const { return room_; }
  /// Below `corner`, the picture's lower left; the chosen token, where there is one, is lit.
  void draw(ImDrawList* list, ImVec2 corner) const;

 private:
  const Panel& panel_;
  const std::vector<std::string>& tokens_;
  float cell_, widest_, room_;
  bool turned_;
};

}  // namespace headscope::ui
