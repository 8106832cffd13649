// JSON: values, their text, and JsonField, which reads a place in a file strictly. A missing value
// or one of another type becomes one sentence that names the file and the field. With readWhole, so
// does every field that the reader does not read.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/index.h"
#include "core/base/indirect.h"

namespace headscope {

/// Null, true or false, a number, a text, a list, or an object with its fields in their order.
/// Destroying one allocates nothing. Where memory runs out while one is made, std::bad_alloc is
/// thrown and the program continues.
class Json {
 public:
  using List = std::vector<Json>;
  using Field = std::pair<std::string, Json>;
  using Fields = std::vector<Field>;

  Json(std::nullptr_t = nullptr) {}
  template <std::same_as<bool> Flag>
  Json(Flag flag) : value_(flag) {}
  template <std::integral Whole>
  requires(!std::same_as<Whole, bool>) Json(Whole number) {
    if (std::in_range<std::int64_t>(number)) {
      value_ = static_cast<std::int64_t>(number);
    } else {
      value_ = static_cast<std::uint64_t>(number);
    }
  }
  Json(double number) : value_(number) {}
  Json(float number) : value_(static_cast<double>(number)) {}
  Json(std::string text) : value_(Indirect<std::string>(std::move(text))) {}
  Json(std::string_view text) : Json(std::string(text)) {}
  Json(const char* text) : Json(std::string(text)) {}
  /// A list of values that convert to JSON.
  template <std::ranges::input_range Values>
  requires(!std::convertible_to<Values, std::string_view>) Json(const Values& values)
      : value_(Indirect<List>(List(std::begin(values), std::end(values)))) {}
  Json(List list) : value_(Indirect<List>(std::move(list))) {}
  /// An object: {{"rows", 2}, {"cells", {{"first", 1}}}}.
  Json(std::initializer_list<Field> fields) : value_(Indirect<Fields>(Fields(fields))) {}

  static Json emptyList() { return Json(List()); }
  static Json emptyObject() { return Json(std::initializer_list<Field>{}); }
  /// An object of many fields; their names must differ.
  static Json objectOf(Fields fields) {
    Json object;
    object.value_ = Indirect<Fields>(std::move(fields));
    return object;
  }

  // These return null, or nothing, where the value is of another kind.
  bool isNull() const { return std::holds_alternative<std::nullptr_t>(value_); }
  const bool* flag() const { return std::get_if<bool>(&value_); }
  std::optional<double> number() const;
  std::optional<Index> whole() const;            // no part after the point, not even ".0"
  std::optional<std::uint64_t> natural() const;  // likewise, at least 0
  const std::string* text() const { return held<std::string>(); }
  const List* list() const { return held<List>(); }
  const Fields* fields() const { return held<Fields>(); }
  /// A field of an object, the last of its name.
  const Json* find(std::string_view name) const;

  /// A field of an object, created if missing.
  Json& operator[](std::string_view name);
  /// Adds to a list; called as a vector's.
  // NOLINTNEXTLINE(readability-identifier-naming)
  void push_back(Json value) { heldOf<List>().push_back(std::move(value)); }

  /// The text on one line, or with `indent` spaces per level. Bytes that are not UTF-8 are
  /// replaced, not refused, so that labels never prevent a save. Numbers that are not finite become
  /// null.
  std::string dump(int indent = -1) const;

 private:
  friend class JsonBuilder;

  template <typename T>
  const T* held() const {
    const auto* found = std::get_if<Indirect<T>>(&value_);
    return found == nullptr ? nullptr : &**found;
  }
  template <typename T>
  T& heldOf() {
    return *std::get<Indirect<T>>(value_);
  }

  std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, Indirect<std::string>,
               Indirect<List>, Indirect<Fields>>
      value_ = nullptr;
};

/// Limits of a text, checked during parsing.
struct JsonLimits {
  int depth = 32;
  std::size_t keys = 256;                      // of one object: finding one takes as many steps
  std::size_t bytes = std::size_t{512} << 20;  // in memory, several times those of the text
};

/// The reason why a text was not parsed: what() is "it is cut short or damaged at byte 7".
class JsonError : public std::runtime_error {
 public:
  enum class Kind { damaged, noObject, tooDeep, tooManyKeys, tooLarge };
  JsonError(Kind what, const std::string& why, std::string inField = {}, std::size_t at = 0)
      : std::runtime_error(why), kind(what), field(std::move(inField)), byte(at) {}

