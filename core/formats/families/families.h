// The families, each in its file. A new one is a file and two lines here.
#pragma once

#include <vector>

#include "core/formats/families/family.h"

namespace headscope::formats {

extern const Family kAlbert, kBart, kBert, kBloom, kClipText, kClipVision, kCohere, kDebertaV2,
    kDeepseekV3, kDeit, kDinov2, kDistilBert, kElectra, kFalcon, kGemma, kGemma2, kGemma3, kGlm4,
    kGpt2, kGptJ, kGptNeo, kGptNeoX, kGptOss, kGranite, kHeadscope, kLlama, kMistral, kMixtral,
    kModernBert, kMpt, kOlmo, kOlmo2, kOpt, kPhi, kPhi3, kQwen, kQwen3Moe, kRoberta, kSmolLm3,
    kStableLm, kStarcoder2, kT5, kVit;

/// All of them.
inline std::vector<const Family*> families() {
  return {&kAlbert,     &kBart,       &kBert,    &kBloom,     &kClipText,   &kClipVision, &kCohere,
          &kDebertaV2,  &kDeepseekV3, &kDeit,    &kDinov2,    &kDistilBert, &kElectra,    &kFalcon,
          &kGemma,      &kGemma2,     &kGemma3,  &kGlm4,      &kGpt2,       &kGptJ,       &kGptNeo,
          &kGptNeoX,    &kGptOss,     &kGranite, &kHeadscope, &kLlama,      &kMistral,    &kMixtral,
          &kModernBert, &kMpt,        &kOlmo,    &kOlmo2,     &kOpt,        &kPhi,        &kPhi3,
          &kQwen,       &kQwen3Moe,   &kRoberta, &kSmolLm3,   &kStableLm,   &kStarcoder2, &kT5,
          &kVit};
}

}  // namespace headscope::formats
