#include "core/attention/state_dict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <set>
#include <span>

#include "core/attention/limits.h"
#include "core/attention/tensor_names.h"
#include "core/base/error.h"
#include "core/base/memory_budget.h"

namespace headscope::formats {
namespace {

/// The first tensor of each form of weights, which distinguishes the forms.
constexpr std::array<std::string_view, 3> kForms{"in_proj_weight", "q_proj_weight",
                                                 "q_proj.weight"};

/// Names of an attention layer's tensors, and of the modules that hold them.
constexpr std::array<std::string_view, 5> kWholeNames{
    "in_proj_weight", "in_proj_bias", "q_proj_weight", "k_proj_weight", "v_proj_weight"};
constexpr std::array<std::string_view, 8> kModules{"q_proj",   "k_proj", "v_proj", "o_proj",
                                                   "out_proj", "q_norm", "k_norm", "gate_proj"};
/// Beginnings of the names of projections, in every form.
constexpr std::array<std::string_view, 10> kProjections{
    "in_proj_", "q_proj",   "k_proj", "v_proj",          "o_proj",
    "out_proj", "qkv_proj", "c_attn", "query_key_value", "Wqkv"};

[[noreturn]] void refuseMissing(const SafetensorsFile& file, const std::string& prefix) {
  std::vector<std::string> prefixes;
  for (const std::string& name : file.names()) {
    for (const std::string_view form : kForms) {
      if (name.ends_with(form)) prefixes.push_back(name.substr(0, name.size() - form.size()));
    }
  }
  const std::string where =
      prefix.empty() ? "at its root" : fmt::format("under the prefix \"{}\"", prefix);
  if (prefixes.empty()) {
    throw UserError(fmt::format(
        "{} holds no attention weights: neither in_proj_weight nor q_proj.weight; it has {}",
        file.path().string(), file.names().empty() ? "no tensors" : someOf(file.names())));
  }
  for (std::string& found : prefixes) found = found.empty() ? "\"\" (its root)" : found;
  throw UserError(fmt::format("{} has no attention weights {}; choose the prefix: {}",
                              file.path().string(), where, someOf(prefixes)));
}

/// The state dict of one attention layer within a file.
class Layer {
 public:
  Layer(const SafetensorsFile& file, std::string prefix, Index budgetBytes)
      : file_(file), prefix_(std::move(prefix)), left_(budgetBytes) {
    if (!anyForm() && !prefix_.empty() && !prefix_.ends_with('.')) prefix_ += '.';
    if (!anyForm()) refuseMissing(file, prefix_);
  }

  LoadedWeights load() {
    LoadedWeights loaded;
    if (has(kForms[0])) {
      loadCombined(loaded);
    } else {
      loadSeparate(loaded, has(kForms[1]) ? "_weight" : ".weight");
    }
    loaded.weights.wO = outputMatrix(loaded);
    loadBiases(loaded);
    loadGate(loaded);
    loadHeadNorm(loaded);
    refuseOthers();
    return loaded;
  }

 private:
  bool has(std::string_view name) const { return file_.has(prefix_ + std::string(name)); }
  bool anyForm() const {
    return std::any_of(kForms.begin(), kForms.end(), [this](auto form) { return has(form); });
  }

  [[noreturn]] void refuseShape(const std::string& name, const std::string& expected) const {
    throw UserError(fmt::format("{}{}: expected {}, found {} in {}; save the weights of one layer",
                                prefix_, name, expected, toString(file_.shape(prefix_ + name)),
                                file_.path().string()));
  }
  /// The shape of a required matrix.
  Shape matrixShape(const std::string& name, const std::string& expected) const {
    if (!has(name)) {
      throw UserError(fmt::format("{}{} is missing in {}; save the whole layer", prefix_, name,
                                  file_.path().string()));
    }
    const Shape& shape = file_.shape(prefix_ + name);
    if (shape.size() != 2 || shape[0] < 1 || shape[1] < 1) refuseShape(name, expected);
    return shape;
  }
  Tensor read(const std::string& name, const Shape& expected) {
    if (file_.shape(prefix_ + name) != expected) refuseShape(name, toString(expected));
    used_.insert(prefix_ + name);
    return readWithin(left_, file_, prefix_ + name);
  }
  Tensor matrix(const std::string& name, Index rows, Index cols) {
    matrixShape(name, toString(Shape{rows, cols}));
    return read(name, {rows, cols});
  }

