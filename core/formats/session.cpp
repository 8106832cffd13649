#include "core/formats/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "core/error.h"
#include "core/formats/atomic_file.h"
#include "core/formats/document_json.h"
#include "core/formats/input_file.h"
#include "core/formats/session_files.h"

namespace headscope::formats {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFormat = "headscope session";
constexpr Index kVersion = 1;

/// The file itself where the path is a link to it.
fs::path target(const fs::path& path) {
  std::error_code code;
  if (!fs::is_symlink(path, code)) return path;
  const fs::path real = fs::canonical(path, code);
  return code ? path : real;
}

std::string readText(const fs::path& path) {
  InputFile file = openInput(path);
  if (file.bytes > kMaxSessionBytes) {
    throw UserError(fmt::format(
        "{} is not a usable session: it is larger than 64 MiB; open another", path.string()));
  }
  std::string text(static_cast<std::size_t>(file.bytes), '\0');
  file.stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.stream.gcount())));
  return text;
}

Json viewJson(const std::string& view) {
  Json json = Json::parse(view, nullptr, false);
  return json.is_object() ? json : Json::object();
}

std::string viewFrom(const JsonField& field) {
  if (!field.value().is_object()) field.fail("must be an object");
  return field.value().dump();
}

void requireVersion(const JsonField& file, const std::string& path) {
  const auto format = file.value().is_object() ? file.find("format") : std::nullopt;
  if (!format || format->value() != kFormat) {
    throw UserError(
        fmt::format("{} is not a headscope session: open one that headscope has saved", path));
  }
  const Index version = file.at("version").whole();
  if (version < 1) file.at("version").fail("must be 1 or more");
  if (version == kVersion) return;
  const auto program = file.find("program");
  throw UserError(fmt::format(
      "{} is a session of version {}, and headscope {} reads version {}: open it with headscope {} "
      "or newer",
      path, version, HEADSCOPE_VERSION, kVersion,
      program && program->value().is_string() ? program->text() : "of a newer version"));
}

/// The tensors file, which lies beside the session and nowhere else.
fs::path tensorsPath(const JsonField& file, const fs::path& path) {
  const JsonField field = file.at("tensors");
  const std::string& name = field.text();
  const bool plain = !name.empty() && name != "." && name != ".." &&
                     name.find_first_of("/\\") == std::string::npos &&
                     name.find('\0') == std::string::npos;
  if (!plain) field.fail("must be the name of a file in the session's own folder");
  fs::path tensors = folderOf(path) / name;
  std::error_code code;
  if (fs::is_symlink(tensors, code)) {
    const fs::path real = fs::canonical(tensors, code);
    const bool inside = !code && real.parent_path() == fs::canonical(folderOf(path), code);
    if (!inside) field.fail("is a link out of the session's own folder");
  }
  if (!fs::exists(tensors, code)) {
    throw UserError(
        fmt::format("{} keeps its tensors in {}, which is not beside it: put both into one folder",
                    path.string(), name));
  }
  return tensors;
}

std::vector<SavedScene> scenesFrom(const JsonField& field, TensorsOnDisk& tensors, Index budget) {
  std::vector<SavedScene> scenes;
  for (const JsonField& item : field.items()) {
    const JsonField number = item.at("number");
    const Index n = number.whole();
    if (n < 1 || n > kScenes) number.fail(fmt::format("must be 1 to {}", kScenes));
    const bool taken = std::any_of(scenes.begin(), scenes.end(),
                                   [n](const SavedScene& s) { return s.number == n; });
    if (taken) number.fail(fmt::format("is {} once more", n));
    scenes.push_back({static_cast<int>(n), item.at("title").text(),
                      documentFrom(item.at("document"), tensors, budget),
                      viewFrom(item.at("view"))});
  }
  std::sort(scenes.begin(), scenes.end(),
            [](const SavedScene& a, const SavedScene& b) { return a.number < b.number; });
  return scenes;
}

Json sessionJson(const Session& session, TensorsToSave& tensors) {
  Json scenes = Json::array();
  Json document = documentJson(*session.document, "document", tensors);
  for (const SavedScene& scene : session.scenes) {
    const std::string name = fmt::format("scene {}", scene.number);
    scenes.push_back({{"number", scene.number},
                      {"title", scene.title},
                      {"document", documentJson(*scene.document, name, tensors)},
                      {"view", viewJson(scene.view)}});
  }
  return {{"format", kFormat},
          {"version", kVersion},
          {"program", HEADSCOPE_VERSION},
          {"tensors", ""},
          {"origin", session.origin},
          {"document", std::move(document)},
          {"view", viewJson(session.view)},
          {"scenes", std::move(scenes)}};
}

}  // namespace

bool isSession(const fs::path& path) {
  std::string name = path.filename().string();
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name.ends_with(kSessionEnding) && name != kSessionEnding;
}

fs::path withSessionEnding(const fs::path& path) {
  if (isSession(path)) return path;
  return path.string() + kSessionEnding;
}

std::string sessionName(const fs::path& path) {
  const std::string name = path.filename().string();
  return isSession(path) ? name.substr(0, name.size() - std::string_view(kSessionEnding).size())
                         : name;
}

void saveSession(const fs::path& given, const Session& session) {
  const fs::path path = target(given);
  if (!isSession(path)) {
    throw UserError(fmt::format("{}: a session's name ends in {}", given.string(), kSessionEnding));
  }
  TensorsToSave tensors;
  Json json = sessionJson(session, tensors);
  const std::uint64_t hash = contentHash(tensors.all());
  const std::string name = tensorsName(path, hash);
  const fs::path file = folderOf(path) / name;
  json["tensors"] = name;
  const std::string text = json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  if (text.size() > kMaxSessionBytes) {
    throw UserError(
        fmt::format("{} would be larger than the 64 MiB that are read: shorten the "
                    "texts, or remove pins or scenes",
                    path.string()));
  }
  const FolderLock lock(folderOf(path), FolderLock::Kind::exclusive);
  std::error_code code;
  const bool there = fs::exists(file, code);
  if (!there || contentHash(file) != hash) writeSafetensors(file, tensors.all());
  lock.flush();
  try {
    writeAtomically(path, [&](std::ostream& out) { out << text; });
  } catch (...) {
    if (!there) fs::remove(file, code);
    throw;
  }
  removeLeftovers(path, name);
}

Session loadSession(const fs::path& given, Index memoryBudget) {
  const fs::path path = target(given);
  const FolderLock lock(folderOf(path), FolderLock::Kind::shared);
  const std::string name = given.string();
  const Json json = parseJson(readText(path), name);
  const JsonField file(json, name);
  requireVersion(file, name);
  TensorsOnDisk tensors(SafetensorsFile(tensorsPath(file, path)), memoryBudget);
  Session session;
  session.document = documentFrom(file.at("document"), tensors, memoryBudget);
  session.view = viewFrom(file.at("view"));
  session.scenes = scenesFrom(file.at("scenes"), tensors, memoryBudget);
  if (const auto origin = file.find("origin")) session.origin = origin->text();
  return session;
}

void removeSession(const fs::path& given) {
  const fs::path path = target(given);
  const FolderLock lock(folderOf(path), FolderLock::Kind::exclusive);
  std::error_code code;
  fs::remove(path, code);
  removeLeftovers(path, {});
}

std::string originOf(const fs::path& path) {
  try {
    const std::string name = path.string();
    const Json json = parseJson(readText(path), name);
    const auto origin = JsonField(json, name).find("origin");
    return origin ? origin->text() : std::string();
  } catch (const UserError&) {
    return {};
  }
}

}  // namespace headscope::formats
