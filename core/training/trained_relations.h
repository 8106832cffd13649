// Trained relations: the relations that learned heads were trained for, on an input: the places of
// the answers to each head's questions (learned_layer.h).
#pragma once

#include <string>
#include <vector>

#include "core/heads/declared_relations.h"
#include "core/training/learned_layer.h"

namespace headscope::training {

/// "Verb → its subject" for one question, "Previous word + Verb → its subject" for two; for more,
/// their short names.
std::string titleOf(const std::vector<AskedQuestion>& questions);

/// The questions that a head was trained for, independent of the input.
struct TrainedFor {
  std::string title;               // as titleOf
  std::vector<std::string> asked;  // "Verb → its subject: who does it, or is it?"
};
/// One per head; empty where the document's weights are not learned.
std::vector<TrainedFor> trainedFor(const Document& document);

/// The relations, one per head; empty where the document's weights are not learned. A text that the
/// grammar does not produce has answers for the previous word only. A series has all answers,
/// unless it is repeated or very long; the patches of an image have none.
DeclaredRelations trainedRelations(const Document& document);

}  // namespace headscope::training
