// Swept parts: a sweep as far as it has run, for the card that shows it: the numbers of each part,
// over the texts of a set or on the page's text, and what each kind of number means.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/ui/model/sweep_texts.h"
#include "core/model/texts_sweep.h"

namespace headscope::ui {

using model::EffectKind;

struct Swept {
  model::SweptTexts found;
  TextSet set;           // null: the page's own text
  bool ofOther = false;  // the other text, or the corrupted texts, are run
  bool ended = false;    // otherwise more texts follow, or some parts have only estimates yet
  model::PatchEffect base;
  std::vector<model::PatchEffect> parts;  // the means
  std::array<std::vector<double>, model::kEffectKinds> spreads;

  bool many() const { return found.effects.texts() > 1; }
  std::optional<double> value(std::size_t part, EffectKind kind) const {
    return valueOf(base, parts[part], kind);
  }
  /// Returns whether the parts have numbers of this kind by now.
  bool has(EffectKind kind) const;
};

/// Runs a sweep unit by unit. It shows the estimates before the patched runs have ended, then the
/// largest effects, and each further text of a set.
class ShownSweep {
 public:
  ShownSweep(std::shared_ptr<model::TextsSweep> sweep, TextSet set, bool ofOther)
      : sweep_(std::move(sweep)), set_(std::move(set)), ofOther_(ofOther) {}

  bool runUnit() { return ended_ = sweep_->runUnit(); }
  /// The result so far, where it is news.
  std::optional<Swept> news();

 private:
  std::shared_ptr<model::TextsSweep> sweep_;
  TextSet set_;
  bool ofOther_;
  /// The numbers of texts and of replaced parts in the last news.
  std::optional<std::pair<std::size_t, std::ptrdiff_t>> shown_;
  bool ended_ = false;
};

struct EffectText {
  const char* title;
  const char* about;
};
EffectText textOf(EffectKind kind);
/// Returns whether a number is a change, which may be below 0.
inline bool isChange(EffectKind kind) {
  return kind != EffectKind::looks && kind != EffectKind::divergence;
}

}  // namespace headscope::ui
