// Faults between objects, on the run's side: alarms, calls between own objects, questions, children.

import type { Mutant } from "./mutant.ts"

const ALARM = "cloudflare/platform/alarm-owners.test.ts"
const BETWEEN = "worker/run/between-objects.test.ts"

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
  {
    name: "J12 leave no alarm while a message is on its way",
    file: "cloudflare/run/run-duties.ts",
    find: `(this.#duties.areOwed ? Date.now() + WATCHDOG_MS : undefined)`,
    put: `undefined`,
    test: [BETWEEN, "[J12] [J14] of the end keeps an alarm"],
  },
  {
    name: "J12 take a retry that has become due for one that waits for a place",
    file: "engine/run/conduct/next-alarm.ts",
    find: `dueAt(a) > decided`,
    put: `dueAt(a) > now`,
    test: ["engine/run/conduct/next-alarm.test.ts", "[J12] [F33] a retry that became due after the decision"],
  },
  {
    name: "W6 tell the first of several questions only",
    file: "core/run/begin.ts",
    find: `run.announced !== undefined && run.announced !== run.pending[0]`,
    put: `run.announced === ""`,
    test: ["core/run/notices.test.ts", "[W6] of the next step, asked in the same decision"],
  },
  {
    name: "W6 tell a question again when another one is answered",
    file: "core/run/begin.ts",
    find: `run.announced !== undefined && run.announced !== run.pending[0]`,
    put: `run.status === "waiting"`,
    test: ["core/run/notices.test.ts", "[W6] of one reply is a notice of its own"],
  },
  {
    name: "P5 forget a question for which the parent has no room",
    file: "cloudflare/run/run-duties.ts",
    find: `      alarm.watch("questions")\n`,
    put: ``,
    test: [BETWEEN, "[P5] of a child beyond the twentieth"],
  },
  {
    name: "F23d leave no mark where a child may still begin",
    file: "cloudflare/run/run-signals.ts",
    find: `else if (mayBegin) this.#starts.unwanted()`,
    put: ``,
    test: [BETWEEN, "[F23d] that ends while a child's start is under way"],
  },
  {
    name: "K32 let a parent wait for an effect of a deleted child",
    file: "cloudflare/run/run-object.ts",
    find: `    this.#rooms.effects.gone()\n`,
    put: ``,
    test: [BETWEEN, "[K32] ends when a child is deleted while it carries out an effect"],
  },
  {
    name: "J14 show nothing of a run whose start is under way",
    file: "cloudflare/run/awake-run.ts",
    find: `    if (this.#starting) return this.#starting.then(again, again)\n`,
    put: ``,
    test: [BETWEEN, "[J14] is not seen before it is stored"],
  },
  {
    name: "J14 tell a caller of a start of which nothing is stored",
    file: "cloudflare/run/run-start.ts",
    find: `    if (journal.last() > 0 || this.#held.read()) return\n`,
    put: `    if (journal.last() > 0 || this.#held.read() || !this.#self.conductor) return\n`,
    test: [BETWEEN, "[J14] and is not stored because another request's commit fails"],
  },
  {
    name: "F23i refuse a signal to a queued run",
    file: "cloudflare/run/run-signals.ts",
    find: `(await this.#self.awake()) === undefined ? await this.#held.signal(signal) : undefined`,
    put: `undefined`,
    test: [BETWEEN, "[F23i] keeps a signal, and has it when it begins"],
  },
  {
    name: "H6 begin a canceled queued run",
    file: "cloudflare/run/run-signals.ts",
    find: `await this.#starts.release({ canceled: true })`,
    put: `await this.#starts.release({})`,
    test: [BETWEEN, "[H6] that is canceled begins and ends in one decision"],
  },
  {
    name: "H1 leave a socket of a deleted run open",
    file: "cloudflare/run/streams/run-streams.ts",
    find: `if (this.#self.isLeaving || !this.#self.identity()) return`,
    put: `if (this.#self.isLeaving && this.#self.identity()) return`,
    test: [BETWEEN, "[H1] a socket that is opened while its run is deleted"],
  },
]
