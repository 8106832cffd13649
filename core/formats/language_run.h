// Language run: a run of a language model as a folder (run_state.h), and its model as a folder that
// opens like any other.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "core/language/kept_run.h"

namespace headscope::formats {

/// Returns whether a saved run's task, or that of a flag, is the next token of a text: "stories" or
/// "text".
bool isLanguageTask(std::string_view task);

/// Writes a run. A previous run stays intact until the new one is complete. Throws UserError naming
/// the path and the system's reason.
void saveRun(const std::filesystem::path& folder, const language::LanguageTrainer& run);

/// Reads a run, which continues exactly as if it had not stopped. Its corpus is made again; a text
/// is read from the file that it was. Throws UserError that names the file and the field or tensor
/// that is missing, damaged, of another shape or beyond the budget, and a text that has changed.
std::unique_ptr<language::LanguageTrainer> loadLanguageRun(const std::filesystem::path& folder,
                                                           Index memoryBudgetBytes);

/// Writes a kept run as a safetensors file: `attentions` (S, L, H, T, T) in F16 and, in its
/// metadata, "run". No partial file is left. Throws UserError naming the path.
void saveKeptRun(const std::filesystem::path& path, const language::KeptRun& run);
/// Reads such a file from memory; `name` stands for its path in messages. Throws UserError that
/// names what is missing or damaged.
language::KeptRun readKeptRun(const std::string& name, std::string_view bytes);
/// The run that comes with the program: two layers of six heads, 1,500 steps on stories.
std::shared_ptr<const language::KeptRun> shippedRun();

/// Writes config.json, model.safetensors (F16) and tokenizer.json into the folder, which is created
/// if missing. The model is a GPT-2, with rotary positions a StarCoder 2, both of which Hugging
/// Face's transformers open with their tokenizer_config.json, and otherwise one of this program's
/// own. Throws UserError where a file
/// cannot be written.
void saveAsModel(const std::filesystem::path& folder, const language::LanguageModel& model,
                 const language::Corpus& corpus);

}  // namespace headscope::formats
