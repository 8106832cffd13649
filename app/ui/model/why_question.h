// Why question: the number that the tab Why takes apart: the logit of the chosen word, or a score
// of a head.
#pragma once

#include <memory>
#include <optional>

#include "app/model_moment.h"
#include "core/model/why.h"

namespace headscope::ui {

struct ModelView;
struct PanelContext;

/// The question of a view; nothing before there are predictions, and in a model that says no words
/// until a score is chosen.
std::optional<model::WhyQuestion> whyQuestion(const ModelView& view, const ModelMoment& moment);

/// Opens the tab Why with a score of a head.
void explainScore(ModelView& view, const model::AskedScore& score);

/// Draws the choice between the word and a score of the chosen head, and of the score's key.
/// Chooses a score where the model says no words.
void chooseQuestion(const PanelContext& panel, const std::shared_ptr<const ModelMoment>& moment);

}  // namespace headscope::ui
