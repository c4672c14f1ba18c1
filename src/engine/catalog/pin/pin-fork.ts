// Pins the definitions of a fork [K13]: those of its source with a patch, and the current catalog for anything missing. The catalog does
// not change; the texts of a patch are stored as bodies, by hash.

import { defined } from "../../../core/defined.ts"
import { codeIdOf } from "../../../core/flow/code-file.ts"
import type { Pins } from "../../../core/run/event-parts.ts"
import { pointerStep } from "../../../core/text/pointer.ts"
import type { PinResult } from "../../../ports/tenant/catalog.ts"
import { faultsAt, type ForkFault, type ForkGroundAsk } from "../../../ports/fork.ts"
import { badPath } from "../catalog-diagnostics.ts"
import { keyOf, type StoredFile } from "../catalog-entry.ts"
import { drafted, fileOf, type CatalogGround, type TextToStore, type State } from "../catalog-ground.ts"
import { localEntry, placeOfPath } from "../catalog-place.ts"
import { isRehearsal, resolveModels, type ModelSettings } from "./model-choice.ts"
import { pin, type PinContext, type PinTarget } from "./pin.ts"
import { SUBAGENT_PREFIX } from "./subagent-flow.ts"

type Pinned = Extract<PinResult, { ok: true }>

export type ForkPins =
  | {
      readonly ok: true
      /** Absent: the source's. */
      readonly pinned?: Pinned
      readonly pins: Pins
      readonly definitions?: Readonly<Record<string, string | null>>
      readonly inputs: Pinned["flow"]["inputs"]
    }
  | { readonly ok: false; readonly code: "invalid"; readonly errors: readonly ForkFault[] }
  | { readonly ok: false; readonly code: "refused"; readonly why: Extract<PinResult, { ok: false }> }

interface ForkPinning {
  readonly ground: CatalogGround
  /** The catalog of `patch.revision`. */
  readonly at: (revision: number) => Promise<State | undefined>
  readonly settings: ModelSettings
  readonly keep: PinContext["keep"]
}

/** The pins; a member is undefined if it equals the source's. */
export async function pinFork(parts: ForkPinning, asked: ForkGroundAsk): Promise<ForkPins> {
  const { ground, settings, keep } = parts
  const { pins, patch = {}, rehearse = false, autonomous } = asked
  const drafts = await draftsOf(patch.definitions ?? {})
  if (!drafts.ok) return drafts
  const now = await ground.current()
  const then = patch.revision === undefined ? now : patch.revision === "latest" ? now : await parts.at(patch.revision)
  if (!then) return wrong([{ pointer: "/patch/revision", message: "the catalog has no such revision" }])
  const base = patch.revision === undefined ? rowsUnder(now.rows, pins) : then.rows
  const gone = new Set(drafts.removed.map(({ kind, id }) => keyOf(kind, id)))
  const over = new Set([...drafts.drafts.map(({ kind, id }) => keyOf(kind, id)), ...gone])
  const rows = [...base.filter(({ kind, id }) => !over.has(keyOf(kind, id))), ...drafts.drafts.map(fileOf)]
  const state = await ground.state(pins.revision, rows, drafts.drafts)
  const faults: ForkFault[] = []
  for (const draft of drafts.drafts) {
    if (draft.kind === "package") continue
    const { diagnostics } = await state.view.check(localEntry(draft.kind, fileOf(draft)))
    faults.push(...faultsAt(`/patch/definitions${pointerStep(draft.path)}`, diagnostics))
  }
  if (faults.length > 0) return wrong(faults)
  const context: PinContext = {
    view: state.view,
    revision: patch.revision === undefined ? pins.revision : then.revision,
    registered: ground.registered,
    settings,
    rehearse,
    ...defined({ autonomous }),
    keep,
  }
  const found = await pin(context, targetOf(asked.flow))
  if (!found.ok) return found.code === "not_found" ? wrong([flowGone(asked, drafts.removed)]) : { ok: false, code: "refused", why: found }
  for (const draft of drafts.drafts) await keep(draft.text, draft.hash)
  const kept = patch.revision === undefined && !rehearse ? asBefore(found.pins, pins) : found.pins
  const models = chosen(kept, patch.models ?? {}, settings)
  if (!models.ok) return models
  const hashes = [
    ...drafts.drafts.map(({ path, hash }) => [path, hash] as const),
    ...drafts.removed.map(({ path }) => [path, null] as const),
  ]
  return {
    ok: true,
    pinned: found,
    pins: models.pins,
    inputs: found.flow.inputs,
    ...(hashes.length > 0 ? { definitions: Object.fromEntries(hashes) } : {}),
  }
}

