// A document with every setting set, for tests of formats.
#pragma once

#include <memory>

#include "core/attention/switches.h"
#include "tests/core/support/documents.h"

namespace headscope::test {

inline DocumentPtr everything() {
  DocumentPtr d = fromTexts({"The cat sat on the mat", "A dog."}, {"Die Katze saß", "Ein"});
  d = edited(d, DrawWeights{WeightInit::normal, 0xFFFFFFFFFFFFFFFFULL});
  d = edited(d, SetPositions{Positions::sinusoidal});
  d = edited(d, SetSwitch{&Switches::temperature, 0.1});
  d = edited(d, SetSwitch{&Switches::bias, false});
  d = edited(d, SetHeadGain{1, 0.3F});
  d = edited(d, SetDropout{{0.1, 18446744073709551557ULL}});
  d = edited(d, SetMistake{Mistake::noScale, true});
  d = edited(d, SetMistake{Mistake::softmaxOverQueries, true});
  d = edited(d, SetMistake{Mistake::sharedHead, true});
  auto painted = std::make_shared<PaintedMask>();
  painted->queries = d->config.seqLen;
  painted->keys = d->config.keys();
  for (Index i = 0; i < painted->queries * painted->keys; ++i) {
    painted->allowed.push_back(i % 5 == 0 ? 0 : 1);  // starts with a forbidden pair
  }
  d = edited(d, masked(d, [&](Mask& m) {
               m.causal = true;
               m.window = 3;
               m.lengths = {2, 0};
               m.painted = painted;
             }));
  d = edited(d, SetSwitch{&Switches::gate, true});
  d = edited(d, SetPairBias{PairBias::drawn(d->config.numHeads, painted->queries, painted->keys,
                                            18446744073709551557ULL)});
  d = edited(d, SetCell{{TensorId::pairBias, -1, 1, 2, 0}, 0.1F});
  d = edited(d, SetCell{{TensorId::wG, -1, -1, 2, 3}, -0.0F});
  d = edited(d, SetCell{{TensorId::x, 1, -1, 2, 3}, 0.1F});
  d = edited(d, SetCell{{TensorId::wK, -1, -1, 2, 3}, -0.0F});
  d = edited(d, SetPin{{{TensorId::rawScores, 0, 3, 2, 1}, 30.1F}});
  d = edited(d, SetPin{{{TensorId::heads, 1, 0, 0, 11}, 1e-42F}});
  d = edited(d, SetPin{{{TensorId::gate, 1, 0, 0, 11}, 0.1F}});
  return d;
}

}  // namespace headscope::test
