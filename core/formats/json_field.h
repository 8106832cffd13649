// JsonField: a place in a JSON file, read strictly; what is missing or of another type becomes one
// sentence that names the file and the field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor.h"

namespace headscope::formats {

using Json = nlohmann::ordered_json;

class JsonField {
 public:
  /// `value` and `file` must outlive it. `path` names the field: "document.config.d_model".
  JsonField(const Json& value, const std::string& file, std::string path = {})
      : value_(&value), file_(&file), path_(std::move(path)) {}

  const Json& value() const { return *value_; }
  const std::string& path() const { return path_; }
  const std::string& file() const { return *file_; }

  /// A member of an object; throws where it is missing.
  JsonField at(const char* name) const;
  /// The same where it may be missing or null.
  std::optional<JsonField> find(const char* name) const;
  std::vector<JsonField> items() const;

  Index whole() const;
  std::uint64_t seed() const;  // a whole number from 0
  double number() const;
  bool flag() const;
  const std::string& text() const;
  std::vector<std::string> texts() const;
  std::vector<Index> wholes() const;

  /// Throws UserError: "FILE: FIELD <what>; …".
  [[noreturn]] void fail(const std::string& what) const;

 private:
  [[noreturn]] void expected(const char* kind) const;
  const Json& list() const;  // itself, where it is one
  JsonField at(std::size_t index) const;

  const Json* value_;
  const std::string* file_;
  std::string path_;
};

/// Limits on what is parsed, checked while it is.
struct JsonLimits {
  int depth = 32;
  std::size_t keys = 256;                      // of one object: finding one takes as many steps
  std::size_t bytes = std::size_t{512} << 20;  // in memory, several times those of the text
};

/// Parses a whole file's text. Throws UserError for what is no JSON, or beyond a limit.
Json parseJson(std::string_view text, const std::string& file, const JsonLimits& limits = {});

}  // namespace headscope::formats
