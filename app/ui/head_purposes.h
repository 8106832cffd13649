// Head purposes: the purposes that heads were designed or trained for or learned, and their names
// and explanations wherever heads are shown.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/ui/frame_context.h"
#include "core/base/index.h"
#include "core/document/fwd.h"

namespace headscope::ui {

struct PanelContext;

inline constexpr const char* kHowLearned = "how learned";

struct HeadPurpose {
  /// learned: the head came to it by itself while a task was learned.
  enum class Kind { designed, drawn, trained, learned, biased };
  Kind kind = Kind::designed;
  std::string title;        // "Verb → its subject"; for a drawn head "Drawn at random"; or empty
  std::string explanation;  // sentences on the head's behaviour and its origin
};

/// The purposes, one per head; empty where none are known. Below, null means the same.
std::vector<HeadPurpose> headPurposes(const Document& document);

/// The purposes of the heads in the shown pass, found once per pass.
class PurposesOfPass {
 public:
  const std::vector<HeadPurpose>* of(const TracePtr& trace);

 private:
  std::weak_ptr<const Trace> of_;
  std::vector<HeadPurpose> heads_;
};

/// The title of a head's purpose: "Verb → its subject"; empty where it has none or was drawn.
std::string purposeTitle(const std::vector<HeadPurpose>* purposes, Index head);

/// The name of a head: "head 2: Verb → its subject", or "head 2" where it has no purpose.
std::string namedHead(const std::vector<HeadPurpose>* purposes, Index head);

/// The explanation of a head, with a note if the weights were edited since; may be empty.
std::string purposeExplanation(const PanelContext& panel, Index head);

/// A summary of all heads: "designed, not learned", "6 of 8 drawn at random", "learned, not
/// designed"; empty where no purposes are known.
std::string purposesInWords(const std::vector<HeadPurpose>* purposes);

/// Returns whether the heads are trained.
bool headsAreTrained(const std::vector<HeadPurpose>* purposes);
/// Returns whether the heads came to their relations by themselves, while a task was learned.
bool headsLearnedATask(const std::vector<HeadPurpose>* purposes);
/// Opens the card that explains how the heads learned.
void showHowLearned(const PanelContext& panel);
/// Draws a button that opens that card. Returns true if it was clicked.
bool howLearnedButton(const PanelContext& panel);

/// Breaks a title into at most `most` lines; the last is cut where it does not fit.
std::vector<std::string> titleLines(ImFont* font, const std::string& title, float room, int most);

}  // namespace headscope::ui
