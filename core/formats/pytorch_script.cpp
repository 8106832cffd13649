#include "core/formats/pytorch_script.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <ostream>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/attention/alibi.h"
#include "core/attention/config.h"
#include "core/attention/dropped_cells.h"
#include "core/attention/mistakes.h"
#include "core/attention/steps/step.h"
#include "core/attention/switches.h"
#include "core/base/assets.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/formats/export_tensor.h"
#include "core/formats/numpy_files.h"
#include "core/platform/files.h"
#include "core/platform/paths.h"

namespace headscope::formats {

namespace {

using Lines = std::vector<std::string>;

constexpr const char* kPairBias = "pair_bias";

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
  if (c.headNorm.on()) {
    const auto gains = [&](const char* name, const std::vector<float>& values) {
      const bool shared = std::ssize(values) == c.dK();
      lines.push_back(fmt::format("{} = torch.tensor({}, dtype=REAL){}", name, numbers(values),
                                  shared ? "" : fmt::format(".view(-1, 1, {})", c.dK())));
    };
    gains("g_Q", c.headNorm.q());
    gains("g_K", c.headNorm.k());
  }
  if (!c.sinks.empty()) {
    lines.push_back(fmt::format(
        "sink = torch.tensor({}, dtype=REAL).view(H, 1, 1)  # a score without a key, per head",
        numbers(c.sinks)));
  }
  if (c.switches->alibi) {
    std::vector<float> slopes;
    for (Index h = 0; h < c.numHeads; ++h) slopes.push_back(alibiSlope(h, c.numHeads));
    lines.push_back(fmt::format("slope = torch.tensor({}, dtype=REAL).view(H, 1, 1)  # ALiBi",
                                numbers(slopes)));
    lines.emplace_back("distance = (torch.arange(T).view(T, 1) - torch.arange(M)).abs()");
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
    if (isResult(id)) continue;
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

/// The lines of every step, as on screen, then those of its pins and of the comparison of its
/// results.
Lines stepLines(const Document& document) {
  const AttentionConfig& c = document.config;
  Lines lines;
  for (const Step* step : stepsOf(c)) {
    const StepText text = step->text(c);
    if (!lines.empty()) lines.emplace_back();
    lines.push_back(fmt::format("# {}: {}", text.title, text.sentence));
    const std::vector<TensorId> outputs = step->outputs();
    // the pins of an output come before the line that reads it
    const bool oneEach = text.pytorch.size() == outputs.size() && outputs.size() > 1 &&
                         !document.pins.of(outputs.front()).empty();
    if (!oneEach) lines.insert(lines.end(), text.pytorch.begin(), text.pytorch.end());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const TensorId id = outputs[i];
      if (oneEach) lines.push_back(text.pytorch[i]);
      for (std::string& line : pinLines(document.pins, id)) lines.push_back(std::move(line));
      lines.push_back(fmt::format("{0} = check(\"{0}\", {0})", info(id).name));
    }
  }
  return lines;
}

/// The features of this pass that nn.MultiheadAttention lacks.
Lines beyondModule(const Document& document) {
  const AttentionConfig& c = document.config;
  Lines reasons;
  for (const Step* step : stepsOf(c)) {
    for (std::string& why : step->beyondModule(c)) reasons.push_back(std::move(why));
  }
  if (!document.pins.empty()) reasons.emplace_back("cells are pinned");
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
  if (c.switches->bias) lines.emplace_back("    \"in_proj_bias\": torch.cat([b_Q, b_K, b_V]),");
  lines.emplace_back("    \"out_proj.weight\": W_O,");
  if (c.switches->bias) lines.emplace_back("    \"out_proj.bias\": b_O,");
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
                          c.switches->bias ? "True" : "False", c.kvWidth(), c.kvWidth()),
              ").eval()", "module.load_state_dict({"};
  for (std::string& line : stateDictLines(c)) lines.push_back(std::move(line));
  lines.insert(lines.end(), {"})", "module_output, module_weights = module(",
                             fmt::format("    x, {0}, {0},", source)});
  if (c.switches->alibi ||
      c.pairBias.on()) {  // added to the scores, as is −∞ where a key is not allowed
    const std::string bias = !c.pairBias.on()    ? "-slope * distance"
                             : c.switches->alibi ? fmt::format("{} - slope * distance", kPairBias)
                                                 : kPairBias;
    lines.push_back(fmt::format("    attn_mask=({}).expand(B, H, T, M){}.reshape(B * H, T, M),",
                                bias,
                                c.mask.none() ? "" : ".masked_fill(~allowed, float(\"-inf\"))"));
  } else {
    if (!c.mask.lengths.empty()) {
      lines.emplace_back("    key_padding_mask=key >= lengths.view(B, 1),");
    }
    if (forbidsPairs(c.mask)) lines.emplace_back("    attn_mask=~pairs,");
  }
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

/// Replaces the template's line "# @section" by the lines.
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

// exportPyTorch: the folder of a PyTorch script, replaced as a whole.

namespace {

namespace fs = std::filesystem;

constexpr const char* kTensorFolder = "tensors";
constexpr const char* kPainted = "painted";
constexpr const char* kKeep = "keep";

[[noreturn]] void failToWrite(const fs::path& path, const std::error_code& code) {
  throw UserError(
      fmt::format("cannot write {}: {}; choose a writable place", path.string(), code.message()));
}

/// Returns whether an export wrote the script: it begins like the template.
bool isOurs(const fs::path& script) {
  const std::string_view text = asset("pytorch/check_attention.py");
  const std::string_view start = text.substr(0, text.find("\n\n"));
  if (!platform::isRegularFile(script)) return false;
  std::ifstream in(script, std::ios::binary);
  std::string found(start.size(), '\0');
  return in.read(found.data(), static_cast<std::streamsize>(found.size())) && found == start;
}

std::set<std::string> namesOfTensorFiles() {
  std::set<std::string> names{fmt::format("{}.npy", kPainted), fmt::format("{}.npy", kKeep),
                              fmt::format("{}.npy", kPairBias)};
  for (std::size_t i = 0; i < kEveryTensorCount; ++i) {
    names.insert(fmt::format("{}.npy", info(static_cast<TensorId>(i)).name));
  }
  return names;
}

/// Throws UserError where the folder holds files that no export wrote: only exports may be
/// replaced.
void requireOwn(const fs::path& folder) {
  std::error_code code;
  if (fs::exists(folder, code) && !fs::is_directory(folder, code)) {
    throw UserError(fmt::format("{} is a file; name a folder, new or empty", folder.string()));
  }
  const fs::path script = folder / kScriptName;
  const fs::path tensors = folder / kTensorFolder;
  const auto refuse = [](const fs::path& path) {
    throw UserError(fmt::format(
        "{} already exists and was not made by an export; choose another folder", path.string()));
  };
  if (fs::exists(script, code) && !isOurs(script)) refuse(script);
  if (!fs::exists(tensors, code)) return;
  if (!fs::is_directory(tensors, code)) refuse(tensors);
  // the script may be missing: it takes its place last
  const std::set<std::string> own = namesOfTensorFiles();
  for (fs::directory_iterator at(tensors, code), end; !code && at != end; at.increment(code)) {
    if (!own.contains(at->path().filename().string())) refuse(at->path());
  }
  if (code) failToWrite(tensors, code);
}

/// A temporary folder that is removed unless it takes its place. It stays locked while this object
/// lives, so that other processes do not take it for a leftover of a killed process.
class Staging {
 public:
  explicit Staging(fs::path folder) : target_(std::move(folder)), path_(temporaryName(target_, 0)) {
    removeDeadTemporariesOf(target_);
    std::error_code code;
    fs::create_directory(path_, code);
    if (code) failToWrite(path_, code);
    lock_ = platform::FileLock::tryNow(path_, false, code);
  }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  const fs::path& path() const { return path_; }