  /// W_O (d_model, H·d_k): its columns must equal the rows of W_Q.
  Tensor outputMatrix(const LoadedWeights& loaded) {
    const std::string name = outputName(".weight");
    const Shape expected{loaded.dModel, loaded.queryFeatures};
    const Shape shape = matrixShape(name, toString(expected));
    if (shape[0] == expected[0] && shape != expected && loaded.queryFeatures != loaded.dModel) {
      throw UserError(fmt::format(
          "{0}{1} in {2} takes {3} features, and the heads of q_proj give {4}: W_Q is (H·d_k, "
          "d_model) and W_O (d_model, H·d_k); save both of one layer",
          prefix_, name, file_.path().string(), shape[1], loaded.queryFeatures));
    }
    return read(name, expected);
  }
  /// The name of W_O or b_O: under out_proj, or else o_proj, as in newer models.
  std::string outputName(const std::string& suffix) const {
    return !has("out_proj.weight") && has("o_proj.weight") ? "o_proj" + suffix
                                                           : "out_proj" + suffix;
  }

  void loadCombined(LoadedWeights& loaded) {
    const Index d = matrixShape("in_proj_weight", "(3·d_model, d_model)")[1];
    loaded.dModel = loaded.queryFeatures = loaded.kvWidth = loaded.kvFeatures = d;
    checkSize(d);
    const Tensor all = read("in_proj_weight", {3 * d, d});
    loaded.weights.wQ = all.slice(0, 0, d);
    loaded.weights.wK = all.slice(0, d, 2 * d);
    loaded.weights.wV = all.slice(0, 2 * d, 3 * d);
  }

  void loadSeparate(LoadedWeights& loaded, const std::string& suffix) {
    const std::string q = "q_proj" + suffix;
    const std::string k = "k_proj" + suffix;
    const std::string v = "v_proj" + suffix;
    const Shape shapeQ = matrixShape(q, "(H·d_k, d_model)");
    loaded.queryFeatures = shapeQ[0];
    loaded.dModel = shapeQ[1];
    const Shape shapeK = matrixShape(k, "(kv features, width of the memory)");
    const Shape shapeV = matrixShape(v, toString(shapeK));
    if (shapeK[1] != shapeV[1]) {
      throw UserError(
          fmt::format("{}{} {} and {} {} in {} read memories of different widths (kdim "
                      "and vdim), which cannot be shown; use a layer where both agree",
                      prefix_, k, toString(shapeK), v, toString(shapeV), file_.path().string()));
    }
    loaded.kvFeatures = shapeK[0];
    loaded.kvWidth = shapeK[1];
    for (const Index size :
         {loaded.dModel, loaded.queryFeatures, loaded.kvFeatures, loaded.kvWidth}) {
      checkSize(size);
    }
    loaded.weights.wQ = read(q, shapeQ);
    loaded.weights.wK = read(k, shapeK);
    loaded.weights.wV = read(v, shapeK);
  }

  void checkSize(Index size) const {
    if (size <= Limits::kDModel) return;
    throw UserError(fmt::format("{} has projections {} wide; up to {} can be used",
                                file_.path().string(), size, Limits::kDModel));
  }

  Tensor bias(const std::string& name, Index size, bool& found) {
    if (!has(name)) return Tensor::zeros({size});
    found = true;
    return read(name, {size});
  }

