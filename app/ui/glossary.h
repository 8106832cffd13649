// Glossary: terms of the field explained where they stand on the screen.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/ui/panel.h"
#include "core/formats/glossary_file.h"

namespace headscope::ui {

/// Every term, in the order in which one meets them.
const std::vector<formats::GlossaryEntry>& glossary();

/// What a term is. Throws std::out_of_range: one that is missing is our mistake.
const std::string& aboutTerm(std::string_view term);

/// The term a step, and a tensor, is about; empty where none is.
std::string_view termOf(StepId step);
std::string_view termOf(TensorId tensor);

/// "softmax: exp of each score, …"
std::string termText(std::string_view term);

/// A dotted line below text, `width` wide from `at`: there is something to be asked about it.
void underlineTerm(const Look& look, ImVec2 at, float width);

/// The item before, a line of text in `font`, is a term: underlined, and explained by a tooltip
/// that ends with `more`.
void explainItem(const Look& look, ImFont* font, std::string_view term,
                 const std::string& more = {});

}  // namespace headscope::ui
