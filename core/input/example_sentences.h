// Example sentences: English ones in which the heads of the shipped layer find what they look for
// (assets/sentences.json), to be offered with a sentence of the user's own.
#pragma once

#include <string>
#include <vector>

namespace headscope {

/// Three sentences. Every word of them is known, and the grammar of the training data reads them.
const std::vector<std::string>& exampleSentences();

}  // namespace headscope
