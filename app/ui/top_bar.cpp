#include "app/ui/top_bar.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/ui/compat.h"
#include "app/ui/dimension_fields.h"
#include "app/ui/frame_commands.h"
#include "app/ui/frame_state.h"
#include "app/ui/menu.h"
#include "app/ui/panel.h"
#include "app/ui/preferences.h"
#include "app/ui/rich_text.h"
#include "app/ui/selection.h"
#include "app/ui/stage/stage_view.h"
#include "app/ui/widgets.h"
#include "core/attention/limits.h"
#include "core/attention/switches.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/presets/presets.h"
#include "core/words/cost.h"

namespace headscope::ui {
namespace {

float toggleWidth(const FrameContext& look, const char* text) {
  return look.px(25) + richTextSize(look.fonts, look.fonts.regular, text).x;
}

/// Narrower windows omit what is shown elsewhere, so that the bar stays one row.
constexpr float kFolds = 720.0F;         // below it the settings are behind a button
constexpr float kRoomForName = 1980.0F;  // least width that has room for the program's name

constexpr const char* kSentence = trLater("Your sentence");
constexpr const char* kSettings = trLater("Settings");

std::string aboutPreset(const Preset& preset) {
  const bool ofModel = preset.brief != preset.title;
  return std::string(tr(preset.about)) +
         (ofModel ? tr("\nOnly its sizes: none of its weights are used.") : "");
}

class TopBarRow {
 public:
  TopBarRow(const PanelContext& panel, TopBarMemory& memory, const TopBarState& state)
      : panel_(panel),
        look_(panel.look),
        memory_(memory),
        state_(state),
        compact_(barIsCompact(look_, memory_)),
        row_(look_, look_.px(18), ImGui::GetWindowWidth() - look_.space.large, look_.px(11),
             compact_) {}

  void draw() {
    const bool onStage = panel_.selection.page == kStagePage;
    if (ImGui::GetWindowWidth() >= look_.px(kRoomForName)) title();
    pages();
    if (onStage) {
      stageButtons();
      if (!panel_.stageView.settingsOpen) {
        memory_.height = row_.bottom() + look_.px(11);
        return;
      }
      row_.newLine();  // the settings are a drawer below the bar
    }
    const bool showsDocument = state_.pages.open(panel_.selection.page).showsDocument(panel_.view);
    const bool folds = showsDocument && !onStage && ImGui::GetWindowWidth() < look_.px(kFolds);
    if (folds) {
      row_.place(buttonWidth(look_, tr(kSettings)), 14);
      settingsPill(memory_.unfolded);
    }
    if (folds && !memory_.unfolded) {
      if (state_.canUndo) undoPill();
      helpAndSize();
      memory_.height = row_.bottom() + look_.px(11);
      return;
    }
    if (showsDocument) {
      presetChoice();
      dimensionFields(panel_, memory_, row_);
      switches();
    }
    const bool hasRuns = panel_.selection.page == kModelPage || panel_.selection.page == kTrainPage;
    if (showsDocument || hasRuns) undoRedo();
    looks(!onStage);
    memory_.height = row_.bottom() + look_.px(11);
  }

 private:
  const AttentionConfig& config() const { return panel_.document.config; }

  void title() {
    const char* name = "headscope";
    row_.place(textSize(look_.fonts.title, name).x);
    inlineLabel(look_, look_.fonts.title, look_.theme.accentText, name);
  }

  void pages() {
    std::string& shown = panel_.selection.page;
    const Page& open = state_.pages.open(shown);
    for (const auto& page : state_.pages.all()) {
      const PageText& text = page->text();
      row_.place(buttonWidth(look_, text.title), page == state_.pages.all().front() ? 14.0F : 2.0F);
      if (pill(look_, text.title, page.get() == &open)) shown = text.id;
      tip(look_, fmt::format("{} (v)", text.about));
    }
  }

  void settingsPill(bool& open) {
    if (pill(look_, tr(kSettings), open)) open = !open;
    tip(look_, tr("Sizes, heads, masks, weights and the row of tokens"));
  }

  void helpPill() {
    if (pill(look_, "?")) panel_.commands.add(OpenHelp{});
    tip(look_, tr("About the program, keys, mouse and terms (?)"));
  }

