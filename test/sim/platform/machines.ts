// Machines: isolates that run the Worker's bundle, each with modules and caches of its own.

import { createRequire } from "node:module"
import path from "node:path"
import { fileURLToPath } from "node:url"
import vm from "node:vm"
import { build, type Plugin } from "esbuild"
import { workerSettings } from "../../../local/build.ts"
import { makeShellLibrary } from "../../../local/shell-library.ts"
import type { Border } from "./border.ts"
import { carriedResponse } from "./carried.ts"
import { Place, type Machine } from "./place.ts"
import { REMEMBERING } from "./remembered.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const require = createRequire(import.meta.url)

/** A fault that is planted: this text, which occurs once in the file, is replaced. */
export interface Planted {
  readonly file: string
  readonly from: string
  readonly to: string
}

export type Code = vm.Script

/** The Worker as it runs on every machine. Throws if a planted text does not occur exactly once. */
export async function codeOf(planted: readonly Planted[] = [], entry = "test/sim/world/project.ts"): Promise<Code> {
  const left = new Set(planted)
  const all = [REMEMBERING, ...planted]
  const planting: Plugin = {
    name: "planted",
    setup({ onLoad }) {
      for (const file of new Set(all.map((it) => it.file)))
        onLoad({ filter: new RegExp(`${file.replaceAll(/[.\\/]/g, "[$&]")}$`) }, async ({ path: found }) => {
          const { readFile } = await import("node:fs/promises")
          let contents = await readFile(found, "utf8")
          for (const fault of all.filter((it) => it.file === file)) {
            if (contents.split(fault.from).length !== 2) throw new Error(`${file} has not exactly one: ${fault.from}`)
            contents = contents.replace(fault.from, () => fault.to)
            left.delete(fault)
          }
          return { contents, loader: "ts" }
        })
    },
  }
  await makeShellLibrary()
  const { outputFiles } = await build({
    ...workerSettings,
    plugins: [planting, ...workerSettings.plugins],
    format: "cjs",
    entryPoints: [entry],
    outfile: "worker.js",
    write: false,
  })
  const [first] = left
  if (first) throw new Error(`${first.file} is not part of the Worker`)
  return new vm.Script(`(function (module, exports, require) {${outputFiles[0]?.text ?? ""}\n})`, {
    filename: path.join(root, "worker.js"),
  })
}

class DurableObject {
  readonly ctx: object
  readonly env: object
  constructor(ctx: object, env: object) {
    this.ctx = ctx
    this.env = env
  }
}

class WorkerEntrypoint extends DurableObject {}
class RpcTarget {}

const PLATFORM = {
  DurableObject,
  WorkerEntrypoint,
  RpcTarget,
  waitUntil: (work: Promise<unknown>): void => void work.catch(() => {}),
  env: {},
}

interface Answering {
  fetch(request: Request, env: object, ctx: object): Promise<Response>
}

export class Machines {
  readonly #border: Border
  readonly #code: Code
  readonly #env: object
  readonly all: Machine[] = []
  #made = 0

  constructor(border: Border, code: Code, env: object, count: number) {
    this.#border = border
    this.#code = code
    this.#env = env
    for (let i = 0; i < count; i++) this.all.push(this.#make())
  }

  any(kind: string): Machine {
    return this.#border.dice.pick(kind, this.all)
  }

  /** Another takes its place. */
  replace(machine: Machine): void {
    machine.isGone = true
    this.all.splice(this.all.indexOf(machine), 1, this.#make())
  }

  #make(): Machine {
    const module = { exports: {} as Record<string, unknown> }
    const load = this.#code.runInThisContext() as (module: object, exports: object, require: (name: string) => unknown) => void
    load(module, module.exports, (name) => (name === "cloudflare:workers" ? PLATFORM : (require(name) as unknown)))
    const skew = this.#border.dice.chance("skewed machine", 0.3) ? this.#border.dice.below("skew", 4_000) - 2_000 : 0
    const machine: Machine = { name: `m${++this.#made}`, exports: { ...module.exports }, skew: Math.round(skew), isGone: false }
    return Object.assign(machine, { exports: { ...machine.exports, couriers: this.#couriers(machine) } })
  }

  /** `ctx.exports`: the class of couriers, each hired one an invocation of its own. */
  #couriers(machine: Machine): object {
    const border = this.#border
    return {
      Couriers: {
        hire: () =>
          border.ask("courier", "hire", () => {
            const made = machine.exports["Couriers"] as new (ctx: object, env: object) => { hire(): Promise<object> }
            const place = new Place("courier", machine)
            return courierOver(border, place, made, this.#env)
          }),
      },
    }
  }
}

/** The Worker's own handler on a machine. */
export const workerOf = (machine: Machine): Answering => machine.exports["worker"] as Answering

function courierOver(
  border: Border,
  place: Place,
  made: new (ctx: object, env: object) => { hire(): Promise<object> },
  env: object,
): object {
  const before = border.timeline.here
  border.timeline.here = place
  const courier = new made({}, env).hire()
  border.timeline.here = before
  const call =
    (method: string) =>
    (...args: readonly unknown[]): Promise<unknown> => {
      const from = border.timeline.here
      const given = structuredClone(args)
      return new Promise((resolve, reject) => {
        const send = (): void =>
          void border.at(border.way("courier"), place, `courier ${method}`, async () => {
            const answer = (settle: () => void): void => void border.at(border.way("courier"), from, `courier ${method}: answer`, settle)
            const target: object = await courier
            const found = Reflect.get(target, method) as (...of: readonly unknown[]) => Promise<unknown>
            Reflect.apply(found, target, given).then(
              (value) => {
                const carried = value instanceof Response ? carriedResponse(border, value, place, from) : value
                answer(() => resolve(carried))
              },
              (e: unknown) => answer(() => reject(e)),
            )
          })
        if (from) from.leave(send)
        else send()
      })
    }
  return { send: call("send"), drop: call("drop"), [Symbol.dispose]: () => place.end() }
}
