// Says what a start obeys [R3, R4], for every caller: the API, doors, deliveries, fires and steps.

import { resolveStart, type KeyScope, type StartPlaces } from "../../../core/language/resolve-start.ts"
import type { JsonObject } from "../../../core/json.ts"
import type { StartFile, Trigger } from "../../../core/run/event-parts.ts"
import type { Redactor } from "../../../core/secrets/redact.ts"
import type { SaidStart, StartBlock } from "../../../core/start/start-block.ts"
import type { WindowKind } from "../../../core/start/window.ts"
import type { LineAsk } from "../../../ports/tenant/line.ts"
import { sha256 } from "../../sha256.ts"

/** The flow as it was pinned. */
export interface ObeyedFlow {
  readonly id: string
  readonly start?: SaidStart
  readonly config?: JsonObject
}

export interface Obeying extends Omit<KeyScope, "config" | "trigger"> {
  readonly trigger: Trigger
  readonly payload?: JsonObject | undefined
}

/** undefined: nothing. Asks for the redactor only if a place says something. */
export async function obeyed(
  places: Omit<StartPlaces, "flow"> & { readonly flow: ObeyedFlow },
  { trigger, payload, ...start }: Obeying,
  redactor: () => Promise<Redactor>,
): Promise<StartBlock | undefined> {
  if (Object.keys({ ...places.flow.start, ...places.trigger, ...places.given }).length === 0) return undefined
  const scope: KeyScope = { ...start, config: places.flow.config ?? {}, trigger: { ...(trigger as JsonObject), ...payload } }
  const { text } = await redactor().then((found) => ({ text: (said: string) => found.text(said) }))
  // The platform's hash is not to be had at once, and few keys are long: these are hashed before they are asked for again.
  const hashes = new Map<string, string>()
  const long = new Set<string>()
  const read = () => resolveStart(places, scope, { redact: text, sha256: (key) => hashes.get(key) ?? (long.add(key), "") })
  const block = read()
  if (long.size === 0) return block
  for (const key of long) hashes.set(key, await sha256(key))
  return read()
}

/** [R9] What the line must know of a start with a window; undefined: it has none. */
export function windowAsk(
  block: StartBlock,
  kind: WindowKind,
  { inputs, files = [] }: { readonly inputs: JsonObject; readonly files?: readonly StartFile[] | undefined },
): LineAsk["window"] {
  const { batch } = block
  if (batch === undefined) return block.debounce && { kind }
  const given = inputs[batch.into]
  const items = Array.isArray(given) ? given.length : 0
  const brought = { items, chars: JSON.stringify(inputs).length, files: files.map(({ path, hash, size }) => ({ path, hash, size })) }
  return { kind, brought }
}
