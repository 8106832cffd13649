// Asset JSON: reads the program's own JSON files (assets.h) and optional fields of them.
//
//   readAsset<UserError>(text, "lexicon.json", [](const JsonField& file) { return file.texts(); });
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"

namespace headscope {

/// Parses `text`, calls `read` with the file's JsonField and returns its result. Throws `Error`
/// with a message that begins with the file's name.
template <typename Error, typename Read>
auto readAsset(std::string_view text, const std::string& file, Read read,
               const JsonLimits& limits = {}) {
  try {
    const Json json = parseJson(text, limits);
    return read(JsonField(json, file));
  } catch (const JsonError& error) {
    throw Error(file + ": " + error.what());
  } catch (const UserError& error) {
    throw Error(error.what());
  }
}

/// The items of a field that is a list; none where the field is missing.
inline std::vector<JsonField> itemsIn(const JsonField& entry, const char* name) {
  const auto list = entry.find(name);
  return list ? list->items() : std::vector<JsonField>{};
}

/// The texts of a field that is a list; none where the field is missing.
inline std::vector<std::string> textsIn(const JsonField& entry, const char* name) {
  const auto list = entry.find(name);
  return list ? list->texts() : std::vector<std::string>{};
}

/// A field's text; empty where the field is missing.
inline std::string textIn(const JsonField& entry, const char* name) {
  const auto text = entry.find(name);
  return text ? text->text() : std::string();
}

/// A field that is true or false; false where it is missing.
inline bool flagIn(const JsonField& entry, const char* name) {
  const auto flag = entry.find(name);
  return flag && flag->flag();
}

}  // namespace headscope
