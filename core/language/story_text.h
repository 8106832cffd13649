// Story text: what a model of stories writes, as people write it. Its words are lower case, but for
// names, and quotation marks stand apart; a reader expects a capital where a sentence begins, and
// quotation marks at their words.
#pragma once

#include <string>
#include <string_view>

namespace headscope::language {

/// The text with capitals at the beginnings of sentences and closed quotation marks. What is said
/// in quotation marks begins a sentence; what follows goes on. `before`: the text that it
/// continues.
///
///   asPeopleWrite("the duck swam. \" look! \" said Mia.")  // The duck swam. "Look!" said Mia.
std::string asPeopleWrite(std::string_view text, std::string_view before = {});

}  // namespace headscope::language
