// Loads the definitions of a run by the hashes it pinned [F72], so every wake-up gets the definitions of the start. They were checked when
// they were pinned; here they are only read, so a rule added later cannot strand a running run.

import { codePathOf } from "../../core/flow/code-file.ts"
import type { Agent } from "../../core/flow/agent.ts"
import type { Flow } from "../../core/flow/flow.ts"
import { readPlay } from "../../core/case/play.ts"
import type { Rehearsal } from "../../core/case/rehearsal.ts"
import { defined } from "../../core/defined.ts"
import { lazy } from "../../core/lazy.ts"
import type { Scorer } from "../../core/flow/scorer.ts"
import type { ToolDef } from "../../core/tool/tool-def.ts"
import type { Pins } from "../../core/run/event-parts.ts"
import { canonical } from "../../core/json.ts"
import type { Blobs } from "../../ports/blobs.ts"
import { atOnce } from "../at-once.ts"
import { decode } from "./catalog-bodies.ts"
import { SKILL_INDEX, SKILL_MANIFEST } from "./catalog-entry.ts"
import type { Checked } from "./check/language.ts"
import { checkManifest, checkRehearsal, checkSkill, readAgent, readFlow } from "./check/language.ts"
import { Lru } from "../lru.ts"
import { readToolDef } from "./registered-tools.ts"
import type { PinnedSkill } from "./skill-library.ts"

export interface Definitions {
  readonly flow: Flow
  readonly agents: Readonly<Record<string, Agent>>
  readonly skills: Readonly<Record<string, PinnedSkill>>
  readonly rehearsal?: Rehearsal
  /** Registered tools that the run's agents may call [T26, T27]. */
  readonly tools: readonly ToolDef[]
  /** [V27] Absent: no step has `until`. */
  readonly scorers?: Readonly<Record<string, Scorer>>
}

const judging = lazy(() => import("./score/read-scorers.ts"))

// All runs of a busy flow pin the same hashes. Bounded by the length of the prompts and skills in a set.
const loaded = new Lru<Definitions>(4 * 1024 * 1024, lengthOf)

/** A body is missing or unreadable; a retry is unlikely to help. A store that does not respond throws another error. */
export class DefinitionsLost extends Error {
  override readonly name = "DefinitionsLost"
}

/** Throws `DefinitionsLost`, naming what is missing: a missing pinned body is a fault of the store, not of the flow. */
export async function loadDefinitions(pins: Pins, blobs: Blobs): Promise<Definitions> {
  const key = canonical({
    flow: pins.flow,
    agents: pins.agents,
    skills: pins.skills,
    rehearsal: pins.rehearsal ?? null,
    tools: pins.tools ?? {},
    ...defined({ scorers: pins.scorers }),
  })
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
      throw new DefinitionsLost(`the run's definitions cannot be loaded: ${what} (hash ${hash}) is missing or damaged in the blob store`)
    return found
  }
  const skillNames = Object.keys(pins.skills)
  const agents = await atOnce(Object.entries(pins.agents), async ([name, hash]) => {
    const what = `the agent "${name}"`
    return [name, parsed(what, readAgent(await text(what, hash), name, skillNames))] as const
  })
  const skills = await atOnce(Object.entries(pins.skills), async ([name, files]) => {
    const what = `the skill "${name}"`
    const skill = parsed(what, checkSkill(await text(what, files[SKILL_INDEX] ?? ""), name))
    const manifest = files[SKILL_MANIFEST]
    if (manifest === undefined) return [name, { skill, files }] as const
    const permissions = parsed(`${what}'s manifest`, checkManifest(await text(`${what}'s manifest`, manifest)))
    return [name, { skill: { ...skill, permissions }, files }] as const
  })
  const what = `the flow "${pins.flow.id}"`
  const flow = parsed(what, readFlow(await text(what, pins.flow.hash), pins.flow.id))
  const rehearsal = pins.rehearsal === undefined ? undefined : rehearsalIn(await text("the rehearsal file", pins.rehearsal))
  const tools = await atOnce(Object.entries(pins.tools ?? {}), async ([name, hash]) => {
    const what = `the tool "${name}"`
    const def = readToolDef(await text(what, hash))
    if (def?.name !== name)
      throw new DefinitionsLost(`the run's definitions cannot be loaded: ${what} has a kind that this version does not support`)
    return def
  })
  const scorers = pins.scorers && (await (await judging()).readScorers(pins.scorers, text))
  return { flow, agents: Object.fromEntries(agents), skills: Object.fromEntries(skills), tools, ...defined({ rehearsal, scorers }) }
}

/** [K21] A test pins its turns as JSON. */
const rehearsalIn = (text: string): Rehearsal => readPlay(text) ?? parsed("the rehearsal file", checkRehearsal(text))

function lengthOf({ agents, skills, tools }: Definitions): number {
  const texts = [...Object.values(agents).map((agent) => agent.body), ...Object.values(skills).map(({ skill }) => skill.text)]
  texts.push(...tools.map((def) => canonical(def)))
  return texts.reduce((sum, text) => sum + text.length, 10_000)
}

function parsed<T>(what: string, { value, diagnostics }: Checked<T>): T {
  if (value !== undefined) return value
  const first = diagnostics.find((d) => d.severity === "error")
  throw new DefinitionsLost(
    `the run's definitions cannot be loaded: ${what} does not parse${first ? ` (line ${first.line}: ${first.message})` : ""}`,
  )
}

/** The stripped handler of a code step. */
export function storedHandler(pins: Pins, blobs: Blobs) {
  return async (flow: string, step: string): Promise<{ readonly hash: string; readonly source: string } | undefined> => {
    const hash = pins.code?.[codePathOf(flow, step, "js")]
    const body = hash === undefined ? undefined : await blobs.get(hash)
    return hash !== undefined && body ? { hash, source: new TextDecoder().decode(body) } : undefined
  }
}
