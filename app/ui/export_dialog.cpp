#include "app/ui/export_dialog.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

#include "app/ui/compat.h"
#include "app/ui/export_rows.h"
#include "app/ui/export_subject.h"
#include "app/ui/frame_commands.h"
#include "app/ui/modal.h"
#include "app/ui/model/chosen_head.h"
#include "app/ui/panel.h"
#include "app/ui/text_field.h"
#include "app/ui/widgets.h"
#include "app/worksheet_pdf.h"
#include "core/attention/steps/step.h"
#include "core/base/translation.h"
#include "core/document/trace.h"
#include "core/presets/worksheet.h"

namespace headscope::ui {
namespace {

constexpr ModalFrame kExportFrame{"export dialog", 640.0F, 0.45F};

class ExportForm {
 public:
  ExportForm(const PanelContext& panel, ExportDialogMemory& memory, const ExportSources& sources)
      : panel_(panel),
        look_(panel.look),
        memory_(memory),
        choice_(memory.choice),
        sources_(sources) {
    const bool ofModel = panel.selection.page == kModelPage;
    if (choice_.ofModel == ofModel) return;
    choice_.ofModel = ofModel;
    changed();
  }

  std::optional<ExportRequest> fill() {
    if (memory_.appearing) filmsACard();
    heading(look_, tr("Export"), tr("arrows move · space chooses · esc closes"));
    kinds();
    ImGui::Dummy({1, look_.space.thin});
    subject();
    switch (choice_.kind) {
      case ExportKind::tensor:
        choice_.ofModel ? modelTensor() : tensor();
        break;
      case ExportKind::trace:
        wrappedLabel(look_.fonts.small, look_.theme.textMuted,
                     choice_.ofModel
                         ? tr("Attentions, hidden states and logits in one file, in the "
                              "format of `headscope model --trace`.")
                         : tr("Every tensor of the pass in one file, in the format of "
                              "`headscope run --trace`."));
        break;
      case ExportKind::picture:
        pictureRows(panel_, memory_, sources_);
        break;
      case ExportKind::film:
        filmRows(panel_, memory_, sources_);
        break;
      case ExportKind::curves:
        wrappedLabel(
            look_.fonts.small, look_.theme.textMuted,
            tr("Loss, right answers and relations of the run over its steps, as `headscope "
               "train --log` writes them."));
        break;
      case ExportKind::chain:
        wrappedLabel(
            look_.fonts.small, look_.theme.textMuted,
            tr("The chain of the tab Why with all levels, as `headscope why --json` writes "
               "it. Picture draws it, as PNG, SVG or PDF."));
        break;
      case ExportKind::script:
        wrappedLabel(
            look_.fonts.small, look_.theme.textMuted,
            tr("A folder with check_attention.py and every tensor. The script repeats each step in "
               "PyTorch and compares; run it with python3."));
        break;
      case ExportKind::worksheet:
        worksheet();
        break;
    }
    const bool entered = name();
    return buttons(entered);
  }

 private:
  const AttentionConfig& config() const { return panel_.trace.config(); }

  void kinds() {
    std::vector<std::pair<const char*, ExportKind>> offered{
        {tr("Tensor"), ExportKind::tensor},
        {tr("Every tensor"), ExportKind::trace},
        {tr("Picture"), ExportKind::picture},
        {tr("PyTorch script"), ExportKind::script}};
    if (panel_.selection.page == kTrainPage) offered.emplace_back(tr("Curves"), ExportKind::curves);
    if (panel_.selection.page == kModelPage && sources_.model != nullptr &&
        panel_.modelView.prediction.reading == kWhyReading) {
      offered.emplace_back(tr("Chain"), ExportKind::chain);
    }
    if (!sources_.films.empty()) offered.emplace_back(tr("Film"), ExportKind::film);
    if (drawsWorksheets()) offered.emplace_back(tr("Worksheet"), ExportKind::worksheet);
    auto chosen =
        std::ranges::find(offered, choice_.kind, &std::pair<const char*, ExportKind>::second);
    if (chosen == offered.end()) {  // another page was opened
      chosen = offered.begin();
      choice_.kind = chosen->second;
      changed();
    }
    std::vector<const char*> titles;
    for (const auto& each : offered) titles.push_back(each.first);
    const int clicked = choices(look_, "kind", titles, static_cast<int>(chosen - offered.begin()));
    if (clicked < 0) return;
    choice_.kind = offered[static_cast<std::size_t>(clicked)].second;
    choice_.named = false;
    filmsACard();
    drawsTheChain();
    changed();
  }

  /// A film shows a card unless something else is chosen: the window has its controls in it.
  void filmsACard() {
    if (choice_.kind != ExportKind::film || !choice_.view.empty()) return;
    if (panel_.selection.page == kStagePage) choice_.view = kSentenceCard;
    if (panel_.selection.page == kFlowPage) choice_.view = kStepViewCard;
  }
  /// A picture next to the tab Why is of its chain unless something else is chosen.
  void drawsTheChain() {
    if (choice_.kind != ExportKind::picture || !choice_.view.empty()) return;
    if (isOffered(pictureViewOf(kModelChainCard), panel_.view)) choice_.view = kModelChainCard;
  }
  void changed() { memory_.changed(); }
  /// Returns whether tensors of a pass are written.
  bool ofPass() const {
    return choice_.kind == ExportKind::tensor || choice_.kind == ExportKind::trace ||
           choice_.kind == ExportKind::script;
  }

