#include "app/ui/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>

#include "app/ui/cells/cell_focus.h"
#include "app/ui/compat.h"
#include "app/ui/export_choice.h"
#include "app/ui/frame_commands.h"
#include "app/ui/frame_state.h"
#include "app/ui/head_switch.h"
#include "app/ui/help.h"
#include "app/ui/modal.h"
#include "app/ui/number_field.h"
#include "app/ui/panel.h"
#include "app/ui/preferences.h"
#include "app/ui/selection.h"
#include "app/ui/text_field.h"
#include "app/ui/top_bar.h"
#include "app/ui/widgets.h"
#include "app/worksheet_pdf.h"
#include "core/base/translation.h"
#include "core/formats/lesson_json.h"
#include "core/formats/shipped_model.h"
#include "core/input/input.h"
#include "core/presets/presets.h"
#include "core/words/glossary.h"

namespace headscope::ui {
namespace {

constexpr ModalFrame kSearchFrame{"search", 680.0F, 0.12F, true};
constexpr int kFoundRows = 11;

/// An entry that adds a command to the frame.
template <typename Command>
SearchEntry entryOf(std::string title, std::string keys, std::string about, Command command,
                    std::string also = {}) {
  return {std::move(title),
          tr("command"),
          std::move(keys),
          std::move(about),
          [command](const PanelContext& panel) { panel.commands.add(command); },
          std::move(also)};
}

std::vector<SearchEntry> commands(const PanelContext& panel) {
  const bool dark = panel.preferences.theme == ThemeKind::dark;
  std::vector<SearchEntry> entries{
      entryOf(tr("Open a file or a model's folder"), "ctrl+o",
              tr("A session, a lesson, a series, tensors, or the folder of a model"), AskToOpen{}),
      entryOf(tr("Save the session"), "ctrl+s", tr("What is on the screen, as a file"),
              SaveSession{}),
      entryOf(tr("Save the session under another name"), "ctrl+shift+s", "", SaveSession{true}),
      entryOf(tr("Undo"), "ctrl+z", tr("Takes back the last edit of what this page shows"), Undo{}),
      entryOf(tr("Redo"), "ctrl+shift+z", tr("Repeats the edit that was taken back"), Redo{}),
      entryOf(tr("Copy a link"), "", tr("A link that headscope in a browser opens"), CopyLink{}),
      entryOf(tr("Export a picture"), "", tr("As a PNG file"), ExportAs{ExportKind::picture},
              tr("screenshot image")),
      entryOf(tr("Export a tensor"), "ctrl+shift+e", tr("As safetensors, npy or csv"),
              ExportAs{ExportKind::tensor}),
      entryOf(tr("Export a PyTorch script"), "",
              tr("A script that repeats every step and compares"), ExportAs{ExportKind::script}),
      entryOf(tr("Save every tensor of the pass"), "ctrl+shift+t", "", SaveTrace{}),
      entryOf(tr("Keys and mouse"), "?", tr("What each key does"), OpenHelp{1},
              tr("shortcuts help")),
  };
  if (panel.copiesPictures) {
    entries.push_back(entryOf(tr("Copy a picture"), "",
                              tr("Onto the clipboard, to be pasted into a document"),
                              CopyPicture{}));
  }
  if (panel.filmable) {
    entries.push_back(entryOf(tr("Export a film"), "", tr("As a WebP, GIF or MP4 file, for slides"),
                              ExportAs{ExportKind::film}));
  }
  const auto add = [&](std::string title, std::string keys, std::string about, auto action,
                       std::string also = {}) {
    entries.push_back({std::move(title), tr("command"), std::move(keys), std::move(about),
                       std::move(action), std::move(also)});
  };
  if (drawsWorksheets()) {
    entries.push_back(entryOf(tr("Export a worksheet"), "",
                              tr("A PDF page to compute by hand, and its answers"),
                              ExportAs{ExportKind::worksheet}, tr("print exercise")));
  }
  add(
      tr("Type a sentence of your own"), "ctrl+e", tr("Every number follows as you type"),
      [](const PanelContext& p) { p.frame.asksForSentence = true; }, tr("text input words"));
  add(tr("Number of heads"), "",
      tr("What more heads change; the field “heads” in the bar at the top sets their number"),
      [](const PanelContext& p) {
        p.selection.page = kHeadsPage;
        p.headsView.effectTab = EffectTab::moreHeads;
        p.frame.inSight = "effects";
      });
  add(
      dark ? tr("Light theme") : tr("Dark theme"), "", tr("Changes the colours of the interface"),
      [dark](const PanelContext& p) {
        p.preferences.theme = dark ? ThemeKind::light : ThemeKind::dark;
      },
      tr("mode dark light night"));
  const auto opensModel = [&](const char* title, const char* about, const char* name) {
    add(title, "", about, [name](const PanelContext& p) {
      p.modelView.place = {name, {}};
      p.selection.page = kModelPage;
    });
  };
  opensModel(tr("A small language model"), tr("It has read little stories and says the next word"),
             formats::kStoriesModel);
  opensModel(tr("A small image model"), tr("It names the shape in a picture"),
             formats::kShapesModel);
  opensModel(tr("A model of repeated letters"), tr("Two layers of attention alone"),
             formats::kInductionModel);
  const bool safe = panel.preferences.palette == Palette::safe;
  add(
      safe ? tr("Usual colours") : tr("Colours safe in grey and for the colour-blind"), "",
      tr("Changes the colours of heads, of Q, K and V, and of good and bad"),
      [safe](const PanelContext& p) {
        p.preferences.palette = safe ? Palette::usual : Palette::safe;
      },
      tr("color palette contrast"));
  add(
      tr("Larger interface"), "ctrl +", tr("For projectors"),
      [](const PanelContext& p) { zoomInterface(p.preferences, 1); }, tr("font text size zoom"));
  add(
      tr("Smaller interface"), "ctrl −", "",
      [](const PanelContext& p) { zoomInterface(p.preferences, -1); }, tr("font text size zoom"));
  add(
      tr("Switch the chosen head off or on"), "alt+x", tr("See what is lost without it"),
      [](const PanelContext& p) { switchHead(p, p.selection.head); }, tr("prune ablate"));
  add(tr("Switch all heads on"), "", "", [](const PanelContext& p) { switchAllOn(p); });
  add(panel.selection.gradients ? tr("Show values") : tr("Show gradients"), "shift+g",
      tr("The step view shows gradients in place of values"),
      [](const PanelContext& p) { showGradients(p.view, !p.selection.gradients); });
  return entries;
}

void addPages(const PanelContext& panel, std::vector<SearchEntry>& entries, const Pages& pages) {
  for (const auto& page : pages.all()) {
    const std::string_view id = page->text().id;
    entries.push_back({page->text().title, tr("page"), "v", page->text().about,
                       [id](const PanelContext& to) { to.selection.page = id; }});
    for (const auto& card : page->cards().all()) {
      const CardText& text = card->text();
      const auto show = [id, of = page.get(), card = text.id](const PanelContext& to) {
        to.selection.page = id;
        of->reveal(to, card);
        to.frame.inSight = std::string(card);
      };
      if (!std::string_view(text.title).empty() && text.alone) {
        entries.push_back({text.title, tr("card"), {}, text.about, show});
      }
      for (CardTab& tab : card->tabs(panel)) {
        entries.push_back({std::move(tab.title),
                           tr("tab"),
                           {},
                           std::move(tab.about),
                           [show, open = std::move(tab.open)](const PanelContext& to) {
                             show(to);
                             open(to);
                           }});
      }
    }
  }
}

void addTools(std::vector<SearchEntry>& entries, const Cards& tools) {
  for (const auto& tool : tools.all()) {
    const CardText& text = tool->text();
    std::string key(text.key == 0 ? 0 : 1, static_cast<char>(text.key + 'a' - 'A'));
    entries.push_back({text.title, tr("tool"), std::move(key), text.about,
                       [id = text.id](const PanelContext& panel) {
                         panel.selection.page = kFlowPage;
                         panel.selection.tool = id;
                       }});
  }
}

void addWhatComesWithIt(std::vector<SearchEntry>& entries) {
  for (const lessons::Lesson& lesson : formats::shippedLessons()) {
    std::string also = lesson.id;  // its file's name: "05_why_divide"
    std::ranges::replace(also, '_', ' ');
    if (lesson.isQuiz) also += std::string(" ") + tr("quiz test exam");
    entries.push_back(
        {std::string(tr(lesson.title)),
         tr("lesson"),
         {},
         std::string(tr(lesson.about)),
         [id = lesson.id](const PanelContext& panel) { panel.commands.add(BeginLesson{id}); },
         std::move(also)});
  }
  const auto open = [](const Preset& preset, const char* kind, const std::string& about) {
    return SearchEntry{std::string(tr(preset.title)),
                       kind,
                       {},
                       std::string(tr(about)),
                       [made = std::make_shared<const Preset>(preset),
                        name = kind + (": " + preset.title)](const PanelContext& panel) {
                         panel.commands.add(OpenPreset{made, name});
                       }};
  };
  for (const Example& example : examples()) {
    SearchEntry entry = open(presetOf(example), tr("example"), example.about);
    entry.title = tr(example.title);
    if (const auto* text = std::get_if<TextSource>(&example.source)) {
      for (const std::string& words : text->texts) entry.about += fmt::format(" “{}”", words);
    }
    entries.push_back(std::move(entry));
  }
  for (const Preset& preset : presets())
    entries.push_back(open(preset, tr("preset"), preset.about));
  for (const GlossaryEntry& term : glossary()) {
    entries.push_back(
        {term.term,
         tr("term"),
         {},
         std::string(tr(term.about)),
         [](const PanelContext& panel) { panel.commands.add(OpenHelp{Help::kTermsPage}); },
         std::string(tr(term.also))});
  }
}

/// A text as it is compared: "multi-head" is found as "multihead", "W_O" as "wo".
std::string comparable(std::string_view text) {
  std::string letters = lowerCased(std::string(text));
  std::erase_if(letters,
                [](char c) { return std::string_view("-_^").find(c) != std::string_view::npos; });
  return letters;
}

/// The parts of an entry that words are looked for in.
struct Comparable {
  std::string title, also, rest;
  explicit Comparable(const SearchEntry& entry)
      : title(comparable(entry.title)),
        also(" " + comparable(entry.also)),
        rest(comparable(entry.kind + (" " + entry.about))) {}
};

/// How well a word fits an entry: 0 at the title's beginning, 1 at a word of it or of the words
/// that it is also found by, 2 within the title, 3 in the kind or the explanation; nothing: not at
/// all.
std::optional<int> fit(const Comparable& entry, const std::string& word) {
  if (entry.title.starts_with(word)) return 0;
  const std::string begins = " " + word;
  if (entry.title.find(begins) != std::string::npos) return 1;
  if (entry.also.find(begins) != std::string::npos) return 1;
  if (entry.title.find(word) != std::string::npos) return 2;
  if (entry.rest.find(word) != std::string::npos) return 3;
  return std::nullopt;
}

}  // namespace

std::vector<SearchEntry> searchEntries(const PanelContext& panel, const Pages& pages,
                                       const Cards& tools) {
  std::vector<SearchEntry> entries = commands(panel);
  addPages(panel, entries, pages);
  addTools(entries, tools);
  addWhatComesWithIt(entries);
  return entries;
}

std::vector<std::size_t> found(const std::vector<SearchEntry>& entries, std::string_view typed) {
  std::vector<std::string> words;
  std::istringstream stream(comparable(typed));
  for (std::string word; stream >> word;) words.push_back(word);
  std::vector<std::pair<int, std::size_t>> ranked;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Comparable entry(entries[i]);
    int rank = 0;
    const bool fits = std::ranges::all_of(words, [&](const std::string& word) {
      const std::optional<int> one = fit(entry, word);
      rank += one.value_or(0);
      return one.has_value();
    });
    if (fits) ranked.emplace_back(rank, i);
  }
  std::ranges::stable_sort(ranked, {}, &std::pair<int, std::size_t>::first);
  std::vector<std::size_t> places;
  for (const auto& [rank, place] : ranked) places.push_back(place);
  return places;
}

