#include "core/formats/json_field.h"

#include <fmt/format.h>

#include <cstddef>

#include "core/error.h"

namespace headscope::formats {
namespace {

constexpr int kDeepest = 32;
constexpr std::size_t kShown = 40;  // bytes of a value that a message quotes

std::string shortened(const Json& value) {
  std::string text = value.is_structured()
                         ? std::string(value.type_name())
                         : value.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (text.size() > kShown) text = text.substr(0, kShown) + "…";
  return text;
}

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
  if (!value_->is_array()) expected("a list");
  std::vector<JsonField> all;
  all.reserve(value_->size());
  for (const Json& item : *value_) {
    all.emplace_back(item, *file_, fmt::format("{}[{}]", path_, all.size()));
  }
  return all;
}

Index JsonField::whole() const {
  const bool fits = value_->is_number_integer() &&
                    (!value_->is_number_unsigned() || value_->get<std::uint64_t>() <= INT64_MAX);
  if (!fits) expected("a whole number");
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
  for (const JsonField& item : items()) all.push_back(item.text());
  return all;
}

std::vector<Index> JsonField::wholes() const {
  std::vector<Index> all;
  for (const JsonField& item : items()) all.push_back(item.whole());
  return all;
}

Json parseJson(std::string_view text, const std::string& file) {
  const auto notTooDeep = [&](int depth, Json::parse_event_t, Json&) {
    if (depth <= kDeepest) return true;
    throw UserError(fmt::format("{} is not a usable session: it is nested more than {} levels deep",
                                file, kDeepest));
  };
  try {
    return Json::parse(text, notTooDeep);
  } catch (const Json::parse_error& error) {
    throw UserError(
        fmt::format("{} is not a usable session: it is cut short or damaged at byte {}; open "
                    "another",
                    file, error.byte));
  } catch (const Json::exception& error) {  // a number too large, say
    throw UserError(
        fmt::format("{} is not a usable session: {}; open another", file, error.what()));
  }
}

}  // namespace headscope::formats
