// Texts are read by nlohmann's parser. Its values end the program where memory runs out while they
// are made or go, as lists, objects and texts do: so values and their writing are ours.
#include "core/base/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/file_error.h"
#include "core/base/utf8.h"

namespace headscope {

/// Builds the parsed values, and refuses a text at the first value beyond a limit.
class JsonBuilder {
 public:
  using Taken = std::function<void(const std::string& name, const Json& value)>;
  using LimitsOf = std::function<JsonLimits(const std::string& name)>;

  explicit JsonBuilder(const JsonLimits& limits) : limits_(limits) {}
  /// Passes the fields of the outermost object to a function.
  JsonBuilder(LimitsOf limits, Taken take) : limitsOf_(std::move(limits)), take_(std::move(take)) {}

  Json take(std::string_view text) {
    nlohmann::json::sax_parse(text, this);
    return std::move(root_);
  }

  // what the parser calls, by its names
  // NOLINTBEGIN(readability-identifier-naming)
  bool null() { return add(nullptr, 0); }
  bool boolean(bool flag) { return add(flag, 0); }
  bool number_integer(std::int64_t number) { return add(number, 0); }
  bool number_unsigned(std::uint64_t number) { return add(number, 0); }
  bool number_float(double number, const std::string&) { return add(number, 0); }
  bool string(std::string& text) {
    const std::size_t bytes = kAllocated + text.size();
    return add(std::move(text), bytes);
  }
  bool binary(const std::vector<std::uint8_t>&) { return false; }  // JSON has none
  bool start_object(std::size_t) {
    if (take_ && !within_) return within_ = true;
    return open(Json::emptyObject());
  }
  bool start_array(std::size_t) { return open(Json::emptyList()); }
  bool key(std::string& name) {
    if (open_.empty()) {
      limits_ = limitsOf_(name);
      bytes_ = 0;
      field_ = std::move(name);
      return true;
    }
    auto& fields = open_.back()->heldOf<Json::Fields>();
    count(kValue + kAllocated + name.size());
    if (fields.size() >= limits_.keys) {
      refuse(JsonError::Kind::tooManyKeys,
             fmt::format("an object in it has more than {} fields", limits_.keys));
    }
    fields.emplace_back(std::move(name), Json());
    return true;
  }
  bool end_object() { return end(); }
  bool end_array() { return end(); }
  bool parse_error(std::size_t byte, const std::string&, const nlohmann::json::exception& error) {
    constexpr int kOutOfRange = 406;
    throw JsonError(JsonError::Kind::damaged,
                    error.id == kOutOfRange
                        ? "a number in it is too large"
                        : fmt::format("it is cut short or damaged at byte {}", byte),
                    field_, byte);
  }
  // NOLINTEND(readability-identifier-naming)

 private:
  // About what a value takes in memory, with the room that lists keep for growing.
  static constexpr std::size_t kValue = 2 * sizeof(Json);
  static constexpr std::size_t kAllocated = 64;  // for a text or a list, besides its contents

  [[noreturn]] void refuse(JsonError::Kind kind, const std::string& why) const {
    throw JsonError(kind, why, field_);
  }

  void count(std::size_t bytes) {
    bytes_ += bytes;
    if (bytes_ > limits_.bytes) {
      refuse(JsonError::Kind::tooLarge,
             fmt::format("it would take more than {} MiB of memory", limits_.bytes >> 20));
    }
  }

  Json* put(Json value, std::size_t bytes) {
    if (take_ && !within_) refuse(JsonError::Kind::noObject, "it is no object");
    count(kValue + bytes);
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Json& in = *open_.back();
    if (in.list() == nullptr) {
      Json& place = in.heldOf<Json::Fields>().back().second;
      place = std::move(value);
      return &place;
    }
    in.push_back(std::move(value));
    return &in.heldOf<Json::List>().back();
  }

  bool add(Json value, std::size_t bytes) {
    put(std::move(value), bytes);
    return giveAway();
  }

  bool open(Json value) {
    Json* place = put(std::move(value), kAllocated);
    if (static_cast<int>(open_.size()) + (within_ ? 1 : 0) >= limits_.depth) {
      refuse(JsonError::Kind::tooDeep,
             fmt::format("it is nested more than {} levels deep", limits_.depth));
    }
    open_.push_back(place);
    return true;
  }

  bool end() {
    if (open_.empty()) return true;  // the outermost object, given away
    open_.pop_back();
    return giveAway();
  }

  bool giveAway() {
    if (within_ && open_.empty()) take_(field_, root_);
    return true;
  }

