#include "core/formats/unused_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/attention/tensor_names.h"
#include "core/base/error.h"

namespace headscope::formats {
namespace {

/// Returns whether a tensor belongs to a head for another task, or to a training with hidden
/// patches, which a pass does not need.
bool isOtherHead(std::string_view name) {
  constexpr std::array<std::string_view, 9> kHeads{"pooler.",
                                                   "cls.seq_relationship.",
                                                   "classifier.",
                                                   "qa_outputs.",
                                                   "score.",
                                                   "pre_classifier.",
                                                   "sequence_summary.",
                                                   "multiple_choice_head.",
                                                   "embeddings.mask_token"};
  return std::ranges::any_of(kHeads, [&](auto head) { return name.starts_with(head); });
}

/// The outermost part of the model that a tensor belongs to.
std::string_view partOf(std::string_view name, const NamePrefix& prefix) {
  const std::size_t wrapper = name.starts_with(prefix.wrapper) ? prefix.wrapper.size() : 0;
  return name.substr(0, name.find('.', wrapper));
}

void refuseUnusable(const NamedTensors& tensors, const std::string& name, std::string_view own) {
  std::optional<std::string> why = whyUnusable(own);
  if (own == "lm_head.bias") {
    why = fmt::format(
        "adds to every logit, and the head of a {} model has no bias: open weights made without it",
        tensors.description.config.typeName());
  }
  if (!why) return;
  throw UserError(fmt::format("\"{}\" in {} cannot be used: it {}", name,
                              tensors.files.path(name).string(), *why));
}

[[noreturn]] void refuseOther(const NamedTensors& tensors, const std::string& name) {
  throw UserError(fmt::format(
      "{} has the tensor \"{}\", which a {} model with {} layers does not have: config.json and "
      "weights belong to different models, or the kind is not supported",
      tensors.files.path(name).string(), name, tensors.description.config.typeName(),
      tensors.description.config.layers));
}

bool equal(const StoredMatrix& a, const StoredMatrix& b) {
  const auto count = static_cast<std::size_t>(a.full().empty() ? a.half().size() : a.full().size());
  if (!a.half().empty() && !b.half().empty() && a.half().kind() == b.half().kind()) {
    return std::equal(a.half().row(0), a.half().row(0) + count, b.half().row(0));
  }
  const Tensor left = a.widened(), right = b.widened();
  return std::equal(left.data(), left.data() + count, right.data());
}

/// Refuses a tensor that differs from the one it repeats: it would be unclear which of them counts.
void requireSame(const WeightFiles& files, const std::string& name, const std::string& used) {
  if (files.has(used) && files.shape(name) == files.shape(used) &&
      equal(files.readStored(name), files.readStored(used))) {
    return;
  }
  throw UserError(
      fmt::format("\"{}\" in {} differs from \"{}\", and config.json declares them equal "
                  "(tie_word_embeddings): set tie_word_embeddings to false there if the model has "
                  "a separate head, or remove the tensor",
                  name, files.path(name).string(), used));
}

}  // namespace

void checkUnused(const NamedTensors& tensors, const std::set<std::string>& used,
                 const std::function<std::string(std::string_view)>& repeatedBy,
                 model::ModelNotes& notes) {
  const NamePrefix& prefix = tensors.prefix;
  std::set<std::string, std::less<>> partsRead;
  for (const std::string& name : used) partsRead.emplace(partOf(name, prefix));
  for (const std::string& name : tensors.files.names()) {
    if (used.contains(name)) continue;
    std::string_view own = name;
    if (own.starts_with(prefix.wrapper)) own.remove_prefix(prefix.wrapper.size());
    std::string_view inBase = own;
    if (own.starts_with(prefix.base)) inBase.remove_prefix(prefix.base.size());
    const bool elsewhere = std::ranges::any_of(
        tensors.description.elsewhere, [own](const auto& part) { return own.starts_with(part); });
    if (elsewhere) continue;
    const bool buffer = isBuffer(own, tensors.files.shape(name));
    const char* leftOver = tensors.description.names.leftOver;
    if (buffer || isOtherHead(own) || isOtherHead(inBase)) continue;
    if (leftOver != nullptr && own.ends_with(leftOver)) continue;
    if (const std::string same = repeatedBy(own); !same.empty()) {
      requireSame(tensors.files, name, prefix.wrapper + same);
      continue;
    }
    refuseUnusable(tensors, name, own);
    if (partsRead.contains(partOf(name, prefix))) refuseOther(tensors, name);
    notes.unusedTensors.push_back(name);
  }
}

}  // namespace headscope::formats
