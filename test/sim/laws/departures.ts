// [J2], [S3] Nothing reaches the world before its beginning is durable: whenever a model or a tool is asked, as many attempts of that call have
// begun in durable journals as requests have arrived.

import type { RunEvent } from "../../../src/core/run/event.ts"
import type { Asked } from "../platform/network.ts"
import type { Journal } from "./journals.ts"
import { TOOLS } from "../world/catalog.ts"

export const CASE = /case-[\w-]+/

/** Tool → what its request says besides the case: its method and the first part of its path. */
export const DOORS: ReadonlyMap<string, string> = new Map(
  Object.entries(TOOLS).flatMap(([name, tool]) => {
    const { request } = tool as { readonly request?: { readonly method: string; readonly url: string } }
    return request ? [[name, doorOf(request.method, new URL(request.url.replaceAll(/\$\{\{.*?\}\}/g, "x")).pathname)] as const] : []
  }),
)

const KNOWN: ReadonlySet<string> = new Set(DOORS.values())

export function doorOf(method: string, path: string): string {
  return `${method} ${path.split("/")[1]}`
}

export class Departures {
  readonly #say: (fault: string) => void
  /** What was asked of whom → how often it has begun, and how often it has arrived. */
  readonly #begun = new Map<string, number>()
  readonly #arrived = new Map<string, number>()
  /** `RUN STEP` → model and case; `RUN STEP CALL` → door and case. */
  readonly #steps = new Map<string, string>()
  readonly #calls = new Map<string, string>()

  constructor(say: (fault: string) => void) {
    this.#say = say
  }

  /** An event has become durable. */
  readonly heard = (e: RunEvent, { run }: Journal): void => {
    if (e.type === "step.opened") {
      const model = e.model?.split("/").at(-1)
      if (model !== undefined) this.#steps.set(`${run} ${e.step}`, `${model} ${CASE.exec(e.task ?? "")?.[0] ?? "no case"}`)
    } else if (e.type === "tool.called") {
      const door = DOORS.get(e.tool)
      if (door !== undefined)
        this.#calls.set(`${run} ${e.step} ${e.callId}`, `${door} ${CASE.exec(JSON.stringify(e.args))?.[0] ?? "no case"}`)
    } else if (e.type === "action.begun") {
      const call = e.kind === "tool" || e.kind === "effect" ? this.#calls.get(`${run} ${e.step} ${e.key.split("/tool/")[1]}`) : undefined
      const what = e.kind === "model" || e.kind === "compact" ? this.#steps.get(`${run} ${e.step}`) : call
      if (what !== undefined) this.#begun.set(what, (this.#begun.get(what) ?? 0) + 1)
    }
  }

  /** A model is asked. `name`: the case. */
  model(model: string, name: string): void {
    if (CASE.test(name)) this.#arrives(`${model} ${name}`)
  }

  tool({ method, url, body }: Asked): void {
    const name = CASE.exec(url.pathname)?.[0] ?? CASE.exec(body)?.[0]
    const door = doorOf(method, url.pathname)
    if (name !== undefined && KNOWN.has(door)) this.#arrives(`${door} ${name}`)
  }

  #arrives(what: string): void {
    const arrived = (this.#arrived.get(what) ?? 0) + 1
    this.#arrived.set(what, arrived)
    const begun = this.#begun.get(what) ?? 0
    if (arrived > begun) this.#say(`[J2] ${what} was asked ${arrived} times, and durably begun ${begun} times`)
  }
}
