// Glossary file: assets/glossary.json, the terms of attention and what each is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headscope::formats {

struct GlossaryEntry {
  std::string term;   // in plain text: "W_O"
  std::string shown;  // with raised and lowered letters: "W^O"
  std::string about;  // one or two sentences
};

/// Throws std::runtime_error: the file is the program's own, so an error in it is ours.
std::vector<GlossaryEntry> parseGlossary(std::string_view json);

}  // namespace headscope::formats
