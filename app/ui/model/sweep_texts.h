// Sweep texts: the choice of the texts that a sweep runs over: the page's own text, texts of a
// template, or those of a file; and the work of such a sweep.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/ui/model/prediction_views.h"
#include "core/formats/text_set.h"
#include "core/model/texts_sweep.h"

namespace headscope::ui {

using TextSet = std::shared_ptr<const std::vector<formats::TextOfSet>>;

struct ChosenTexts {
  TextSet set;          // null: the page's own text
  std::string name;     // "Indirect objects", "ioi.jsonl"
  bool ready = false;   // otherwise the set is being read, or cannot be
  bool ofBoth = false;  // a born model reads them as well (born_heads.h)
};
/// Draws the choice of texts, and what keeps a set from being read.
ChosenTexts chooseTexts(const PanelContext& panel, const ModelMoment& moment);
/// Returns whether texts are chosen that have answers, all of them, which are read in the place of
/// the page's word.
bool allAnswered(const PanelContext& panel, const ModelMoment& moment);
/// Draws the choice of a set in a menu, for a card with little room.
ChosenTexts chooseSet(const PanelContext& panel, const ModelMoment& moment);
/// The text of a set as the moment's model reads it, of two stacks as a source. Throws UserError
/// for a text without tokens.
model::ModelInput inputOfSet(const ModelMoment& moment, const formats::TextOrIds& text);

/// Draws the choice of the texts of a mean: the page's own, or those of a template.
ChosenTexts chooseMeanTexts(const PanelContext& panel, const ModelMoment& moment);

struct SweepTexts {
  TextSet set;            // null: the page's own text
  std::string otherText;  // the other one of the page's own
  bool swapped = false;   // the other texts are run, with values of the first
  bool wordChosen = false;
  TextSet meanOf = nullptr;  // the texts of a mean; null: those of the sweep
};
/// The work of a sweep over the chosen texts.
std::shared_ptr<model::TextsSweep> sweepOf(const AskedWord& asked, const SweepTexts& chosen,
                                           model::SweepSetting setting,
                                           const ExecutionContext& execution);

/// A set's text as the page's field takes it.
std::string shownText(const ModelMoment& moment, const formats::TextOrIds& text);

}  // namespace headscope::ui
