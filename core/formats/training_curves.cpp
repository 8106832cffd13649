#include "core/formats/training_curves.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace headscope::formats {
namespace {

using training::Evaluation;

/// The shortest text that reads back to the same number; empty where there is none.
std::string curveNumber(double value) {
  return std::isfinite(value) ? fmt::format(",{}", value) : ",";
}

}  // namespace

std::string curvesCsv(const training::Task& task, std::span<const training::StepRecord> records,
                      std::span<const Evaluation> evaluations) {
  std::string csv = "step,loss,gradient_length,evaluation_loss";
  for (const auto& question : task.questions) {
    csv += fmt::format(",accuracy_{}", question.name);
  }
  for (const auto& relation : task.relations) csv += fmt::format(",mass_{}", relation.name);
  csv += '\n';
  const std::size_t empty = 1 + task.questions.size() + task.relations.size();
  auto evaluation = evaluations.begin();
  for (Index step = 0; step <= std::ssize(records); ++step) {
    csv += std::to_string(step);
    if (step == 0) {
      csv += ",,";
    } else {
      const auto& record = records[static_cast<std::size_t>(step - 1)];
      csv += curveNumber(record.loss) + curveNumber(record.gradientLength);
    }
    if (evaluation == evaluations.end() || evaluation->step != step) {
      csv += std::string(empty, ',');
    } else {
      csv += curveNumber(evaluation->losses.loss);
      for (const auto& question : evaluation->losses.questions) {
        csv += curveNumber(question.accuracy);
      }
      for (const auto& role : evaluation->roles.relations) {
        csv += role.head ? curveNumber(role.mass) : ",";
      }
      ++evaluation;
    }
    csv += '\n';
  }
  return csv;
}

}  // namespace headscope::formats
