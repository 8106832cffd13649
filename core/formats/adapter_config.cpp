#include "core/formats/adapter_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/downloaded_file.h"
#include "core/base/file_error.h"
#include "core/base/files.h"
#include "core/base/json.h"

namespace headscope::formats {
namespace {

constexpr std::uintmax_t kMostAdapterBytes = std::uintmax_t{1} << 20;
constexpr JsonLimits kAdapterLimits{.depth = 8, .keys = 10'000};
constexpr Index kMostRank = 1 << 16;

struct AdapterField {
  std::string_view name, mathematics;
};

/// Fields that ask for more than a sum of B·A, unless they are null, false or empty.
constexpr AdapterField kAskMore[]{
    {"use_dora", "DoRA, the length of each row apart from its direction (Liu et al. 2024)"},
    {"lora_bias", "a bias of B"},
    {"use_qalora", "QALoRA, inputs averaged by groups"},
    {"use_bdlora", "block-diagonal matrices"},
    {"alora_invocation_tokens", "activated LoRA, which changes some tokens only"},
    {"arrow_config", "Arrow, a router among adapters"},
    {"target_parameters", "changes of tensors that are no module's weight"},
    {"trainable_token_indices", "trained rows of the embedding"},
    {"layer_replication", "layers that are run again"},
    {"velora_config", "VeLoRA"}};

/// Ways to begin that change the base's own weights.
constexpr std::string_view kChangeTheBase[]{"pissa", "olora", "corda", "loftq", "lora_ga"};

/// Fields of training, and those that the weights' names tell as well.
constexpr std::string_view kAdapterWithoutEffect[]{"auto_mapping",      "bias",
                                                   "corda_config",      "ensure_weight_tying",
                                                   "eva_config",        "exclude_modules",
                                                   "fan_in_fan_out",    "inference_mode",
                                                   "layers_pattern",    "layers_to_transform",
                                                   "loftq_config",      "lora_dropout",
                                                   "lora_ga_config",    "megatron_config",
                                                   "megatron_core",     "peft_version",
                                                   "qalora_group_size", "revision",
                                                   "runtime_config",    "task_type",
                                                   "use_rslora",        "r",
                                                   "lora_alpha",        "rank_pattern",
                                                   "alpha_pattern",     "target_modules",
                                                   "modules_to_save",   "init_lora_weights",
                                                   "peft_type",         "base_model_name_or_path"};

[[noreturn]] void refuseMathematics(const JsonField& field, std::string_view mathematics) {
  throw FileError(fmt::format(
      "{}: {} is {}, which asks for {}, and that is not computed here: merge the adapter into its "
      "base model (merge_and_unload, then save_pretrained) and open that",
      field.file(), field.path(), field.quoted(), mathematics));
}

bool asksForMore(const Json& value) {
  if (value.isNull()) return false;
  if (const bool* flag = value.flag()) return *flag;
  if (value.list() != nullptr) return !value.list()->empty();
  return value.fields() == nullptr || !value.fields()->empty();
}

/// Returns whether `module` is called `name`, or ends with it: "…attn.c_attn" and "c_attn". A name
/// with ^ before it is whole.
bool isCalled(std::string_view module, std::string_view name) {
  if (name.starts_with('^')) return module == name.substr(1);
  if (!module.ends_with(name)) return false;
  return module.size() == name.size() || module[module.size() - name.size() - 1] == '.';
}

std::vector<std::string> namesIn(const JsonField& root, std::string_view name) {
  const auto field = root.find(name);
  return field ? field->texts() : std::vector<std::string>();
}

/// {"c_attn": 4}: names as above.
std::vector<std::pair<std::string, double>> patternsIn(const JsonField& root,
                                                       std::string_view name) {
  std::vector<std::pair<std::string, double>> patterns;
  const auto field = root.find(name);
  if (!field) return patterns;
  for (const auto& [pattern, value] : field->fields()) {
    if (pattern.find_first_of("*+?()[]{}|\\$") != std::string::npos) {
      refuseMathematics(*field, "a regular expression in the place of modules' names");
    }
    const double number = value.number();
    if (!(number > 0.0)) value.fail("is not above 0");
    patterns.emplace_back(pattern, number);
  }
  return patterns;
}

double patternFor(std::string_view module,
                  const std::vector<std::pair<std::string, double>>& patterns, double otherwise) {
  const auto found = std::ranges::find_if(
      patterns, [module](const auto& each) { return isCalled(module, each.first); });
  return found == patterns.end() ? otherwise : found->second;
}

void refuseOtherKinds(const JsonField& root) {
  if (const auto kind = root.find("peft_type"); kind && kind->text() != "LORA") {
    refuseMathematics(*kind, fmt::format("an adapter of the kind {}", kind->text()));
  }
  for (const AdapterField& each : kAskMore) {
    if (const auto field = root.find(each.name); field && asksForMore(field->value())) {
      refuseMathematics(*field, each.mathematics);
    }
  }
  if (const auto bias = root.find("bias"); bias && bias->text() != "none") {
    refuseMathematics(*bias, "trained biases");
  }
  const auto begin = root.find("init_lora_weights");
  if (begin && begin->value().text() != nullptr &&
      std::ranges::any_of(kChangeTheBase,
                          [&](auto each) { return begin->text().starts_with(each); })) {
    refuseMathematics(*begin, "other weights of the base");
  }
}

}  // namespace

Index AdapterConfig::rankOf(std::string_view module) const {
  return static_cast<Index>(patternFor(module, ranks, static_cast<double>(rank)));
}

double AdapterConfig::factorOf(std::string_view module) const {
  const auto r = static_cast<double>(rankOf(module));
  return patternFor(module, alphas, alpha) / (rootOfRank ? std::sqrt(r) : r);
}

bool AdapterConfig::isTarget(std::string_view module) const {
  return targets.empty() ||
         std::ranges::any_of(targets, [&](const auto& each) { return isCalled(module, each); });
}

bool AdapterConfig::isSavedWhole(std::string_view module) const {
  return std::ranges::any_of(savedWhole, [&](const auto& each) { return isCalled(module, each); });
}

AdapterConfig readAdapterConfig(const std::filesystem::path& folder, model::ModelNotes& notes) {
  AdapterConfig c;
  c.file = folder / kAdapterConfig;
  const std::string name = c.file.string();
  const Json json = downloadedJson(readText(c.file, kMostAdapterBytes, "adapter's configuration"),
                                   name, kAdapterLimits);
  const JsonField root(json, name);
  refuseOtherKinds(root);
  if (const auto base = root.find("base_model_name_or_path")) c.base = base->text();
  if (const auto rank = root.find("r")) c.rank = rank->whole();
  if (c.rank < 1 || c.rank > kMostRank) root.at("r").fail("is no rank from 1");
  if (const auto alpha = root.find("lora_alpha")) c.alpha = alpha->number();
  if (const auto root_ = root.find("use_rslora")) c.rootOfRank = root_->flag();
  // a text is a regular expression, or "all-linear": the weights' names say what it led to
  if (const auto targets = root.find("target_modules"); targets && targets->value().list()) {
    c.targets = targets->texts();
  }
  c.savedWhole = namesIn(root, "modules_to_save");
  c.ranks = patternsIn(root, "rank_pattern");
  c.alphas = patternsIn(root, "alpha_pattern");
  for (const auto& [field, value] : root.fields()) {
    const bool known =
        std::ranges::find(kAdapterWithoutEffect, field) != std::end(kAdapterWithoutEffect) ||
        std::ranges::find(kAskMore, field, &AdapterField::name) != std::end(kAskMore);
    if (known || !asksForMore(value.value())) continue;
    notes.files.push_back(fmt::format("{}: {} is {}, an unknown field that this program ignores",
                                      kAdapterConfig, field, value.quoted()));
  }
  return c;
}

std::string adapterBase(const std::filesystem::path& folder) {
  try {
    const std::string text = readText(folder / kAdapterConfig, kMostAdapterBytes, "adapter");
    const Json json = parseJson(text, kAdapterLimits);
    const Json* base = json.find("base_model_name_or_path");
    return base != nullptr && base->text() != nullptr ? *base->text() : std::string();
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace headscope::formats
