#include "core/words/glossary.h"

#include <algorithm>
#include <stdexcept>

#include "core/base/asset_json.h"
#include "core/base/assets.h"

namespace headscope {

const std::vector<GlossaryEntry>& glossary() {
  static const std::vector<GlossaryEntry> all = parseGlossary(asset("glossary.json"));
  return all;
}

std::vector<GlossaryEntry> parseGlossary(std::string_view text) {
  return readAsset<std::runtime_error>(text, "glossary.json", [](const JsonField& file) {
    std::vector<GlossaryEntry> entries;
    for (const JsonField& entry : file.at("terms").items()) {
      const auto shown = entry.find("shown");
      const std::string term = entry.at("term").text();
      entries.push_back({term, shown ? shown->text() : term, entry.at("about").text()});
      if (term.empty() || entries.back().about.empty()) {
        entry.fail("has an empty term or explanation");
      }
    }
    return entries;
  });
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
