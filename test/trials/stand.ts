// What a trial has: a server of its own with flows and a model, and words for what it finds wrong.

import { setTimeout as pause } from "node:timers/promises"
import { Client, type RunSeen } from "../crash/client.ts"
import { Victim } from "../crash/victim.ts"
import type { TrialModel } from "./model.ts"

const agent = (name: string): string => `---\nname: ${name}\ndescription: d\nmodel: trial/${name}\ntools: [write]\n---\nDo it.\n`
const flow = (name: string, step: string): string => `name: ${name}\ndescription: d\nsteps:\n  - ${step}\n`
const MODELS = ["quick", "silent", "out", "dropped"]
const CATALOG = {
  agents: Object.fromEntries(MODELS.map((name) => [`${name}.md`, agent(name)])),
  flows: {
    ...Object.fromEntries(MODELS.map((name) => [`${name}.yaml`, flow(name, `{ id: a, type: agent, agent: ${name} }`)])),
    "patient.yaml": flow("patient", "{ id: w, type: wait, signal: go }"),
    "asking.yaml": flow(
      "asking",
      `{ id: q, type: fork, question: Which?, options: [a, b], branches: { a: z, b: z } }\n  - { id: z, type: agent, agent: quick }`,
    ),
  },
}

export class Stand {
  readonly victim: Victim
  readonly client: Client
  readonly model: TrialModel
  readonly faults: string[] = []

  private constructor(victim: Victim, model: TrialModel) {
    this.victim = victim
    this.client = new Client(victim.url)
    this.model = model
  }

  static async open(
    worker: string,
    model: TrialModel,
    { under, more = {} }: { under?: string; more?: Record<string, string> } = {},
  ): Promise<Stand> {
    const victim = await Victim.create(worker, { ALLOWED_PRIVATE_HOSTS: "127.0.0.1", REQUEST_LOG: "off", ...more }, under)
    await victim.start()
    try {
      return await Stand.#filled(new Stand(victim, model))
    } catch (e) {
      await victim.close()
      throw e
    }
  }

  static async #filled(stand: Stand): Promise<Stand> {
    const { model } = stand
    const provider = { kind: "openai-compatible", baseUrl: model.baseUrl, apiKey: "key-of-the-trial-model", silenceSeconds: 2 }
    await stand.client.put("/v1/settings/providers/trial", provider)
    await stand.client.put("/v1/catalog", CATALOG)
    return stand
  }

  expect(isTrue: boolean, fault: string): void {
    if (!isTrue) this.faults.push(fault)
  }

  /** The run when this holds of it, or as it is when the time is over. */
  async until(id: string, holds: (run: RunSeen) => boolean, ms = 30_000): Promise<RunSeen> {
    for (const end = Date.now() + ms; ;) {
      const run = await this.client.run(id).catch(() => undefined)
      if (run && (holds(run) || Date.now() > end)) return run
      if (Date.now() > end) throw new Error(`the run ${id} cannot be read`)
      await pause(100)
    }
  }

  /** Whether it comes to hold. */
  async comes(holds: () => Promise<boolean> | boolean, ms = 20_000): Promise<boolean> {
    for (const end = Date.now() + ms; Date.now() < end; await pause(100)) if (await Promise.resolve(holds()).catch(() => false)) return true
    return false
  }
}
