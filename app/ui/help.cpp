#include "app/ui/help.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/modal.h"
#include "app/ui/parts/tab_row.h"
#include "app/ui/rich_text.h"
#include "app/ui/widgets.h"
#include "core/base/translation.h"

namespace headscope::ui {
namespace {

constexpr const char* kToolsGroup = trLater("Tools");

/// The letters that open the tools.
ShortcutGroup toolKeys(const Cards& tools) {
  ShortcutGroup group{tr(kToolsGroup), {}};
  for (const auto& tool : tools.all()) {
    group.shortcuts.push_back({std::string(1, tool->text().key), tool->text().title});
  }
  return group;
}

}  // namespace

std::vector<ShortcutGroup> shortcutGroups(const Cards& tools) {
  std::vector<ShortcutGroup> groups{
      {tr("Steps"),
       {{"←  →", tr("one step back, one step forward")},
        {tr("home  end"), tr("to the first step, to the last")},
        {tr("page up, page down"), tr("the same as ← → while a cell is chosen")}}},
      {tr("Playing"),
       {{"space", tr("plays from the shown step; pauses; resumes")},
        {"←  →", tr("one moment back, one moment forward")},
        {"shift+←  →", tr("one step back, one step forward")},
        {tr("drag the bar"), tr("goes to any moment")},
        {"esc", tr("leaves the timeline")}}},
      {tr("Choosing a cell"),
       {{"point", tr("shows its value and its terms")},
        {"click", tr("chooses it: its arithmetic stays")},
        {"↓", tr("chooses the first cell if none is chosen")},
        {"← ↑ ↓ →", tr("to the next cell; with shift by 8")},
        {tr("home  end"), tr("along its row")},
        {"tab", tr("the next matrix; with shift the one before")},
        {"backspace", tr("one cell back on the trail")},
        {"esc", tr("deselects it")}}},
      {tr("Changing a cell"),
       {{"enter", tr("replaces the value: edits an operand, pins a result")},
        {tr("drag, wheel"), tr("changes its value")},
        {tr("right click"), tr("commands for its row, column, head, matrix")},
        {"shift+enter", tr("the same commands")},
        {"ctrl+c  ctrl+v", tr("copies, pastes cells as tab-separated numbers")},
        {"delete", tr("removes its pin")},
        {"ctrl+z", tr("undo")},
        {"ctrl+shift+z  ctrl+y", tr("redo")}}},
      toolKeys(tools),
      {tr("Whole models"),
       {{tr("double click"), tr("on a head: opens its layer in Flow")},
        {"ctrl+v", tr("a copied picture, for a model of images")}}},
      {tr("What is shown"),
       {{"v", tr("the next page: stage, flow, heads, train, model, learn")},
        {"h", tr("the next head; with shift the one before")},
        {"alt+x", tr("switches the head off or on; with shift all others")},
        {"g", tr("all heads, this head")},
        {"shift+g", tr("gradients, values")},
        {"q", tr("Q, K or V, where a step shows one of them")},
        {"ctrl+click", tr("a word of the stage: its numbers")},
        {"n", tr("the next sentence of the batch")},
        {"i", tr("inspector, history, scenes")}}},
      {tr("All heads"),
       {{tr("click  enter"), tr("opens a head; the space bar chooses it")},
        {tr("ctrl+click  ctrl+space"), tr("compares it with others")},
        {"wheel", tr("fewer or more tokens, around the mouse")},
        {"drag", "pans"}}},
      {tr("Train"),
       {{"enter", tr("trains, pauses; starts and stops a comparison")},
        {"→", tr("one step")},
        {"←  →", tr("back in the run, and forward again")},
        {"home", tr("from the start")},
        {"drag", tr("on the curves: goes back in the run")}}},
      {tr("Buttons and fields without the mouse"),
       {{"f2", tr("moves the keyboard to the open tool; again: the next card, with shift the "
                  "previous one")},
        {"← ↑ ↓ →", tr("to the next button or field")},
        {"space", tr("presses it")},
        {"enter", tr("types into a field")},
        {"esc", tr("gives the arrows back")}}},
      {tr("Text and fields"),
       {{"ctrl+e", tr("edits the text; enter takes it")},
        {tr("drag a token"), tr("puts it in another place")},
        {"↑  ↓", tr("in a number field: the next valid value")}}},
      {tr("Lessons and lectures"),
       {{"f11", tr("full screen, for an audience")},
        {tr("page down  →"), tr("question, answer, next scene")},
        {tr("page up  ←"), tr("back a scene")},
        {"f10", tr("a window for your lines")},
        {"l", tr("switches the pointer (a red ring) on or off")},
        {"1 … 9", tr("answers, or your own scenes; ctrl sets one")}}},
      {tr("Files"),
       {{"ctrl+s", tr("saves the session")},
        {"ctrl+shift+s", tr("saves it under another name")},
        {"ctrl+o", tr("opens a file or a model's folder")},
        {"ctrl+shift+e",
         tr("export: a tensor, a picture, a film, a PyTorch script, a run's curves")},
        {"ctrl+shift+t", tr("saves every tensor of the pass")},
        {tr("drop a file"),
         tr("a session, a lesson, a series (.csv), or tensors (.safetensors)")}}},
      {tr("Screen"),
       {{"f11", tr("presents the focused card, a recalled scene, or that under the mouse")},
        {tr("tab  f6"), tr("then: the next (f6 while a cell is chosen); esc: back")},
        {"ctrl +  ctrl −", tr("larger, smaller interface")},
        {tr("click a block"), tr("in the dimension flow: opens its step")},
        {"ctrl+k", tr("finds a page, a tool, a command, a term, an example")},
        {"?  f1", tr("this list")}}},
  };
  const auto after = std::find_if(groups.begin(), groups.end(), [](const ShortcutGroup& group) {
    return group.title == tr(kToolsGroup);
  });
  std::vector<ShortcutGroup> own;
  for (const auto& tool : tools.all()) {
    auto keys = tool->shortcuts();
    if (!keys.empty()) own.push_back({tool->text().title, std::move(keys)});
  }
  groups.insert(after + 1, own.begin(), own.end());
  return groups;
}

namespace {

constexpr ModalFrame kHelpFrame{"help", 1480.0F, 0.4F};
constexpr int kPages = 4;
constexpr const char* kWhereToBegin = trLater("Where to begin");

struct Entry {
  std::string lead;  // rich text
  std::string about;
};

/// A block of entries that stays together in one column.
struct HelpBlock {
  std::string title;  // empty: none
  std::vector<Entry> entries;
};

std::vector<HelpBlock> keyBlocks(const Cards& tools) {
  std::vector<HelpBlock> blocks;
  for (const ShortcutGroup& group : shortcutGroups(tools)) {
    blocks.push_back({group.title, {}});
    for (const Shortcut& shortcut : group.shortcuts) {
      blocks.back().entries.push_back({shortcut.keys, shortcut.does});
    }
  }
  return blocks;
}

std::vector<HelpBlock> termBlocks() {
  std::vector<HelpBlock> blocks;
  for (const auto& entry : glossary())
    blocks.push_back({{}, {{entry.shown, std::string(tr(entry.about))}}});
  return blocks;
}

/// Lays out blocks in columns, filled in order, with the least height that the order allows.
class Columns {
 public:
  /// `lead`: the width of the explained words; `least`: the least width of a column; both at scale
  /// 1.
  Columns(const FrameContext& look, std::vector<HelpBlock> blocks, float lead, float least,
          float width)
      : look_(look), blocks_(std::move(blocks)), lead_(look.px(lead)) {
    const float gap = look.px(28);
    const int count = std::max(1, static_cast<int>((width + gap) / (look.px(least) + gap)));
    column_ = (width - gap * static_cast<float>(count - 1)) / static_cast<float>(count);
    std::vector<float> heights;
    float all = 0.0F;
    for (const HelpBlock& block : blocks_) heights.push_back(heightOf(block));
    for (const float height : heights) all += height;
    // starts at the even share and grows until the blocks fit
    float most = all / static_cast<float>(count);
    while (!place(heights, count, gap, most)) most += look.space.small;
  }

