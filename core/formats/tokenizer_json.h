// tokenizer.json: the file of Hugging Face's tokenizers library, "version 1.0". An unsupported
// feature is refused with the field's name and value.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file_error.h"
#include "core/base/json.h"
#include "core/tokenizer/tokenizer.h"

namespace headscope::formats {

using TokenizerPtr = std::shared_ptr<const tokenizer::Tokenizer>;

/// Throws UserError that begins with `file`. Truncation and padding are not applied, as is the
/// default of Hugging Face's transformers.
TokenizerPtr parseTokenizer(std::string_view text, const std::string& file);

/// The largest size of a tokeniser's file, in bytes.
inline constexpr std::uintmax_t kMostTokenizerBytes = std::uintmax_t{256} << 20;

/// The JSON of such a file. Throws UserError.
Json tokenizerJson(std::string_view text, const std::string& file);
/// Reads {"the": 5, …}. Throws UserError for invalid ids.
std::vector<tokenizer::Vocabulary::Entry> vocabularyEntries(const JsonField& vocabulary);
/// Reads {"content": "<mask>", "lstrip": true, …}, except its id.
tokenizer::AddedToken addedToken(const JsonField& field);

/// Returns the result of `make`. A UserError that it throws gets the file's name in front, unless
/// it is a FileError.
template <typename Make>
auto ofFile(const std::string& file, Make make) {
  try {
    return make();
  } catch (const FileError&) {
    throw;
  } catch (const UserError& error) {
    throw FileError(file + ": " + error.what() + "; correct the file, or open another");
  }
}

}  // namespace headscope::formats
