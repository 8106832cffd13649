#include "app/ui/top_bar.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/ui/compat.h"
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
#include "core/base/numbers.h"
#include "core/document/document.h"
#include "core/presets/presets.h"
#include "core/words/cost.h"

namespace headscope::ui {
namespace {

float toggleWidth(const FrameContext& look, const char* text) {
  return look.px(25) + richTextSize(look.fonts, look.fonts.regular, text).x;
}

/// Narrower windows omit what is shown elsewhere, so that the bar stays one row.
constexpr float kRoomy = 1720.0F;
constexpr float kNarrow = 1470.0F;
constexpr float kRoomForName = 1680.0F;  // least width that has room for the program's name

constexpr const char* kSentence = "Your sentence";
constexpr const char* kSettings = "Settings";

std::string aboutPreset(const Preset& preset) {
  const bool ofModel = preset.brief != preset.title;
  return preset.about + (ofModel ? "\nOnly its sizes: none of its weights are used." : "");
}

class TopBarRow {
 public:
  TopBarRow(const PanelContext& panel, TopBarMemory& memory, const TopBarState& state)
      : panel_(panel),
        look_(panel.look),
        memory_(memory),
        state_(state),
        compact_(ImGui::GetWindowWidth() < look_.px(kRoomy)),
        row_(look_, look_.px(18), ImGui::GetWindowWidth() - look_.space.large, look_.px(11),
             compact_) {}

  void draw() {
    const bool onStage = panel_.selection.page == kStagePage;
    const bool calm = onStage && !panel_.stageView.settingsOpen;
    if (ImGui::GetWindowWidth() >= look_.px(kRoomForName)) title();
    pages();
    if (calm) {
      stageButtons();
      memory_.height = row_.bottom() + look_.px(11);
      return;
    }
    if (onStage) {
      row_.place(buttonWidth(look_, kSettings), 14);
      settingsPill();
    }
    const bool showsDocument = state_.pages.open(panel_.selection.page).showsDocument(panel_.view);
    if (showsDocument) {
      presetChoice();
      dimensions();
      division();
      switches();
    }
    if (showsDocument || panel_.selection.page == kModelPage) undoRedo();
    looks();
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
      if (!page->offered() && page.get() != &open) continue;
      const PageText& text = page->text();
      row_.place(buttonWidth(look_, text.title), page == state_.pages.all().front() ? 14.0F : 2.0F);
      if (pill(look_, text.title, page.get() == &open)) shown = text.id;
      tip(look_, fmt::format("{} (v)", text.about));
    }
  }

  void settingsPill() {
    bool& open = panel_.stageView.settingsOpen;
    if (pill(look_, kSettings, open)) open = !open;
    tip(look_, "Sizes, heads, masks, weights and the row of tokens");
  }

  void helpPill() {
    if (pill(look_, "?")) panel_.commands.add(OpenHelp{});
    tip(look_, "About the program, keys, mouse and terms (?)");
  }

