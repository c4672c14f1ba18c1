// Loads what answers the routes of quality as one module: four would share dozens of small ones, each of which a start loads.

export * as datasetAnswers from "./dataset-answers.ts"
export * as experimentAnswers from "./experiment-answers.ts"
export * as gradingAnswers from "./grading.ts"
export * as judgeAnswers from "./judge-answers.ts"
export * as scoreAnswers from "./score-answers.ts"