/// Draws the found entries, a line each.
void Search::results(const PanelContext& panel) {
  const FrameContext& look = panel.look;
  const Theme& t = look.theme;
  const float line = std::round(ImGui::GetFrameHeight() * 1.1F);
  ImGui::BeginChild("results", {0.0F, line * kFoundRows}, false, ImGuiWindowFlags_NoBackground);
  for (std::size_t i = 0; i < found_.size(); ++i) {
    const SearchEntry& entry = entries_[found_[i]];
    const ImVec2 a = ImGui::GetCursorScreenPos();
    const ImVec2 b(a.x + ImGui::GetContentRegionAvail().x, a.y + line);
    ImGui::PushID(static_cast<int>(i));
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0.0F, 0.0F));
    if (ImGui::InvisibleButton("entry", {b.x - a.x, line})) taken_ = &entry;
    ImGui::PopStyleVar();
    ImGui::PopID();
    if (ImGui::IsItemHovered() && look.mouseStill < 0.5) chosen_ = i;
    if (i == chosen_ && std::exchange(scrolls_, false)) ImGui::SetScrollHereY();
    if (!ImGui::IsItemVisible()) continue;
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (i == chosen_) list->AddRectFilled(a, b, t.accentSoft, look.px(5));
    const float y = a.y + (line - fontSize(look.fonts.regular)) * 0.5F;
    const float left = a.x + look.space.medium;
    const float kindWidth = look.px(84);
    const float keysWidth = textSize(look.fonts.small, entry.keys).x;
    const float right = b.x - look.space.medium - keysWidth;
    drawText(list, look.fonts.small, {left, y + look.px(1)}, t.textMuted, entry.kind);
    drawText(list, look.fonts.regular, {left + kindWidth, y}, t.text,
             elided(look.fonts.regular, entry.title, right - left - kindWidth - look.space.medium));
    drawText(list, look.fonts.small, {right, y + look.px(1)}, t.textMuted, entry.keys);
  }
  if (found_.empty()) {
    label(look.fonts.regular, t.textMuted,
          tr("Nothing here has these letters: try another word, or fewer."));
  }
  ImGui::EndChild();
}