  /// The few buttons of the stage, at the right end of the bar.
  void stageButtons() {
    const bool text = std::holds_alternative<TextSource>(*panel_.document.source);
    const float gap = look_.px(8);
    float width = buttonWidth(look_, kSettings) + gap + buttonWidth(look_, "?");
    if (text) width += buttonWidth(look_, kSentence) + gap;
    if (state_.canUndo) width += buttonWidth(look_, "↶") + gap;
    row_.placeRight(width);
    if (state_.canUndo) {
      if (pill(look_, "↶")) panel_.commands.add(Undo{});
      tip(look_, "Undo " + state_.undoName + " (ctrl+z)");
      ImGui::SameLine(0.0F, gap);
    }
    if (text) {
      if (pill(look_, kSentence)) panel_.frame.asksForSentence = true;
      tip(look_, "Type a sentence of your own (ctrl+e)");
      ImGui::SameLine(0.0F, gap);
    }
    settingsPill();
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
    const float box = look_.px(ImGui::GetWindowWidth() < look_.px(kNarrow) ? 116
                               : compact_                                  ? 162
                                                                           : 182);
    ImGui::SetNextItemWidth(box);
    // the box of a narrow bar has no arrow: the name needs the room
    const bool narrow = ImGui::GetWindowWidth() < look_.px(kNarrow);
    row_.place(box, narrow ? 12 : 18);
    const char* mark = narrow ? "▾" : "";
    const float arrow = narrow ? textSize(look_.fonts.regular, mark).x : ImGui::GetFrameHeight();
    const float room = box - arrow - 2 * ImGui::GetStyle().FramePadding.x;
    std::string shown = "preset";
    if (now != nullptr) {
      const std::string from = isStill(*now) ? "" : "from ";
      shown = from + now->title;
      if (textSize(look_.fonts.regular, shown).x > room) shown = from + now->brief;
      shown = elided(look_.fonts.regular, shown, room);
    }
    const ImGuiComboFlags flags = narrow ? ImGuiComboFlags_NoArrowButton : ImGuiComboFlags_None;
    if (beginCombo("##preset", shown + mark, flags | ImGuiComboFlags_HeightLarge)) {
      for (const Preset& p : presets()) {
        if (ImGui::Selectable(p.title.c_str(), p.name == name)) {
          panel_.commands.add(OpenPreset{std::make_shared<const Preset>(p), "preset: " + p.title});
        }
        tip(look_, fmt::format("{}\nd_model {}, {} heads, d_k {}, {} tokens", aboutPreset(p),
                               p.config.dModel, p.config.numHeads, p.config.dK(), p.config.seqLen));
      }
      ImGui::EndCombo();
    } else {
      tip(look_, now == nullptr ? "Presets: the dimensions of well-known models"
                                : fmt::format("{}\n{}", now->title, aboutPreset(*now)));
    }
  }

  /// Underlines text that is centred on this row's frame.
  void underline(ImVec2 at, ImFont* font, float width) const {
    underlineTerm(look_, {at.x, at.y + (ImGui::GetFrameHeight() + fontSize(font)) * 0.5F}, width);
  }

  /// A switch whose label is a term.
  bool termToggle(const char* term, bool* on, float gapBefore) {
    const float box = toggleWidth(look_, "");
    row_.place(toggleWidth(look_, term), gapBefore);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const bool clicked = toggle(look_, term, on);
    underline({at.x + box, at.y}, look_.fonts.regular, toggleWidth(look_, term) - box);
    tip(look_, termText(term));
    return clicked;
  }

  NumberChange field(const char* name, Index value, NumberDraft& draft, bool bad, float width,
                     const std::string& explanation) {
    const float word = textSize(look_.fonts.mono, name).x + look_.space.small;
    row_.place(word + look_.px(width + 18), 10);
    if (bad) badField_ = ImGui::GetCursorScreenPos();
    ImGui::BeginGroup();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    inlineLabel(look_, look_.fonts.mono, look_.theme.textMuted, name);
    underline(at, look_.fonts.mono, textSize(look_.fonts.mono, name).x);
    const NumberChange change = numberField(look_, {name, value, bad, width}, draft);
    ImGui::EndGroup();
    if (!bad) tip(look_, explanation);
    return change;
  }

  bool hasProblem(std::string_view field) const {
    return std::any_of(memory_.problems.begin(), memory_.problems.end(),
                       [field](const Problem& p) { return p.field == field; });
  }
  void clearProblem(std::string_view field) {
    std::erase_if(memory_.problems, [field](const Problem& p) { return p.field == field; });
  }
  void notANumber(const char* field, const NumberDraft& draft) {
    clearProblem(field);
    memory_.problems.push_back(
        {field, fmt::format("{}: '{}' is not a whole number", field, draft.text), {}});
  }

