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

/// The rows of the steps. An evaluation adds `figures` numbers by `write`.
template <typename Record, typename Evaluated, typename Write>
std::string rowsOf(std::span<const Record> records, std::span<const Evaluated> evaluations,
                   std::size_t figures, Write write) {
  std::string csv;
  auto evaluation = evaluations.begin();
  for (Index step = 0; step <= std::ssize(records); ++step) {
    csv += std::to_string(step);
    if (step == 0) {
      csv += ",,";
    } else {
      const Record& record = records[static_cast<std::size_t>(step - 1)];
      csv += curveNumber(record.loss) + curveNumber(record.gradientLength);
    }
    if (evaluation == evaluations.end() || evaluation->step != step) {
      csv += std::string(figures, ',');
    } else {
      write(csv, *evaluation);
      ++evaluation;
    }
    csv += '\n';
  }
  return csv;
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
  const std::size_t figures = 1 + task.questions.size() + task.relations.size();
  return csv + rowsOf(records, evaluations, figures, [](std::string& row, const Evaluation& at) {
           row += curveNumber(at.losses.loss);
           for (const auto& question : at.losses.questions) row += curveNumber(question.accuracy);
           for (const auto& role : at.roles.relations) {
             row += role.head ? curveNumber(role.mass) : ",";
           }
         });
}

std::string curvesCsv(std::span<const model_training::StepRecord> records,
                      std::span<const language::LanguageEvaluation> evaluations) {
  std::string csv = "step,loss,gradient_length,held_out_loss";
  const bool asked = !evaluations.empty() && !evaluations.front().questions.empty();
  for (const char* figure : {"accuracy", "look"}) {
    for (std::size_t q = 0; asked && q < language::kStoryQuestions; ++q) {
      csv += fmt::format(",{}_{}", figure, language::storyQuestions()[q].name);
    }
  }
  csv += '\n';
  const std::size_t figures = 1 + (asked ? 2 * language::kStoryQuestions : 0);
  return csv + rowsOf(records, evaluations, figures,
                      [](std::string& row, const language::LanguageEvaluation& at) {
                        row += curveNumber(at.heldOutLoss);
                        for (const auto& answered : at.questions)
                          row += curveNumber(answered.right);
                        for (const auto& answered : at.questions) row += curveNumber(answered.look);
                      });
}

std::string curvesCsv(std::span<const model_training::StepRecord> records,
                      std::span<const images::ShapeEvaluation> evaluations, Index heads) {
  std::string csv = "step,loss,gradient_length,held_out_loss,accuracy";
  const std::size_t all = evaluations.empty() ? 0 : evaluations.front().answers.onShape.size();
  for (std::size_t h = 0; h < all; ++h) {
    const auto head = static_cast<Index>(h);
    csv += fmt::format(",on_shape_{}.{}", head / heads, head % heads);
  }
  csv += '\n';
  return csv + rowsOf(records, evaluations, 2 + all,
                      [](std::string& row, const images::ShapeEvaluation& at) {
                        row += curveNumber(at.answers.loss) + curveNumber(at.answers.right);
                        for (const double look : at.answers.onShape) row += curveNumber(look);
                      });
}

}  // namespace headscope::formats
