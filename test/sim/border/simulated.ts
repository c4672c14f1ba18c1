// Plays the suite on the simulator's side, and prints a JSON object: what each case saw. A process of its own, since it replaces the globals.

import { Dice } from "../platform/dice.ts"
import { takeGlobals } from "../platform/globals.ts"
import { codeOf } from "../platform/machines.ts"
import { Service } from "../platform/service.ts"
import { CASES, toldOf, type Side } from "./suite.ts"

const code = await codeOf([], "test/sim/border/probe.ts")
takeGlobals()
process.on("unhandledRejection", () => {})
const service = new Service({ dice: new Dice(1), code, hosts: new Map() })
service.faults.isCalm = true
const probes = service.space("Probe", "PROBE")
const side: Side = {
  call: (object, method, ...args) => probes.of(object).call(undefined, method, args),
  wait: (ms) => service.sleep(ms),
}
const told: Record<string, string> = {}
let isOver = false
const play = async (): Promise<void> => {
  for (const one of CASES) told[one.name] = await toldOf(one, side)
}
const playing = play().finally(() => (isOver = true))
while (!isOver && (await service.timeline.step()));
if (!isOver) throw new Error("a case never came to its end")
await playing
process.stdout.write(JSON.stringify(told))
