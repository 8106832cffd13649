// tokenizer.json: the file of Hugging Face's tokenizers library, "version 1.0". What this program
// does not know is refused by the name of the field and the value found.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/tokenizer/tokenizer.h"

namespace headscope::formats {

using TokenizerPtr = std::shared_ptr<const tokenizer::Tokenizer>;

/// Throws UserError that begins with `file`. What the file says of truncation and padding is not
/// applied, as Hugging Face's transformers do not by themselves either.
TokenizerPtr parseTokenizer(std::string_view text, const std::string& file);

/// What a file of a tokeniser may take.
inline constexpr std::uintmax_t kMostTokenizerBytes = std::uintmax_t{256} << 20;

/// The JSON of such a file. Throws UserError.
Json tokenizerJson(std::string_view text, const std::string& file);
/// {"the": 5, …}. Throws UserError for ids that are none.
std::vector<tokenizer::Vocabulary::Entry> vocabularyEntries(const JsonField& vocabulary);
/// {"content": "<mask>", "lstrip": true, …}, but for its id.
tokenizer::AddedToken addedToken(const JsonField& field);

/// What `make` throws of the file's contents, with the file's name before it.
template <typename Make>
auto ofFile(const std::string& file, Make make) {
  try {
    return make();
  } catch (const UserError& error) {
    const std::string why = error.what();
    if (why.starts_with(file)) throw;
    throw UserError(file + ": " + why + "; mend it there, or open another file");
  }
}

}  // namespace headscope::formats
