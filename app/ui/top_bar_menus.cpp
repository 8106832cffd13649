// The popups of the top bar: the less frequent settings, and the look of the window.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "app/ui/export_choice.h"
#include "app/ui/frame_commands.h"
#include "app/ui/head_purposes.h"
#include "app/ui/number_field.h"
#include "app/ui/panel.h"
#include "app/ui/preferences.h"
#include "app/ui/selection.h"
#include "app/ui/top_bar.h"
#include "app/ui/widgets.h"
#include "app/worksheet_pdf.h"
#include "core/attention/config.h"
#include "core/attention/limits.h"
#include "core/attention/switches.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/input/training_domain.h"

namespace headscope::ui {
namespace {

/// Draws a label on the left and moves the cursor to the widget's place on the right.
void caption(const FrameContext& look, const char* text, const char* explanation) {
  const float left = ImGui::GetCursorPosX();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  inlineLabel(look, look.fonts.regular, look.theme.text, text);
  const ImVec2 size = textSize(look.fonts.regular, text);
  underlineTerm(look, {at.x, at.y + (ImGui::GetFrameHeight() + size.y) * 0.5F}, size.x);
  tip(look, explanation);
  ImGui::SameLine(left + look.px(150));
}

/// Draws a field for a whole number with its problem below it.
template <typename ProblemWith>
std::optional<Index> numberSetting(const FrameContext& look, const WholeNumber& setting,
                                   NumberDraft& draft, const ProblemWith& problem) {
  const auto next = wholeNumberField(look, setting, draft, problem);
  problemBelow(look, draft);
  return next;
}

void batchAndGroups(const PanelContext& panel, TopBarMemory& memory) {
  const AttentionConfig& c = panel.document.config;
  AttentionConfig draft = c;
  caption(panel.look, tr("Batch"),
          tr("The number of items in the batch; sentences repeat in turn"));
  const auto batch =
      numberSetting(panel.look, {"batch", c.batch, Limits::kBatch, tr("give 1 or more")},
                    memory.batch, [&](Index n) {
                      draft.batch = n;
                      return problemOf("batch", draft);
                    });
  if (batch) panel.commands.push(SetBatch{*batch}, "batch");
  caption(panel.look, tr("Key/value heads"),
          tr("Fewer than heads: grouped-query attention (GQA); one: multi-query. Heads of a group "
             "share "
             "their keys and values, so the cache of a decoder shrinks."));
  const auto kvHeads =
      numberSetting(panel.look,
                    {"kv_heads", c.numKvHeads, c.numHeads,
                     trFormat("give a count that divides the {} heads", c.numHeads)},
                    memory.kvHeads, [&](Index n) {
                      draft.numKvHeads = n;
                      return problemOf("kv_heads", draft);
                    });
  if (kvHeads)
    panel.commands.push(SetDimensions{c.dModel, c.numHeads, *kvHeads, c.headDim}, "kv heads");
}

/// Draws the field that sets d_k by itself. Empty, or equal to the quotient, it follows d_model and
/// the heads again.
void headWidth(const PanelContext& panel, TopBarMemory& memory) {
  const AttentionConfig& c = panel.document.config;
  AttentionConfig draft = c;
  caption(
      panel.look, tr("Head width"),
      tr("d_k: the columns of Q, K and V for each head, usually d_model / heads. With another "
         "value, W_Q has heads × d_k rows and W_O as many columns. An empty field means d_model / "
         "heads. It also splits the weights of files that you open."));
  NumberDraft& field = memory.headDim;
  std::optional<Index> next = wholeNumberField(
      panel.look, {"head_dim", c.dK(), Limits::kDModel, tr("leave it empty for d_model / heads")},
      field, [&](Index n) {
        if (n < 1) return trFormat("d_k is {}: give 1 or more, or nothing for d_model / heads", n);
        draft.headDim = n;
        return problemOf("head_dim", draft);
      });
  if (field.typing && field.text.find_first_not_of(' ') == std::string::npos) {
    draft.headDim = 0;
    field.problem = problemOf("heads", draft);  // d_model may not divide
    if (field.problem.empty()) next = 0;
  }
  ImGui::SameLine();
  const std::string division =
      c.dModel % c.numHeads == 0
          ? fmt::format("{} / {} = {}", c.dModel, c.numHeads, c.dModel / c.numHeads)
          : fmt::format("{} / {}", c.dModel, c.numHeads);
  inlineLabel(panel.look, panel.look.fonts.small, panel.look.theme.textMuted,
              (c.dKDivides() ? "as " : "not ") + division);
  ImGui::NewLine();
  problemBelow(panel.look, field);
  if (!next) return;
  if (*next * c.numHeads == c.dModel) next = 0;
  if (*next == c.headDim) return;
  panel.commands.push(SetDimensions{c.dModel, c.numHeads, c.numKvHeads, *next}, "d_k");
}

void temperature(const PanelContext& panel, TopBarMemory& memory) {
  caption(panel.look, tr("Temperature"),
          tr("Scores are divided by it: below 1 sharpens the weights, above 1 evens them out"));
  temperatureFields(panel, memory.temperature, 110);
  problemBelow(panel.look, memory.temperature);
}

/// Returns whether a control of its own sets the switch: in the top bar, or elsewhere in this menu.
bool hasOwnControl(const Switch& each) {
  const std::array<decltype(Switch::field), 4> own{&Switches::bias, &Switches::scale,
                                                   &Switches::temperature, &Switches::alibi};
  return std::ranges::find(own, each.field) != own.end();
}

/// Draws a control for every switch without one of its own.
void otherSwitches(const PanelContext& panel, TopBarMemory& memory) {
  const AttentionConfig& c = panel.document.config;
  for (const Switch& each : allSwitches()) {
    if (hasOwnControl(each)) continue;
    std::string title = tr(each.title);
    title.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(title.front())));
    caption(panel.look, title.c_str(), tr(each.about));
    if (each.isFlag()) {
      bool on = valueOf(each, c) != 0.0;
      if (toggle(panel.look, tr(each.title), &on))
        panel.commands.push(setSwitch(each, on ? 1.0 : 0.0));
      continue;
    }
    NumberDraft& draft = memory.switches[each.key];
    const auto typed =
        realField(panel.look, tr(each.title), 70, valueOf(each, c), draft, tr(each.range));
    if (typed) {
      AttentionConfig changed = c;
      setValue(each, changed, *typed);
      draft.problem = problemOf(each.key, changed);
      if (draft.problem.empty())
        panel.commands.push(setSwitch(each, *typed), std::string(each.key));
    }
    problemBelow(panel.look, draft);
  }
}

