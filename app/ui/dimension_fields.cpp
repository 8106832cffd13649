#include "app/ui/dimension_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "app/ui/compat.h"
#include "app/ui/frame_commands.h"
#include "app/ui/frame_state.h"
#include "app/ui/panel.h"
#include "app/ui/rich_text.h"
#include "app/ui/widgets.h"
#include "core/attention/limits.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/words/cost.h"

namespace headscope::ui {
namespace {

class DimensionFields {
 public:
  DimensionFields(const PanelContext& panel, TopBarMemory& memory, WrappingRow& row)
      : panel_(panel), look_(panel.look), memory_(memory), row_(row) {}

  void draw() {
    dimensions();
    division();
  }

 private:
  const AttentionConfig& config() const { return panel_.document.config; }

  NumberChange field(const char* name, Index value, NumberDraft& draft, bool bad, float width,
                     const std::string& explanation) {
    const float word = textSize(look_.fonts.mono, tr(name)).x + look_.space.small;
    row_.place(word + look_.px(width + 18), 10);
    if (bad) badField_ = ImGui::GetCursorScreenPos();
    ImGui::BeginGroup();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    inlineLabel(look_, look_.fonts.mono, look_.theme.textMuted, tr(name));
    underlineInRow(look_, at, look_.fonts.mono, textSize(look_.fonts.mono, tr(name)).x);
    const NumberChange change = numberField(look_, {name, value, bad, width}, draft);
    ImGui::EndGroup();
    const auto& spotlight = panel_.frame.spotlight;
    if (std::ranges::find(spotlight, litField(name)) != spotlight.end()) {
      const Rect lit = Rect{ImGui::GetItemRectMin(), ImGui::GetItemRectMax()}.outset(look_.px(3));
      ImGui::GetWindowDrawList()->AddRect(lit.a, lit.b, look_.theme.accent, look_.px(6), 0,
                                          look_.px(1.5F));
    }
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
        {field, trFormat("{}: '{}' is not a whole number", field, draft.text), {}});
  }

  void dimensions() {
    const AttentionConfig& c = config();
    const std::array<Index, 3> now{c.dModel, c.numHeads, c.seqLen};
    // a refused number belongs to the document that it was typed for
    if (std::exchange(memory_.known, now) != now && !memory_.problems.empty()) {
      memory_.problems.clear();
      memory_.dModel = memory_.heads = memory_.tokens = {};
    }
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
        termText("head") + (c.headDim > 0 ? tr(" Each head is d_k wide, whatever their number.")
                                          : tr(" The arrows go to the next count that divides.")));
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
        field(trLater("tokens"), c.seqLen, memory_.tokens, hasProblem("tokens"), 52,
              termText("token") + tr(" A longer input repeats the text, a shorter one cuts it.") +
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
                                   ? trFormat("use d_model {}", value)
                                   : trFormat("use {} {}", value, tr(problem.field.c_str()));
      if (pill(look_, text.c_str(), true)) takeSuggestion(problem, value);
    }
    if (!problem.suggestions.empty()) ImGui::SameLine();
    if (problem.field == "heads") widthForHeads();
    if (pill(look_, tr("back to the previous value")) || keyPressed(Key::escape))
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
    const std::string text = trFormat("use d_model {}", dModel);
    ImGui::NewLine();
    if (pill(look_, text.c_str(), true)) setDimensions(dModel, heads, {});
    tip(look_, trFormat("{} heads of {} each, as now", heads, c.dK()));
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
    const bool narrow = barIsNarrow(look_, memory_);
    std::string text = !divides || narrow ? "d_k" : fmt::format("d_k = {} / {}", d, h);
    if (good) {
      AttentionConfig draft;
      draft.dModel = d;
      draft.numHeads = h;
      draft.headDim = given;
      text += fmt::format(" = {}", draft.dK());
      if (!barIsCompact(look_, memory_)) {
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
    underlineInRow(look_, at, look_.fonts.mono,
                   richTextSize(look_.fonts, look_.fonts.mono, "d_k").x);
    tip(look_, termText("d_k") + "\n" + termText("d_v") + "\n" + termText("÷√d_k"));
  }

  const PanelContext& panel_;
  const FrameContext& look_;
  TopBarMemory& memory_;
  WrappingRow& row_;
  ImVec2 badField_;
};

}  // namespace

void underlineInRow(const FrameContext& look, ImVec2 at, ImFont* font, float width) {
  underlineTerm(look, {at.x, at.y + (ImGui::GetFrameHeight() + fontSize(font)) * 0.5F}, width);
}

void dimensionFields(const PanelContext& panel, TopBarMemory& memory, WrappingRow& row) {
  DimensionFields(panel, memory, row).draw();
}

}  // namespace headscope::ui