  void dimensions() {
    const AttentionConfig& c = config();
    if (memory_.problems.empty()) {
      memory_.draftDModel = c.dModel;
      memory_.draftHeads = c.numHeads;
    }
    AttentionConfig wider = c;
    wider.dModel *= 2;
    AttentionConfig longer = c;
    longer.seqLen *= 2;
    longer.mask = {};
    // where the two do not fit together, the typed one is red, and both keep their text
    const bool apart = hasProblem("heads");
    const bool typedWidth = memory_.draftDModel != c.dModel;
    const bool typedHeads = memory_.draftHeads != c.numHeads;
    const NumberChange d = field("d_model", memory_.draftDModel, memory_.dModel,
                                 hasProblem("d_model") || (apart && typedWidth), 58,
                                 termText("d_model") + costTip(c, wider));
    if (d.notANumber) notANumber("d_model", memory_.dModel);
    if (d.value) setDimensions(*d.value, memory_.draftHeads, "d_model");
    // a step changes d_k by 8 (by 1 below 8), so that the heads still divide d_model; where d_k
    // does not follow d_model, the step changes d_model itself
    if (d.stepped != 0) {
      const Index share = c.headDim > 0 ? 1 : c.numHeads;
      const Index each = c.dModel / share;
      const Index by = (each > 8 || (each == 8 && d.stepped > 0)) ? 8 : 1;
      stopTyping(memory_.dModel);
      setDimensions(std::max<Index>(1, each + d.stepped * by) * share, c.numHeads, {});
    }
    const NumberChange h = field(
        "heads", memory_.draftHeads, memory_.heads, apart && (typedHeads || !typedWidth), 44,
        termText("head") + (c.headDim > 0 ? " Each head is d_k wide, whatever their number."
                                          : " The arrows go to the next count that divides."));
    if (h.notANumber) notANumber("heads", memory_.heads);
    if (h.value) setDimensions(memory_.draftDModel, *h.value, "heads");
    if (h.stepped != 0) {
      stopTyping(memory_.heads);
      setDimensions(c.dModel,
                    c.headDim > 0 ? std::max<Index>(1, c.numHeads + h.stepped)
                                  : nextDivisor(c.dModel, c.numHeads, h.stepped),
                    {});
    }
    const NumberChange t =
        field("tokens", c.seqLen, memory_.tokens, hasProblem("tokens"), 52,
              termText("token") + " A longer input repeats the text, a shorter one cuts it." +
                  costTip(c, longer));
    if (t.notANumber) notANumber("tokens", memory_.tokens);
    if (t.value) setTokens(*t.value, "tokens");
    if (t.stepped != 0) {
      stopTyping(memory_.tokens);
      setTokens(c.seqLen + t.stepped, {});
    }
    problemPopup();
  }

  static void stopTyping(NumberDraft& draft) { draft.typing = false; }

  static Index nextDivisor(Index dModel, Index heads, int direction) {
    for (Index n = heads + direction; n >= 1 && n <= dModel; n += direction) {
      if (dModel % n == 0) return n;
    }
    return heads;
  }

  /// Applies the two dimensions where they fit together; otherwise they stay a draft with an
  /// explanation. A d_k that was set by itself stays.
  void setDimensions(Index dModel, Index heads, const std::string& gesture) {
    clearProblem("d_model");
    clearProblem("heads");
    memory_.draftDModel = dModel;
    memory_.draftHeads = heads;
    AttentionConfig draft = config();
    const bool grouped = draft.numKvHeads != draft.numHeads;
    draft.dModel = dModel;
    draft.numHeads = heads;
    if (!grouped || heads < 1 || heads % draft.numKvHeads != 0) draft.numKvHeads = heads;
    draft.headGains.clear();
    for (Problem& problem : validate(draft)) {
      if (problem.field == "head_dim") {  // too many heads of this width
        problem = {"heads", problem.message, {Limits::kDModel / draft.headDim}};
      }
      if (problem.field == "d_model" || problem.field == "heads") {
        memory_.problems.push_back(std::move(problem));
      }
    }
    if (hasProblem("d_model") || hasProblem("heads")) return;
    panel_.commands.push(SetDimensions{dModel, heads, draft.numKvHeads, draft.headDim}, gesture);
  }

  void setTokens(Index tokens, const std::string& gesture) {
    clearProblem("tokens");
    AttentionConfig draft = config();
    draft.seqLen = tokens;
    draft.mask = {};
    for (Problem& problem : validate(draft)) {
      if (problem.field == "tokens") memory_.problems.push_back(std::move(problem));
    }
    if (!hasProblem("tokens")) panel_.commands.push(SetTokens{tokens}, gesture);
  }