/// Draws the switch of the sinks and the field for the chosen head's.
void sinks(const PanelContext& panel, TopBarMemory& memory) {
  AttentionConfig draft = panel.document.config;
  caption(
      panel.look, tr("Sinks"),
      tr("Each head has a score without a key in every softmax, as in gpt-oss: its weight goes "
         "nowhere, so that a query need not attend to anything. The field is the chosen head's."));
  bool on = !draft.sinks.empty();
  if (toggle(panel.look, tr("a sink in each head"), &on)) {
    // a score of 0 counts as much as a key with q·k = 0
    const std::vector<float> zeros(static_cast<std::size_t>(on ? draft.numHeads : 0), 0.0F);
    draft.sinks = zeros;
    const std::string problem = problemOf("sinks", draft);
    problem.empty() ? panel.commands.push(SetSinks{zeros}) : panel.commands.say(problem);
  }
  const auto head = static_cast<std::size_t>(panel.selection.head);
  if (head >= draft.sinks.size()) return;
  caption(panel.look, trFormat("Sink of head {}", head + 1).c_str(),
          tr("The score that stands beside the scores of the keys, after ÷√d_k"));
  const auto typed = realField(panel.look, "sink", 90, static_cast<double>(draft.sinks[head]),
                               memory.sink, tr("give a number, such as 0"));
  if (typed) {
    draft.sinks[head] = static_cast<float>(*typed);
    memory.sink.problem = problemOf("sinks", draft);
    if (memory.sink.problem.empty()) panel.commands.push(SetSinks{draft.sinks}, "sink");
  }
  problemBelow(panel.look, memory.sink);
}

