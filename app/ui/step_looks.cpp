#include "app/ui/step_looks.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "app/ui/hover.h"
#include "core/attention/steps/step.h"

namespace headscope::ui {
namespace {

using T = TensorId;

constexpr std::array<TensorLook, kEveryTensorCount> kTensorLooks{{
    {Ink::input, ""},            // x
    {Ink::input, "memory"},      // memory
    {Ink::query, ""},            // wQ
    {Ink::key, ""},              // wK
    {Ink::value, ""},            // wV
    {Ink::output, "W_O"},        // wO
    {Ink::query, ""},            // bQ
    {Ink::key, ""},              // bK
    {Ink::value, ""},            // bV
    {Ink::output, ""},           // bO
    {Ink::query, "query"},       // qProj
    {Ink::key, "key"},           // kProj
    {Ink::value, "value"},       // vProj
    {Ink::query, "query"},       // q
    {Ink::key, "key"},           // k
    {Ink::value, "value"},       // v
    {Ink::accent, "score"},      // rawScores
    {Ink::accent, ""},           // scores
    {Ink::accent, ""},           // maskedScores
    {Ink::accent, "weights"},    // weights
    {Ink::head, "head"},         // heads
    {Ink::output, "concat"},     // concat
    {Ink::output, "output"},     // output
    {Ink::query, "query"},       // qNorm
    {Ink::key, "key"},           // kNorm
    {Ink::query, "query"},       // qRot
    {Ink::key, "key"},           // kRot
    {Ink::query, "gate"},        // gate
    {Ink::head, "head"},         // gated
    {Ink::query, "gate"},        // wG
    {Ink::query, ""},            // bG
    {Ink::accent, "pair bias"},  // pairBias
}};

constexpr std::array<ProjectedPart, 3> kParts{{
    {T::q, T::qProj, T::wQ, T::bQ, T::qNorm, T::qRot, "Q", "query", Lane::query},
    {T::k, T::kProj, T::wK, T::bK, T::kNorm, T::kRot, "K", "key", Lane::key},
    {T::v, T::vProj, T::wV, T::bV, T::v, T::v, "V", "value", Lane::key},
}};

using L = Lane;
using K = StepPiece::Kind;
using H = HeadShare;
constexpr unsigned kTransposed = StepPiece::transposed, kOfBias = StepPiece::ofBias,
                   kPlain = StepPiece::plain, kResult = StepPiece::result,
                   kIfPresent = StepPiece::ifPresent;

constexpr StepPiece sign(const char* text, unsigned how = 0) {
  return {K::sign, T::x, L::none, L::none, H::none, how, text};
}

constexpr StepPiece kProjectPieces[] = {
    {K::matrix, T::x, L::query, L::inner},
    sign("×"),
    {K::matrix, T::wQ, L::inner, L::column, H::only, kTransposed},
    sign("+", kOfBias),
    {K::matrix, T::bQ, L::none, L::column, H::only, kOfBias},
    sign("="),
    {K::matrix, T::qProj, L::query, L::column, H::only, kResult},
};
constexpr StepPiece kSplitPieces[] = {
    {K::matrix, T::qProj, L::query, L::inner, H::marked},
    sign("→"),
    {K::matrix, T::q, L::query, L::inner, H::placed, kResult},
};
constexpr StepPiece kScorePieces[] = {
    {K::matrix, T::q, L::query, L::inner},
    sign("×"),
    {K::matrix, T::k, L::inner, L::key, H::none, kTransposed},
    sign("="),
    {K::matrix, T::rawScores, L::query, L::key, H::none, kResult},
};
constexpr StepPiece kScalePieces[] = {
    {K::matrix, T::rawScores, L::query, L::key},
    {K::operation},
    sign("="),
    {K::matrix, T::scores, L::query, L::key, H::none, kResult},
};
constexpr StepPiece kMaskPieces[] = {
    {K::matrix, T::scores, L::query, L::key},
    {K::operation},
    {K::matrix, T::pairBias, L::query, L::key, H::none, kIfPresent},
    {K::combine},
    {K::mask, T::maskedScores, L::query, L::key},
    sign("="),
    {K::matrix, T::maskedScores, L::query, L::key, H::none, kResult},
};
constexpr StepPiece kSoftmaxPieces[] = {
    {K::matrix, T::maskedScores, L::query, L::key},
    sign("softmax"),
    sign("="),
    {K::matrix, T::weights, L::query, L::key, H::none, kResult},
};
constexpr StepPiece kWeighPieces[] = {
    {K::matrix, T::weights, L::query, L::key},
    sign("×"),
    {K::matrix, T::v, L::key, L::column},
    {K::operation},
    sign("="),
    {K::matrix, T::heads, L::query, L::column, H::none, kResult},
};
constexpr StepPiece kGatePieces[] = {
    sign("σ("),         {K::matrix, T::x, L::query, L::inner},
    sign("×"),          {K::matrix, T::wG, L::inner, L::column, H::only, kTransposed},
    sign("+", kOfBias), {K::matrix, T::bG, L::none, L::column, H::only, kOfBias},
    sign(") ="),        {K::matrix, T::gate, L::query, L::column},
    sign("⊙"),          {K::matrix, T::heads, L::query, L::column},
    sign("="),          {K::matrix, T::gated, L::query, L::column, H::none, kResult},
};
constexpr StepPiece kConcatPieces[] = {
    {K::matrix, T::heads, L::query, L::inner, H::placed},
    sign("→"),
    {K::matrix, T::concat, L::query, L::inner, H::marked, kResult},
};
constexpr StepPiece kOutputPieces[] = {
    {K::matrix, T::concat, L::query, L::inner, H::marked, kPlain},   sign("×"),
    {K::matrix, T::wO, L::inner, L::column, H::marked, kTransposed}, sign("+", kOfBias),
    {K::matrix, T::bO, L::none, L::column, H::none, kOfBias},        sign("="),
    {K::matrix, T::output, L::query, L::column, H::none, kResult},
};

constexpr StepPiece kNormalizePieces[] = {
    {K::matrix, T::q, L::query, L::inner},
    sign("→"),
    {K::matrix, T::qNorm, L::query, L::inner, H::none, kResult},
};
constexpr StepPiece kRotatePieces[] = {
    {K::matrix, T::q, L::query, L::inner},
    sign("→"),
    {K::matrix, T::qRot, L::query, L::inner, H::none, kResult},
};

const std::array<StepLook, kEveryStepCount> kSteps{{
    {"projection", kProjectPieces},
    {"split", kSplitPieces},
    {"normalize", kNormalizePieces},
    {"rotate", kRotatePieces},
    {"score", kScorePieces},
    {"÷√d_k", kScalePieces},
    {"mask", kMaskPieces},
    {"softmax", kSoftmaxPieces},
    {"weighted sum", kWeighPieces},
    {"gate", kGatePieces},
    {"concat", kConcatPieces},
    {"output", kOutputPieces},
}};

}  // namespace

const StepLook& lookOf(StepId step) { return kSteps[static_cast<std::size_t>(step)]; }

const TensorLook& lookOf(TensorId tensor) { return kTensorLooks[static_cast<std::size_t>(tensor)]; }

std::string_view stepViewSymbol(TensorId tensor) {
  return tensor == TensorId::maskedScores ? "S''" : info(tensor).symbol;
}

std::span<const ProjectedPart> projectedParts() { return kParts; }

const ProjectedPart* partWith(TensorId tensor) {
  const auto found = std::find_if(kParts.begin(), kParts.end(), [&](const ProjectedPart& p) {
    return tensor == p.part || tensor == p.whole || tensor == p.weight || tensor == p.bias ||
           tensor == p.normalized || tensor == p.rotated;
  });
  return found == kParts.end() ? nullptr : &*found;
}

const ProjectedPart& projectedPart(TensorId part) {
  const ProjectedPart* found = partWith(part);
  return found != nullptr ? *found : kParts.front();
}

std::size_t partCount(StepId id) { return id < StepId::score ? step(id).outputs().size() : 0; }

const ProjectedPart& partShownBy(StepId step, TensorId part) {
  const ProjectedPart& chosen = projectedPart(part);
  const std::size_t parts = partCount(step);
  const bool shown = parts == 0 || &chosen < &kParts[0] + parts;
  return shown ? chosen : kParts.front();
}

TensorId shownResult(StepId id, TensorId part) {
  const auto shown = static_cast<std::size_t>(&partShownBy(id, part) - kParts.data());
  return partCount(id) > 0 ? step(id).outputs()[shown] : step(id).mainOutput();
}

ImU32 inkColor(const Theme& t, Ink ink, Index head) {
  switch (ink) {
    case Ink::plain:
      return t.textMuted;
    case Ink::input:
      return t.text;
    case Ink::query:
      return t.queryText;
    case Ink::key:
      return t.keyText;
    case Ink::value:
      return t.valueText;
    case Ink::head:
      return headColor(t, static_cast<std::size_t>(head));
    case Ink::output:
      return t.outputText;
    case Ink::accent:
      break;
  }
  return t.accentText;
}

ImU32 areaColor(const Theme& t, Ink ink, Index head) {
  switch (ink) {
    case Ink::plain:
      return t.textMuted;
    case Ink::input:
      return t.input;
    case Ink::query:
      return t.query;
    case Ink::key:
      return t.key;
    case Ink::value:
      return t.value;
    case Ink::head:
      return headColor(t, static_cast<std::size_t>(head));
    case Ink::output:
      return t.output;
    case Ink::accent:
      break;
  }
  return t.accent;
}

}  // namespace headscope::ui