void Search::draw(const PanelContext& panel, const Pages& pages, const Cards& tools) {
  if (!open_) return;
  const FrameContext& look = panel.look;
  const bool appears = std::exchange(appearing_, false);
  if (appears) {
    typed_.clear();
    entries_ = searchEntries(panel, pages, tools);
    found_ = found(entries_, typed_);
    chosen_ = 0;
  }
  if (!beginModal(look, kSearchFrame, appears)) {
    open_ = false;
    return;
  }
  taken_ = nullptr;
  if (appears) focusNextItem();
  ImGui::SetNextItemWidth(-1.0F);
  pushFieldStyle(look, false);
  const std::string before = typed_;
  const bool entered = textField(look,
                                 {"##search", ImGuiInputTextFlags_EnterReturnsTrue,
                                  tr("a page, a tool, a command, a term, an example, a lesson")},
                                 typed_) ||
                       keyPressed(Key::enter, false) || keyPressed(Key::keypadEnter, false);
  popFieldStyle();
  if (typed_ != before) {
    found_ = found(entries_, typed_);
    chosen_ = 0;
    scrolls_ = true;
  }
  const std::size_t last = found_.empty() ? 0 : found_.size() - 1;
  const std::size_t was = chosen_;
  if (keyPressed(Key::down)) chosen_ = std::min(chosen_ + 1, last);
  if (keyPressed(Key::up)) chosen_ -= chosen_ > 0 ? 1 : 0;
  scrolls_ = scrolls_ || chosen_ != was;
  ImGui::Dummy({0.0F, look.space.thin});
  results(panel);
  if (!found_.empty()) {
    const SearchEntry& entry = entries_[found_[std::min(chosen_, last)]];
    if (entered && !appears) taken_ = &entry;
    ImGui::Dummy({0.0F, look.space.thin});
    wrappedLabel(look.fonts.small, look.theme.textMuted,
                 entry.about.empty() ? std::string(" ") : entry.about);
  }
  if (taken_ != nullptr) taken_->open(panel);
  open_ = taken_ == nullptr && !keyPressed(Key::escape, false);
  endModal(!open_);
}

}  // namespace headscope::ui
