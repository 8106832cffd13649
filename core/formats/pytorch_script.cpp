#include "core/formats/pytorch_script.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "core/assets.h"
#include "core/formats/export_tensor.h"
#include "core/mistakes.h"
#include "core/steps/step.h"
#include "core/trace.h"

namespace headscope::formats {
namespace {

using Lines = std::vector<std::string>;

std::string numbers(const auto& values) { return fmt::format("[{}]", fmt::join(values, ", ")); }

bool forbidsPairs(const Mask& mask) {
  return mask.causal || mask.window > 0 || mask.painted != nullptr;
}

/// Which keys each query may attend to, by the rules of the mask.
Lines maskLines(const Mask& mask) {
  if (mask.none()) return {};
  Lines lines{"", "# True where a query may attend to a key.",
              "query, key = torch.arange(T).view(T, 1), torch.arange(M).view(1, M)",
              "pairs = torch.ones(T, M, dtype=torch.bool)"};
  if (mask.causal) lines.emplace_back("pairs &= key <= query  # causal");
  if (mask.window > 0) {
    lines.push_back(fmt::format("pairs &= (query - key).abs() < {}  # window", mask.window));
  }
  if (mask.painted != nullptr) {
    lines.emplace_back("pairs &= load(\"painted\", T, M) != 0  # painted");
  }
  if (mask.lengths.empty()) {
    lines.emplace_back("allowed = pairs.view(1, 1, T, M)");
  } else {
    lines.push_back(fmt::format("lengths = torch.tensor({})  # keys that count, per batch item",
                                numbers(mask.lengths)));
    lines.emplace_back("allowed = pairs & (key < lengths.view(B, 1, 1, 1))");
  }
  return lines;
}

Lines configurationLines(const AttentionConfig& c) {
  Lines lines{c.dKDivides() ? fmt::format("# d_k = {} / {} = {}", c.dModel, c.numHeads, c.dK())
                            : fmt::format("# d_k = {} (head_dim), {} heads: {}", c.dK(), c.numHeads,
                                          c.queryWidth()),
              fmt::format("B, T, M, D, H = {}, {}, {}, {}, {}", c.batch, c.seqLen, c.keys(),
                          c.dModel, c.numHeads)};
  if (!c.headGains.empty()) {
    lines.push_back(fmt::format("gain = torch.tensor({}, dtype=REAL)  # of each head; 0: it is off",
                                numbers(c.headGains)));
  }
  for (const Mistake mistake : mistakesOn(c)) {
    const MistakeText& text = textOf(mistake);
    lines.push_back(
        fmt::format("# A common mistake, made on purpose: {}: {}", text.title, text.wrong));
  }
  for (std::string& line : maskLines(c.mask)) lines.push_back(std::move(line));
  return lines;
}

Lines operandLines(const AttentionConfig& c) {
  Lines lines;
  for (const TensorId id : tensorsOf(c)) {
    if (isResult(id)) break;
    lines.push_back(
        fmt::format("{0} = load(\"{0}\", {1})", info(id).name, fmt::join(shapeOf(id, c), ", ")));
  }
  if (c.dropout.on()) lines.emplace_back("keep = load(\"keep\", B, H, T, M)  # 0: dropped");
  return lines;
}

/// "raw_scores[0, 5, 2, 1] = 30" for every pinned cell, with all the digits of its float32.
Lines pinLines(const Pins& pins, TensorId id) {
  Lines lines;
  for (const Pin& pin : pins.of(id)) {
    lines.push_back(fmt::format("{} = {}", toString(pin.cell), static_cast<double>(pin.value)));
  }
  if (!lines.empty()) lines.front() += "  # pinned";
  return lines;
}

/// Every step's own lines, as the screen shows them, then the pins; each result is compared.
Lines stepLines(const Document& document) {
  const AttentionConfig& c = document.config;
  Lines lines;
  for (const Step* step : stepsOf(c)) {
    const StepText text = step->text(c);
    if (!lines.empty()) lines.emplace_back();
    lines.push_back(fmt::format("# {}: {}", text.title, text.sentence));
    std::string_view rest = text.pytorch;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find("; "), rest.size());
      lines.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 2, rest.size()));
    }
    for (const TensorId id : step->outputs()) {
      for (std::string& line : pinLines(document.pins, id)) lines.push_back(std::move(line));
      lines.push_back(fmt::format("{0} = check(\"{0}\", {0})", info(id).name));
    }
  }
  return lines;
}