const targetOf = (flow: string): PinTarget => (flow.startsWith(SUBAGENT_PREFIX) ? { agent: flow.slice(SUBAGENT_PREFIX.length) } : { flow })

/** [K13] The run is there; what it would run is not. */
function flowGone({ flow, patch = {} }: ForkGroundAsk, removed: readonly Pick<StoredFile, "kind" | "id" | "path">[]): ForkFault {
  const file = removed.find(({ kind, id }) => kind === "flow" && id === flow)
  if (file)
    return { pointer: `/patch/definitions${pointerStep(file.path)}`, message: "is the run's own flow, which cannot be removed", line: 1 }
  const message = `has no flow "${flow}", which this run runs`
  if (patch.revision !== "latest") return { pointer: "/patch/revision", message: `revision ${patch.revision} ${message}` }
  return { pointer: "", message: `the catalog ${message}: write it again, or fork the run, which keeps the definitions that it had` }
}

const wrong = (errors: readonly ForkFault[]): Extract<ForkPins, { code: "invalid" }> => ({ ok: false, code: "invalid", errors })

type Drafts = {
  readonly ok: true
  readonly drafts: readonly TextToStore[]
  readonly removed: readonly Pick<StoredFile, "kind" | "id" | "path">[]
}

async function draftsOf(definitions: Readonly<Record<string, string | null>>): Promise<Drafts | Extract<ForkPins, { code: "invalid" }>> {
  const drafts: TextToStore[] = []
  const removed: Pick<StoredFile, "kind" | "id" | "path">[] = []
  const faults: ForkFault[] = []
  for (const [path, text] of Object.entries(definitions)) {
    const place = placeOfPath(path)
    if (!place.ok) faults.push(...faultsAt(`/patch/definitions${pointerStep(path)}`, [badPath(place.error)]))
    else if (text === null) removed.push(place.value)
    else drafts.push(await drafted(place.value, text))
  }
  return faults.length > 0 ? wrong(faults) : { ok: true, drafts, removed }
}

/** The tenant's files with the source's pins in their place. */
function rowsUnder(rows: readonly StoredFile[], pins: Pins): StoredFile[] {
  const pinned = pinnedFiles(pins)
  const taken = new Set(pinned.map(({ kind, id }) => keyOf(kind, id)))
  return [...rows.filter(({ kind, id }) => !taken.has(keyOf(kind, id))), ...pinned]
}

function pinnedFiles(pins: Pins): StoredFile[] {
  const file = (kind: StoredFile["kind"], id: string, path: string, hash: string): StoredFile => ({ kind, id, path, hash, size: 0 })
  const flows = { ...pins.flows, [pins.flow.id]: pins.flow.hash }
  const rehearsals = { ...pins.rehearsals, ...(pins.rehearsal === undefined ? {} : { [pins.flow.id]: pins.rehearsal }) }
  const named = (all: Readonly<Record<string, string>>) => Object.entries(all).filter(([id]) => !id.startsWith(SUBAGENT_PREFIX))
  return [
    ...named(flows).map(([id, hash]) => file("flow", id, `flows/${id.replaceAll(":", "/")}.yaml`, hash)),
    ...named(rehearsals).map(([id, hash]) => file("rehearsal", id, `flows/${id.replaceAll(":", "/")}.rehearsal.yaml`, hash)),
    ...Object.entries(pins.agents).map(([name, hash]) => file("agent", name, `agents/${name}.md`, hash)),
    ...Object.entries(pins.skills).flatMap(([skill, files]) =>
      Object.entries(files).map(([name, hash]) => file("skill", `${skill}/${name}`, `skills/${skill}/${name}`, hash)),
    ),
    ...Object.entries(pins.scorers ?? {}).flatMap(([name, { hash, code }]) => [
      ...(hash === undefined ? [] : [file("scorer", name, `scorers/${name}.yaml`, hash)]),
      ...(code === undefined ? [] : [file("scorer-code", name, `scorers/${name}.js`, code)]),
    ]),
    ...Object.entries(pins.code ?? {}).flatMap(([path, hash]) => {
      const [, folder = "", step = ""] = /^code\/(.*)\/([^/]+)\.js$/.exec(path) ?? []
      return step === "" ? [] : [file("code", codeIdOf(folder.replaceAll("/", ":"), step), path, hash)]
    }),
  ]
}

