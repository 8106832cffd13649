// The effects of a frame's commands.
#include <fmt/format.h>

#include <variant>
#include <vector>

#include "app/app_state.h"
#include "app/ui/export_choice.h"
#include "core/base/translation.h"
#include "core/formats/lesson_json.h"
#include "core/presets/presets.h"
#include "core/training/learned_weights.h"

namespace headscope {
namespace {

template <typename... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <typename... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;  // Clang 16 and older do not deduce it

}  // namespace

void App::State::run(const ui::FrameCommands& commands) {
  const Overloaded one{
      [&](const ui::PushEdit& c) { documents.apply(c.edit, c.gesture); },
      [](const ui::KeepGesture&) {},  // read at the end of the frame
      [&](const ui::Undo&) { undo(false); },
      [&](const ui::Redo&) { undo(true); },
      [&](const ui::JumpTo& c) { documents.jumpTo(c.state); },
      [&](const ui::CompareWith& c) { compareWith(c.state); },
      [&](const ui::OpenDocument& c) {
        documents.open(c.document, c.name);
        if (!c.chosen) return;
        ui::ViewState chosen = view;
        chosen.selection.head = c.chosen->head;
        chosen.selection.cell = c.chosen;
        sessions.showWith(c.document, chosen);
      },
      [&](const ui::OpenPreset& c) { openPreset(c); },
      [&](const ui::StopLearning&) {
        if (documents.learning()) return documents.stopLearning();
        exports.film() ? exports.stopFilm() : sessions.stopLink();
      },
      [&](const ui::SetModelText& c) { model.live.setText(c.text); },
      [&](const ui::OpenFile& c) { dropped.push_back(c.path); },
      [&](const ui::ChooseFiles& c) { chooseFiles(c.folder); },
      [&](const ui::SaveTrace&) { exports.askForTrace(view.selection); },
      [&](const ui::ExportAs& c) {
        exports.dialog().ask(c.kind);
        wantsFrame = true;
      },
      [&](const ui::CopyPicture&) {
        exports.dialog().askForCopy();
        wantsFrame = true;
      },
      [&](const ui::AskToOpen&) {
        chooseFiles != nullptr ? chooseFiles(false) : sessions.askToOpen();
      },
      [&](const ui::SaveSession& c) { sessions.save(c.elsewhere); },
      [&](const ui::CopyLink&) { sessions.copyLink(); },
      [&](const ui::RecallScene& c) { sessions.recallScene(c.number); },
      [&](const ui::SetScene& c) { sessions.setScene(c.number, presenter.on()); },
      [&](const ui::RemoveScene& c) { sessions.removeScene(c.number); },
      [&](const ui::RewordScene& c) { sessions.rewordScene(c.number, c.part, c.text); },
      [&](const ui::BeginLesson& c) { beginLesson(c.id); },
      [&](const ui::OpenHelp& c) { help.open(c.page); },
      [&](const ui::OpenSearch&) { search.open(); },
      [&](const ui::CloseStart&) { progress.closeStart(); },
      [&](const ui::Say& c) { documents.say(c.sentence, c.isError); },
  };
  for (const ui::FrameCommand& command : commands.all()) {
    std::visit(one, command);
    if (!std::holds_alternative<ui::KeepGesture>(command)) wantsFrame = true;
  }
  if (documents.ownIsAside()) return;  // the model's edits belong to the own document
  for (const Edit& edit : model.live.takeFlowEdits()) documents.apply(edit, "");
}

void App::State::undo(bool again) {
  if (modelIsShown()) return again ? model.live.redo() : model.live.undo();
  if (layerIsShown()) return again ? documents.redo() : documents.undo();
  if (trainIsShown() && again) return trainHistory.redo(view.train);
  if (trainIsShown() && trainHistory.canUndo()) return trainHistory.undo(view.train);
  documents.say(
      tr("this page has nothing to undo: edits of the layer are undone on Stage, Flow and "
         "Heads, those of a model on Model, the choices of a run on Train"));
}

/// Begins a shipped lesson with the next frame; an open one continues.
void App::State::beginLesson(std::string_view id) {
  for (const lessons::Lesson& shipped : formats::shippedLessons()) {
    if (shipped.id != id) continue;
    if (lesson.open() && lesson.lesson().id == id) {
      documents.say(trFormat("the lesson “{}” is open at the left", shipped.title), false);
    } else {
      lesson.ask(shipped);
    }
  }
}

/// Opens a preset as at program start: resets all settings, drawings and selections.
void App::State::openPreset(const ui::OpenPreset& opened) {
  documents.attempt([&] {
    const Preset& preset = *opened.preset;
    const auto domain = trainingDomainOf(preset.source);
    const bool there = domain && formats::learnedAsset(preset.config, *domain, 1).has_value();
    const WeightSource weights{preset.unlearned ? WeightInit::xavier
                               : there          ? WeightInit::learned
                                                : WeightInit::designed,
                               1,
                               {}};
    std::vector<Edit> edits{
        Open{makePreset(preset, weights, documents.memoryBudget()), opened.name}};
    const bool given = preset.explicitWeights || preset.unlearned;
    if (domain && !there && !given && view.preferences.learnHeads) {
      edits.emplace_back(DrawWeights{WeightInit::learned, 1});
    }
    documents.applyTogether(edits, opened.name);
    ui::resetSelection(view);
    playback = {};
  });
}

void App::State::compareWith(std::size_t index) {
  documents.attempt([&] {
    const History& history = documents.history();
    reference.keep({history.at(index), index == 0 ? "start" : "after " + history.nameAt(index)});
    view.selection.against = ui::Against::state;
    view.selection.tool = ui::kChangesTool;
  });
}

}  // namespace headscope
