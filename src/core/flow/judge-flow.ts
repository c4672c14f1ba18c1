// Names the flow of a judge's run [V15]: `@judge/NAME` with the step `judge`. No catalog path has such an id.

export const JUDGE_PREFIX = "@judge/"
export const JUDGE_STEP = "judge"