  void loadBiases(LoadedWeights& loaded) {
    Weights& w = loaded.weights;
    const Index q = loaded.queryFeatures;
    const Index kv = loaded.kvFeatures;
    if (has("q_proj.weight") && !has(kForms[0])) {
      w.bQ = bias("q_proj.bias", q, loaded.bias);
      w.bK = bias("k_proj.bias", kv, loaded.bias);
      w.bV = bias("v_proj.bias", kv, loaded.bias);
    } else {
      const Tensor all = bias("in_proj_bias", q + 2 * kv, loaded.bias);
      w.bQ = all.slice(0, 0, q);
      w.bK = all.slice(0, q, q + kv);
      w.bV = all.slice(0, q + kv, q + 2 * kv);
    }
    w.bO = bias(outputName(".bias"), loaded.dModel, loaded.bias);
  }

  void loadGate(LoadedWeights& loaded) {
    if (!has("gate_proj.weight")) return;
    loaded.weights.wG = matrix("gate_proj.weight", loaded.queryFeatures, loaded.dModel);
    loaded.weights.bG = bias("gate_proj.bias", loaded.queryFeatures, loaded.bias);
  }

  /// Loads the gains of the RMSNorm of each head's queries and keys.
  void loadHeadNorm(LoadedWeights& loaded) {
    const std::string q = "q_norm.weight", k = "k_norm.weight";
    if (!has(q) && !has(k)) return;
    for (const std::string& name : {q, k}) {
      if (!has(name)) {
        throw UserError(
            fmt::format("{}{} is missing in {}, which has norms of {}; save the whole layer",
                        prefix_, name, file_.path().string(), has(q) ? "queries" : "keys"));
      }
      if (file_.shape(prefix_ + name).size() != 1) refuseShape(name, "(d_k,)");
    }
    const Index width = file_.shape(prefix_ + q)[0];
    const bool perHead = file_.shape(prefix_ + k)[0] == width && width > 0 &&
                         loaded.queryFeatures % width == 0 && loaded.kvFeatures % width == 0;
    if (!perHead) {
      throw UserError(fmt::format(
          "{0}{1} {2} and {0}{3} {4} in {5} are no norms per head, (d_k,) both, and norms over all "
          "heads are not computed: load weights made without them",
          prefix_, q, toString(file_.shape(prefix_ + q)), k, toString(file_.shape(prefix_ + k)),
          file_.path().string()));
    }
    loaded.headNorm =
        HeadNorm(read(q, {width}).values(), read(k, {width}).values(), kHeadNormEpsilon);
  }

  /// Returns whether a tensor belongs to the layer. Without a prefix the file may hold other
  /// tensors too.
  bool isOfLayer(std::string_view name) const {
    if (!prefix_.empty()) return name.starts_with(prefix_);
    if (std::ranges::find(kWholeNames, name) != kWholeNames.end()) return true;
    const std::size_t dot = name.find('.');
    const bool module = dot != std::string_view::npos &&
                        std::ranges::find(kModules, name.substr(0, dot)) != kModules.end();
    return module || whyUnusable(name).has_value();
  }

  /// Refuses unused tensors of the layer: ignoring one could change the result unnoticed.
  void refuseOthers() const {
    for (const std::string& name : file_.names()) {
      if (used_.contains(name) || !isOfLayer(name)) continue;
      const std::string_view own = std::string_view(name).substr(prefix_.size());
      if (isBuffer(own, file_.shape(name))) continue;
      const auto refuse = [&](const std::string& why) {
        throw UserError(
            fmt::format("{} in {} cannot be used: it {}", name, file_.path().string(), why));
      };
      if (const auto why = whyUnusable(own)) refuse(*why);
      const bool projection = std::ranges::any_of(
          kProjections, [&](std::string_view each) { return own.starts_with(each); });
      const bool norm = own.starts_with("q_norm.") || own.starts_with("k_norm.");
      refuse(
          norm ? "belongs to a norm of queries or keys that is not an RMSNorm, which is not "
                 "computed here: load weights made without it"
          : projection
              ? "belongs to a second set of projections, so the choice is ambiguous: save the "
                "layer with one set"
              : "is not a part of attention that this program knows: load weights made without it");
    }
  }

