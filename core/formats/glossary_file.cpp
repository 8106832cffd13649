#include "core/formats/glossary_file.h"

#include <stdexcept>

#include "core/formats/asset_json.h"

namespace headscope::formats {

std::vector<GlossaryEntry> parseGlossary(std::string_view json) {
  using Json = nlohmann::json;
  return readAsset<Json, std::runtime_error>(json, "glossary.json", [](const Json& file) {
    std::vector<GlossaryEntry> entries;
    for (const auto& entry : file.at("terms")) {
      const auto term = entry.at("term").get<std::string>();
      entries.push_back({term, entry.value("shown", term), entry.at("about").get<std::string>()});
      if (entries.back().term.empty() || entries.back().about.empty()) {
        throw std::runtime_error("a term or its explanation is empty");
      }
    }
    return entries;
  });
}

}  // namespace headscope::formats
