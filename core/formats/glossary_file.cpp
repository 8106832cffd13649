#include "core/formats/glossary_file.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace headscope::formats {

std::vector<GlossaryEntry> parseGlossary(std::string_view json) {
  std::vector<GlossaryEntry> entries;
  const auto file = nlohmann::json::parse(json);
  for (const auto& entry : file.at("terms")) {
    const auto term = entry.at("term").get<std::string>();
    entries.push_back({term, entry.value("shown", term), entry.at("about").get<std::string>()});
    if (entries.back().term.empty() || entries.back().about.empty()) {
      throw std::runtime_error("glossary.json: a term or its explanation is empty");
    }
  }
  return entries;
}

}  // namespace headscope::formats
