#include "core/formats/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <memory>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/random.h"
#include "core/document/trace.h"
#include "core/formats/document_json.h"
#include "core/formats/session_json.h"
#include "core/formats/session_lock.h"
#include "core/platform/files.h"

namespace headscope::formats {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxSessionBytes = std::uintmax_t{64} << 20;  // the size of its JSON
constexpr std::string_view kTensorsEnding = ".safetensors";
constexpr std::size_t kHashDigits = 16;

bool isHash(std::string_view text) {
  return text.size() == kHashDigits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// "NAME.<hash>.safetensors".
bool isTensorsOf(std::string_view file, const std::string& name) {
  const std::size_t size = name.size() + 1 + kHashDigits + kTensorsEnding.size();
  return file.size() == size && file.starts_with(name + ".") && file.ends_with(kTensorsEnding) &&
         isHash(file.substr(name.size() + 1, kHashDigits));
}

/// Returns whether a file is a partial copy of one of the session's two files, left by a process
/// that has ended.
bool isDeadTemporary(std::string_view file, const fs::path& session, const std::string& name) {
  const std::string_view target = targetOfDeadTemporary(file);
  return target == session.filename().string() || isTensorsOf(target, name);
}

/// Returns whether a session names the tensors file. One that is too large to be read is assumed
/// to.
bool names(const fs::path& session, const std::string& file) {
  std::error_code code;
  if (!fs::is_regular_file(session, code)) return false;
  if (fs::file_size(session, code) > kMaxSessionBytes || code) return true;
  std::ifstream in(session, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return text.find('"' + file + '"') != std::string::npos;
}

/// The folder of a file: "." for a bare name.
fs::path folderOf(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

/// The longest waits for the lock. Sessions are saved on a thread of their own; opening one keeps
/// the window waiting.
constexpr double kSaveSeconds = 3.0;
constexpr double kLoadSeconds = 1.0;

/// Locks the folder: while the lock lives, no other process saves a session in it (shared: several
/// may read). Throws SessionLocked after `seconds`.
std::unique_ptr<platform::FileLock> lockFolderOf(const fs::path& session,
                                                 platform::FileLock::Kind kind, double seconds) {
  std::error_code why;
  auto lock = platform::FileLock::wait(folderOf(session), kind, seconds, why);
  if (why == std::errc::operation_would_block) {
    throw SessionLocked(
        fmt::format("{} is locked: another save in its folder is not finished; try again later",
                    session.string()));
  }
  return lock;
}

/// "lecture.0123456789abcdef.safetensors" of lecture.headscope.json.
std::string tensorsName(const fs::path& session, std::uint64_t hash) {
  return fmt::format("{}.{:016x}{}", sessionName(session), hash, kTensorsEnding);
}

/// Removes the session's tensors files other than `keep`, except those that another session of the
/// folder names, and the partial files of killed processes. An empty `keep` removes all.
void removeLeftovers(const fs::path& session, const std::string& keep) {
  const std::string name = sessionName(session);
  std::vector<fs::path> candidates;
  std::vector<fs::path> others;
  // not by directory_iterator, which ends the program where memory runs out
  for (const std::string& file : platform::namesIn(folderOf(session))) {
    const fs::path path = folderOf(session) / file;
    if (isDeadTemporary(file, session, name)) removeDeadTemporary(path);
    if (file != keep && isTensorsOf(file, name)) candidates.push_back(path);
    if (isSession(path) && file != session.filename()) others.push_back(path);
  }
  std::error_code code;
  for (const fs::path& candidate : candidates) {
    const std::string file = candidate.filename().string();
    const bool named = std::any_of(others.begin(), others.end(),
                                   [&](const fs::path& other) { return names(other, file); });
    if (!named) fs::remove(candidate, code);
  }
}

constexpr const char* kFormat = "headscope session";
constexpr Index kVersion = 1;

/// Resolves a symbolic link to its file.
fs::path target(const fs::path& path) {
  std::error_code code;
  if (!fs::is_symlink(path, code)) return path;
  const fs::path real = fs::canonical(path, code);
  return code ? path : real;
}

/// The hash of a file; 0 where it cannot be read.
FileContent contentOf(const fs::path& path) {
  try {
    return hashBytes(readText(path, kMaxSessionBytes, "session"));
  } catch (const UserError&) {
    return 0;
  }
}

Json viewJson(const std::string& view) {
  try {
    Json json = parseJson(view);
    if (json.fields() != nullptr) return json;
  } catch (const JsonError&) {  // a text that is not JSON is left out
  }
  return Json::emptyObject();
}

/// Reads the view as it is. Fields of newer versions are ignored, since no number depends on them.
std::string viewFrom(const JsonField& field) {
  if (field.value().fields() == nullptr) field.fail("must be an object");
  return field.asGiven().dump();
}

/// The path of the tensors file, which must be in the session's folder.
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
    throw UserError(fmt::format(
        "{} keeps its tensors in {}, which is not in the same folder: put both into one folder",
        path.string(), name));
  }
  return tensors;
}

/// Reads the texts of a scene; older sessions have only titles.
SceneWords wordsOf(const JsonField& scene) {
  const auto given = [&](const char* name) {
    const auto found = scene.find(name);
    return found ? found->text() : std::string();
  };
  return {scene.at("title").text(), given("sentence"), given("speaker")};
}

std::vector<SavedScene> scenesFrom(const JsonField& field, TensorsToRead& tensors, Index budget) {
  std::vector<SavedScene> scenes;
  for (const JsonField& item : field.items()) {
    const JsonField number = item.at("number");
    const Index n = number.whole();
    if (n < 1 || n > kScenes) number.fail(fmt::format("must be 1 to {}", kScenes));
    const bool taken = std::any_of(scenes.begin(), scenes.end(),
                                   [n](const SavedScene& s) { return s.number == n; });
    if (taken) number.fail(fmt::format("is {}, which appears twice", n));
    scenes.push_back({static_cast<int>(n), wordsOf(item),
                      documentFrom(item.at("document"), tensors, budget),
                      viewFrom(item.at("view"))});
  }
  std::sort(scenes.begin(), scenes.end(),
            [](const SavedScene& a, const SavedScene& b) { return a.number < b.number; });
  return scenes;
}

}  // namespace

std::string nameOfScene(int number) { return fmt::format("scene {}", number); }

Json sessionIn(const std::string& text, const std::string& file) {
  try {
    return parseJson(text);
  } catch (const JsonError& error) {
    throw UserError(
        fmt::format("{} is not a usable session: {}; open another", file, error.what()));
  }
}

void requireVersion(const JsonField& file, const std::string& path) {
  const auto format = file.value().fields() != nullptr ? file.find("format") : std::nullopt;
  if (!format || format->value().text() == nullptr || format->text() != kFormat) {
    throw UserError(
        fmt::format("{} is not a headscope session: open one that headscope has saved", path));
  }
  const Index version = file.at("version").whole();
  if (version < 1) file.at("version").fail("must be 1 or more");
  const auto program = file.find("program");
  if (version == kVersion) return;
  throw UserError(fmt::format(
      "{} is a session of version {}, and headscope {} reads version {}: open it with headscope {} "
      "or newer",
      path, version, HEADSCOPE_VERSION, kVersion,
      program && program->value().text() != nullptr ? program->text() : "of a newer version"));
}

Json sessionJson(const Session& session, TensorsToSave& tensors, std::string& leftOut) {
  Json scenes = Json::emptyList();
  Json document = documentJson(*session.document, kNameOfDocument, tensors);
  for (const SavedScene& scene : session.scenes) {
    const std::string name = nameOfScene(scene.number);
    scenes.push_back({{"number", scene.number},
                      {"title", scene.words.title},
                      {"sentence", scene.words.sentence},
                      {"speaker", scene.words.speaker},
                      {"document", documentJson(*scene.document, name, tensors)},
                      {"view", viewJson(scene.view)}});
  }
  Json json = {{"format", kFormat},
               {"version", kVersion},
               {"program", HEADSCOPE_VERSION},
               {"tensors", ""},
               {"origin", session.origin},
               {"document", std::move(document)},
               {"view", viewJson(session.view)},
               {"scenes", std::move(scenes)}};
  if (session.originContent) json["origin_content"] = *session.originContent;
  // left out if empty, so that older versions can read the session
  Json models = modelsJson(session, tensors, leftOut);
  if (!models.list()->empty()) json["models"] = std::move(models);
  return json;
}

Session sessionFrom(const JsonField& file, TensorsToRead& tensors, Index memoryBudget) {
  Session session;
  session.document = documentFrom(file.at("document"), tensors, memoryBudget);
  session.view = viewFrom(file.at("view"));
  session.scenes = scenesFrom(file.at("scenes"), tensors, memoryBudget);
  if (const auto origin = file.find("origin")) session.origin = origin->text();
  if (const auto content = file.find("origin_content")) session.originContent = content->seed();
  if (const auto models = file.find("models")) {
    session.models = modelsFrom(*models, session, tensors, memoryBudget);
  }
  return session;
}

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

SessionSaved saveSession(const fs::path& given, const Session& session,
                         std::optional<FileContent> expected) {
  const fs::path path = target(given);
  if (!isSession(path)) {
    throw UserError(fmt::format("{}: a session's name ends in {}", given.string(), kSessionEnding));
  }
  SessionSaved saved;
  TensorsToSave tensors;
  Json json = sessionJson(session, tensors, saved.leftOut);
  const std::uint64_t hash = contentHash(tensors.all());
  const std::string name = tensorsName(path, hash);
  const fs::path file = folderOf(path) / name;
  json["tensors"] = name;
  const std::string text = json.dump(1) + "\n";
  if (text.size() > kMaxSessionBytes) {
    throw UserError(
        fmt::format("{} would be larger than the 64 MiB that are read: shorten the "
                    "texts, or remove pins or scenes",
                    path.string()));
  }
  const auto lock = lockFolderOf(path, platform::FileLock::Kind::exclusive, kSaveSeconds);
  std::error_code code;
  if (expected && fs::exists(path, code) && contentOf(path) != *expected) {
    throw SessionChanged(
        fmt::format("{} has changed since it was opened or saved here", given.string()));
  }
  const bool there = fs::exists(file, code);
  if (!there || contentHash(file) != hash) writeSafetensors(file, tensors.all());
  if (lock != nullptr) lock->flush();
  try {
    writeAtomically(path, [&](std::ostream& out) { out << text; });
  } catch (...) {
    if (!there) fs::remove(file, code);
    throw;
  }
  removeLeftovers(path, name);
  saved.content = hashBytes(text);
  return saved;
}

Session loadSession(const fs::path& given, Index memoryBudget) {
  const fs::path path = target(given);
  const auto lock = lockFolderOf(path, platform::FileLock::Kind::shared, kLoadSeconds);
  const std::string name = given.string();
  const std::string text = readText(path, kMaxSessionBytes, "session");
  const Json json = sessionIn(text, name);
  Session session = readWhole(json, name, [&](const JsonField& file) {
    requireVersion(file, name);
    TensorsToRead tensors(SafetensorsFile(tensorsPath(file, path)), memoryBudget);
    return sessionFrom(file, tensors, memoryBudget);
  });
  session.content = hashBytes(text);
  return session;
}

std::vector<fs::path> filesOf(const fs::path& session) {
  if (session.empty()) return {};
  const fs::path path = target(session);
  std::vector<fs::path> files{path};
  std::error_code code;
  for (fs::directory_iterator at(folderOf(path), code), end; !code && at != end;
       at.increment(code)) {
    if (isTensorsOf(at->path().filename().string(), sessionName(path))) files.push_back(at->path());
  }
  return files;
}

void removeSession(const fs::path& given) {
  const fs::path path = target(given);
  const auto lock = lockFolderOf(path, platform::FileLock::Kind::exclusive, kSaveSeconds);
  std::error_code code;
  fs::remove(path, code);
  removeLeftovers(path, {});
}

std::string originOf(const fs::path& path) {
  try {
    const std::string name = path.string();
    const Json json = sessionIn(readText(path, kMaxSessionBytes, "session"), name);
    const auto origin = JsonField(json, name).find("origin");
    return origin ? origin->text() : std::string();
  } catch (const UserError&) {
    return {};
  }
}

}  // namespace headscope::formats
