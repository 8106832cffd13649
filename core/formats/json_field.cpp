#include "core/formats/json_field.h"

#include <fmt/format.h>

#include <cstddef>
#include <vector>

#include "core/error.h"

namespace headscope::formats {
namespace {

constexpr std::size_t kShown = 40;  // bytes of a value that a message quotes

std::string shortened(const Json& value) {
  std::string text = value.is_structured()
                         ? std::string(value.type_name())
                         : value.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (text.size() <= kShown) return text;
  text.resize(kShown);
  return text + "…";
}

bool isWhole(const Json& value) {
  return value.is_number_integer() &&
         (!value.is_number_unsigned() || value.get<std::uint64_t>() <= INT64_MAX);
}

/// About what a value takes in memory, with the room that lists keep for growing.
std::size_t bytesOfEvent(Json::parse_event_t event, const Json& value) {
  constexpr std::size_t kValue = 2 * sizeof(Json);
  constexpr std::size_t kAllocated = 64;  // for a text or a list, beside its contents
  switch (event) {
    case Json::parse_event_t::value:
    case Json::parse_event_t::key:
      if (!value.is_string()) return kValue;
      return kValue + kAllocated + value.get_ref<const std::string&>().size();
    case Json::parse_event_t::object_start:
    case Json::parse_event_t::array_start:
      return kValue + kAllocated;
    default:
      return 0;
  }
}

/// Follows the parser, and refuses a file at its first value beyond a limit.
class Limiter {
 public:
  Limiter(const std::string& file, const JsonLimits& limits)
      : file_(file), limits_(limits), keys_(static_cast<std::size_t>(limits.depth) + 2) {}

  void take(int depth, Json::parse_event_t event, const Json& value) {
    if (depth > limits_.depth) {
      refuse(fmt::format("it is nested more than {} levels deep", limits_.depth));
    }
    const auto at = static_cast<std::size_t>(depth);
    if (event == Json::parse_event_t::object_start) keys_[at + 1] = 0;
    if (event == Json::parse_event_t::key && ++keys_[at] > limits_.keys) {
      refuse(fmt::format("an object in it has more than {} fields", limits_.keys));
    }
    bytes_ += bytesOfEvent(event, value);
    if (bytes_ > limits_.bytes) {
      refuse(fmt::format("it would take more than {} MiB of memory", limits_.bytes >> 20));
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw UserError(fmt::format("{} is not a usable session: {}; open another", file_, what));
  }

  const std::string& file_;
  const JsonLimits& limits_;
  std::vector<std::size_t> keys_;  // so far, of the object at a depth
  std::size_t bytes_ = 0;
};

}  // namespace

void JsonField::fail(const std::string& what) const {
  throw UserError(fmt::format("{}: {} {}; mend it there, or open another session", *file_,
                              path_.empty() ? "the file" : path_, what));
}

void JsonField::expected(const char* kind) const {
  fail(fmt::format("must be {}, and is {}", kind, shortened(*value_)));
}

std::optional<JsonField> JsonField::find(const char* name) const {
  if (!value_->is_object()) expected("an object");
  const auto found = value_->find(name);
  if (found == value_->end() || found->is_null()) return std::nullopt;
  return JsonField(*found, *file_, path_.empty() ? name : path_ + "." + name);
}

JsonField JsonField::at(const char* name) const {
  if (auto field = find(name)) return *std::move(field);
  JsonField(*value_, *file_, path_.empty() ? name : path_ + "." + name).fail("is missing");
}

std::vector<JsonField> JsonField::items() const {
  std::vector<JsonField> all;
  all.reserve(list().size());
  while (all.size() < list().size()) all.push_back(at(all.size()));
  return all;
}

const Json& JsonField::list() const {
  if (!value_->is_array()) expected("a list");
  return *value_;
}

JsonField JsonField::at(std::size_t index) const {
  return {list()[index], *file_, fmt::format("{}[{}]", path_, index)};
}

Index JsonField::whole() const {
  if (!isWhole(*value_)) expected("a whole number");
  return value_->get<Index>();
}

std::uint64_t JsonField::seed() const {
  if (!value_->is_number_unsigned()) expected("a whole number from 0");
  return value_->get<std::uint64_t>();
}

double JsonField::number() const {
  if (!value_->is_number()) expected("a number");
  return value_->get<double>();
}

bool JsonField::flag() const {
  if (!value_->is_boolean()) expected("true or false");
  return value_->get<bool>();
}

const std::string& JsonField::text() const {
  if (!value_->is_string()) expected("a text");
  return value_->get_ref<const std::string&>();
}

std::vector<std::string> JsonField::texts() const {
  std::vector<std::string> all;
  for (const Json& item : list()) {
    if (!item.is_string()) at(all.size()).expected("a text");
    all.push_back(item.get_ref<const std::string&>());
  }
  return all;
}

std::vector<Index> JsonField::wholes() const {
  std::vector<Index> all;
  const Json& values = list();
  all.reserve(values.size());
  for (const Json& item : values) {
    all.push_back(isWhole(item) ? item.get<Index>() : at(all.size()).whole());
  }
  return all;
}

Json parseJson(std::string_view text, const std::string& file, const JsonLimits& limits) {
  Limiter limiter(file, limits);
  const auto withinLimits = [&](int depth, Json::parse_event_t event, const Json& value) {
    limiter.take(depth, event, value);
    return true;
  };
  try {
    return Json::parse(text, withinLimits);
  } catch (const Json::parse_error& error) {
    throw UserError(
        fmt::format("{} is not a usable session: it is cut short or damaged at byte {}; open "
                    "another",
                    file, error.byte));
  } catch (const Json::exception&) {
    throw UserError(
        fmt::format("{} is not a usable session: a number in it is too large; open another", file));
  }
}

}  // namespace headscope::formats
