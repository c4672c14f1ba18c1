// The definitions of a run, loaded by the hashes it pinned [F72]: what a start saw is what every later wake-up sees. They were
// checked when they were pinned; here they are only read, so that a rule added later cannot strand a run under way.

import type { Agent } from "../core/flow/agent.ts"
import type { Flow } from "../core/flow/flow.ts"
import type { Rehearsal } from "../core/flow/rehearsal.ts"
import type { Pins } from "../core/run/event.ts"
import { canonical } from "../core/json.ts"
import type { Blobs } from "../ports/blobs.ts"
import { atOnce } from "./at-once.ts"
import { decode } from "./catalog-bodies.ts"
import { SKILL_INDEX } from "./catalog-entry.ts"
import type { Checked } from "./language.ts"
import { checkRehearsal, checkSkill, readAgent, readFlow } from "./language.ts"
import { Lru } from "./lru.ts"
import type { PinnedSkill } from "./skill-library.ts"

export interface Definitions {
  readonly flow: Flow
  readonly agents: Readonly<Record<string, Agent>>
  readonly skills: Readonly<Record<string, PinnedSkill>>
  readonly rehearsal?: Rehearsal
}

// All the runs of a busy flow pin the same hashes. Bounded by the length of the prompts and skills that a set holds.
const loaded = new Lru<Definitions>(4 * 1024 * 1024, lengthOf)

/** Throws an Error that names what is missing: a pinned body that is not there is a fault of the store, not of the flow. */
export async function loadDefinitions(pins: Pins, blobs: Blobs): Promise<Definitions> {
  const key = canonical({ flow: pins.flow, agents: pins.agents, skills: pins.skills, rehearsal: pins.rehearsal ?? null })
  const before = loaded.get(key)
  if (before) return before
  const definitions = await read(pins, blobs)
  loaded.set(key, definitions)
  return definitions
}

async function read(pins: Pins, blobs: Blobs): Promise<Definitions> {
  const text = async (what: string, hash: string): Promise<string> => {
    const body = await blobs.get(hash)
    const found = body && decode(body)
    if (found === undefined)
      throw new Error(`the run's definitions cannot be loaded: ${what} (hash ${hash}) is missing or damaged in the blob store`)
    return found
  }
  const skillNames = Object.keys(pins.skills)
  const agents = await atOnce(Object.entries(pins.agents), async ([name, hash]) => {
    const what = `the agent "${name}"`
    return [name, parsed(what, readAgent(await text(what, hash), name, skillNames))] as const
  })
  const skills = await atOnce(Object.entries(pins.skills), async ([name, files]) => {
    const what = `the skill "${name}"`
    return [name, { skill: parsed(what, checkSkill(await text(what, files[SKILL_INDEX] ?? ""), name)), files }] as const
  })
  const what = `the flow "${pins.flow.id}"`
  const flow = parsed(what, readFlow(await text(what, pins.flow.hash), pins.flow.id))
  const rehearsal =
    pins.rehearsal === undefined
      ? undefined
      : parsed("the rehearsal file", checkRehearsal(await text("the rehearsal file", pins.rehearsal)))
  return { flow, agents: Object.fromEntries(agents), skills: Object.fromEntries(skills), ...(rehearsal ? { rehearsal } : {}) }
}

function lengthOf({ agents, skills }: Definitions): number {
  const texts = [...Object.values(agents).map((agent) => agent.body), ...Object.values(skills).map(({ skill }) => skill.text)]
  return texts.reduce((sum, text) => sum + text.length, 10_000)
}

function parsed<T>(what: string, { value, diagnostics }: Checked<T>): T {
  if (value !== undefined) return value
  const first = diagnostics.find((d) => d.severity === "error")
  throw new Error(`the run's definitions cannot be loaded: ${what} does not parse${first ? ` (line ${first.line}: ${first.message})` : ""}`)
}
