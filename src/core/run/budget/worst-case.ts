// Computes the most that a model call can use [B1]: the bytes of its request, and its output limit.

import type { Price } from "../../money/amount.ts"
import { tidy } from "../../money/tidy.ts"
import { dearestInput } from "../../money/prices.ts"

/** Limit: output tokens of a model whose agent declares none → the provider ends the reply. */
export const MAX_OUTPUT_TOKENS = 4096

/** The length of a summary in tokens, and of its instructions in bytes [J23]. */
export const SUMMARY_TOKENS = 2_048 // limit: output tokens of a summary → the provider ends the summary
export const SUMMARY_PROMPT_BYTES = 2_048 // limit: bytes of a summary's instructions → no longer instructions exist

/** US dollars for these tokens, when each token of the input is billed at its highest price. */
export const worstCost = (price: Price, input: number, output: number): number =>
  tidy((input * dearestInput(price) + output * price.output) / 1_000_000)
