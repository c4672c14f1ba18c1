// Writes a receipt [K40]: a run's definitions, its events byte for byte, and a signature over both. JSON Lines, each line exactly as
// JSON.stringify writes it, so that a reader needs only hashes and the instance's public key.

import { z } from "zod"
import { flowPath } from "../../core/flow/path-id.ts"
import { RunStatus, type Pins } from "../../core/run/event-parts.ts"
import type { RunEvent } from "../../core/run/event.ts"
import type { ToolSpec } from "../../core/tool/tool-spec.ts"
import type { Footer, Seal } from "../../ports/tenant/receipts.ts"
import { later } from "../../core/schema/later.ts"

const Hash = z.string().regex(/^[0-9a-f]{64}$/)
const Count = z.int().nonnegative()
const Definition = z.object({ path: z.string(), hash: Hash, text: z.string() })
const Child = z.object({ run: z.string(), head: Hash.nullable() })

/** The first line. `tools`: the specs of the tools that the kernel used, which a replay needs. */
export const Header = later(() =>
  z.object({
    receipt: z.literal(1),
    run: z.string(),
    flow: z.string(),
    status: RunStatus,
    build: z.string(),
    tenant: Hash,
    events: Count,
    definitions: z.array(Definition),
    children: z.array(Child),
    tools: z.array(z.looseObject({ name: z.string() })),
    /** [K9] Of a fork whose definitions were changed: the tools of the history before it, by the event up to which they were told. */
    before: z.array(z.strictObject({ upTo: Count, tools: z.array(z.looseObject({ name: z.string() })) })).exactOptional(),
  }),
)
export interface Header extends Omit<z.infer<typeof Header>, "tools" | "before"> {
  readonly tools: readonly ToolSpec[]
  readonly before?: readonly { readonly upTo: number; readonly tools: readonly ToolSpec[] }[]
}
export type Definition = z.infer<typeof Definition>
export type Child = z.infer<typeof Child>

export const FooterShape = later(() =>
  z.strictObject({
    header: Hash,
    events: Count,
    head: Hash,
    at: z.number(),
    key: z.string(),
    signature: z.string(),
  }),
)

/** The text that is signed: the last line without its signature. */
export const sealText = ({ header, events, head, at }: Seal, key: string): string => JSON.stringify({ header, events, head, at, key })

/** The last line has one spelling. */
export const footerText = ({ header, events, head, at, key, signature }: Footer): string =>
  JSON.stringify({ header, events, head, at, key, signature })

/** Every definition that a run was started with: its path and the hash of its text. */
export function pathsOf(pins: Pins): { readonly path: string; readonly hash: string }[] {
  const rehearsal = (flow: string): string => flowPath(flow).replace(/\.yaml$/, ".rehearsal.yaml")
  const of = (all: Readonly<Record<string, string>> | undefined, path: (name: string) => string) =>
    Object.entries(all ?? {}).map(([name, hash]) => ({ path: path(name), hash }))
  return [
    { path: flowPath(pins.flow.id), hash: pins.flow.hash },
    ...of(pins.flows, flowPath),
    ...(pins.rehearsal === undefined ? [] : [{ path: rehearsal(pins.flow.id), hash: pins.rehearsal }]),
    ...of(pins.rehearsals, rehearsal),
    ...of(pins.agents, (name) => `agents/${name}.md`),
    ...Object.entries(pins.skills).flatMap(([name, files]) => of(files, (file) => `skills/${name}/${file}`)),
    ...of(pins.code, (path) => path),
    ...of(pins.tools, (name) => `tools/${name}.json`),
  ]
}

/** The facts that both the header and the events state. Takes the events in order. */
export class EventFacts {
  run = ""
  status = ""
  /** The definitions, each with the first event that they apply to. */
  readonly eras: { readonly from: number; readonly pins: Pins }[] = []
  readonly #children = new Map<string, string | null>()

  take(e: RunEvent): void {
    if (e.type === "run.started") {
      this.run = e.run
      this.eras.push({ from: e.seq, pins: e.pinned })
    } else if (e.type === "run.forked") {
      this.run = e.run
      if (e.pinned) this.eras.push({ from: e.seq, pins: e.pinned })
    } else if (e.type === "run.ended") this.status = e.status
    else if (e.type === "child.started") this.#children.set(e.run, this.#children.get(e.run) ?? null)
    else if (e.type === "child.ended") this.#children.set(e.run, e.head ?? null)
    else if (e.type === "tool.returned" && e.child) this.#children.set(e.child.run, e.child.head ?? null)
  }

  get children(): Child[] {
    return [...this.#children].map(([run, head]) => ({ run, head }))
  }

  /** By path and then hash, each once. */
  get paths(): { readonly path: string; readonly hash: string }[] {
    const all = this.eras.flatMap(({ pins }) => pathsOf(pins)).map((d) => [`${d.path}\n${d.hash}`, d] as const)
    return [...new Map(all)].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, d]) => d)
  }
}
