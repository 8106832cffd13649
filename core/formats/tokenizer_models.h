// Tokenizer models: the field "model" of a tokenizer.json, with its vocabulary.
#pragma once

#include <vector>

#include "core/base/json.h"
#include "core/tokenizer/model.h"

namespace headscope::tokenizer {

struct ModelWithVocabulary {
  Vocabulary vocabulary;
  Model model;
};

/// Reads the model. Throws UserError that names the field, for an unknown model before its
/// vocabulary, which may have another form, is read.
ModelWithVocabulary modelWithVocabulary(const JsonField& field);

}  // namespace headscope::tokenizer