  float height() const { return height_; }

  void draw() const {
    const ImVec2 origin = ImGui::GetCursorScreenPos();
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      draw(blocks_[i], {origin.x + places_[i].x, origin.y + places_[i].y});
    }
    ImGui::Dummy({column_, height_});
  }

 private:
  /// Places the blocks in columns of at most this height, except that a block may be higher by
  /// itself. Returns false if there are too few columns.
  bool place(const std::vector<float>& heights, int count, float gap, float most) {
    places_.clear();
    height_ = 0.0F;
    ImVec2 at(0.0F, 0.0F);
    int column = 0;
    for (const float height : heights) {
      if (at.y > 0.0F && at.y + height > most) {
        at = {at.x + column_ + gap, 0.0F};
        if (++column == count) return false;
      }
      places_.push_back(at);
      at.y += height;
      height_ = std::max(height_, at.y);
    }
    return true;
  }

  float titleHeight() const { return fontSize(look_.fonts.semibold) + look_.px(8); }
  float heightOf(const Entry& entry) const {
    ImFont* font = look_.fonts.regular;
    return textSize(font, wrapped(font, entry.about, column_ - lead_)).y + look_.px(7);
  }
  float heightOf(const HelpBlock& block) const {
    float height = block.title.empty() ? 0.0F : titleHeight() + look_.px(12);
    for (const Entry& entry : block.entries) height += heightOf(entry);
    return height;
  }