  /// Draws the popup that says why a field is red, with the nearest valid values.
  void problemPopup() {
    if (memory_.problems.empty()) return;
    const Problem problem = memory_.problems.front();
    ImGui::SetNextWindowPos(
        {badField_.x, badField_.y + ImGui::GetFrameHeight() + look_.space.small});
    ImGui::SetNextWindowSize({look_.px(430), 0});
    ImGui::PushStyleColor(ImGuiCol_WindowBg, look_.theme.panel);
    ImGui::PushStyleColor(ImGuiCol_Border, look_.theme.bad);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(look_.space.large, look_.px(10)));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, look_.space.hair);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, look_.px(8));
    ImGui::Begin("problem", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoFocusOnAppearing |
                     ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoSavedSettings);
    wrappedLabel(look_.fonts.regular, look_.theme.bad, problem.message);
    for (std::size_t i = 0; i < problem.suggestions.size(); ++i) {
      if (i > 0) ImGui::SameLine();
      const Index value = problem.suggestions[i];
      const std::string text = problem.field == "d_model"
                                   ? fmt::format("use d_model {}", value)
                                   : fmt::format("use {} {}", value, problem.field);
      if (pill(look_, text.c_str(), true)) takeSuggestion(problem, value);
    }
    if (!problem.suggestions.empty()) ImGui::SameLine();
    if (problem.field == "heads") widthForHeads();
    if (pill(look_, "back to the previous value") || keyPressed(Key::escape))
      memory_.problems.clear();
    ImGui::End();
    ImGui::PopStyleVar(3);
    ImGui::PopStyleColor(2);
  }

  /// Offers a d_model that the requested heads divide and that keeps their d_k.
  void widthForHeads() {
    const AttentionConfig& c = config();
    const Index heads = memory_.draftHeads;
    const Index dModel = heads * c.dK();
    if (c.headDim > 0 || heads < 1 || dModel > Limits::kDModel) return;
    const std::string text = fmt::format("use d_model {}", dModel);
    ImGui::NewLine();
    if (pill(look_, text.c_str(), true)) setDimensions(dModel, heads, {});
    tip(look_, fmt::format("{} heads of {} each, as now", heads, c.dK()));
    ImGui::SameLine();
  }

  void takeSuggestion(const Problem& problem, Index value) {
    if (problem.field == "heads") {
      setDimensions(memory_.draftDModel, value, {});
    } else if (problem.field == "d_model") {
      setDimensions(value, memory_.draftHeads, {});
    } else if (problem.field == "tokens") {
      setTokens(value, {});
    }
  }

  /// Draws d_k as the quotient of the typed dimensions, or as it was set.
  void division() {
    const Index d = memory_.draftDModel;
    const Index h = memory_.draftHeads;
    const Index given = config().headDim;
    const bool good = h >= 1 && d >= 1 && (given > 0 || d % h == 0);
    const bool divides = good ? given == 0 || given * h == d : given == 0;
    const bool narrow = ImGui::GetWindowWidth() < look_.px(kNarrow);
    std::string text = !divides || narrow ? "d_k" : fmt::format("d_k = {} / {}", d, h);
    if (good) {
      AttentionConfig draft;
      draft.dModel = d;
      draft.numHeads = h;
      draft.headDim = given;
      text += fmt::format(" = {}", draft.dK());
      if (!compact_) {
        const double root = draft.rootDk();
        text +=
            fmt::format(", √{} {} {:.4g}", draft.dK(), root == std::round(root) ? "=" : "≈", root);
      }
    } else if (given > 0) {
      text += fmt::format(" = {}", given);
    } else if (h != 0) {
      const double quotient = static_cast<double>(d) / static_cast<double>(h);
      // as short as a whole number, so that nothing moves while one types; a message explains
      text += narrow ? fmt::format(" ≈ {:.0f}", quotient) : fmt::format(" = {:.2f}", quotient);
    }
    const ImVec2 size = richTextSize(look_.fonts, look_.fonts.mono, text);
    row_.place(size.x, narrow ? 8.0F : 14.0F);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    drawRichText(ImGui::GetWindowDrawList(), look_.fonts, look_.fonts.mono,
                 {at.x, at.y + (ImGui::GetFrameHeight() - size.y) * 0.5F},
                 good ? look_.theme.good : look_.theme.bad, text);
    ImGui::Dummy({size.x, ImGui::GetFrameHeight()});
    underline(at, look_.fonts.mono, richTextSize(look_.fonts, look_.fonts.mono, "d_k").x);
    tip(look_, termText("d_k") + "\n" + termText("d_v") + "\n" + termText("÷√d_k"));
  }

  void switches() {
    const AttentionConfig& c = config();
    const bool roomForBias = ImGui::GetWindowWidth() >= look_.px(kNarrow);
    bool bias = c.bias;
    if (roomForBias && termToggle("bias", &bias, 14))
      panel_.commands.push(SetSwitch{&AttentionConfig::bias, bias});
    bool causal = c.mask.causal;
    if (termToggle("causal", &causal, 12)) {
      Mask mask = c.mask;
      mask.causal = causal;
      panel_.commands.push(SetMask{std::move(mask)});
    }
    bool scale = c.scale;
    if (termToggle("÷√d_k", &scale, 12))
      panel_.commands.push(SetSwitch{&AttentionConfig::scale, scale});
    row_.place(buttonWidth(look_, "More ▾"), roomForBias ? 14.0F : 8.0F);
    if (pill(look_, "More ▾")) openMenu("more");
    tip(look_,
        "Batch, key/value heads, head width, temperature, window, padding, positions, weights");
    moreSettings(panel_, memory_, !roomForBias);
  }

  void undoRedo() {
    const float width = buttonWidth(look_, "↶");
    row_.place(width, 12);
    if (pill(look_, "↶", false, state_.canUndo)) panel_.commands.add(Undo{});
    tip(look_, state_.canUndo ? "Undo " + state_.undoName + " (ctrl+z)" : "Nothing to undo");
    row_.place(width, 5);
    if (pill(look_, "↷", false, state_.canRedo)) panel_.commands.add(Redo{});
    tip(look_, state_.canRedo ? "Redo " + state_.redoName + " (ctrl+shift+z)" : "Nothing to redo");
  }

  void looks() {
    row_.place(buttonWidth(look_, "Export ▾"), 12);
    if (pill(look_, "Export ▾")) openMenu("export");
    if (beginPopup("export")) {
      exportMenu(panel_);
      ImGui::EndPopup();
    }
    row_.place(buttonWidth(look_, "View ▾"), 6);
    if (pill(look_, "View ▾")) openMenu("view");
    if (beginPopup("view")) {
      viewMenu(look_, panel_.preferences, memory_.view);
      ImGui::EndPopup();
    }
    row_.place(buttonWidth(look_, "?"), 6);
    helpPill();
    const float pair = buttonWidth(look_, "A−") + look_.space.tight + buttonWidth(look_, "A+");
    // ctrl + and −, and the menu above, do this too; who enlarged it finds the way back here
    if (panel_.preferences.scale <= kMinScale && !row_.fits(pair, 6)) return;
    row_.place(pair, 6);
    if (pill(look_, "A−", false, panel_.preferences.scale > kMinScale))
      zoomInterface(panel_.preferences, -1);
    tip(look_, "Smaller interface (ctrl −)");
    ImGui::SameLine(0.0F, look_.space.tight);
    if (pill(look_, "A+", false, panel_.preferences.scale < kMaxScale))
      zoomInterface(panel_.preferences, 1);
    tip(look_, "Larger interface, for projectors (ctrl +)");
  }

  const PanelContext& panel_;
  const FrameContext& look_;
  TopBarMemory& memory_;
  const TopBarState& state_;
  bool compact_;
  WrappingRow row_;
  ImVec2 badField_;
};

}  // namespace

void TopBar::draw(const PanelContext& panel, const TopBarState& state) {
  // a narrow bar has less space around its texts
  constexpr float kTight = 0.8F, kTightest = 0.6F;
  const float width = ImGui::GetWindowWidth() / panel.look.scale;
  ImVec2 padding = ImGui::GetStyle().FramePadding;
  padding.x *= width < kNarrow ? kTightest : width < kRoomy ? kTight : 1.0F;
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, padding);
  TopBarRow(panel, memory_, state).draw();
  ImGui::PopStyleVar();
}

}  // namespace headscope::ui
