#include "core/formats/tensor_prefixes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace headscope::formats {

namespace {

/// The prefixes of tools that wrap a model when it is saved: PyTorch's DataParallel and compile, a
/// wrapper class, sentence-transformers.
constexpr std::array<std::string_view, 5> kWrappers{"module.", "_orig_mod.", "model.",
                                                    "auto_model.", "0.auto_model."};

bool isWrapper(std::string_view prefix) {
  while (!prefix.empty()) {
    const auto* const known =
        std::ranges::find_if(kWrappers, [&](auto each) { return prefix.starts_with(each); });
    if (known == kWrappers.end()) return false;
    prefix.remove_prefix(known->size());
  }
  return true;
}

}  // namespace

NamePrefix prefixIn(const WeightFiles& files, const ModelDescription& description) {
  const TensorNames& names = description.names;
  const std::string base(names.base);
  const std::string anchor = names.tokens + std::string(names.bareNames ? "" : ".weight");
  for (const std::string& own : {base, std::string()}) {
    if (files.has(own + anchor)) return {"", own};
  }
  std::vector<std::string> before;
  for (const std::string& name : files.names()) {
    const bool ends = name.ends_with("." + anchor);
    if (ends) before.push_back(name.substr(0, name.size() - anchor.size()));
  }
  if (before.size() != 1) return {"", base};  // the missing tensor is then reported by name
  std::string wrapper = before.front();
  const bool inBase = !base.empty() && wrapper.ends_with(base);
  if (inBase) wrapper.resize(wrapper.size() - base.size());
  if (isWrapper(wrapper)) return {std::move(wrapper), inBase ? base : ""};
  throw UserError(fmt::format(
      "the tensors in {} begin with \"{}\", and those of a {} model with \"{}\" or with nothing: "
      "if "
      "it is part of a larger model, save that part by itself with save_pretrained; if not, "
      "config.json is of another model",
      files.directory().string(), before.front(), description.config.typeName(), base));
}

}  // namespace headscope::formats