  void draw(const HelpBlock& block, ImVec2 at) const {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const Fonts& fonts = look_.fonts;
    if (!block.title.empty()) {
      drawText(list, fonts.semibold, at, look_.theme.text, block.title);
      at.y += titleHeight();
    }
    for (const Entry& entry : block.entries) {
      const float y = std::round(at.y);
      drawRichText(list, fonts, fonts.regular, {std::round(at.x), y}, look_.theme.accentText,
                   entry.lead);
      drawText(list, fonts.regular, {at.x + lead_, y}, look_.theme.text,
               wrapped(fonts.regular, entry.about, column_ - lead_));
      at.y += heightOf(entry);
    }
  }

  const FrameContext& look_;
  std::vector<HelpBlock> blocks_;
  float lead_;
  float column_ = 0.0F;
  std::vector<ImVec2> places_;
  float height_ = 0.0F;
};

/// The introduction for new users: the purpose of the program, and things to try.
std::vector<HelpBlock> firstBlocks() {
  return {
      {tr("Stage: one word"),
       {{tr("Attention"),
         tr("A language model reads a sentence word by word. Attention is how a word "
            "takes something from others: “slept” needs to know who.")},
        {tr("A sentence"), tr("Arcs lead from the chosen word to the words that it looks at, as "
                              "thick as their share. "
                              "Click another word.")},
        {tr("Heads"), tr("A head is one way of looking. Below: the same sentence in every head.")},
        {tr("The way"), tr("How it gets there: the word's way in nine places. Space plays it.")},
        {tr("Numbers"), tr("Show the numbers: the matrices at the same word, head and step.")}}},
      {tr("Flow: every number"),
       {{tr("Steps"), tr("At the left: the nine steps from X to the output, in their order.")},
        {tr("Picture"),
         tr("In the middle: the dimensions as they flow, and the matrices of the step.")},
        {tr("Heads"),
         tr("At the bottom: where each head looks. Rows are queries, columns are keys.")},
        {tr("Inspector"),
         tr("At the right of a wide window: the cell under the mouse or the chosen one.")}}},
      {tr("Try this"),
       {{"1", tr("Press space: one word's way through all steps plays. Space again pauses it.")},
        {"2", tr("On Flow, click a cell of a matrix: its arithmetic appears below. Turn the wheel "
                 "over it: "
                 "everything computed from it changes at once.")},
        {"3", tr("Type a sentence of your own: ctrl+e, on Stage and on Flow.")},
        {"4", tr("Click another head, then press alt+x to see what is lost without it.")},
        {"5",
         tr("On Flow, set heads to 7: 512 does not divide by 7, and the program offers ways out.")},
        {"6", tr("Choose the preset By hand: whole numbers that you can check on paper.")}}},
      {tr("Where to go on"),
       {{tr("Learn"),
         tr("Lessons, each with something to do in the live window, and twelve questions.")},
        {tr("Heads"), tr("Where each head looks, how heads differ, and why there are several.")},
        {tr("Train"),
         tr("Small models whose heads find their roles before your eyes; one of them reads stories "
            "and learns nothing but the next word.")},
        {tr("Model"),
         tr("Drop the folder of a language model on the window: all its heads, and why it says a "
            "word.")},
        {tr("Next pages"), tr("All keys, and what every term means: → or the tabs above.")}}},
  };
}

/// The blocks on the page Model and its controls.
std::vector<HelpBlock> modelBlocks() {
  return {
      {tr("A model and its text"),
       {{"open", tr("Drop a model's folder on the window. Click a token: the model's prediction "
                    "after it (or "
                    "in its place) appears below.")},
        {"weights", tr("All heads at once: each row of pictures is a layer. The wheel zooms in.")},
        {tr("what it does"),
         tr("Colours each head by what it does on this text, or by one metric.")},
        {"probe",
         tr("Repeated random tokens: a head can only use positions and earlier tokens there. The "
            "standard measure of induction.")},
        {"lines", tr("Compositions: pairs of heads in which the later one reads what the earlier "
                     "one writes.")},
        {"copying",
         tr("By the weights alone: above 0 where a head raises the logit of the tokens that it "
            "reads.")},
        {tr("gradient"),
         tr("How strongly the logit of the chosen word, or label, depends on each head's output.")},
        {tr("first token"),
         tr("Many heads put idle weight on it. Hiding its column shows the rest.")},
        {tr("special tokens"),
         tr("Shows or hides tokens that are not part of the text, such as [CLS].")},
        {"off", tr("Switches a head off; the new predictions appear next to the original ones.")},
        {tr("open in Flow"),
         tr("Opens the layer with all its tools; edits there run in the model.")}}},
      {tr("From words to prediction"),
       {{tr("Network"),
         tr("The residual stream and the network of the chosen layer: values, and how the word's "
            "logit "
            "changes with each.")},
        {tr("Layer by layer"),
         tr("Logit lens: the prediction if the model stopped at that layer.")},
        {tr("Who says it"),
         tr("What each head and network adds directly to a word's logit, or to the "
            "difference of two; all of them add up to it.")},
        {tr("Another output"),
         tr("Patching: replaces the chosen head's output by zero, its mean or its output on "
            "another text or picture. Shows the total effect on the logit and its direct part, "
            "which no later layer "
            "carries.")},
        {tr("Go on"), tr("The model makes further tokens, or a target: the most probable, sampled "
                         "by temperature, "
                         "top-k and seed, or by a beam search whose branches are shown; a click on "
                         "a token shows "
                         "its path. Stop ends it; take into the text keeps them.")},
        {tr("Every part"),
         tr("Activation patching: each head, each half of a layer or each place is replaced in "
            "turn, "
            "and everything after it runs again. Click a result to choose its head.")},
        {tr("Why"),
         tr("A chain of exact sums from the word, or from a head's score, back to the words that "
            "were "
            "read: who wrote it, from which tokens, why the head looks there, and who wrote that. "
            "Click a part to follow it; “all levels” shows the whole chain.")},
        {tr("KV cache"),
         tr("The keys and values of all tokens are cached, so a new token needs one row in each "
            "layer.")}}},
  };
}

Columns helpColumns(const FrameContext& look, const Cards& tools, int page, float width) {
  switch (page) {
    case 0:
      return {look, firstBlocks(), 92, 400, width};
    case 1:
      return {look, keyBlocks(tools), 152, 330, width};
    case 2:
      return {look, modelBlocks(), 128, 400, width};
    default:
      return {look, termBlocks(), 124, 440, width};
  }
}

void scrollByKeys(const FrameContext& look) {
  const float page = ImGui::GetWindowHeight() * 0.9F;
  const std::pair<Key, float> moves[] = {{Key::up, -look.px(40)},
                                         {Key::down, look.px(40)},
                                         {Key::pageUp, -page},
                                         {Key::pageDown, page},
                                         {Key::home, -ImGui::GetScrollMaxY()},
                                         {Key::end, ImGui::GetScrollMaxY()}};
  for (const auto& [key, by] : moves) {
    if (keyPressed(key)) {
      ImGui::SetScrollY(std::clamp(ImGui::GetScrollY() + by, 0.0F, ImGui::GetScrollMaxY()));
    }
  }
}

}  // namespace

