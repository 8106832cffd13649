// Known words: what there is to say about words of a text that the program does not know.
#pragma once

#include <string>
#include <vector>

#include "core/document/fwd.h"

namespace headscope {

/// Sentences about the text of a document (not of its memory): the words whose class is guessed,
/// and that a text seems to be in another language than English. None where every word is known,
/// and none for a series or a tensor.
std::vector<std::string> notesOnWords(const Document& document);

}  // namespace headscope