  /// The few buttons of the stage, at the right end of the bar.
  void stageButtons() {
    const bool text = std::holds_alternative<TextSource>(*panel_.document.source);
    const float gap = look_.px(8);
    float width = buttonWidth(look_, tr(kSettings)) + gap + buttonWidth(look_, "?");
    if (text) width += buttonWidth(look_, tr(kSentence)) + gap;
    const bool undo = state_.canUndo && !panel_.stageView.settingsOpen;
    if (undo) width += buttonWidth(look_, "↶") + gap;
    row_.placeRight(width);
    if (undo) {
      if (pill(look_, "↶")) panel_.commands.add(Undo{});
      tip(look_, tr("Undo ") + state_.undoName + " (ctrl+z)");
      ImGui::SameLine(0.0F, gap);
    }
    if (text) {
      if (pill(look_, tr(kSentence))) panel_.frame.asksForSentence = true;
      tip(look_, tr("Type a sentence of your own (ctrl+e)"));
      ImGui::SameLine(0.0F, gap);
    }
    settingsPill(panel_.stageView.settingsOpen);
    ImGui::SameLine(0.0F, gap);
    helpPill();
  }

  /// Returns whether the sizes are still the preset's. A text may have any number of tokens.
  bool isStill(const Preset& preset) const {
    const AttentionConfig& c = config();
    const AttentionConfig& p = preset.config;
    const bool text = std::holds_alternative<TextSource>(*panel_.document.source);
    return c.dModel == p.dModel && c.numHeads == p.numHeads && c.numKvHeads == p.numKvHeads &&
           c.dK() == p.dK() && c.batch == p.batch && (text || c.seqLen == p.seqLen) &&
           c.mask.causal == p.mask.causal;
  }

  void presetChoice() {
    const std::string& name = panel_.document.preset;
    const Preset* now = nullptr;
    for (const Preset& p : presets()) {
      if (p.name == name) now = &p;
    }
    const float box = look_.px(barIsNarrow(look_, memory_) ? 116 : compact_ ? 162 : 182);
    ImGui::SetNextItemWidth(box);
    // the box of a narrow bar has no arrow: the name needs the room
    const bool narrow = barIsNarrow(look_, memory_);
    row_.place(box, narrow ? 12 : 18);
    const char* mark = narrow ? "▾" : "";
    const float arrow = narrow ? textSize(look_.fonts.regular, mark).x : ImGui::GetFrameHeight();
    const float room = box - arrow - 2 * ImGui::GetStyle().FramePadding.x;
    const auto* layer = std::get_if<TensorSource>(panel_.document.source.get());
    // a layer of a model has its name, as a loaded input has its file's
    const std::string loaded = now == nullptr && layer != nullptr ? layer->name : std::string();
    std::string shown = loaded.empty() ? tr("preset") : elided(look_.fonts.regular, loaded, room);
    if (now != nullptr) {
      const std::string from = isStill(*now) ? "" : "from ";
      shown = from + std::string(tr(now->title));
      if (textSize(look_.fonts.regular, shown).x > room) shown = from + std::string(tr(now->brief));
      shown = elided(look_.fonts.regular, shown, room);
    }
    const ImGuiComboFlags flags = narrow ? ImGuiComboFlags_NoArrowButton : ImGuiComboFlags_None;
    if (beginCombo(look_, "##preset", shown + mark, flags | ImGuiComboFlags_HeightLarge)) {
      for (const Preset& p : presets()) {
        if (ImGui::Selectable(std::string(tr(p.title)).c_str(), p.name == name)) {
          panel_.commands.add(OpenPreset{std::make_shared<const Preset>(p), "preset: " + p.title});
        }
        tip(look_,
            trFormat("{}\nd_model {}, {} heads, d_k {}, {} tokens", aboutPreset(p), p.config.dModel,
                     p.config.numHeads, p.config.dK(), withThousands(p.config.seqLen)));
      }
      ImGui::EndCombo();
    } else {
      const std::string about = tr("Presets: the dimensions of well-known models");
      tip(look_, now != nullptr   ? fmt::format("{}\n{}", tr(now->title), aboutPreset(*now))
                 : loaded.empty() ? about
                                  : fmt::format("{}\n{}", loaded, about));
    }
  }

  /// A switch whose label is a term.
  bool termToggle(const char* term, bool* on, float gapBefore) {
    const float box = toggleWidth(look_, "");
    row_.place(toggleWidth(look_, tr(term)), gapBefore);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const bool clicked = toggle(look_, tr(term), on);
    underlineInRow(look_, {at.x + box, at.y}, look_.fonts.regular,
                   toggleWidth(look_, tr(term)) - box);
    tip(look_, termText(term));
    return clicked;
  }