void Help::pages(const FrameContext& look, const Cards& tools) {
  const float top = ImGui::GetCursorPosY();
  const float scrollbar = ImGui::GetStyle().ScrollbarSize + look.space.tight;
  const Columns columns =
      helpColumns(look, tools, page_, ImGui::GetContentRegionAvail().x - scrollbar);
  const float start = buttonWidth(look, tr(kWhereToBegin));
  const std::vector<Tab> tabs{{tr("What is this? Try this"), tr("the first minutes")},
                              {tr("Keys and mouse"), tr("what each key does")},
                              {tr("Whole models"), tr("the page Model")},
                              {tr("Terms"), tr("the terms on the screen")}};
  const int clicked =
      tabRow(look, "help pages", tabs, page_, tr("← → the other pages · ↑ ↓ scroll · esc closes"),
             start + look.space.large);
  const ImVec2 below = ImGui::GetCursorPos();
  ImGui::SetCursorPos({ImGui::GetWindowContentRegionMax().x - start, top - look.space.tight});
  if (pill(look, tr(kWhereToBegin))) {
    startAsked_ = true;
    open_ = false;
  }
  ImGui::SetCursorPos(below);
  if (clicked >= 0) page_ = clicked;
  if (keyPressed(Key::right, false) || keyPressed(Key::tab, false)) page_ = (page_ + 1) % kPages;
  if (keyPressed(Key::left, false)) page_ = (page_ + kPages - 1) % kPages;
  const float room = modalRoom(look) - (ImGui::GetCursorPosY() - top);
  ImGui::PushID(page_);
  ImGui::BeginChild("entries", {0, std::min(std::ceil(columns.height()), room)}, false,
                    ImGuiWindowFlags_NoBackground);
  columns.draw();
  scrollByKeys(look);
  ImGui::EndChild();
  ImGui::PopID();
}

void Help::draw(const FrameContext& look, const Cards& tools) {
  if (!open_) return;
  if (!beginModal(look, kHelpFrame, appearing_)) {
    open_ = false;
    return;
  }
  pages(look, tools);
  const bool appearing = std::exchange(appearing_, false);
  constexpr ImGuiHoveredFlags kOnIt =
      ImGuiHoveredFlags_RootAndChildWindows | ImGuiHoveredFlags_AllowWhenBlockedByActiveItem;
  const bool clickedOutside = ImGui::IsMouseClicked(0) && !ImGui::IsWindowHovered(kOnIt);
  const bool asked = charTyped('?') || keyPressed(Key::f1, false) || clickedOutside;
  if (keyPressed(Key::escape, false) || (asked && !appearing)) open_ = false;
  endModal(!open_);
}

}  // namespace headscope::ui
