// Head purposes: what heads were designed or trained for, as it is named and explained wherever
// heads are shown.
#pragma once

#include <string>
#include <vector>

#include "app/ui/panel.h"

namespace headscope::ui {

inline constexpr const char* kHowLearned = "how learned";

struct HeadPurpose {
  enum class Kind { designed, drawn, trained };
  Kind kind = Kind::designed;
  std::string title;        // "Verb → its subject"; of a drawn one what it is: "Drawn at random"
  std::string explanation;  // what it does and how it came to, in sentences
};

/// One per head; empty where nothing is said of them.
std::vector<HeadPurpose> headPurposes(const Document& document);

/// "Verb → its subject"; empty where nothing is said of the head, or it was drawn instead.
std::string purposeTitle(const PanelContext& panel, Index head);

/// "head 2: Verb → its subject"; "head 2" where nothing is said of it.
std::string namedHead(const PanelContext& panel);

/// The explanation, and that the weights were edited since; may be empty.
std::string purposeExplanation(const PanelContext& panel, Index head);

/// Of all heads: "designed, not learned", "6 of 8 drawn at random", "learned, not designed"; empty
/// where nothing is said of them.
std::string purposesInWords(const PanelContext& panel);

/// The heads shown have learned.
bool headsAreTrained(const PanelContext& panel);
/// Goes to the card that says how.
void showHowLearned(const PanelContext& panel);
/// A button that does; true where it was clicked.
bool howLearnedButton(const PanelContext& panel);

/// A title on so many lines at most, the last cut where it does not fit.
std::vector<std::string> titleLines(ImFont* font, const std::string& title, float room, int most);

}  // namespace headscope::ui
