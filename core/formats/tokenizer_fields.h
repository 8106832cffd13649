// Tokenizer fields: reads the parts of a tokenizer.json strictly: an unknown name or value is
// refused.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "core/base/json.h"
#include "core/tokenizer/vocabulary.h"

namespace headscope::tokenizer {

/// The bytes of a value that a message quotes.
inline constexpr std::size_t kQuoted = 60;
std::string inQuotes(std::string_view text);

/// Throws UserError for a value that this program does not know.
[[noreturn]] void notKnown(const JsonField& field);
/// Throws UserError unless every field is one of these names or null.
void onlyThese(const JsonField& object, std::initializer_list<std::string_view> names);

bool flagOr(const JsonField& object, std::string_view name, bool otherwise);
std::string textOr(const JsonField& object, std::string_view name, const std::string& otherwise);
Index countOr(const JsonField& object, std::string_view name, Index otherwise);
/// Throws UserError for an id that no vocabulary has.
TokenId idOf(const JsonField& field);

}  // namespace headscope::tokenizer
