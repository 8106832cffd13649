#include "core/words/glossary.h"

#include <algorithm>
#include <stdexcept>

#include "core/assets.h"

namespace headscope {

const std::vector<formats::GlossaryEntry>& glossary() {
  static const std::vector<formats::GlossaryEntry> all =
      formats::parseGlossary(asset("glossary.json"));
  return all;
}

const std::string& aboutTerm(std::string_view term) {
  const auto found = std::find_if(glossary().begin(), glossary().end(),
                                  [term](const auto& entry) { return entry.term == term; });
  if (found == glossary().end()) {
    throw std::out_of_range("glossary.json has no term " + std::string(term));
  }
  return found->about;
}

std::string termText(std::string_view term) { return std::string(term) + ": " + aboutTerm(term); }

}  // namespace headscope
