#include "core/language/corpus.h"

#include <fmt/format.h>

namespace headscope::language {

std::string hashOf(const Corpus& corpus) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  const auto add = [&](std::uint64_t value) {
    hash ^= value;
    hash *= 0x100000001b3;
  };
  for (const auto* part : {&corpus.training, &corpus.heldOut}) {
    add(part->size());
    for (const std::int32_t token : *part) add(static_cast<std::uint64_t>(token));
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace headscope::language
