#include "app/cli/trace_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "app/cli/config_options.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/formats/model_tensors.h"
#include "core/model/model_gradients.h"
#include "core/model/tokenized.h"

namespace headscope::cli {
namespace {

constexpr std::string_view kNumPyEnding = ".npz";

std::optional<Index> idFrom(const char* flag, std::optional<Index> id, const std::string& word,
                            const model::ModelConfig& config, const formats::TokenizerPtr& names) {
  if (id || word.empty()) return id;
  try {
    return model::onePredicted(word, config, names.get());
  } catch (const UserError& error) {
    throw UserError(fmt::format("{}: {}", flag, error.what()));
  }
}

constexpr std::string_view kAllSites = "all";

/// The sites in the order in which they were given, each once; "all": those that the model has.
/// `model`: null before one is open.
std::vector<model::Site> sitesOf(const TraceOptions& options, const model::Model* model) {
  std::vector<model::Site> sites;
  if (options.sites.size() == 1 && options.sites.front() == kAllSites) {
    std::ranges::copy_if(model::kSites, std::back_inserter(sites), [&](model::Site site) {
      return model == nullptr || whyWithout(site, *model).empty();
    });
    return sites;
  }
  for (const std::string& name : options.sites) {
    const model::Site site = model::siteFromName(name);
    if (std::ranges::find(sites, site) == sites.end()) sites.push_back(site);
  }
  return sites;
}

}  // namespace

void TraceOptions::check() const {
  try {
    sitesOf(*this, nullptr);
  } catch (const UserError& error) {
    throw UserError(fmt::format("--sites: {}", error.what()));
  }
  const bool first = gradOfId || !gradOf.empty();
  if (first || (!againstId && against.empty())) return;
  throw UserError(
      "--against names the token whose logit is subtracted: give the first one with --grad-of");
}

struct TraceFile::Contents {
  std::optional<model::ModelGradients> gradients, ofEncoder;
  formats::TraceExtras extras;
};

TraceFile::TraceFile(const TraceOptions& options, const model::ModelTracePtr& trace,
                     const formats::TokenizerPtr& names, int threads, std::optional<Index> at,
                     std::vector<NamedTensor> others)
    : path_(options.path), trace_(trace), contents_(std::make_unique<Contents>()) {
  formats::TraceExtras& extras = contents_->extras;
  extras.others = std::move(others);
  extras.sites = sitesOf(options, trace->document().model.get());
  const auto word = idFrom("--grad-of", options.gradOfId, options.gradOf, trace->config(), names);
  if (!word) return;
  const auto against =
      idFrom("--against", options.againstId, options.against, trace->config(), names);
  const Index row = at.value_or(model::readPlace(*trace, names.get()));
  ExecutionContext execution;
  execution.threads = threads;
  contents_->gradients = gradientsOfLogit(trace, row, *word, against, execution, extras.sites);
  extras.gradients = &*contents_->gradients;
  if (trace->document().memory != nullptr) {
    contents_->ofEncoder =
        gradientsOfEncoder(*trace, *contents_->gradients, execution, extras.sites);
    extras.encoderGradients = &*contents_->ofEncoder;
  }
  Json number{{"at", row}, {"word", *word}};
  if (against) number["other"] = *against;
  extras.gradOf = number.dump();
}
TraceFile::~TraceFile() = default;

void TraceFile::save() const { formats::saveTrace(path_, *trace_, contents_->extras); }

void noteTraceFile(FileFlags& files, const TraceOptions& options) {
  files.writes("--trace", options.path, {kTraceEnding, kNumPyEnding});
}

void addTraceOptions(CLI::App& app, TraceOptions& options) {
  auto* trace =
      app.add_option("--trace", options.path,
                     "write attentions (L,H,T,T), hidden_states (L+1,T,D) and logits (T,V), of an "
                     "image (V), or without a readout last_hidden_state (T,D) to it, by its "
                     "ending as safetensors or for NumPy")
          ->check(notEmpty)
          ->type_name("FILE.safetensors|FILE.npz");
  app.add_option("--sites", options.sites,
                 "also q, k, v, heads (L,H,T,d_k), residual (L,T,D: what enters each layer), "
                 "residual_mid (after its attention), attention and network (L,T,D: what each "
                 "adds), network_input, neurons (L,T,F), or all")
      ->delimiter(',')
      ->needs(trace)
      ->type_name("SITE,…");
  auto* id = app.add_option("--grad-of-id", options.gradOfId,
                            "also grad.heads (L,H,T,d_k), grad.residual (L,T,D) and those of the "
                            "other --sites: the gradients of this token's logit at the last place "
                            "or that of --at, or of this label's")
                 ->needs(trace)
                 ->type_name("N");
  app.add_option("--grad-of", options.gradOf, "likewise, the token as text")
      ->check(notEmpty)
      ->needs(trace)
      ->excludes(id)
      ->type_name("TOKEN");
  auto* againstId =
      app.add_option("--against-id", options.againstId, "minus the logit of this token")
          ->type_name("N");
  app.add_option("--against", options.against, "likewise, the token as text")
      ->check(notEmpty)
      ->excludes(againstId)
      ->type_name("TOKEN");
}

}  // namespace headscope::cli
