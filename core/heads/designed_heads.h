// Designed heads: weights that give heads a stated behaviour, computed from the named coordinates
// of X. They depend on the sizes and on the kind of input, never on its words or values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/attention/weights.h"
#include "core/base/translation.h"
#include "core/document/fwd.h"
#include "core/heads/declared_relations.h"
#include "core/heads/head_description.h"
#include "core/input/input.h"

namespace headscope {

struct AttentionConfig;

/// The description that a head takes at given sizes, or the reason why it takes none.
struct PlannedHead {
  const HeadDescription* description = nullptr;  // null: none is left for it
  std::string why;                               // why it is drawn at random; empty: it is designed
};

/// Plans all heads. Only building them shows whether d_k and d_model have enough room.
std::vector<PlannedHead> planHeads(const AttentionConfig& config, const InputSource& source,
                                   Positions positions);

/// The label wherever a designed head is shown.
inline constexpr const char* kDesignedNotLearned = trLater("designed, not learned");

struct DesignedHead {
  std::string title;      // "Verb → its subject"; "Drawn at random"
  std::string about;      // what it does
  std::string structure;  // what of the query meets what of the key, with the gains in logits
  bool drawn = false;     // at random instead
  std::string
      instead;      // of what it was drawn: "Verb → its subject"; empty: none is designed for it
  std::string why;  // the reason why it was drawn or cannot do its task here
};

/// xavier's, with W_Q, W_K and W_V of the heads that can be designed written over: V copies what
/// the token is (its class and identity, or the channels). W_O stays as drawn: it mixes what the
/// heads bring.
Weights designedWeights(const AttentionConfig& config, const InputSource& source,
                        Positions positions, std::uint64_t seed);

/// One per head; empty where the document's weights are not designed ones.
std::vector<DesignedHead> designedHeads(const Document& document);

/// False where designed weights of the one would be others for the other.
bool sameDesign(const Document& a, const Document& b);

}  // namespace headscope
