// Computes the most tokens that a judge's run can use [V14, V27]: its three turns, each with all that came before.

import { MAX_OUTPUT_TOKENS } from "./worst-case.ts"
import { utf8Length } from "../../text/utf8.ts"

/** [V15] */
export const JUDGE_TURNS = 3
export const MAX_EVIDENCE = 96 * 1024 // limit: bytes of a judge's evidence → what matters least is cut, the answer last
/** Of the prompt, the delimiters and the schema of finish, at most. */
const PROMPT_BYTES = 16_384
/** `evidence`: bytes; `rest`: what else is in the request. */
export function judgeMost(evidence: number, rest = ""): { readonly input: number; readonly output: number } {
  const request = evidence + utf8Length(rest) + PROMPT_BYTES
  return { input: JUDGE_TURNS * (request + (JUDGE_TURNS - 1) * MAX_OUTPUT_TOKENS), output: JUDGE_TURNS * MAX_OUTPUT_TOKENS }
}
