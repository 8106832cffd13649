#include "tests/core/support/cases.h"

#include "core/attention/switches.h"

namespace headscope::test {

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

AttentionConfig sized(Index dModel, Index heads, Index tokens, Index kvHeads) {
  AttentionConfig config;
  config.dModel = dModel;
  config.numHeads = heads;
  config.numKvHeads = kvHeads > 0 ? kvHeads : heads;
  config.seqLen = tokens;
  return config;
}

std::vector<Case> allCases() {
  const auto cross = [](AttentionConfig& c, Index memory, Index width = 0) {
    c.memoryLen = memory;
    c.memoryWidth = width;
  };
  return {
      {"AllOnes", sized(1, 1, 1)},
      {"WidthOne", sized(1, 1, 5)},
      {"OneToken", sized(8, 2, 1)},
      {"HeadsOfWidthOne", sized(6, 6, 5)},
      {"OneHead", sized(12, 1, 7)},
      {"OneHeadOneToken", sized(12, 1, 1)},
      {"Plain", sized(24, 4, 6)},
      {"Batch", with(sized(24, 4, 6), [](auto& c) { c.batch = 3; })},
      {"Medium", with(sized(96, 12, 40), [](auto& c) { c.batch = 2; })},
      {"Grouped", sized(24, 6, 5, 2)},
      {"MultiQuery", with(sized(24, 6, 5, 1), [](auto& c) { c.mask.causal = true; })},
      {"MultiQueryOfWidthOne", with(sized(4, 4, 6, 1), [](auto& c) { c.batch = 2; })},
      {"WiderHeads", with(sized(24, 4, 6), [](auto& c) { c.headDim = 10; })},
      {"NarrowerHeads", with(sized(24, 4, 6),
                             [](auto& c) {
                               c.headDim = 3;
                               c.batch = 2;
                               c.mask.causal = true;
                             })},
      {"HeadsThatDoNotDivide", with(sized(10, 6, 5, 2),
                                    [&](auto& c) {
                                      c.headDim = 7;
                                      cross(c, 4, 6);
                                    })},
      {"NoBias", with(sized(16, 2, 4), [](auto& c) { c.switches->bias = false; })},
      {"NotScaled", with(sized(16, 2, 4), [](auto& c) { c.switches->scale = false; })},
      {"Temperature", with(sized(16, 2, 4), [](auto& c) { c.switches->temperature = 0.3; })},
      {"Causal", with(sized(16, 2, 9), [](auto& c) { c.mask.causal = true; })},
      {"WindowOfOne", with(sized(16, 2, 9), [](auto& c) { c.mask.window = 1; })},
      {"WindowAndCausal", with(sized(16, 2, 9),
                               [](auto& c) {
                                 c.mask.window = 3;
                                 c.mask.causal = true;
                               })},
      {"WindowWiderThanAll", with(sized(16, 2, 9), [](auto& c) { c.mask.window = 1000; })},
      {"Padding", with(sized(16, 2, 5),
                       [](auto& c) {
                         c.batch = 3;
                         c.mask.lengths = {5, 2, 0};
                       })},
      {"Painted",
       with(sized(16, 2, 4),
            [](auto& c) {
              c.mask.painted = painted(4, 4, {1, 0, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 1});
            })},
      {"Cross", with(sized(16, 4, 5), [&](auto& c) { cross(c, 9); })},
      {"CrossOfOneKey", with(sized(16, 4, 5), [&](auto& c) { cross(c, 1); })},
      {"CrossOwnWidth", with(sized(16, 4, 5), [&](auto& c) { cross(c, 3, 10); })},
      {"CrossGrouped", with(sized(16, 4, 5, 2), [&](auto& c) { cross(c, 6, 40); })},
      {"CrossWindow", with(sized(16, 4, 9),
                           [&](auto& c) {
                             cross(c, 3);
                             c.mask.window = 2;
                           })},
      {"HeadGains", with(sized(16, 4, 5),
                         [](auto& c) {
                           c.headGains = {1.0F, 0.0F, -0.5F, 3.0F};
                         })},
      {"AllRulesTogether", with(sized(24, 6, 7, 3),
                                [](auto& c) {
                                  c.batch = 2;
                                  c.switches->temperature = 2.0;
                                  c.mask = {true, 4, {6, 3}, nullptr};
                                  std::vector<std::uint8_t> allowed(49, 1);
                                  for (std::size_t i = 0; i < 49; i += 5) allowed[i] = 0;
                                  c.mask.painted = painted(7, 7, allowed);
                                })},
  };
}

std::vector<Case> whatIfCases() {
  return {
      {"ReshapeMistake", with(sized(24, 4, 6),
                              [](auto& c) {
                                c.batch = 2;
                                c.mistakes.reshapeWithoutTranspose = true;
                              })},
      {"ReshapeMistakeGrouped",
       with(sized(24, 6, 5, 2), [](auto& c) { c.mistakes.reshapeWithoutTranspose = true; })},
      {"ReshapeMistakeWiderHeads", with(sized(24, 6, 5, 2),
                                        [](auto& c) {
                                          c.headDim = 5;
                                          c.mistakes.reshapeWithoutTranspose = true;
                                        })},
      {"SoftmaxOverQueries", with(sized(16, 4, 5),
                                  [](auto& c) {
                                    c.memoryLen = 9;
                                    c.mistakes.softmaxOverQueries = true;
                                  })},
      {"SoftmaxOverQueriesCausal", with(sized(16, 2, 6),
                                        [](auto& c) {
                                          c.mask.causal = true;
                                          c.mask.window = 2;
                                          c.mistakes.softmaxOverQueries = true;
                                        })},
      {"ZeroForMasked", with(sized(16, 2, 5),
                             [](auto& c) {
                               c.batch = 2;
                               c.mask.causal = true;
                               c.mask.lengths = {3, 0};
                               c.mistakes.zeroForMasked = true;
                             })},
      {"SharedHead", with(sized(24, 6, 5, 2), [](auto& c) { c.mistakes.sharedHead = true; })},
      {"AllMistakes", with(sized(24, 4, 6),
                           [](auto& c) {
                             c.switches->scale = false;
                             c.mask.causal = true;
                             c.mistakes = {true, true, true, true};
                           })},
      {"Dropout", with(sized(16, 4, 9),
                       [](auto& c) {
                         c.batch = 2;
                         c.mask.causal = true;
                         c.dropout = {0.3, 7};
                       })},
  };
}

std::vector<Case> turnedCases() {
  const auto gains = [](Index dK, double epsilon) {
    std::vector<float> q, k;
    for (Index j = 0; j < dK; ++j) {
      q.push_back(0.5F + 0.25F * static_cast<float>(j));
      k.push_back(1.5F - 0.5F * static_cast<float>(j % 3));
    }
    return HeadNorm(std::move(q), std::move(k), epsilon);
  };
  const auto rope = [](double theta) {
    Rotary rotary;
    rotary.theta = theta;
    return rotary;
  };
  return {
      {"Rotated", with(sized(8, 2, 18), [&](auto& c) { c.rotary = rope(10000.0); })},
      {"RotatedPairs", with(sized(8, 4, 5), [&](auto& c) { c.rotary = rope(100.0); })},
      {"RotatedGroupedCross", with(sized(12, 6, 3, 2),
                                   [&](auto& c) {
                                     c.batch = 2;
                                     c.memoryLen = 7;
                                     c.rotary = rope(50.0);
                                   })},
      {"RotatedSlower", with(sized(16, 2, 6),
                             [&](auto& c) {
                               c.mask.causal = true;
                               c.rotary = rope(10.0);
                               c.rotary.scaling = Rotary::Scaling::linear;
                               c.rotary.factor = 4.0;
                             })},
      {"RotatedLikeLlama3", with(sized(16, 2, 6),
                                 [&](auto& c) {
                                   c.rotary = rope(1000.0);
                                   c.rotary.scaling = Rotary::Scaling::llama3;
                                   c.rotary.factor = 8.0;
                                   c.rotary.originalPositions = 64;
                                 })},
      {"RotatedInPart", with(sized(16, 2, 6),
                             [&](auto& c) {
                               c.rotary = rope(50.0);
                               c.rotary.dims = 4;
                             })},
      {"RotatedNeighbours", with(sized(12, 2, 5),
                                 [&](auto& c) {
                                   c.rotary = rope(100.0);
                                   c.rotary.dims = 4;
                                   c.rotary.pairing = Rotary::Pairing::neighbours;
                                 })},
      {"RotatedPairByPair", with(sized(8, 2, 5),
                                 [&](auto& c) {
                                   c.mask.causal = true;
                                   c.rotary = rope(100.0);
                                   c.rotary.scaling = Rotary::Scaling::perPair;
                                   c.rotary.divisors = {1.0, 2.5};
                                   c.rotary.amplitude = 1.25;
                                 })},
      {"NormalizedOverAllHeads",
       with(sized(16, 4, 5, 2),
            [&](auto& c) {
              const HeadNorm all = gains(16, 0.1);
              c.headNorm = {
                  all.q(), {all.k().begin(), all.k().begin() + 8}, 0.1, HeadNorm::Over::allHeads};
              c.rotary = rope(100.0);
            })},
      {"NormalizedAroundTheMean",
       with(sized(12, 2, 4),
            [&](auto& c) {
              const HeadNorm each = gains(12, 0.1);
              c.headNorm = {each.q(), each.k(), 0.1, HeadNorm::Over::head, HeadNorm::Kind::layer};
            })},
      {"Normalized", with(sized(16, 4, 5, 2),
                          [&](auto& c) {
                            c.batch = 2;
                            c.headNorm = gains(4, 1e-6);
                          })},
      {"NormalizedAndRotated", with(sized(12, 2, 5, 1),
                                    [&](auto& c) {
                                      c.headDim = 8;
                                      c.mask.causal = true;
                                      c.headNorm = gains(8, 0.1);
                                      c.rotary = rope(10000.0);
                                    })},
  };
}

std::vector<Case> pairBiasCases() {
  const auto biased = [](AttentionConfig config, PairBias::Settings s, auto change) {
    const Index each = s.buckets > 0 ? s.buckets : s.queries * s.keys;
    for (Index i = 0; i < config.numHeads * each; ++i) {
      s.values.push_back(0.37F * static_cast<float>(i % 11) - 1.5F);
    }
    config.pairBias = PairBias(std::move(s));
    return with(std::move(config), change);
  };
  return {
      {"PairBiasByDistance",
       biased(sized(8, 2, 23), {.values = {}, .buckets = 8, .maxDistance = 16},
              [](auto& c) {
                c.switches->scale = false;
                c.mistakes.modelHasNoScale = true;
              })},
      {"PairBiasOfEarlierKeys",
       biased(sized(16, 4, 21), {.values = {}, .buckets = 6, .maxDistance = 12, .bothWays = false},
              [](auto& c) { c.mask.causal = true; })},
      {"PairBiasOfEachPair", biased(sized(8, 2, 6), {.values = {}, .queries = 6, .keys = 9},
                                    [](auto& c) { c.memoryLen = 9; })},
      {"PairBiasAndAlibi",
       biased(sized(8, 4, 7), {.values = {}, .queries = 7, .keys = 7}, [](auto& c) {
         c.switches->alibi = true;
         c.batch = 2;
         c.mask.lengths = {7, 3};
         c.mistakes.zeroForMasked = true;
       })}};
}

std::vector<Case> learnedSettingCases() {
  return {{"RelativePositions",
           with(sized(8, 2, 9, 1),
                [&](auto& c) {
                  RelativeScores::Settings s;
                  for (int i = 0; i < 2 * 8 * 4; ++i) {
                    s.positionKeys.push_back(0.3F * static_cast<float>(i % 7) - 1.0F);
                    s.positionQueries.push_back(0.7F - 0.4F * static_cast<float>(i % 5));
                  }
                  s.span = 4;
                  s.buckets = 4;
                  s.maxDistance = 8;
                  c.relative = RelativeScores(std::move(s));
                })},
          {"Sinks", with(sized(16, 4, 6, 2), [&](auto& c) {
             c.mask.causal = true;
             c.sinks = {0.5F, -3.0F, 2.0F, 0.0F};
           })}};
}

std::vector<Case> alibiCases() {
  const auto alibi = [](AttentionConfig config, auto change) {
    config.switches->alibi = true;
    return with(std::move(config), change);
  };
  return {
      {"AlibiOneHead", alibi(sized(8, 1, 5), [](auto&) {})},
      {"AlibiTwoHeadsCausal", alibi(sized(8, 2, 19), [](auto& c) { c.mask.causal = true; })},
      {"AlibiEightHeadsGroupedPadding", alibi(sized(16, 8, 7, 2),
                                              [](auto& c) {
                                                c.batch = 2;
                                                c.mask.lengths = {7, 3};
                                              })},
      {"AlibiTwelveHeadsWindow", alibi(sized(24, 12, 21),
                                       [](auto& c) {
                                         c.mask.causal = true;
                                         c.mask.window = 4;
                                         c.switches->temperature = 0.5;
                                       })},
      {"AlibiThreeHeadsPainted", alibi(sized(6, 3, 6),
                                       [](auto& c) {
                                         PaintedMask paint = allAllowed(6, 6);
                                         paint.allowed[1] = paint.allowed[20] = 0;
                                         c.mask.painted =
                                             std::make_shared<const PaintedMask>(paint);
                                         c.switches->scale = false;
                                       })},
      {"AlibiZeroForMasked", alibi(sized(8, 4, 9),
                                   [](auto& c) {
                                     c.mask.causal = true;
                                     c.mistakes.zeroForMasked = true;
                                     c.dropout = {0.25, 3};
                                   })},
      {"AlibiOverQueries",
       alibi(sized(8, 2, 33), [](auto& c) { c.mistakes.softmaxOverQueries = true; })},
  };
}

std::vector<Case> gateCases() {
  const auto gated = [](AttentionConfig config, auto change) {
    config.switches->gate = true;
    return with(std::move(config), change);
  };
  return {{"GateGroupedBatch", gated(sized(24, 6, 5, 2), [](auto& c) { c.batch = 2; })},
          {"GateOfWiderHeads", gated(sized(16, 2, 19),
                                     [](auto& c) {
                                       c.headDim = 5;
                                       c.switches->bias = false;
                                       c.headGains = {0.5F, 0.0F};
                                     })},
          {"GateInCrossAttention", gated(sized(16, 4, 5),
                                         [](auto& c) {
                                           c.memoryLen = 3;
                                           c.memoryWidth = 10;
                                           c.mistakes.reshapeWithoutTranspose = true;
                                         })},
          {"GateAndPairBias", gated(sized(8, 2, 6), [](auto& c) {
             c.batch = 3;
             c.pairBias = PairBias::drawn(2, 6, 6, 1);
             c.mask.lengths = {6, 2, 0};
           })}};
}

double changedValue(const Switch& which) {
  return which.isFlag() ? 1.0 - defaultOf(which) : defaultOf(which) + 0.5;
}

std::vector<Case> switchCases() {
  std::vector<Case> cases = alibiCases();
  for (Case& each : learnedSettingCases()) cases.push_back(std::move(each));
  for (Case& each : pairBiasCases()) cases.push_back(std::move(each));
  for (Case& each : gateCases()) cases.push_back(std::move(each));
  for (const Switch& each : allSwitches()) {
    cases.push_back({"Switch_" + std::string(each.key), with(sized(16, 4, 6), [&](auto& c) {
                       c.mask.causal = true;
                       setValue(each, c, changedValue(each));
                     })});
  }
  return cases;
}

DocumentPtr withPins(const DocumentPtr& document) {
  const AttentionConfig& c = document->config;
  return changed(document, [&](Document& d) {
    float value = -2.0F;
    for (const TensorId id : {TensorId::rawScores, TensorId::scores, TensorId::weights,
                              TensorId::heads, TensorId::gate}) {
      if (!has(c, id)) continue;
      const Index rows = c.seqLen, cols = shapeOf(id, c).back(), head = c.numHeads - 1;
      for (const CellRef& cell : {CellRef{id, 0, 0, 0, 0}, CellRef{id, 0, 0, rows - 1, cols - 1},
                                  CellRef{id, 0, 0, rows - 1, cols / 2},
                                  CellRef{id, c.batch - 1, head, rows / 2, cols - 1}}) {
        d.pins = d.pins.with({cell, value});
        value += 0.37F;
      }
    }
  });
}

std::vector<std::pair<std::string, DocumentPtr>> documentsOfAllKinds() {
  std::vector<std::pair<std::string, DocumentPtr>> all;
  for (const Case& c : allCases()) all.emplace_back(c.name, randomDocument(c.config));
  for (const Case& c : whatIfCases()) {
    all.emplace_back(c.name, randomDocument(c.config));
    all.emplace_back(c.name + "Pinned", withPins(all.back().second));
  }
  for (const Case& c : switchCases()) {
    all.emplace_back(c.name, randomDocument(c.config));
    all.emplace_back(c.name + "Pinned", withPins(all.back().second));
  }
  return all;
}

}  // namespace headscope::test
