#include "app/ui/scenes_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "app/ui/compat.h"
#include "app/ui/frame_commands.h"
#include "app/ui/number_field.h"
#include "app/ui/panel.h"
#include "app/ui/selection.h"
#include "app/ui/text_field.h"
#include "app/ui/widgets.h"
#include "core/attention/config.h"
#include "core/attention/steps/step.h"
#include "core/base/translation.h"

namespace headscope::ui {
namespace {

class List {
 public:
  List(const PanelContext& panel, const ScenesPanel& list)
      : panel_(panel),
        look_(panel.look),
        list_(list),
        number_(buttonWidth(look_, "8")),
        set_(buttonWidth(look_, tr("set"))),
        remove_(buttonWidth(look_, "×")),
        gap_(look_.px(5)) {}

  void row(int number) {
    const auto& scenes = *list_.scenes;
    const auto found = std::find_if(scenes.begin(), scenes.end(),
                                    [number](const auto& s) { return s.number == number; });
    const bool there = found != scenes.end();
    const float left = ImGui::GetCursorPosX();
    const float title = ImGui::GetContentRegionAvail().x - number_ - set_ - remove_ - 3 * gap_;
    const bool current = there && found->document.get() == &panel_.document;
    ImGui::PushID(number);
    if (pill(look_, std::to_string(number).c_str(), current, there))
      panel_.commands.add(RecallScene{number});
    if (there) tip(look_, trFormat("Recall this scene (key {})", number));
    ImGui::SameLine(left + number_ + gap_);
    if (there) {
      wordsField(*found, {"##title", 0, "title"}, &formats::SceneWords::title, title);
    } else {
      inlineLabel(look_, look_.fonts.small, look_.theme.textMuted, tr("empty"));
    }
    ImGui::SameLine(left + number_ + title + 2 * gap_);
    if (pill(look_, tr("set"))) panel_.commands.add(SetScene{number});
    tip(look_, trFormat("Store the current screen as scene {} (ctrl+{})", number, number));
    if (there) {
      ImGui::SameLine(0.0F, gap_);
      if (pill(look_, "×")) panel_.commands.add(RemoveScene{number});
      tip(look_, tr("Remove this scene"));
    }
    if (there && list_.shown == number) spokenWords(*found, left + number_ + gap_);
    ImGui::PopID();
  }

 private:
  /// Draws the fields of the shown scene's sentence for the audience and its speaker's notes.
  void spokenWords(const formats::SavedScene& scene, float left) {
    const auto field = [&](const TextField& text, std::string formats::SceneWords::*part,
                           const char* about) {
      ImGui::SetCursorPosX(left);
      wordsField(scene, text, part, ImGui::GetContentRegionAvail().x);
      tip(look_, about);
    };
    field({"##sentence", 0, tr("a sentence for the audience")}, &formats::SceneWords::sentence,
          tr("Shown below in large letters while the scene is presented (F11)"));
    field({"##speaker", 0, tr("what you say")}, &formats::SceneWords::speaker,
          tr("Shown in the speaker's window only (F10)"));
  }

  void wordsField(const formats::SavedScene& scene, const TextField& field,
                  std::string formats::SceneWords::*part, float width) {
    std::string text = scene.words.*part;
    ImGui::SetNextItemWidth(width);
    pushFieldStyle(look_, false);
    if (textField(look_, field, text)) {
      panel_.commands.add(RewordScene{scene.number, part, text});
    }
    popFieldStyle();
  }

  const PanelContext& panel_;
  const FrameContext& look_;
  const ScenesPanel& list_;
  float number_, set_, remove_, gap_;
};

}  // namespace

void scenesPanel(const PanelContext& panel, const ScenesPanel& list) {
  const FrameContext& look = panel.look;
  wrappedLabel(
      look.fonts.small, look.theme.textMuted,
      tr("Stored states and views for a lecture. Keys 1 to 9 recall them, ctrl+1 to 9 set "
         "them; while one is presented (F11), page down and page up step through them. They "
         "are saved with the session."));
  ImGui::Dummy({0.0F, look.space.thin});
  beginPart("scene list", ImGui::GetContentRegionAvail(), ImGuiWindowFlags_NoBackground);
  List rows(panel, list);
  for (int number = 1; number <= formats::kScenes; ++number) rows.row(number);
  ImGui::EndChild();
}

std::string firstTitle(const Selection& selection) {
  const std::string& page = selection.page;
  if (page == kModelPage) return tr("Model");
  if (page == kTrainPage) return tr("Train");
  if (page == kLearnPage) return tr("Learn");
  const std::string_view place = page == kStagePage   ? tr("Stage")
                                 : page == kHeadsPage ? tr("Heads")
                                                      : step(selection.step).text({}).title;
  return trFormat("{}, head {}", place, selection.head + 1);
}

}  // namespace headscope::ui