  LimitsOf limitsOf_;
  Taken take_;
  JsonLimits limits_;
  Json root_;
  std::string field_;
  std::vector<Json*> open_;  // lists and objects, the innermost last: that alone grows
  std::size_t bytes_ = 0;
  bool within_ = false;  // the outermost object, whose fields are given away
};

namespace {

void appendText(std::string& out, std::string_view text) {
  out += '"';
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = codePointAt(text, at);
    const std::size_t bytes = point.valid() ? point.bytes : 1;
    constexpr std::string_view kEscaped = "\"\\\b\f\n\r\t";
    constexpr std::string_view kLetters = "\"\\bfnrt";
    constexpr int kFirstPrinted = 0x20;
    const std::size_t escaped = kEscaped.find(text[at]);
    if (!point.valid()) {
      out += "\uFFFD";
    } else if (escaped != std::string_view::npos) {
      out += {'\\', kLetters[escaped]};
    } else if (point.value < kFirstPrinted) {
      out += fmt::format("\\u{:04x}", point.value);
    } else {
      out += text.substr(at, bytes);
    }
    at += bytes;
  }
  out += '"';
}

/// The shortest text that reads back to the same number, always with a point or an exponent.
void appendNumber(std::string& out, double number) {
  if (!std::isfinite(number)) {
    out += "null";
    return;
  }
  const std::string digits = fmt::format("{}", number);
  out += digits;
  if (digits.find_first_of(".e") == std::string::npos) out += ".0";
}

class JsonWriter {
 public:
  JsonWriter(std::string& out, int indent) : out_(out), indent_(indent) {}

  void write(const Json& json, int level) {
    if (const Json::List* list = json.list()) {
      each(*list, level, '[', ']', [&](const Json& value) { write(value, level + 1); });
    } else if (const Json::Fields* fields = json.fields()) {
      each(*fields, level, '{', '}', [&](const Json::Field& field) {
        appendText(out_, field.first);
        out_ += indent_ < 0 ? ":" : ": ";
        write(field.second, level + 1);
      });
    } else if (const std::string* text = json.text()) {
      appendText(out_, *text);
    } else if (const bool* flag = json.flag()) {
      out_ += *flag ? "true" : "false";
    } else if (const auto whole = json.whole()) {
      out_ += std::to_string(*whole);
    } else if (const auto natural = json.natural()) {
      out_ += std::to_string(*natural);
    } else if (const auto number = json.number()) {
      appendNumber(out_, *number);
    } else {
      out_ += "null";
    }
  }

 private:
  template <typename Values, typename One>
  void each(const Values& values, int level, char opening, char closing, One one) {
    out_ += opening;
    bool first = true;
    for (const auto& value : values) {
      if (!std::exchange(first, false)) out_ += ',';
      newLine(level + 1);
      one(value);
    }
    if (!values.empty()) newLine(level);
    out_ += closing;
  }

  void newLine(int level) {
    if (indent_ >= 0) out_.append(1, '\n').append(static_cast<std::size_t>(indent_ * level), ' ');
  }

  std::string& out_;
  int indent_;
};

std::string shortened(const Json& value) {
  constexpr std::size_t kShown = 40;  // bytes of a value that a message quotes
  if (value.list() != nullptr) return "a list";
  if (value.fields() != nullptr) return "an object";
  return excerpt(value.dump(), kShown);
}

}  // namespace

std::optional<double> Json::number() const {
  if (const auto* number = std::get_if<double>(&value_)) return *number;
  if (const auto* number = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*number);
  if (const auto* number = std::get_if<std::uint64_t>(&value_)) return static_cast<double>(*number);
  return std::nullopt;
}

std::optional<Index> Json::whole() const {
  const auto* number = std::get_if<std::int64_t>(&value_);
  return number == nullptr ? std::nullopt : std::optional<Index>(*number);
}

std::optional<std::uint64_t> Json::natural() const {
  if (const auto* number = std::get_if<std::uint64_t>(&value_)) return *number;
  const auto number = whole();
  if (!number || *number < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

const Json* Json::find(std::string_view name) const {
  const Fields* all = fields();
  if (all == nullptr) return nullptr;
  const auto found = std::find_if(all->rbegin(), all->rend(),
                                  [&](const Field& field) { return field.first == name; });
  return found == all->rend() ? nullptr : &found->second;
}

Json& Json::operator[](std::string_view name) {
  auto& all = heldOf<Fields>();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Field& field) { return field.first == name; });
  return found != all.end() ? found->second : all.emplace_back(std::string(name), Json()).second;
}

std::string Json::dump(int indent) const {
  std::string text;
  JsonWriter(text, indent).write(*this, 0);
  return text;
}

Json parseJson(std::string_view text, const JsonLimits& limits) {
  return JsonBuilder(limits).take(text);
}

void parseFields(std::string_view text,
                 const std::function<JsonLimits(const std::string& name)>& limits,
                 const std::function<void(const std::string& name, const Json& value)>& take) {
  JsonBuilder(limits, take).take(text);
}

