#include "app/ui/parts/head_label.h"

#include <fmt/format.h>

#include "core/base/numbers.h"
#include "core/base/translation.h"

namespace headscope::ui {

/// The number of rows that a score is the mean of.
static std::string rowsInWords(Index rows) { return counted(rows, tr("{} row"), tr("{} rows")); }

std::string labelWithScore(const HeadLabel& label) {
  if (!label.defined()) return label.title;
  std::string text = label.title;
  if (label.key == "far") {  // a distance; all other scores are shares of the weight
    text += trFormat(", {} tokens away", number(*label.score, 3));
  } else if (label.score) {
    text += fmt::format(" {:.2f}", *label.score);
  }
  if (label.rows == 0) return fmt::format("{}, {}", text, label.rule);  // over many texts
  return fmt::format("{}, {}", text, rowsInWords(label.rows));
}

std::string labelWithRule(const HeadLabel& label) {
  return fmt::format("{}: {}", labelWithScore(label), label.rule);
}

namespace {

/// Returns whether a label is a purpose, or one of the parts of a purpose: "A + B".
bool isPart(const HeadLabel& label, const std::string& purpose) {
  return label.declared &&
         (" + " + purpose + " + ").find(" + " + label.title + " + ") != std::string::npos;
}

std::string measuredHere(double score, Index rows) {
  return trFormat("here {:.2f}, {}", score, rowsInWords(rows));
}

}  // namespace

HeadCaption headCaption(const std::string& purpose, const HeadReport* report, Index head) {
  const auto at = static_cast<std::size_t>(head);
  if (report == nullptr || at >= report->labels.size()) return {purpose, {}, true};
  const HeadLabel& label = report->labels[at];
  if (purpose.empty()) return {labelWithScore(label), {}, label.score.has_value()};
  if (isPart(label, purpose)) return {purpose, measuredHere(*label.score, label.rows), true};
  const auto& made = report->designedPurposes[at];
  if (!made) return {purpose, {}, true};
  if (!made->score) {
    if (made->score.why == kHiddenByMask)
      return {purpose, tr("hidden by the mask"), false, tr("hidden")};
    const bool absent = made->score.why == kNoPartner;
    return {purpose, absent ? tr("nothing to do here") : tr("not checked here"), false,
            absent ? tr("no job here") : tr("not checked")};
  }
  const std::string here = measuredHere(*made->score, made->chance.rows);
  if (holds(*made)) return {purpose, here, true};
  if (isWeak(*made)) return {purpose, trFormat("weak {}", here), false, tr("weak")};
  return {purpose, tr("not found here"), false, tr("not found")};
}

std::string inOneLine(const HeadCaption& caption) {
  return caption.holds || caption.here.empty()
             ? caption.title
             : fmt::format("{} ({})", caption.title, caption.here);
}

}  // namespace headscope::ui
