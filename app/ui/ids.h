// The ids of pages, cards and tools that other code names. Sessions store them.
#pragma once

namespace headscope::ui {

inline constexpr const char* kStagePage = "stage";
inline constexpr const char* kFlowPage = "flow";
inline constexpr const char* kHeadsPage = "heads";
inline constexpr const char* kTrainPage = "train";
inline constexpr const char* kLearnPage = "learn";
inline constexpr const char* kModelPage = "model";

inline constexpr const char* kToolsCard = "flow";
inline constexpr const char* kStepViewCard = "stage";
inline constexpr const char* kSentenceCard = "sentence";
inline constexpr const char* kSmallStagesCard = "small stages";
inline constexpr const char* kJourneyCard = "journey";
inline constexpr const char* kStageNumbersCard = "stage numbers";
inline constexpr const char* kStripCard = "heads";
inline constexpr const char* kAllHeadsCard = "all heads";
inline constexpr const char* kTaskCard = "task";
inline constexpr const char* kLiveHeadsCard = "live heads";
inline constexpr const char* kModelTextCard = "model text";
inline constexpr const char* kModelHeadsCard = "model heads";
inline constexpr const char* kModelPredictionCard = "model prediction";
inline constexpr const char* kModelChainCard = "model chain";
inline constexpr const char* kOverStepsCard = "over steps";
inline constexpr const char* kCurvesCard = "curves";
inline constexpr const char* kSentenceHeadsCard = "sentence heads";
inline constexpr const char* kNextWordsCard = "next words";
inline constexpr const char* kWrittenTextCard = "written text";
inline constexpr const char* kStoryLossCard = "story loss";
inline constexpr const char* kStoryQuestionsCard = "story questions";
inline constexpr const char* kTextTokensCard = "text tokens";
inline constexpr const char* kShapePicturesCard = "shape pictures";
inline constexpr const char* kShapeCurvesCard = "shape curves";

inline constexpr const char* kFlowTool = "flow";
inline constexpr const char* kTermsTool = "terms";
inline constexpr const char* kChangesTool = "changes";
inline constexpr const char* kCodeTool = "code";
inline constexpr const char* kWhyTool = "why";
inline constexpr const char* kMistakesTool = "mistakes";

}  // namespace headscope::ui