  void switches() {
    const AttentionConfig& c = config();
    const bool roomForBias = !barIsNarrow(look_, memory_);
    bool bias = c.switches->bias;
    if (roomForBias && termToggle(trLater("bias"), &bias, 14))
      panel_.commands.push(SetSwitch{&Switches::bias, bias});
    bool causal = c.mask.causal;
    if (termToggle(trLater("causal"), &causal, 12)) {
      Mask mask = c.mask;
      mask.causal = causal;
      panel_.commands.push(SetMask{std::move(mask)});
    }
    bool scale = c.switches->scale;
    if (termToggle("÷√d_k", &scale, 12)) panel_.commands.push(SetSwitch{&Switches::scale, scale});
    row_.place(buttonWidth(look_, tr("More ▾")), roomForBias ? 14.0F : 8.0F);
    if (pill(look_, tr("More ▾"))) openMenu("more");
    tip(look_,
        tr("Batch, key/value heads, head width, temperature, window, padding, positions, weights"));
    moreSettings(panel_, memory_, !roomForBias);
  }

  void undoPill() {
    row_.place(buttonWidth(look_, "↶"), 12);
    if (pill(look_, "↶", false, state_.canUndo)) panel_.commands.add(Undo{});
    tip(look_,
        state_.canUndo ? tr("Undo ") + state_.undoName + " (ctrl+z)" : tr("Nothing to undo"));
  }

  void undoRedo() {
    undoPill();
    row_.place(buttonWidth(look_, "↷"), 5);
    if (pill(look_, "↷", false, state_.canRedo)) panel_.commands.add(Redo{});
    tip(look_,
        state_.canRedo ? tr("Redo ") + state_.redoName + " (ctrl+shift+z)" : tr("Nothing to redo"));
  }

  void looks(bool withHelp) {
    row_.place(buttonWidth(look_, tr("Export ▾")), 12);
    if (pill(look_, tr("Export ▾"))) openMenu("export");
    if (beginPopup("export")) {
      exportMenu(panel_);
      ImGui::EndPopup();
    }
    row_.place(buttonWidth(look_, tr("View ▾")), 6);
    if (pill(look_, tr("View ▾"))) openMenu("view");
    if (beginPopup("view")) {
      viewMenu(panel_, memory_.view);
      ImGui::EndPopup();
    }
    if (withHelp) helpAndSize();
  }

  void helpAndSize() {
    row_.place(buttonWidth(look_, "?"), 6);
    helpPill();
    const bool smaller = panel_.preferences.scale > kMinScale;
    const bool larger = panel_.preferences.scale < kMaxScale;
    // ctrl + and −, and the menu above, do this too; who enlarged it finds the way back here
    if (smaller) {
      row_.place(buttonWidth(look_, "A−"), 6);
      if (pill(look_, "A−")) zoomInterface(panel_.preferences, -1);
      tip(look_, tr("Smaller interface (ctrl −)"));
    }
    if (!larger || !row_.fits(buttonWidth(look_, "A+"), smaller ? 4.0F : 6.0F)) return;
    row_.place(buttonWidth(look_, "A+"), smaller ? 4.0F : 6.0F);
    if (pill(look_, "A+")) zoomInterface(panel_.preferences, 1);
    tip(look_, tr("Larger interface, for projectors (ctrl +)"));
  }

  const PanelContext& panel_;
  const FrameContext& look_;
  TopBarMemory& memory_;
  const TopBarState& state_;
  bool compact_;
  WrappingRow row_;
};

}  // namespace

void TopBar::draw(const PanelContext& panel, const TopBarState& state) {
  // a narrow bar has less space around its texts
  constexpr float kTight = 0.8F, kTighter = 0.48F, kTightest = 0.3F;
  memory_.width = ImGui::GetWindowWidth();
  if (panel.selection.page == kStagePage) {  // the drawer has no buttons of pages
    for (const auto& page : state.pages.all()) {
      memory_.width += buttonWidth(panel.look, page->text().title) + panel.look.px(2);
    }
  }
  // of every page, so that their buttons stay in place
  const float width = ImGui::GetWindowWidth() / panel.look.scale;
  ImVec2 padding = ImGui::GetStyle().FramePadding;
  padding.x *= width < kFolds    ? kTightest
               : width < kNarrow ? kTighter
               : width < kRoomy  ? kTight
                                 : 1.0F;
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, padding);
  const float before = memory_.height;
  TopBarRow(panel, memory_, state).draw();
  if (memory_.height != before) *panel.look.wantsFrame = true;  // the page begins below it
  ImGui::PopStyleVar();
}

}  // namespace headscope::ui
