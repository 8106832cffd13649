// Trained relations: what learned heads were trained for on an input: where the answers stand to
// the questions that each of them was asked (learned_layer.h).
#pragma once

#include <string>
#include <vector>

#include "core/heads/declared_relations.h"
#include "core/training/learned_layer.h"

namespace headscope::training {

/// "Verb → its subject", of two "Previous word + Verb → its subject", of more their short names.
std::string titleOf(const std::vector<AskedQuestion>& questions);

/// What a head was trained for, whatever the input says.
struct TrainedFor {
  std::string title;               // as titleOf
  std::vector<std::string> asked;  // "Verb → its subject: who does it, or is it?"
};
/// One per head; empty where the document's weights are not learned.
std::vector<TrainedFor> trainedFor(const Document& document);

/// One per head; empty where the document's weights are not learned. A text that is not of the
/// grammar has answers for the previous word alone; a series has all, unless it is repeated or very
/// long.
DeclaredRelations trainedRelations(const Document& document);

}  // namespace headscope::training
