// Says in a sentence why a run cannot be forked or run again, where no caller waits for the answer.

import { noPrice } from "../../catalog/pin/start-money.ts"
import type { ForkResult } from "../../../ports/fork.ts"

export function refusalText(refused: Extract<ForkResult, { ok: false }>): string {
  switch (refused.code) {
    case "not_found":
      return "there is no such run"
    case "not_forkable":
      return refused.what ?? "it has no such place to be forked at"
    case "patch_conflict":
      return `these steps have opened, and the patched flow does not have them with their types: ${refused.steps.join(", ")}`
    case "invalid":
      return refused.errors.map(({ pointer, message }) => `${pointer} ${message}`.trim()).join("; ")
    case "no_price":
      return noPrice(refused.models)
    case "definitions_lost":
      return refused.why
    case "key_busy":
      return `${refused.run === undefined ? "starts wait" : `the run ${refused.run} is at work`} under its key ${JSON.stringify(refused.key)}`
    case "refused":
      return refused.why.message ?? refused.why.code
  }
}