  const SafetensorsFile& file_;
  std::string prefix_;
  Index left_;  // of the budget, in bytes
  std::set<std::string, std::less<>> used_;
};

/// Stacks matrices one below the other.
Tensor stacked(std::initializer_list<Tensor> parts) {
  Shape shape = parts.begin()->shape();
  std::vector<float> values;
  for (const Tensor& part : parts) {
    const std::vector<float> own = part.values();
    values.insert(values.end(), own.begin(), own.end());
  }
  shape[0] *= static_cast<Index>(parts.size());
  return Tensor::fromValues(shape, values);
}

}  // namespace

LoadedWeights loadWeights(const SafetensorsFile& file, const std::string& prefix,
                          Index budgetBytes) {
  return Layer(file, prefix, budgetBytes).load();
}

void saveWeights(const std::filesystem::path& path, const Weights& w, bool bias,
                 const std::map<std::string, std::string>& metadata, FileFloat as) {
  std::vector<NamedTensor> tensors;
  const bool combined = w.wQ.shape() == w.wK.shape() && w.wQ.dim(0) == w.wQ.dim(1);
  if (combined) {
    tensors.push_back({"in_proj_weight", stacked({w.wQ, w.wK, w.wV})});
    if (bias) tensors.push_back({"in_proj_bias", stacked({w.bQ, w.bK, w.bV})});
  } else {
    tensors.insert(tensors.end(),
                   {{"q_proj.weight", w.wQ}, {"k_proj.weight", w.wK}, {"v_proj.weight", w.wV}});
    if (bias) {
      tensors.insert(tensors.end(),
                     {{"q_proj.bias", w.bQ}, {"k_proj.bias", w.bK}, {"v_proj.bias", w.bV}});
    }
  }
  tensors.push_back({"out_proj.weight", w.wO});
  if (bias) tensors.push_back({"out_proj.bias", w.bO});
  if (!w.wG.empty()) tensors.push_back({"gate_proj.weight", w.wG});
  if (!w.wG.empty() && bias) tensors.push_back({"gate_proj.bias", w.bG});
  writeSafetensors(path, tensors, metadata, as);
}

bool keysFit(const LoadedWeights& loaded, Index numHeads) {
  const Index dK = loaded.queryFeatures / numHeads;
  const Index kvHeads = loaded.kvFeatures / dK;
  return kvHeads > 0 && loaded.kvFeatures % dK == 0 && numHeads % kvHeads == 0;
}

Index headsOfNorm(const LoadedWeights& loaded) {
  return loaded.headNorm.on() ? loaded.queryFeatures / std::ssize(loaded.headNorm.q()) : 0;
}

Index kvHeadsFor(const LoadedWeights& loaded, Index numHeads, const std::string& where) {
  if (numHeads < 1 || loaded.queryFeatures % numHeads != 0) {
    const bool square = loaded.queryFeatures == loaded.dModel;
    throw UserError(fmt::format("{} heads do not divide {} of {}; choose a number that does",
                                numHeads,
                                square ? fmt::format("d_model {}", loaded.dModel)
                                       : fmt::format("the {} rows of W_Q", loaded.queryFeatures),
                                where));
  }
  const Index dK = loaded.queryFeatures / numHeads;
  if (!keysFit(loaded, numHeads)) {
    throw UserError(
        fmt::format("with {} heads each is {} wide, but keys in {} are {} wide, which does not "
                    "give a number of heads that divides {}; choose other heads",
                    numHeads, dK, where, loaded.kvFeatures, numHeads));
  }
  return loaded.kvFeatures / dK;
}

}  // namespace headscope::formats