void JsonField::fail(const std::string& what) const {
  throw FileError(fmt::format("{}: {} {}; correct the file, or open another", *file_,
                              path_.empty() ? "the file" : path_, what));
}

void JsonField::refuseUnknown(const std::string& known) const {
  throw FileError(fmt::format(
      "{}: {} is {}, a field that headscope {} does not know{}; was the file made by a newer "
      "headscope? Open it with that one, or remove the field",
      *file_, path_, quoted(), HEADSCOPE_VERSION, known.empty() ? "" : " (known: " + known + ")"));
}

void JsonField::refuseUnread() const {
  if (reads_->hasWhole(*value_)) return;
  if (const Json::Fields* fields = value_->fields()) {
    for (const auto& [name, value] : *fields) {
      const JsonField field = member(value, name);
      if (!reads_->has(value)) {
        if (reads_->has(*value_->find(name))) field.fail("appears twice");
        field.refuseUnknown();
      }
      field.refuseUnread();
    }
  } else if (const Json::List* list = value_->list()) {
    for (std::size_t i = 0; i < list->size(); ++i) {
      const Json& item = (*list)[i];
      if (item.fields() != nullptr || item.list() != nullptr) at(i).refuseUnread();
    }
  }
}

const Json& JsonField::asGiven() const {
  if (reads_ != nullptr) reads_->addWhole(*value_);
  return *value_;
}

std::string JsonField::quoted() const { return shortened(*value_); }

void JsonField::expected(const char* kind) const {
  fail(fmt::format("must be {}, and is {}", kind, shortened(*value_)));
}

JsonField JsonField::member(const Json& value, std::string_view name) const {
  return {value, *file_, path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name),
          reads_};
}

std::optional<JsonField> JsonField::find(std::string_view name) const {
  if (value_->fields() == nullptr) expected("an object");
  const Json* found = value_->find(name);
  if (found != nullptr && reads_ != nullptr) reads_->add(*found);
  if (found == nullptr || found->isNull()) return std::nullopt;
  return member(*found, name);
}

JsonField JsonField::at(std::string_view name) const {
  if (auto field = find(name)) return *std::move(field);
  member(*value_, name).fail("is missing");
}

std::vector<std::pair<std::string, JsonField>> JsonField::fields() const {
  std::vector<std::pair<std::string, JsonField>> all;
  if (value_->fields() == nullptr) expected("an object");
  for (const auto& [name, value] : *value_->fields()) {
    if (reads_ != nullptr) reads_->add(value);
    all.emplace_back(name, member(value, name));
  }
  return all;
}

std::vector<JsonField> JsonField::items() const {
  std::vector<JsonField> all;
  all.reserve(list().size());
  while (all.size() < list().size()) all.push_back(at(all.size()));
  return all;
}

const Json::Fields& JsonField::object() const {
  if (value_->fields() == nullptr) expected("an object");
  return *asGiven().fields();
}

const Json::List& JsonField::list() const {
  if (value_->list() == nullptr) expected("a list");
  return *value_->list();
}

JsonField JsonField::at(std::size_t index) const {
  return {list()[index], *file_, fmt::format("{}[{}]", path_, index), reads_};
}

Index JsonField::whole() const {
  const auto number = value_->whole();
  if (!number) expected("a whole number");
  return *number;
}

std::uint64_t JsonField::seed() const {
  const auto number = value_->natural();
  if (!number) expected("a whole number of at least 0");
  return *number;
}

double JsonField::number() const {
  const auto number = value_->number();
  if (!number) expected("a number");
  return *number;
}

float JsonField::float32() const {
  const double given = number();
  const auto rounded = static_cast<float>(given);
  if (!std::isfinite(rounded)) {
    fail(fmt::format("is {}, beyond float32's range of ±3.4e38; correct that value", given));
  }
  return rounded;
}

bool JsonField::flag() const {
  const bool* flag = value_->flag();
  if (flag == nullptr) expected("true or false");
  return *flag;
}

const std::string& JsonField::text() const {
  const std::string* text = value_->text();
  if (text == nullptr) expected("a text");
  return *text;
}

std::vector<std::string> JsonField::texts() const {
  std::vector<std::string> all;
  all.reserve(list().size());
  for (const Json& item : list()) {
    all.push_back(item.text() != nullptr ? *item.text() : at(all.size()).text());
  }
  return all;
}

std::vector<Index> JsonField::wholes() const {
  std::vector<Index> all;
  all.reserve(list().size());
  for (const Json& item : list()) {
    const auto number = item.whole();
    all.push_back(number ? *number : at(all.size()).whole());
  }
  return all;
}

std::vector<float> JsonField::floats() const {
  std::vector<float> all;
  for (const JsonField& item : items()) all.push_back(item.float32());
  return all;
}

}  // namespace headscope