  /// Draws the choice of the pass that tensors and scripts come from.
  void subject() {
    if (!ofPass()) return;
    const bool script = choice_.kind == ExportKind::script;
    std::string words = layerInWords(panel_.document);
    if (choice_.ofModel) {
      if (sources_.model == nullptr) return;
      const model::ModelTrace& trace = *sources_.model->trace;
      words = script
                  ? layerOfModelInWords(trace, chosenHead(panel_.modelView, trace.config()).layer)
                  : modelInWords(trace);
    }
    exportCaption(look_, "of");
    wrappedLabel(look_.fonts.regular, look_.theme.text, words);
  }

  std::string withShape(TensorId id) const {
    return fmt::format("{}  {}", info(id).name, toString(shapeOf(id, config())));
  }

  void tensor() {
    const std::vector<TensorId> ids = formats::tensorsOf(config());
    if (std::find(ids.begin(), ids.end(), choice_.tensor) == ids.end()) {
      choice_.tensor = TensorId::weights;  // this pass has no memory, or no biases
      changed();
    }
    tensorMenu(ids, choice_.tensor, [this](TensorId id) { return withShape(id); });
    format();
  }

  void modelTensor() {
    if (sources_.model == nullptr) return;
    const model::ModelTrace& trace = *sources_.model->trace;
    const std::vector<formats::ModelTensor> offered = formats::tensorsOf(trace);
    if (std::ranges::find(offered, choice_.modelTensor) == offered.end()) {
      choice_.modelTensor = offered.front();  // this model has no readout
      changed();
    }
    const auto named = [&](formats::ModelTensor tensor) {
      return fmt::format("{}  {}", toString(tensor), toString(shapeOf(tensor, trace)));
    };
    tensorMenu(offered, choice_.modelTensor, named);
    format();
  }

  /// Draws the menu of the tensors that can be exported; a click chooses one.
  template <typename Id, typename Named>
  void tensorMenu(const std::vector<Id>& offered, Id& chosen, const Named& named) {
    exportCaption(look_, tr("tensor"));
    ImGui::SetNextItemWidth(look_.px(240));
    memory_.comboOpen = beginCombo(look_, "##tensor", named(chosen), ImGuiComboFlags_HeightLarge);
    if (!memory_.comboOpen) return;
    for (const Id id : offered) {
      const bool is = id == chosen;
      if (ImGui::Selectable(named(id).c_str(), is)) {
        chosen = id;
        changed();
      }
      if (is && ImGui::IsWindowAppearing()) ImGui::SetItemDefaultFocus();
    }
    ImGui::EndCombo();
  }

  void format() {
    exportCaption(look_, tr("format"));
    const int clicked = choices(look_, "format", {tr("safetensors"), tr("npy"), tr("csv")},
                                static_cast<int>(choice_.format));
    if (clicked < 0) return;
    choice_.format = static_cast<formats::TensorFormat>(clicked);
    changed();
  }

  void worksheet() {
    wrappedLabel(
        look_.fonts.small, look_.theme.textMuted,
        tr("Pages to compute by hand and pages with the answers: small whole numbers, others "
           "for each seed, so that every student has a sheet of their own."));
    exportCaption(look_, "of");
    const std::string problem = worksheetProblem(panel_.document);
    if (!problem.empty()) choice_.ofLayer = false;
    std::vector<const char*> of{tr("the by-hand example")};
    if (problem.empty()) of.push_back(tr("a layer of this size"));
    const int clicked = choices(look_, "worksheet of", of, choice_.ofLayer ? 1 : 0);
    if (clicked >= 0) {
      choice_.ofLayer = clicked == 1;
      changed();
    }
    if (!problem.empty()) wrappedLabel(look_.fonts.small, look_.theme.textMuted, problem);
    exportCaption(look_, tr("seed"));
    if (wholeNumber(look_, "seed", choice_.seed, memory_.seed, 1)) changed();
  }

  /// Draws the field of the name. Returns true if enter was pressed in it.
  bool name() {
    const bool folder = choice_.kind == ExportKind::script;
    exportCaption(look_, folder ? tr("folder") : tr("file"));
    if (std::exchange(memory_.appearing, false)) focusNextItem();
    ImGui::SetNextItemWidth(-1.0F);
    pushFieldStyle(look_, false);
    const std::string before = choice_.name;
    constexpr ImGuiInputTextFlags kFlags =
        ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll;
    const bool entered =
        textField(look_, {"##export name", kFlags, tr("a name, or a path")}, choice_.name);
    popFieldStyle();
    if (choice_.name != before) {
      choice_.named = !choice_.name.empty();
      fitFormat(choice_);
      memory_.answer.clear();
    }
    label(look_.fonts.small, look_.theme.textMuted,
          elided(look_.fonts.small, "in " + choice_.folder.string(),
                 ImGui::GetContentRegionAvail().x));
    return entered;
  }

