// A session as JSON, whose tensors lie elsewhere: in the file beside it (session.h), or drawn anew
// (link.h).
#pragma once

#include <string>

#include "core/base/json.h"
#include "core/formats/session.h"
#include "core/formats/tensor_table.h"

namespace headscope::formats {

/// "document", or "scene 3": what stands before the names of a document's tensors.
inline constexpr const char* kNameOfDocument = "document";
std::string nameOfScene(int number);

/// `leftOut` becomes what could not be kept and why, or empty.
Json sessionJson(const Session& session, TensorsToSave& tensors, std::string& leftOut);

/// The edits of models, and which documents of the session are layers of them.
Json modelsJson(const Session& session, TensorsToSave& tensors, std::string& leftOut);
/// `session` has its documents already.
SavedModels modelsFrom(const JsonField& field, const Session& session, TensorsToRead& tensors,
                       Index memoryBudget);

/// Throws UserError that names the file and field, where it is no session, and where it is of a
/// version that is not known.
void requireVersion(const JsonField& file, const std::string& path);
Session sessionFrom(const JsonField& file, TensorsToRead& tensors, Index memoryBudget);

/// The text as JSON; UserError where it is none.
Json sessionIn(const std::string& text, const std::string& file);

}  // namespace headscope::formats
