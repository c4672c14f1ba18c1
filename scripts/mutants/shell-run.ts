// Faults between objects, on the run's side: alarms, calls between own objects, questions, children.

import type { Mutant } from "./mutant.ts"

const ALARM = "cloudflare/platform/alarm-owners.test.ts"

export const SHELL_RUN: readonly Mutant[] = [
  {
    name: "J12 forget the other owners when the alarm rings",
    file: "cloudflare/platform/alarm-owners.ts",
    find: `for (const [owner, at] of this.#said) if (at <= now) this.#said.delete(owner)`,
    put: `if (now > 0) this.#said.clear()`,
    test: [ALARM, "[J12] after it rang for one owner it is set for the others"],
  },
  {
    name: "J12 remove the alarm of an earlier life at rest",
    file: "cloudflare/platform/alarm-owners.ts",
    find: `    if (at !== null) this.#said.set(EARLIER_LIFE, at)\n`,
    put: ``,
    test: [ALARM, "[J12] what an earlier life of the object set stays until it rings"],
  },
  {
    name: "J12 call an own object without a limit",
    file: "cloudflare/platform/own-calls.ts",
    find: `return inTime(answer, limitOf(method, args), () => {`,
    put: `return inTime(answer, 2 ** 31 - 1, () => {`,
    test: ["cloudflare/platform/own-calls.test.ts", "[J12] that is never answered fails after its limit"],
  },
]
