#include "app/ui/designed_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "app/ui/widgets.h"
#include "core/weights/designed_heads.h"

namespace headscope::ui {
namespace {

const DesignedHead* designedHead(const Panel& panel, Index head) {
  const auto index = static_cast<std::size_t>(head);
  if (panel.designed == nullptr || index >= panel.designed->size()) return nullptr;
  return &(*panel.designed)[index];
}

}  // namespace

std::string designedTitle(const Panel& panel, Index head) {
  const DesignedHead* found = designedHead(panel, head);
  return found != nullptr && !found->drawn ? found->title : std::string();
}

std::string designedExplanation(const Panel& panel, Index head) {
  const DesignedHead* found = designedHead(panel, head);
  if (found == nullptr) return {};
  if (found->drawn) {
    const std::string instead =
        found->instead.empty() ? "" : fmt::format(" in place of {}", found->instead);
    return fmt::format("{}{}: {}.", found->title, instead, found->why);
  }
  std::string text = fmt::format("{} ({}). {}\n\nIn logits: {}.", found->title, kDesignedNotLearned,
                                 found->about, found->structure);
  if (!found->why.empty()) text += fmt::format("\n\nHere {}.", found->why);
  return text + (panel.trace.document().weightsEdited
                     ? "\n\nIts weights may have been edited since."
                     : "");
}

std::string designedInWords(const Panel& panel) {
  if (panel.designed == nullptr || panel.designed->empty()) return {};
  const auto& heads = *panel.designed;
  const auto drawn = static_cast<std::size_t>(
      std::count_if(heads.begin(), heads.end(), [](const DesignedHead& h) { return h.drawn; }));
  if (drawn == 0) return kDesignedNotLearned;
  if (drawn == heads.size()) return "drawn at random: no head can be designed here";
  return fmt::format("{}; {} of {} drawn at random", kDesignedNotLearned, drawn, heads.size());
}

std::vector<std::string> titleLines(ImFont* font, const std::string& title, float room) {
  if (textSize(font, title).x <= room) return {title};
  std::size_t cut = std::string::npos;  // the last space before which the words still fit
  for (std::size_t i = title.find(' '); i != std::string::npos; i = title.find(' ', i + 1)) {
    if (textSize(font, title.substr(0, i)).x <= room) cut = i;
  }
  if (cut == std::string::npos) return {elided(font, title, room)};
  return {title.substr(0, cut), elided(font, title.substr(cut + 1), room)};
}

}  // namespace headscope::ui