/// Draws the switch of the pair bias and the field for the seed that it is drawn from.
void pairBias(const PanelContext& panel, TopBarMemory& memory) {
  const AttentionConfig& c = panel.document.config;
  caption(
      panel.look, tr("Pair bias"),
      tr("A number for each head and pair of tokens is added to their score, in the step Mask. "
         "AlphaFold 2 computes it from its representation of the two residues; T5 has one for each "
         "distance. Switched on here, it is drawn from a seed. Its cells can be edited like "
         "weights; "
         "those of pairs at one distance are one number in T5. --pair-bias reads a bias from a "
         "file."));
  const auto drawn = [&](std::uint64_t seed) {
    panel.commands.push(SetPairBias{PairBias::drawn(c.numHeads, c.seqLen, c.keys(), seed)},
                        "pair bias");
  };
  bool on = c.pairBias.on();
  const bool byDistance = on && !c.pairBias.ofPairs();
  if (toggle(panel.look,
             byDistance ? tr("a number for each distance") : tr("a number for each pair"), &on)) {
    on ? drawn(1) : panel.commands.push(SetPairBias{});
  }
  if (!c.pairBias.ofPairs()) return;
  const auto& seed = c.pairBias.settings().seed;
  caption(panel.look, tr("Seed of the bias"),
          seed ? tr("Another seed draws other numbers")
               : tr("The numbers are edited or from a file; a seed draws others in their place"));
  const auto next =
      numberSetting(panel.look,
                    {tr("pair bias seed"), static_cast<Index>(seed.value_or(0)),
                     std::numeric_limits<Index>::max(), tr("give 0 or more")},
                    memory.pairBiasSeed, [](Index n) {
                      return n >= 0 ? std::string() : trFormat("the seed is {}: give 0 or more", n);
                    });
  if (next) drawn(static_cast<std::uint64_t>(*next));
}

/// Parses numbers separated by commas into `lengths`. Returns the problem, else "".
std::string readLengths(std::string_view text, std::vector<Index>& lengths) {
  lengths.clear();
  if (text.find_first_not_of(' ') == std::string_view::npos) return {};
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(',', from), text.size());
    const std::string_view part = text.substr(from, to - from);
    const auto length = wholeNumber(part);
    if (!length) {
      return trFormat(
          "lengths: '{}' is not a whole number; give one per batch item, separated by commas, or "
          "nothing for no padding",
          part);
    }
    lengths.push_back(*length);
    from = to + 1;
  }
  return {};
}

void maskSettings(const PanelContext& panel, TopBarMemory& memory) {
  AttentionConfig draft = panel.document.config;
  const Mask& mask = panel.document.config.mask;
  caption(panel.look, tr("Window"), tr("A token sees only keys closer than this; 0: all keys"));
  const auto window = numberSetting(
      panel.look, {"window", mask.window, Limits::kTokens, tr("give 1 or more, or 0 for none")},
      memory.window, [&](Index n) {
        draft.mask.window = n;
        return problemOf("window", draft);
      });
  if (window) {
    draft.mask.window = *window;
    panel.commands.push(SetMask{draft.mask}, "window");
  }
  caption(panel.look, tr("Padding lengths"),
          tr("One number per batch item, separated by commas: later keys are padding and get no "
             "weight. Empty: no padding."));
  NumberDraft& lengths = memory.lengths;
  const std::string now = fmt::format("{}", fmt::join(mask.lengths, ", "));
  if (textBox(panel.look, "##lengths", 110, now, lengths)) {
    draft.mask = mask;
    lengths.problem = readLengths(lengths.text, draft.mask.lengths);
    if (lengths.problem.empty()) lengths.problem = problemOf("lengths", draft);
    if (lengths.problem.empty() && draft.mask != mask) {
      panel.commands.push(SetMask{draft.mask}, "lengths");
    }
  }
  problemBelow(panel.look, lengths);
}

void positions(const PanelContext& panel) {
  caption(panel.look, tr("Positions"),
          tr("How X encodes positions: in coordinates of their own, as Vaswani's sinusoids over "
             "all coordinates, or not at all. Without any positions and without a mask, reordering "
             "the tokens only reorders the rows of the output"));
  constexpr std::array<const char*, 3> kNames{trLater("own coordinates"),
                                              trLater("sinusoids over all"), trLater("off")};
  const int now = static_cast<int>(panel.document.positions);
  ImGui::SetNextItemWidth(panel.look.px(190));
  if (!beginCombo(panel.look, "##positions", tr(kNames[static_cast<std::size_t>(now)]))) return;
  for (int i = 0; i < static_cast<int>(kNames.size()); ++i) {
    if (ImGui::Selectable(tr(kNames[static_cast<std::size_t>(i)]), i == now) && i != now) {
      panel.commands.push(SetPositions{static_cast<Positions>(i)});
    }
  }
  ImGui::EndCombo();
}