  Kind kind;
  std::string field;  // the one that parseFields was reading
  std::size_t byte;   // of a damaged text: where it is, from 1; else 0
};

/// Throws JsonError for a text that is not JSON or exceeds a limit.
Json parseJson(std::string_view text, const JsonLimits& limits = {});

/// Parses an object field by field and passes each to `take`, so that only one is in memory. The
/// limits apply to each field; exceptions of `take` are passed on.
void parseFields(std::string_view text,
                 const std::function<JsonLimits(const std::string& name)>& limits,
                 const std::function<void(const std::string& name, const Json& value)>& take);

/// The fields of objects that a reader has read.
class JsonReads {
 public:
  void add(const Json& field) { read_.insert(&field); }
  void addWhole(const Json& field) { whole_.insert(&field); }
  bool has(const Json& field) const { return read_.contains(&field); }
  bool hasWhole(const Json& field) const { return whole_.contains(&field); }

 private:
  std::unordered_set<const Json*> read_, whole_;
};

class JsonField {
 public:
  /// `value`, `file` and `reads` must outlive it. `path` names the field:
  /// "document.config.d_model". `reads` records every field that is read from here; null: none.
  JsonField(const Json& value, const std::string& file, std::string path = {},
            JsonReads* reads = nullptr)
      : value_(&value), file_(&file), path_(std::move(path)), reads_(reads) {}

  /// The value, to find out its kind; this does not count as reading what is in it.
  const Json& value() const { return *value_; }
  /// The value with all of its contents, for a reader that ignores unknown fields.
  const Json& asGiven() const;
  const std::string& path() const { return path_; }
  const std::string& file() const { return *file_; }

  /// A member of an object; throws where it is missing.
  JsonField at(std::string_view name) const;
  /// A member that may be missing or null; then nothing.
  std::optional<JsonField> find(std::string_view name) const;
  /// The fields of an object, by name, in their order.
  std::vector<std::pair<std::string, JsonField>> fields() const;
  std::vector<JsonField> items() const;
  /// The values of a list without fields, for long lists.
  const Json::Fields& object() const;
  const Json::List& list() const;

  Index whole() const;
  /// A whole number that is an `Int`.
  template <std::integral Int>
  Int wholeOf() const {
    const Index number = whole();
    if (!std::in_range<Int>(number)) fail("is a number that cannot be used");
    return static_cast<Int>(number);
  }
  std::uint64_t seed() const;  // a whole number from 0
  double number() const;
  float float32() const;  // fails where it is beyond the range of a float32
  bool flag() const;
  const std::string& text() const;
  std::vector<std::string> texts() const;
  std::vector<Index> wholes() const;
  std::vector<float> floats() const;  // each as float32

  /// The value as a message quotes it, shortened: "\"yarn\"", "a list".
  std::string quoted() const;

  /// Throws FileError: "FILE: FIELD <what>; …".
  [[noreturn]] void fail(const std::string& what) const;
  /// Throws FileError for an unknown value, naming the file, this field and the value. `known`
  /// lists the permitted names; empty: none are listed.
  [[noreturn]] void refuseUnknown(const std::string& known = {}) const;
  /// Throws FileError for the first field, at any depth, that was not read.
  void refuseUnread() const;

 private:
  [[noreturn]] void expected(const char* kind) const;
  JsonField member(const Json& value, std::string_view name) const;
  JsonField at(std::size_t index) const;

  const Json* value_;
  const std::string* file_;
  std::string path_;
  JsonReads* reads_;
};

/// Calls `read` with the outermost field of a file and returns its result. Throws UserError for any
/// field that `read` has not read, so that additions of newer versions are never ignored silently.
template <typename Read>
auto readWhole(const Json& json, const std::string& file, Read&& read) {
  JsonReads reads;
  const JsonField field(json, file, {}, &reads);
  auto result = read(field);
  field.refuseUnread();
  return result;
}

}  // namespace headscope