/** What the patch does not touch stays as it was pinned: the models of unchanged agents, and tools that still exist. */
function asBefore(found: Pins, before: Pins): Pins {
  const same = (key: string): boolean => {
    const [agent = ""] = key.split("@")
    return key.startsWith("@") || (Object.hasOwn(before.agents, agent) && before.agents[agent] === found.agents[agent])
  }
  const keep = <T>(now: Readonly<Record<string, T>>, then: Readonly<Record<string, T>> = {}): Record<string, T> =>
    Object.fromEntries(
      Object.entries(now).map(([key, value]) => [key, same(key) && Object.hasOwn(then, key) ? (then[key] ?? value) : value]),
    )
  const fallbacks = Object.entries({ ...found.fallbacks, ...before.fallbacks }).filter(([key]) =>
    same(key) ? Object.hasOwn(before.fallbacks ?? {}, key) : Object.hasOwn(found.fallbacks ?? {}, key),
  )
  const scorers = Object.entries(found.scorers ?? {}).map(([name, now]) => {
    const then = before.scorers?.[name]
    return [name, then && then.hash === now.hash && then.code === now.code ? then : now] as const
  })
  const tools = Object.entries(found.tools ?? {}).map(([name, hash]) => [name, before.tools?.[name] ?? hash])
  return {
    ...found,
    models: keep(found.models, before.models),
    ...(found.fallbacks || before.fallbacks ? { fallbacks: Object.fromEntries(fallbacks) } : {}),
    ...defined({ tools: found.tools && Object.fromEntries(tools), scorers: found.scorers && Object.fromEntries(scorers) }),
  }
}

type Chosen = { readonly ok: true; readonly pins: Pins } | Extract<ForkPins, { code: "invalid" }>

/** [K13] Other models for agents of the run. */
function chosen(pins: Pins, wished: Readonly<Record<string, string>>, settings: ModelSettings): Chosen {
  const faults: ForkFault[] = []
  const models = { ...pins.models }
  const fallbacks = { ...pins.fallbacks }
  for (const [name, ref] of Object.entries(wished)) {
    const pointer = `/patch/models${pointerStep(name)}`
    const keys = Object.keys(models).filter((key) => key === name || (!name.startsWith("@") && key.startsWith(`${name}@`)))
    const choice = resolveModels(ref, undefined, settings)
    if (keys.length === 0)
      faults.push({ pointer, message: `no agent of this run is called "${name}": ${Object.keys(pins.agents).join(", ")}` })
    else if (!choice.ok) faults.push({ pointer, message: choice.error })
    else
      for (const key of keys) {
        models[key] = choice.value.first
        delete fallbacks[key]
        if (choice.value.others.length > 0) fallbacks[key] = [...choice.value.others]
      }
  }
  if (faults.length > 0) return wrong(faults)
  return { ok: true, pins: { ...pins, models, ...(Object.keys(fallbacks).length > 0 || pins.fallbacks ? { fallbacks } : {}) } }
}

/** Tells whether the built-in model replaces the fork's models. */
export const rehearses = (pins: Pins): boolean => Object.values(pins.models).some(isRehearsal)

/** [K10] Removes tools that were deleted since from the fork; undefined: there are none. */
export function withoutDeleted(pins: Pins, registered: readonly { readonly name: string }[]): Pins | undefined {
  const names = new Set(registered.map(({ name }) => name))
  const left = Object.entries(pins.tools ?? {}).filter(([name]) => names.has(name))
  return left.length === Object.keys(pins.tools ?? {}).length ? undefined : { ...pins, tools: Object.fromEntries(left) }
}
