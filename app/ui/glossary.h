// Terms of the glossary explained where they stand on the screen.
#pragma once

#include <string>
#include <string_view>

#include "app/ui/panel.h"
#include "core/words/glossary.h"

namespace headscope::ui {

/// The term a step, and a tensor, is about; empty where none is.
std::string_view termOf(StepId step);
std::string_view termOf(TensorId tensor);

/// A dotted line below text, `width` wide from `at`: there is something to be asked about it.
void underlineTerm(const Look& look, ImVec2 at, float width);

/// The item before, a line of text in `font`, is a term: underlined, and explained by a tooltip
/// that ends with `more`.
void explainItem(const Look& look, ImFont* font, std::string_view term,
                 const std::string& more = {});

}  // namespace headscope::ui
