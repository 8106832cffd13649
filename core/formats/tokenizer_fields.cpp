#include "core/formats/tokenizer_fields.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/utf8.h"

namespace headscope::tokenizer {

std::string inQuotes(std::string_view text) {
  return fmt::format("\"{}\"", excerpt(text, kQuoted));
}

void notKnown(const JsonField& field) {
  field.fail(fmt::format("is {}, which this program does not know",
                         excerpt(field.value().dump(), kQuoted)));
}

void onlyThese(const JsonField& object, std::initializer_list<std::string_view> names) {
  for (const auto& [name, field] : object.fields()) {
    if (field.value().isNull() || name == "type") continue;
    if (std::find(names.begin(), names.end(), name) == names.end()) notKnown(field);
  }
}

bool flagOr(const JsonField& object, std::string_view name, bool otherwise) {
  const auto field = object.find(name);
  return field ? field->flag() : otherwise;
}

std::string textOr(const JsonField& object, std::string_view name, const std::string& otherwise) {
  const auto field = object.find(name);
  return field ? field->text() : otherwise;
}

Index countOr(const JsonField& object, std::string_view name, Index otherwise) {
  const auto field = object.find(name);
  if (!field) return otherwise;
  const Index count = field->whole();
  if (count < 0) field->fail("must not be below 0");
  return count;
}

TokenId idOf(const JsonField& field) {
  const Index id = field.whole();
  if (id < 0 || id >= kMostIds) {
    field.fail(fmt::format("is {}; ids are from 0 to {}", id, kMostIds - 1));
  }
  return static_cast<TokenId>(id);
}

}  // namespace headscope::tokenizer
