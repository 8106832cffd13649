#include "app/ui/model/why_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/ui/compat.h"
#include "app/ui/model/prediction_views.h"
#include "app/ui/parts/matrix.h"
#include "app/ui/parts/table.h"
#include "app/ui/parts/token_pictures.h"
#include "app/ui/widgets.h"
#include "core/base/translation.h"

namespace headscope::ui {
namespace {

constexpr std::size_t kMostLines = 200;
constexpr const char* kAboutWriters = trLater(
    "The change of the number at the top, or of the one last reached, if this part adds nothing "
    "at this one place and everything after it runs again. “Every part” replaces it at every "
    "place. Shown for the largest heads, networks and embeddings. Negative: the part raised the "
    "number");
constexpr const char* kAboutPairs = trLater(
    "−Δq · Δk: Δq is what the query loses in a run without the pair's first writer, Δk what the "
    "key loses in a run without its second; of the largest pairs");

}  // namespace

std::string totalInWords(const LineChanges& changes, const PartLine& line) {
  if (line.pair) {
    if (changes.pairs == nullptr) return "…";
    const auto* found = changeWithout(*changes.pairs, line.pair->query, line.pair->key);
    return found == nullptr ? std::string() : changeInWords(found->total);
  }
  if (!line.writer) return {};
  if (changes.writers == nullptr) return "…";
  const auto found =
      std::ranges::find(*changes.writers, *line.writer, &model::WithoutWriter::writer);
  return found == changes.writers->end() ? std::string() : changeInWords(found->total);
}

BarRange barRange(const std::vector<PartLine>& lines) {
  BarRange range;
  const double most = lines.empty() ? 0.0 : std::abs(lines.front().value);
  for (const PartLine& line : lines) range.include(std::clamp(line.value, -most, most));
  return range;
}

std::optional<model::WhyStep> drawParts(const FrameContext& look, const std::string& id,
                                        const std::vector<PartLine>& all, double whole,
                                        const LineChanges& changes, const TokenPictures* pictures) {
  const std::vector<PartLine> lines = restSummed(all, kMostLines);
  const double most = lines.empty() ? 1.0 : std::max(1e-12, std::abs(lines.front().value));
  const ColorScale scale = divergingScale(look, static_cast<float>(most));
  const bool weighs = !lines.empty() && lines.front().weight;
  const BarRange range = barRange(lines);
  const bool tokens = weighs && lines.front().place >= 0;
  std::vector<TableColumn> columns{{tokens   ? "token"
                                    : weighs ? "neuron"
                                             : "part",
                                    {},
                                    false,
                                    150,
                                    1,
                                    false}};
  if (weighs) columns.push_back({tokens ? tr("weight") : tr("activation"), {}, true, 60, 0, false});
  columns.push_back(
      {"adds",
       tr("With patterns and norms held: positive parts raise the number, negative ones "
          "lower it"),
       true, 70, 0, false});
  columns.push_back({"", {}, false, 50, 1, false});
  columns.push_back({tr("share"), tr("Of the number that is taken apart"), true, 60, 0, false});
  if (changes.measured) {
    const bool pairs = !lines.empty() && lines.front().pair;
    columns.push_back(
        {tr("without it"), pairs ? tr(kAboutPairs) : tr(kAboutWriters), true, 80, 0, false});
  }
  std::optional<model::WhyStep> followed;
  Table table(look, {.id = id.c_str(), .height = ImGui::GetContentRegionAvail().y, .dense = true},
              columns);
  table.rows(std::ssize(lines), [&](Index i) {
    const PartLine& line = lines[static_cast<std::size_t>(i)];
    if (table.row(i) && line.follows) followed = line.follows;
    patchInCell(look, table, pictures, line.place);
    table.text(line.name, line.follows ? look.theme.accentText : look.theme.text);
    if (weighs) table.number(line.weight ? fmt::format("{:.3f}", *line.weight) : "");
    table.number(changeInWords(line.value));
    table.bar(range, line.value, scale.color(look.maps, line.value < 0.0 ? -1e30F : 1e30F));
    table.number(model::percentOf(line.value, whole), look.theme.textMuted);
    if (changes.measured) table.number(totalInWords(changes, line), look.theme.textMuted);
  });
  return followed;
}

}  // namespace headscope::ui