/// Draws the field for theta, which sets how fast the rotary angles grow.
void rotaryTheta(const PanelContext& panel, TopBarMemory& memory) {
  AttentionConfig draft = panel.document.config;
  caption(
      panel.look, "RoPE's theta",
      tr("Pair j of a head's coordinates turns by theta^(−2j/d_k) per position: the larger theta, "
         "the slower the last pairs turn"));
  NumberDraft& field = memory.theta;
  const auto typed = realField(panel.look, "theta", 90, draft.rotary.theta, field,
                               tr("give one above 0 (10000 is usual)"));
  if (typed) {
    draft.rotary.theta = *typed;
    field.problem = *typed > 0.0 ? problemOf("rope_theta", draft)
                                 : tr("theta must be above 0 (10000 is usual)");
    if (field.problem.empty()) panel.commands.push(SetRotary{draft.rotary}, "theta");
  }
  problemBelow(panel.look, field);
}

/// Draws the choices of how many coordinates turn, and which of them pair.
void rotaryPairs(const PanelContext& panel) {
  const Index dK = panel.document.config.dK();
  Rotary rotary = panel.document.config.rotary;
  caption(panel.look, tr("Coordinates that turn"),
          tr("RoPE turns all coordinates of a head, or only the first ones, as in Phi and Pythia"));
  const auto inWords = [dK](Index turning) { return trFormat("{} of {}", turning, dK); };
  ImGui::SetNextItemWidth(panel.look.px(190));
  if (beginCombo(panel.look, "##coordinates that turn", inWords(rotary.turning(dK)))) {
    for (Index turning = dK; turning >= 2; turning /= 2) {
      if (turning % 2 != 0 || rotary.scaling == Rotary::Scaling::perPair) break;
      const bool chosen = turning == rotary.turning(dK);
      if (!ImGui::Selectable(inWords(turning).c_str(), chosen) || chosen) continue;
      rotary.dims = turning == dK ? 0 : turning;
      panel.commands.push(SetRotary{rotary});
    }
    ImGui::EndCombo();
  }
  caption(
      panel.look, tr("Pairs"),
      tr("Halves: coordinates j and j + n/2 turn together, as in Llama. Neighbours: 2j and 2j + 1, "
         "as in GPT-J and Command R."));
  const bool neighbours = rotary.pairing == Rotary::Pairing::neighbours;
  const int chosen = choices(panel.look, "", {tr("halves"), tr("neighbours")}, neighbours ? 1 : 0);
  if (chosen < 0) return;
  rotary.pairing = chosen == 1 ? Rotary::Pairing::neighbours : Rotary::Pairing::halves;
  panel.commands.push(SetRotary{rotary});
}

/// Draws the switches for positions in the scores.
void positionsInScores(const PanelContext& panel, TopBarMemory& memory) {
  const AttentionConfig& c = panel.document.config;
  // keeps a model's settings, so that switching it on again restores them
  if (c.rotary.on()) memory.rotary = c.rotary;
  caption(
      panel.look, tr("In the scores"),
      tr("RoPE: pairs of coordinates of each query and key turn by an angle that grows with the "
         "position, so that their product depends only on their distance (as in Llama). This is a "
         "step of its own between Split and Score. ALiBi: each head subtracts its own slope times "
         "the distance from its scores, in the step Mask. Not for cross-attention, whose keys are "
         "in another text."));
  constexpr std::array<const char*, 3> kNames{
      trLater("no positions"), trLater("RoPE: Q and K turn"), trLater("ALiBi: less by distance")};
  const std::size_t now = c.rotary.on() ? 1 : c.switches->alibi ? 2 : 0;
  ImGui::SetNextItemWidth(panel.look.px(190));
  if (beginCombo(panel.look, "##in the scores", tr(kNames[now]))) {
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      if (i == 2 && c.crossAttention()) continue;
      if (!ImGui::Selectable(tr(kNames[i]), i == now) || i == now) continue;
      if (i == 2 || (i == 0 && c.switches->alibi)) {
        panel.commands.push(SetSwitch{&Switches::alibi, i == 2});
      } else {
        panel.commands.push(SetRotary{i == 1 ? memory.rotary : Rotary{}});
      }
    }
    ImGui::EndCombo();
  }
  if (!c.rotary.on()) return;
  rotaryTheta(panel, memory);
  rotaryPairs(panel);
}