/// What nn.MultiheadAttention cannot do of this pass.
Lines beyondModule(const Document& document) {
  const AttentionConfig& c = document.config;
  Lines reasons;
  if (c.numKvHeads != c.numHeads) {
    reasons.push_back(
        fmt::format("{} query heads share {} key/value heads", c.numHeads, c.numKvHeads));
  }
  if (!c.dKDivides()) {
    reasons.push_back(fmt::format("d_k is {} by itself, not D / H", c.dK()));
  }
  if (!c.scale) reasons.emplace_back("the scores are not divided by sqrt(d_k)");
  if (c.temperature != 1.0) reasons.push_back(fmt::format("the temperature is {}", c.temperature));
  const bool gained = std::ranges::any_of(c.headGains, [](float gain) { return gain != 1.0F; });
  if (gained) reasons.emplace_back("heads are switched off or weighted");
  if (!document.pins.empty()) reasons.emplace_back("cells are pinned");
  if (c.dropout.on()) reasons.emplace_back("it would drop other weights");
  for (const Mistake mistake : mistakesOn(c)) {
    if (mistake == Mistake::noScale) continue;  // said above
    reasons.push_back(fmt::format("a mistake is made on purpose ({})", textOf(mistake).id));
  }
  return reasons;
}

Lines stateDictLines(const AttentionConfig& c) {
  Lines lines;
  if (c.kvWidth() == c.dModel) {
    lines.emplace_back("    \"in_proj_weight\": torch.cat([W_Q, W_K, W_V]),");
  } else {
    for (const char* name : {"Q", "K", "V"}) {
      lines.push_back(fmt::format("    \"{}_proj_weight\": W_{},",
                                  static_cast<char>(name[0] - 'A' + 'a'), name));
    }
  }
  if (c.bias) lines.emplace_back("    \"in_proj_bias\": torch.cat([b_Q, b_K, b_V]),");
  lines.emplace_back("    \"out_proj.weight\": W_O,");
  if (c.bias) lines.emplace_back("    \"out_proj.bias\": b_O,");
  return lines;
}

/// nn.MultiheadAttention from the input to the output, or a sentence that says why not.
Lines moduleLines(const Trace& trace) {
  const AttentionConfig& c = trace.config();
  if (const Lines reasons = beyondModule(trace.document()); !reasons.empty()) {
    return {"# Beyond nn.MultiheadAttention.",
            fmt::format("print(\"nn.MultiheadAttention cannot do this pass: {}\")",
                        fmt::join(reasons, "; "))};
  }
  const char* source = c.crossAttention() ? "memory" : "x";
  Lines lines{"# The same by nn.MultiheadAttention, from the input to the output.",
              "module = torch.nn.MultiheadAttention(",
              fmt::format("    D, H, bias={}, kdim={}, vdim={}, batch_first=True, dtype=REAL",
                          c.bias ? "True" : "False", c.kvWidth(), c.kvWidth()),
              ").eval()", "module.load_state_dict({"};
  for (std::string& line : stateDictLines(c)) lines.push_back(std::move(line));
  lines.insert(lines.end(), {"})", "module_output, module_weights = module(",
                             fmt::format("    x, {0}, {0},", source)});
  if (!c.mask.lengths.empty()) {
    lines.emplace_back("    key_padding_mask=key >= lengths.view(B, 1),");
  }
  if (forbidsPairs(c.mask)) lines.emplace_back("    attn_mask=~pairs,");
  lines.insert(lines.end(), {"    need_weights=True, average_attn_weights=False,", ")"});
  if (!trace.fullyMaskedRows.empty()) {
    lines.insert(lines.end(),
                 {"# It gives NaN where every key is masked: those rows are taken as headscope's.",
                  "masked = ~allowed.any(dim=-1, keepdim=True)  # (B, 1, T, 1)",
                  "module_weights = torch.where(masked, weights, module_weights)",
                  "module_output = torch.where(masked[:, 0], output, module_output)"});
  }
  lines.insert(
      lines.end(),
      {"# Softmax makes of what float32 rounds off a score a relative difference of its weights.",
       "allowance = max(TOLERANCE, 1e-6 * scores.abs().max().item())",
       "compare(\"nn.MultiheadAttention weights\", module_weights, weights, allowance)",
       "compare(\"nn.MultiheadAttention output\", module_output, output, allowance)"});
  return lines;
}

/// Puts the lines where the template says "# @section".
void fill(std::string& script, std::string_view section, const Lines& lines) {
  const std::string marker = fmt::format("# @{}", section);
  const std::size_t at = script.find(marker);
  if (at == std::string::npos) throw std::logic_error("the script's template has no " + marker);
  script.replace(at, marker.size(), fmt::format("{}", fmt::join(lines, "\n")));
}

}  // namespace

std::string pytorchScript(const Trace& trace) {
  const AttentionConfig& c = trace.config();
  std::string script(asset("pytorch/check_attention.py"));
  fill(script, "configuration", configurationLines(c));
  fill(script, "operands", operandLines(c));
  fill(script, "steps", stepLines(trace.document()));
  fill(script, "module", moduleLines(trace));
  return script;
}

}  // namespace headscope::formats