  std::string problem() const {
    if (choice_.kind == ExportKind::picture) {
      for (const NumberDraft* draft : {&memory_.width, &memory_.height}) {
        if (!draft->problem.empty()) return tr("The size: ") + draft->problem + ".";
      }
    }
    if (choice_.kind == ExportKind::film) {
      if (std::string why = filmProblem(memory_); !why.empty()) return why;
    }
    if (choice_.kind == ExportKind::worksheet && !memory_.seed.problem.empty()) {
      return tr("The seed: ") + memory_.seed.problem + ".";
    }
    if (choice_.ofModel && sources_.model == nullptr && ofPass()) {
      return tr("No model is open: open one on this page first.");
    }
    return exportProblem(choice_);
  }

  /// Draws the button that copies a picture where the host can. Returns whether it was pressed.
  bool copies() {
    const bool picture =
        choice_.kind == ExportKind::picture && choice_.pictureFormat == PictureFormat::png;
    if (!picture || !panel_.copiesPictures) return false;
    const bool pressed = pill(look_, tr("Copy"), false, !memory_.writing);
    tip(look_, tr("Puts the picture onto the clipboard, to be pasted into a document"));
    ImGui::SameLine(0.0F, look_.px(8));
    return pressed;
  }

  std::optional<ExportRequest> buttons(bool entered) {
    const std::string why = problem();
    const std::string replaces = why.empty() ? exportReplaces(choice_) : "";
    const bool said = !memory_.answer.empty();
    if (memory_.writing && sources_.filmed) {
      filmProgress(look_, *sources_.filmed);
    } else if (memory_.writing) {
      wrappedLabel(look_.fonts.small, look_.theme.textMuted, "writing …");
    } else if (said) {
      wrappedLabel(look_.fonts.small, memory_.answerIsError ? look_.theme.bad : look_.theme.good,
                   memory_.answer);
    } else if (!why.empty()) {
      wrappedLabel(look_.fonts.small, look_.theme.bad, why);
    } else if (!replaces.empty()) {
      wrappedLabel(look_.fonts.small, look_.theme.keyText, replaces);
    }
    ImGui::Dummy({1, look_.space.thin});
    const bool can = why.empty() && !memory_.writing;
    const bool asked = primaryPill(look_, tr("Export"), can) || (entered && can);
    ImGui::SameLine(0.0F, look_.px(8));
    if (memory_.writing && sources_.filmed) {
      if (pill(look_, tr("Stop"))) panel_.commands.add(StopLearning{});
      tip(look_, tr("Stops the film; no file is written."));
      ImGui::SameLine(0.0F, look_.px(8));
    }
    bool copied = copies();
    if (!memory_.writing && std::exchange(memory_.copies, false)) copied = true;
    if (pill(look_, tr("Close"))) memory_.open = false;
    if (copied) {
      memory_.answer.clear();
      memory_.writing = true;
      ExportRequest request = exportRequest(choice_, panel_.view);
      request.copies = true;
      return request;
    }
    if (!asked) return std::nullopt;
    choice_.folder = exportPath(choice_).parent_path();
    choice_.name = exportPath(choice_).filename().string();
    memory_.answer.clear();
    memory_.writing = true;
    return exportRequest(choice_, panel_.view);
  }

  const PanelContext& panel_;
  const FrameContext& look_;
  ExportDialogMemory& memory_;
  ExportChoice& choice_;
  const ExportSources& sources_;
};

}  // namespace

void ExportDialogMemory::changed() {
  fitName(choice);
  answer.clear();
}

void ExportDialog::ask(ExportKind kind) {
  memory_.open = memory_.appearing = true;
  memory_.answer.clear();
  if (memory_.choice.folder.empty()) {
    std::error_code code;
    memory_.choice.folder = std::filesystem::current_path(code);
  }
  memory_.choice.kind = kind;
  memory_.choice.named = false;
  fitName(memory_.choice);
}

void ExportDialog::askForCopy() {
  ask(ExportKind::picture);
  memory_.choice.pictureFormat = PictureFormat::png;
  memory_.copies = true;
}

void ExportDialog::finished(const std::string& answer, bool isError) {
  memory_.writing = false;
  memory_.answer = answer;
  memory_.answerIsError = isError;
}

std::optional<ExportRequest> ExportDialog::draw(const PanelContext& panel,
                                                const ExportSources& sources) {
  if (!memory_.open) return std::nullopt;
  if (memory_.appearing) memory_.choice.theme = panel.preferences.theme;
  const bool comboWasOpen = std::exchange(memory_.comboOpen, false);
  if (!beginModal(panel.look, kExportFrame, memory_.appearing)) {
    memory_.open = false;
    return std::nullopt;
  }
  auto request = ExportForm(panel, memory_, sources).fill();
  if (keyPressed(Key::escape, false) && !comboWasOpen) memory_.open = false;
  endModal(!memory_.open);
  return request;
}

}  // namespace headscope::ui