void weights(const PanelContext& panel, TopBarMemory& memory) {
  const WeightSource& source = panel.document.weightSource;
  caption(panel.look, tr("Weights"),
          tr("xavier: nn.MultiheadAttention's own start. normal: mean 0, standard deviation 0.1. "
             "identity: ones on the diagonal. learned: trained on generated sentences or series to "
             "answer "
             "questions about words or time steps, one head for each question. designed: heads "
             "built for "
             "stated purposes, not learned; heads without room for one are drawn as xavier."));
  const std::string shown = source.drawn() ? std::string(toString(source.init)) : source.loadedFrom;
  ImGui::SetNextItemWidth(panel.look.px(190));
  if (beginCombo(panel.look, "##init", shown)) {
    for (const WeightInit init : {WeightInit::learned, WeightInit::designed, WeightInit::xavier,
                                  WeightInit::normal, WeightInit::identity}) {
      // learned weights come from sentences or series and fit no other input
      const bool known = trainingDomainOf(*panel.document.source).has_value();
      if (init == WeightInit::learned && !known) continue;
      if (ImGui::Selectable(std::string(toString(init)).c_str(),
                            source.drawn() && init == source.init)) {
        panel.commands.push(DrawWeights{init, source.seed});
      }
    }
    ImGui::EndCombo();
  }
  const float left = ImGui::GetCursorPosX();
  if (headsAreTrained(panel.purposes)) {
    ImGui::SetCursorPosX(left + panel.look.px(150));
    if (howLearnedButton(panel)) ImGui::CloseCurrentPopup();
  }
  ImGui::SetCursorPosX(left + panel.look.px(150));
  toggle(panel.look, tr("Learn heads at new sizes"), &panel.preferences.learnHeads);
  tip(panel.look,
      tr("After a change of d_model, heads or bias, heads of the new size are learned in the "
         "background, and you see them form. Off: designed heads are used."));
  caption(panel.look, tr("Seed"),
          tr("Another seed draws other weights; the same seed always draws the same ones"));
  const auto seed = static_cast<Index>(source.seed);
  const auto next = numberSetting(
      panel.look, {"seed", seed, std::numeric_limits<Index>::max(), tr("give 0 or more")},
      memory.seed,
      [](Index n) { return n >= 0 ? std::string() : trFormat("seed is {}: give 0 or more", n); });
  if (next) {
    panel.commands.push(DrawWeights{source.init, static_cast<std::uint64_t>(*next)}, "seed");
  }
}

}  // namespace

void moreSettings(const PanelContext& panel, TopBarMemory& memory, bool withBias) {
  if (!beginPopup("more")) return;
  if (ImGui::IsWindowAppearing()) {  // unusable text is discarded with the popup
    for (NumberDraft* draft :
         {&memory.batch, &memory.kvHeads, &memory.headDim, &memory.temperature, &memory.window,
          &memory.lengths, &memory.theta, &memory.sink, &memory.pairBiasSeed, &memory.seed}) {
      *draft = {};
    }
    memory.switches.clear();
  }
  bool bias = panel.document.config.switches->bias;
  if (withBias && toggle(panel.look, tr("bias"), &bias))
    panel.commands.push(SetSwitch{&Switches::bias, bias});
  batchAndGroups(panel, memory);
  headWidth(panel, memory);
  temperature(panel, memory);
  otherSwitches(panel, memory);
  sinks(panel, memory);
  pairBias(panel, memory);
  maskSettings(panel, memory);
  positions(panel);
  positionsInScores(panel, memory);
  weights(panel, memory);
  ImGui::EndPopup();
}

void exportMenu(const PanelContext& panel) {
  constexpr std::pair<const char*, ExportKind> kItems[] = {
      {trLater("A tensor …"), ExportKind::tensor},
      {trLater("Every tensor …"), ExportKind::trace},
      {trLater("A picture …"), ExportKind::picture},
      {trLater("A PyTorch script …"), ExportKind::script}};
  for (const auto& [text, kind] : kItems) {
    const bool first = kind == ExportKind::tensor;
    if (ImGui::MenuItem(tr(text), first ? "ctrl+shift+e" : nullptr))
      panel.commands.add(ExportAs{kind});
  }
  if (panel.copiesPictures && ImGui::MenuItem(tr("Copy a picture"))) {
    panel.commands.add(CopyPicture{});
  }
  if (panel.filmable && ImGui::MenuItem(tr("A film …"))) {
    panel.commands.add(ExportAs{ExportKind::film});
  }
  if (panel.selection.page == kTrainPage && ImGui::MenuItem(tr("The run's curves (.csv) …"))) {
    panel.commands.add(ExportAs{ExportKind::curves});
  }
  if (drawsWorksheets() && ImGui::MenuItem(tr("A worksheet …"))) {
    panel.commands.add(ExportAs{ExportKind::worksheet});
  }
  ImGui::Separator();
  if (ImGui::MenuItem(tr("Trace: every tensor (.safetensors)"), "ctrl+shift+t")) {
    panel.commands.add(SaveTrace{});
  }
}

}  // namespace headscope::ui
