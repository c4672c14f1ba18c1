// Loads what compares runs of two definitions as one module: two would share more small ones, each of which a start loads.

export { BacktestWork, gateBacktest } from "./backtest-work.ts"
export { ExperimentVariants } from "./experiment-variants.ts"
export { evidenceOf } from "./gate-scores.ts"
