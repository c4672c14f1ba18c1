// Children pause and resume with their parent, whatever the clock says in between [H5].

import { expect, test } from "vitest"
import { Duties } from "../../../src/cloudflare/run/duties.ts"
import type { Env } from "../../../src/cloudflare/platform/env.ts"
import { FamilyPause } from "../../../src/cloudflare/run/family/family-pause.ts"
import { agent, flowOf, planOf } from "../../support/kernel/builders.ts"
import { Shell } from "../../support/kernel/shell.ts"
import { MapStorage } from "../../contract/machine.ts"

function family() {
  const child: string[] = []
  const ask = (room: string, method: string, args: readonly unknown[]): Promise<unknown> => {
    child.push([room, method, ...args].join(" "))
    return Promise.resolve()
  }
  const RUN = { idFromName: (name: string) => name, get: () => ({ ask }) }
  const plan = planOf(flowOf([{ type: "flow-ref", id: "r", flow: "kid", blockedBy: [], inputs: {} }, agent("z", { blockedBy: ["r"] })]))
  const shell = new Shell(plan)
  shell.tell({ type: "child.start", key: "r/1/0/child", index: 0, run: `run_${"c".repeat(26)}` })
  const told: Promise<unknown>[] = []
  const duties = new Duties({ later: (work) => void told.push(work), arrived: () => undefined, failed: () => undefined })
  const pause = new FamilyPause({ RUN } as unknown as Env, new MapStorage() as unknown as SyncKvStorage, () => shell.run)
  return {
    child,
    async tell(type: "pause" | "resume") {
      // Nothing takes time: a clock may stand still or go back.
      shell.now = 2_000_000
      shell.tell({ type, reason: "operator" })
      duties.begin()
      pause.tell(duties, "acme", shell.run)
      await Promise.all(told)
    },
  }
}

test("[H5] a pause of zero length reaches the children, and so does the next one", async () => {
  const { child, tell } = family()
  for (const word of ["pause", "resume", "pause", "resume"] as const) await tell(word)
  expect(child).toEqual(["signals pause parent", "signals resume parent", "signals pause parent", "signals resume parent"])
})
