// The rows of the export dialog for a picture (see export_rows.h).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/export_rows.h"
#include "app/ui/panel.h"
#include "app/ui/widgets.h"
#include "core/attention/steps/step.h"
#include "core/base/translation.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

constexpr float kCaptions = 76.0F;  // the width of the column of captions

/// The selection on the page: ": layer 3, head 1"; empty where the page has none.
std::string shownInWords(const PanelContext& panel) {
  if (panel.selection.page == kTrainPage) return {};
  if (panel.selection.page == kModelPage) {
    return trFormat(": layer {}, head {}", panel.modelView.layer + 1, panel.modelView.head + 1);
  }
  if (panel.selection.page == kLearnPage) return {};
  if (panel.selection.page != kFlowPage) return trFormat(": head {}", panel.selection.head + 1);
  return trFormat(": step {}, head {}", step(panel.selection.step).text(panel.trace.config()).title,
                  panel.selection.head + 1);
}

}  // namespace

void exportCaption(const FrameContext& look, const char* text) {
  const float left = ImGui::GetCursorPosX();
  inlineLabel(look, look.fonts.regular, look.theme.textMuted, text);
  ImGui::SameLine(left + look.px(kCaptions));
}

bool wholeNumber(const FrameContext& look, const char* name, Index& value, NumberDraft& draft,
                 Index step) {
  const NumberChange change = numberField(look, {name, value, !draft.problem.empty()}, draft);
  if (change.value) value = *change.value;
  if (change.stepped != 0) value = std::max<Index>(1, value + step * change.stepped);
  if (change.notANumber) draft.problem = trFormat("'{}' is not a whole number", draft.text);
  if (!change.value && change.stepped == 0) return false;
  draft.problem.clear();
  return true;
}

void pictureView(const PanelContext& panel, ExportDialogMemory& memory,
                 const ExportSources& sources) {
  exportCaption(panel.look, tr("view"));
  const bool played =
      memory.choice.kind == ExportKind::film && memory.choice.film.of == FilmOf::play;
  std::vector<const char*> titles;
  std::vector<const PictureView*> views;
  int now = 0;
  for (const PictureView& view : kPictureViews) {
    if (!isOffered(view, panel.view) || (played && !view.plays)) continue;
    if (view.card == memory.choice.view) now = static_cast<int>(titles.size());
    titles.push_back(view.title != nullptr ? tr(view.title) : sources.tool);
    views.push_back(&view);
  }
  const int view = choices(panel.look, "view", titles, now);
  const char* chosen = views[static_cast<std::size_t>(view >= 0 ? view : now)]->card;
  if (memory.choice.view != chosen) {  // or the old view belongs to another page
    memory.choice.view = chosen;
    memory.changed();
  }
  // the picture shows the screen, and this card is computed only while it is shown
  if (memory.choice.view == kOverStepsCard) panel.trainView.tab = TrainTab::overSteps;
  if (memory.choice.view == kLiveHeadsCard) panel.trainView.tab = TrainTab::live;
}

void pictureFollowsWindow(const PanelContext& panel, ExportDialogMemory& memory) {
  if (memory.sized) return;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float scale = panel.preferences.scale;
  memory.choice.width = static_cast<Index>(std::lround(display.x / scale));
  memory.choice.height = static_cast<Index>(std::lround(display.y / scale));
}

void pictureTheme(const FrameContext& look, ExportDialogMemory& memory) {
  exportCaption(look, tr("theme"));
  const bool dark = memory.choice.theme == ThemeKind::dark;
  const int theme = choices(look, "theme", {tr("light"), tr("dark")}, dark ? 1 : 0);
  if (theme >= 0) memory.choice.theme = theme == 1 ? ThemeKind::dark : ThemeKind::light;
}

void pictureRows(const PanelContext& panel, ExportDialogMemory& memory,
                 const ExportSources& sources) {
  const FrameContext& look = panel.look;
  ExportChoice& choice = memory.choice;
  pictureView(panel, memory, sources);
  exportCaption(look, tr("format"));
  const int format = choices(look, "picture format", {"PNG", "SVG", "PDF"},
                             static_cast<int>(choice.pictureFormat));
  tip(look, tr("Pixels, or a vector figure for print, whose text can be selected"));
  if (format >= 0) {
    choice.pictureFormat = static_cast<PictureFormat>(format);
    memory.changed();
  }
  exportCaption(look, tr("size"));
  pictureFollowsWindow(panel, memory);
  bool sized = wholeNumber(look, "width", choice.width, memory.width);
  ImGui::SameLine(0.0F, look.px(8));
  inlineLabel(look, look.fonts.regular, look.theme.textMuted, "×");
  sized = wholeNumber(look, "height", choice.height, memory.height) || sized;
  if (sized) {
    memory.sized = true;
    memory.answer.clear();
  }
  exportCaption(look, tr("scale"));
  const int scale = choices(look, "scale", {"1×", "2×", "3×", "4×"}, choice.scale - 1);
  if (scale >= 0) choice.scale = scale + 1;
  pictureTheme(look, memory);
  if (!pictureFits(choice)) return;
  wrappedLabel(
      look.fonts.small, look.theme.textMuted,
      choice.pictureFormat == PictureFormat::png
          ? trFormat("{} × {} pixels, as the window shows it{}", choice.width * choice.scale,
                     choice.height * choice.scale, shownInWords(panel))
          : trFormat("a figure 16 cm wide, without a background{}", shownInWords(panel)));
}

}  // namespace headscope::ui
