// The start panel: first steps for new users, next to the page, which it does not cover; one click
// closes it for good.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "app/ui/frame_commands.h"
#include "app/ui/frame_state.h"
#include "app/ui/learn/lesson_run.h"
#include "app/ui/model/model_view.h"
#include "app/ui/panel.h"
#include "app/ui/rich_text.h"
#include "app/ui/selection.h"
#include "app/ui/stage/stage_story.h"
#include "app/ui/stage/stage_view.h"
#include "app/ui/widgets.h"
#include "core/base/translation.h"
#include "core/document/trace.h"
#include "core/formats/lesson_json.h"
#include "core/formats/shipped_model.h"

namespace headscope::ui {
namespace {

class StartPanel {
 public:
  StartPanel(const PanelContext& panel, LessonRun& run)
      : panel_(panel), look_(panel.look), run_(run) {}

  void draw() {
    words(look_.fonts.title, look_.theme.text, tr("Where to begin"));
    const float foot = ImGui::GetFrameHeight() + look_.space.wide;
    ImGui::BeginChild("entries", {0.0F, ImGui::GetContentRegionAvail().y - foot}, false,
                      ImGuiWindowFlags_NoBackground);
    words(look_.fonts.small, look_.theme.textMuted,
          trFormat("One layer of attention over the {} above. Every number is computed, and "
                   "you can change each one.",
                   tokenNoun(panel_.trace.document()).whole)
              .c_str());
    const std::string token = tokenNoun(panel_.trace.document()).one;
    if (entry(trFormat("Watch a {} travel", token).c_str(),
              trFormat("Nine places, from the {} to its result; ninety seconds.", token).c_str()))
      play();
    lesson("03_by_hand", tr("Three words, two heads, numbers to check on paper."));
    lesson("02_one_head_two_jobs", tr("What one head has to share, and several need not."));
    if (entry(tr("Watch heads learn"),
              tr("A small model finds its heads' roles before your eyes."))) {
      panel_.selection.page = kTrainPage;
    }
    if (entry(tr("Your own model"),
              tr("All layers and heads of a model that writes, translates or sees."))) {
      panel_.selection.page = kModelPage;
    }
    if (entry(
            tr("A small language model"),
            tr("It has read little stories: see what it would say next, and which head knows."))) {
      panel_.modelView.place = {formats::kStoriesModel, {}};
      panel_.selection.page = kModelPage;
    }
    if (entry(tr("A small image model"),
              tr("It names drawn shapes: see on the picture where each head looks."))) {
      panel_.modelView.place = {formats::kShapesModel, {}};
      panel_.selection.page = kModelPage;
    }
    if (entry(tr("All lessons"),
              tr("From one word's question to real code, and twelve questions."))) {
      panel_.selection.page = kLearnPage;
    }
    ImGui::EndChild();
    gap();
    if (pill(look_, tr("Do not show again"))) panel_.commands.add(CloseStart{});
    tip(look_, tr("You find it again under “?”, and the lessons under Learn"));
  }

 private:
  void gap() { ImGui::Dummy({0.0F, look_.space.tight}); }
  void words(ImFont* font, ImU32 color, const char* text) {
    richParagraph(look_.fonts, font, color, text, ImGui::GetContentRegionAvail().x, look_.px(2));
  }

  bool entry(const char* title, const char* about) {
    gap();
    const bool clicked = pill(look_, title, true);
    words(look_.fonts.small, look_.theme.textMuted, about);
    return clicked;
  }

  /// Draws the button of a shipped lesson.
  void lesson(std::string_view id, const char* about) {
    const auto& all = formats::shippedLessons();
    const auto found = std::ranges::find(all, id, &lessons::Lesson::id);
    if (found == all.end() || !entry(found->title.c_str(), about)) return;
    run_.ask(*found);
  }

  void play() {
    panel_.selection.page = kStagePage;
    panel_.stageView.at = 0.0;
    panel_.frame.stagePlaying = true;
  }

  const PanelContext& panel_;
  const FrameContext& look_;
  LessonRun& run_;
};

}  // namespace

void startPanel(const PanelContext& panel, LessonRun& run) { StartPanel(panel, run).draw(); }

}  // namespace headscope::ui
