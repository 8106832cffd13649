// Glossary: the terms of the field with their explanations.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

struct GlossaryEntry {
  std::string term;   // in plain text: "W_O"
  std::string shown;  // with raised and lowered letters: "W^O"
  std::string about;  // one or two sentences
  std::string also;   // other words for it, which a search finds it by; may be empty
};

/// Every term, in the order in which one meets them: assets/glossary.json.
const std::vector<GlossaryEntry>& glossary();

/// Throws std::runtime_error that names the file and field: the file is the program's own.
std::vector<GlossaryEntry> parseGlossary(std::string_view json);

/// The explanation of a term. Throws std::out_of_range for an unknown term, which is an internal
/// error.
const std::string& aboutTerm(std::string_view term);

/// Where a term stands in a text: its bytes [begin, end).
struct TermPlace {
  const GlossaryEntry* entry = nullptr;
  std::size_t begin = 0, end = 0;
};
/// Finds the first mention of each term in rich text, also in the plural and at the beginning of a
/// sentence, in the order of the text. Words that mean other things as often are left out.
std::vector<TermPlace> termsIn(std::string_view text);

/// "softmax: exp of each score, …"
std::string termText(std::string_view term);

}  // namespace headscope
