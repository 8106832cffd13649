#include "starts.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "core/attention/switches.h"
#include "core/base/error.h"
#include "core/editing/make_document.h"
#include "core/input/input.h"
#include "core/presets/presets.h"
#include "extremes.h"

namespace headscope::monkey {
namespace {

struct Sizes {
  Index dModel, heads, kvHeads;
};

constexpr std::array kStartSizes{Sizes{1, 1, 1},  Sizes{2, 2, 1},  Sizes{8, 2, 2},
                                 Sizes{12, 3, 3}, Sizes{16, 4, 2}, Sizes{24, 6, 3},
                                 Sizes{32, 4, 4}, Sizes{64, 8, 8}, Sizes{48, 12, 4}};
constexpr Sizes kManyHeads{192, 96, 96};

constexpr std::array kTexts{"the cat sat on the mat because it was tired", "a",
                            "one two three. one two three.", "it is not what it was, not now"};

InputSource anySource(Random& random) {
  switch (random.below(5)) {
    case 0:
      return TextSource{{random.of(kTexts)}, {random.of(kTexts)}};  // cross-attention
    case 1:
      return TextSource{{random.of(kTexts), random.of(kTexts), "now"}, {}};
    case 2:
      return random.of(examples()).source;
    default:
      return TextSource{{random.of(kTexts)}, {}};
  }
}

DocumentPtr startSized(const Sizes& sizes, InputSource source, Index tokens, Random& random) {
  AttentionConfig config;
  config.dModel = sizes.dModel;
  config.numHeads = sizes.heads;
  config.numKvHeads = sizes.kvHeads;
  config.mask.causal = random.oneIn(3);
  config.switches->bias = !random.oneIn(4);
  if (tokens > 0) config.seqLen = tokens;
  constexpr std::array kInits{WeightInit::xavier, WeightInit::normal, WeightInit::identity,
                              WeightInit::designed};
  const WeightSource weights{random.of(kInits), random.below(100), {}};
  try {
    return makeDocument("", config, std::move(source), Positions::named, weights, kBudget,
                        tokens > 0);
  } catch (const UserError&) {  // an embedding of other dimensions
    return makePreset(presetByName("by-hand"), {}, kBudget);
  }
}

}  // namespace

DocumentPtr anyStart(Random& random) {
  const std::string text = random.of(kTexts);
  switch (random.below(16)) {
    case 0:
      return startSized(kManyHeads, TextSource{{text}, {}}, 0, random);
    case 1:
      return startSized({8, 2, 2}, TextSource{{text}, {}}, 512, random);
    case 2:
      return makePreset(presetByName("by-hand"), {}, kBudget);
    case 3:
      return makePreset(presetByName("amnl"), {}, kBudget);
    case 4:
      return startSized({8, 2, 2}, TextSource{{text}, {}}, 1, random);
    default:
      return startSized(random.of(kStartSizes), anySource(random), 0, random);
  }
}

}  // namespace headscope::monkey