  /// Exchanges the folder with the previous one, which is removed with this object.
  void takePlace() {
    const fs::path before = temporaryName(target_, 1);
    std::error_code code;
    const bool replaces = fs::exists(target_, code);
    if (replaces) fs::rename(target_, before, code);
    if (!code) fs::rename(path_, target_, code);
    if (code) failToWrite(target_, code);
    if (replaces) fs::rename(before, path_, code);
  }

 private:
  fs::path target_;
  fs::path path_;
  std::unique_ptr<platform::FileLock> lock_;
};

/// The painted mask as a tensor of 0 and 1, (T, M).
Tensor paintedTensor(const PaintedMask& mask) {
  const std::vector<float> values(mask.allowed.begin(), mask.allowed.end());
  return Tensor::fromValues({mask.queries, mask.keys}, values);
}

/// A tensor with 1 for each weight that dropout keeps and 0 elsewhere, (B, H, T, M).
Tensor keptTensor(const AttentionConfig& c) {
  const DroppedCells dropped(c);
  Tensor kept = Tensor::uninitialised(shapeOf(TensorId::weights, c));
  for (Index item = 0; item < c.batch; ++item) {
    for (Index head = 0; head < c.numHeads; ++head) {
      const MatrixView cells = kept.mutableMatrix({item, head});
      for (Index row = 0; row < cells.rows; ++row) {
        for (Index col = 0; col < cells.cols; ++col) {
          cells(row, col) = dropped(item, head, row, col) ? 0.0F : 1.0F;
        }
      }
    }
  }
  return kept;
}

}  // namespace

void exportPyTorch(const fs::path& folder, const Trace& trace) {
  requireOwn(folder);
  OutputFolder whole(folder);
  Staging tensors(folder / kTensorFolder);
  const auto write = [&](std::string_view name, const Tensor& tensor) {
    writeNpy(tensors.path() / fmt::format("{}.npy", name), tensor);
  };
  const AttentionConfig& c = trace.config();
  for (const TensorId id : tensorsOf(c)) write(info(id).name, trace.materialise(id));
  if (c.mask.painted != nullptr) write(kPainted, paintedTensor(*c.mask.painted));
  if (c.dropout.on()) write(kKeep, keptTensor(c));
  const std::string script = pytorchScript(trace);
  writeAtomically(folder / kScriptName, [&](std::ostream& out) {
    out << script << std::flush;
    if (out) tensors.takePlace();  // once the script is sure to have room
  });
  whole.keep();
}

}  // namespace headscope::formats
