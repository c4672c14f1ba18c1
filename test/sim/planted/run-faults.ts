// The faults of the shell that a review proved, put back alone: those of a run's object, its alarm, its messages and its family.

import { known, type PlantedFault } from "./fault.ts"

const AWAKE = "src/cloudflare/run/awake-run.ts"
const START = "src/cloudflare/run/run-start.ts"
const EFFECTS = "src/cloudflare/run/run-effects.ts"

export const RUN_FAULTS: readonly PlantedFault[] = [
  { name: "no alarm while a report is on its way", patches: [known("J12 leave no alarm while a message is on its way")] },
  { name: "a question right after another notifies nobody", patches: [known("W6 tell the first of several questions only")] },
  { name: "questions beyond the twentieth are forgotten", patches: [known("P5 forget a question for which the parent has no room")] },
  {
    name: "a retry is dropped while a person is asked",
    // An alarm has owners today, and what rests removes its own time alone. Then it took what the run wanted at that moment.
    patches: [
      known("J12 take a retry that has become due for one that waits for a place"),
      {
        file: "src/cloudflare/run/leaving/run-retention.ts",
        from: `    alarm.drop("watchdog")\n    if (run.ended !== undefined`,
        to: `    alarm.drop("watchdog")\n    alarm.want("run", conductor?.next)\n    if (run.ended !== undefined`,
      },
    ],
  },
  {
    // Calls between own objects had no limit, so the parent's call was never answered.
    name: "a parent waits for an effect of a deleted child",
    patches: [
      known("K32 let a parent wait for an effect of a deleted child"),
      known("J12 call an own object without a limit"),
      { file: EFFECTS, from: `      if (Date.now() >= until) return { state: "under_way" }\n`, to: `` },
      { file: EFFECTS, from: `await this.#waiters.wait(until - Date.now())`, to: `await this.#waiters.wait(2 ** 31 - 1)` },
    ],
  },
  { name: "a child outlives its canceled parent", patches: [known("F23d leave no mark where a child may still begin")] },
  {
    // The conductor was taken before the first slice of the day was asked for, and whoever came had it.
    name: "a run is seen before it begins, and its cancel is lost",
    patches: [
      known("J14 show nothing of a run whose start is under way"),
      {
        file: START,
        from: `    const conductor = await self.conduct(request)\n`,
        to: `    const conductor = await self.conduct(request)\n    self.take(conductor)\n`,
      },
      {
        file: AWAKE,
        from: `if (this.#conductor) return this.#stored(this.#conductor)`,
        to: `if (this.#conductor) return Promise.resolve(this.#conductor)`,
      },
    ],
  },
  { name: "a caller is told of a start that is not stored", patches: [known("J14 tell a caller of a start of which nothing is stored")] },
  {
    name: "a tool that sends and writes a file sends twice",
    patches: [
      { file: "src/engine/run/call/run-tool.ts", from: `!props.repeats(tool) || traffic.hasSent()`, to: `false` },
      { file: "src/engine/run/conductor.ts", from: `clashes.length > 0 && performed.once !== true`, to: `clashes.length > 0` },
    ],
  },
]
