#include "app/ui/parts/head_label.h"

#include <fmt/format.h>

#include "core/base/numbers.h"

namespace headscope::ui {

std::string labelWithScore(const HeadLabel& label) {
  if (!label.defined()) return label.title;
  std::string text = label.title;
  if (label.key == "far") {  // a distance; all other scores are shares of the weight
    text += fmt::format(", {} tokens away", number(*label.score, 3));
  } else if (label.score) {
    text += fmt::format(" {:.2f}", *label.score);
  }
  return fmt::format("{} (n = {})", text, label.rows);
}

std::string labelWithRule(const HeadLabel& label) {
  return fmt::format("{}: {}", labelWithScore(label), label.rule);
}

}  // namespace headscope::ui
