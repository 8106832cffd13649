#include "app/progress.h"

#include <ostream>
#include <system_error>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/translation.h"
#include "core/platform/paths.h"

namespace headscope {
namespace {

constexpr std::uintmax_t kMostProgressBytes = 1 << 20;

std::filesystem::path fileIn(const std::filesystem::path& folder) {
  return folder / "progress.json";
}

}  // namespace

Progress loadProgress(const std::filesystem::path& folder) {
  Progress progress;
  const std::filesystem::path path = fileIn(folder);
  if (folder.empty() || !platform::exists(path)) return progress;
  try {
    const std::string file = path.string();
    const Json json = parseJson(readText(path, kMostProgressBytes, tr("record of lessons")));
    const JsonField object(json, file);
    progress.startClosed = object.at("start_closed").flag();
    for (std::string& scene : object.at("scenes").texts()) progress.scenes.insert(std::move(scene));
  } catch (const UserError&) {
    return {};
  } catch (const JsonError&) {
    return {};
  }
  return progress;
}

void saveProgress(const std::filesystem::path& folder, const Progress& progress) {
  Json json = Json::emptyObject();
  json["start_closed"] = progress.startClosed;
  json["scenes"] = std::vector<std::string>(progress.scenes.begin(), progress.scenes.end());
  std::error_code code;  // writing the file reports the error
  std::filesystem::create_directories(folder, code);
  writeAtomically(fileIn(folder), [&](std::ostream& out) { out << json.dump(2) << '\n'; });
}

}  // namespace headscope
