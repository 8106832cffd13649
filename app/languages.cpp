#include "app/languages.h"

#include <algorithm>
#include <utility>

#include "core/base/assets.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/translation.h"
#include "core/platform/files.h"

namespace headscope {
namespace {

constexpr std::uintmax_t kMostTableBytes = 16 << 20;
constexpr std::string_view kShippedTables = "languages/";

/// The tables, shipped ones first; a file that is no table is named in `problem`.
std::vector<Translations> tablesIn(const std::filesystem::path& folder, std::string& problem) {
  std::vector<Translations> tables;
  for (const Asset& asset : allAssets()) {
    if (!asset.name.starts_with(kShippedTables)) continue;
    tables.push_back(readTranslations(std::string(asset.data), std::string(asset.name)));
  }
  if (folder.empty()) return tables;
  std::vector<std::string> names = platform::namesIn(folder);
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    if (!name.ends_with(".json")) continue;
    try {
      const std::filesystem::path path = folder / name;
      tables.push_back(
          readTranslations(readText(path, kMostTableBytes, "table of a language"), path.string()));
    } catch (const UserError& error) {
      problem = error.what();
    }
  }
  return tables;
}

}  // namespace

Languages useLanguage(const std::filesystem::path& stateFolder, const std::string& chosen) {
  Languages languages;
  const std::filesystem::path own = stateFolder.empty() ? stateFolder : stateFolder / "languages";
  for (Translations& table : tablesIn(own, languages.problem)) {
    if (std::ranges::find(languages.names, table.language()) != languages.names.end()) continue;
    languages.names.push_back(table.language());
    if (table.language() == chosen) useTranslations(std::move(table));
  }
  return languages;
}

}  // namespace headscope
