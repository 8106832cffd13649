#include "app/settings.h"

#include <algorithm>
#include <ostream>
#include <system_error>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/platform/paths.h"

namespace headscope {
namespace {

constexpr std::uintmax_t kMostSettingsBytes = 1 << 20;
constexpr int kMostPixels = 32'768;

std::filesystem::path settingsIn(const std::filesystem::path& folder) {
  return folder / "settings.json";
}

/// Reads the fields that are there and valid; a newer program may write others.
Settings readSettings(const JsonField& object) {
  Settings settings;
  if (const auto theme = object.find("theme")) {
    settings.theme = theme->text() == "dark" ? ui::ThemeKind::dark : ui::ThemeKind::light;
  }
  if (const auto palette = object.find("palette")) {
    settings.palette = palette->text() == "safe" ? ui::Palette::safe : ui::Palette::usual;
  }
  const auto scaleOf = [](const JsonField& field) {
    return std::clamp(static_cast<float>(field.number()), ui::kMinScale, ui::kMaxScale);
  };
  if (const auto scale = object.find("scale")) settings.scale = scaleOf(*scale);
  if (const auto monitor = object.find("monitor_scale")) {
    settings.monitorScale = scaleOf(*monitor);
  }
  if (const auto language = object.find("language")) settings.language = language->text();
  if (const auto maps = object.find("color_maps")) {
    settings.colorMaps = maps->wholeOf<int>();
  }
  if (const auto animate = object.find("animate")) {
    settings.animate = animate->flag();
  }
  if (const auto page = object.find("page")) settings.page = page->text();
  if (const auto size = object.find("window")) {
    const auto side = [&](const char* name) {
      return std::clamp(size->at(name).wholeOf<int>(), 0, kMostPixels);
    };
    settings.windowWidth = side("width");
    settings.windowHeight = side("height");
    settings.maximized = size->at("maximized").flag();
  }
  if (const auto recent = object.find("recent")) {
    settings.recent = recent->texts();
    if (settings.recent.size() > kRecentFiles) settings.recent.resize(kRecentFiles);
  }
  return settings;
}

}  // namespace

Settings loadSettings(const std::filesystem::path& folder) {
  const std::filesystem::path path = settingsIn(folder);
  if (folder.empty() || !platform::exists(path)) return {};
  try {
    const std::string file = path.string();
    const Json json = parseJson(readText(path, kMostSettingsBytes, "settings"));
    return readSettings(JsonField(json, file));
  } catch (const UserError&) {
    return {};
  } catch (const JsonError&) {
    return {};
  }
}

void saveSettings(const std::filesystem::path& folder, const Settings& settings) {
  Json json = Json::emptyObject();
  if (settings.theme) json["theme"] = *settings.theme == ui::ThemeKind::dark ? "dark" : "light";
  if (settings.palette) json["palette"] = *settings.palette == ui::Palette::safe ? "safe" : "usual";
  if (settings.scale) json["scale"] = *settings.scale;
  json["monitor_scale"] = settings.monitorScale;
  if (!settings.language.empty()) json["language"] = settings.language;
  if (settings.colorMaps) json["color_maps"] = *settings.colorMaps;
  if (settings.animate) json["animate"] = *settings.animate;
  json["page"] = settings.page;
  Json window = Json::emptyObject();
  window["width"] = settings.windowWidth;
  window["height"] = settings.windowHeight;
  window["maximized"] = settings.maximized;
  json["window"] = window;
  json["recent"] = settings.recent;
  std::error_code code;  // writing the file reports the error
  std::filesystem::create_directories(folder, code);
  writeAtomically(settingsIn(folder), [&](std::ostream& out) { out << json.dump(2) << '\n'; });
}

void noteRecent(Settings& settings, const std::filesystem::path& path) {
  const std::string whole = platform::absolutePath(path).lexically_normal().string();
  std::erase(settings.recent, whole);
  settings.recent.insert(settings.recent.begin(), whole);
  if (settings.recent.size() > kRecentFiles) settings.recent.resize(kRecentFiles);
}

void StoredSettings::follow(const ui::Preferences& preferences, const std::string& page) {
  now_.theme = preferences.theme;
  now_.palette = preferences.palette;
  now_.scale = preferences.scale;
  now_.language = preferences.language;
  now_.colorMaps = preferences.colorMaps;
  now_.animate = preferences.animate;
  now_.page = page;
}

void StoredSettings::keep() {
  if (folder_.empty() || now_ == kept_) return;
  kept_ = now_;  // a folder that cannot be written is reported once
  saveSettings(folder_, kept_);
}

void applySettings(const Settings& settings, ui::ViewState& view) {
  ui::Preferences& preferences = view.preferences;
  preferences.theme = settings.theme.value_or(preferences.theme);
  preferences.palette = settings.palette.value_or(preferences.palette);
  preferences.scale = settings.scale.value_or(preferences.scale);
  preferences.language = settings.language;
  preferences.colorMaps = settings.colorMaps.value_or(preferences.colorMaps);
  preferences.animate = settings.animate.value_or(preferences.animate);
}

}  // namespace headscope
