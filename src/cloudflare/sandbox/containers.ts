// Which sandbox a run's commands go to, and what is kept of it: the names of those that were opened, so that every one of them is
// destroyed when the run is over; which of them something from outside went into; and which calls were begun [J11].
//
// A sandbox's name is a hash of the tenant's name, the run and the `access` of the agent: no tenant can make another one's, and nothing
// that a name may hold in one of the three can be read as a border between them.

import type { Exec } from "../../ports/exec.ts"
import type { SandboxNamespace, SandboxStub } from "./sandbox-stub.ts"
import { containerExec } from "./container-exec.ts"
import type { Shell } from "../../tools/toolbox.ts"
import { jurisdictionOf, ownJurisdiction } from "../platform/jurisdiction.ts"
import { sha256 } from "../platform/sha256.ts"
import { inTime } from "../../engine/time/deadline.ts"

export interface SandboxDoor {
  readonly SANDBOX?: SandboxNamespace
  readonly SANDBOX_EU?: SandboxNamespace
  readonly SANDBOX_US?: SandboxNamespace
  readonly SANDBOX_INTERNET?: string
  readonly JURISDICTION?: string
}

/** Where the machines of a tenant run; undefined: it has none. Of a tenant in a jurisdiction they run there or not at all [N1]. */
export function sandboxesOf(env: SandboxDoor, tenant: string): SandboxNamespace | undefined {
  const own = ownJurisdiction(env)
  const jurisdiction = jurisdictionOf(tenant) ?? own
  if (jurisdiction === undefined) return env.SANDBOX
  const namespace = { eu: env.SANDBOX_EU, us: env.SANDBOX_US }[jurisdiction] ?? (own === jurisdiction ? env.SANDBOX : undefined)
  return namespace?.jurisdiction(jurisdiction)
}

/** Which tools there are [T20]: those over a sandbox, and whether it reaches the network, or the Worker's own shell. Without a tenant: of
 *  the instance, where one tenant at least has a sandbox. */
export function shellOf(env: SandboxDoor, tenant?: string): Shell {
  const bound = tenant === undefined ? (env.SANDBOX ?? env.SANDBOX_EU ?? env.SANDBOX_US) : sandboxesOf(env, tenant)
  if (bound === undefined) return "worker"
  return env.SANDBOX_INTERNET === "off" ? "sealed" : "open"
}

const NAME = "sandbox/"
const MOST_PATIENCE_MS = 5_000
const CALL = "sandbox_call/"
/** How often the run has asked for their end. At 10 s and an answer's time each: about ten minutes, as long as a machine stays awake by itself. */
const TRIES = "sandbox_tries"
const MOST_TRIES = 20
const ANSWER_MS = 20_000

/** Of one run. Everything that matters is in the object's storage: another life of it goes on with the same sandboxes. */
export class RunContainers {
  readonly #env: SandboxDoor
  readonly #kv: SyncKvStorage
  readonly #turns = new Map<string, Promise<unknown>>()
  #over = false

  constructor(env: SandboxDoor, kv: SyncKvStorage) {
    this.#env = env
    this.#kv = kv
  }

  /** For one call; nothing is opened before it asks for something. undefined: this tenant has no sandboxes. */
  open(tenant: string, run: string, fence: string, key: string): Exec | undefined {
    const namespace = sandboxesOf(this.#env, tenant)
    if (namespace === undefined) return undefined
    const name = nameOf([tenant, run, fence])
    const call = sha256(JSON.stringify([run, key])).slice(0, 24)
    const kv = this.#kv
    const stub = lazily(() => {
      if (kv.get(NAME + name) === undefined) kv.put(NAME + name, "clean")
      return stubOf(namespace, name)
    })
    return containerExec(stub, {
      call,
      begun: () => kv.get(CALL + call) !== undefined,
      begin: () => kv.put(CALL + call, 1),
      get tainted() {
        return kv.get(NAME + name) === "tainted"
      },
      taint: () => kv.put(NAME + name, "tainted"),
      inTurn: (work) => this.#inTurn(name, work),
      closed: () => (this.#over ? "the run is over, and its sandbox with it" : undefined),
      end: async () => {},
    })
  }

  /** Is there anything to destroy? */
  any(): boolean {
    for (const _ of this.#kv.list({ prefix: NAME, limit: 1 })) return true
    return false
  }

  /** The run is over: its sandboxes go, and what still runs in them [T20]. Rejects when one does not answer: then it is said again, but not
   *  for ever: nothing of a run is kept for a machine that sleeps by itself after a while. */
  async destroy(tenant: string): Promise<void> {
    this.#over = true
    const namespace = sandboxesOf(this.#env, tenant)
    const kept = Array.from(this.#kv.list({ prefix: NAME }), ([key]) => key)
    // Without the binding there is nobody to ask any more, and what ran there sleeps by itself.
    const tries = Number(this.#kv.get(TRIES) ?? 0) + 1
    this.#kv.put(TRIES, tries)
    await Promise.all(
      kept.map(async (key) => {
        if (namespace && tries <= MOST_TRIES) await answered(stubOf(namespace, key.slice(NAME.length)).destroy())
        this.#kv.delete(key)
      }),
    )
    this.#kv.delete(TRIES)
    for (const key of Array.from(this.#kv.list({ prefix: CALL }), ([call]) => call)) this.#kv.delete(key)
  }

  /** The run is taken away as it is: nothing waits long for a sandbox that does not answer, which goes to sleep by itself. */
  async abandon(tenant: string | undefined): Promise<void> {
    if (tenant !== undefined && this.any()) {
      await answered(this.destroy(tenant), MOST_PATIENCE_MS).catch(() => undefined)
    }
    this.#over = false
  }

  #inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(name) ?? Promise.resolve()).then(work)
    this.#turns.set(
      name,
      turn.catch(() => undefined),
    )
    return turn
  }
}

/** For one call outside a run: a sandbox of its own, gone with its answer. `later`: keeps us alive until it is gone. */
export function callContainer(env: SandboxDoor, tenant: string, later: (work: Promise<unknown>) => void): Exec | undefined {
  const namespace = sandboxesOf(env, tenant)
  if (namespace === undefined) return undefined
  const key = crypto.randomUUID()
  const name = nameOf([tenant, "", key])
  let close: (() => void) | undefined
  let over = false
  let tainted = false
  let begun = false
  const stub = lazily(() => {
    if (close === undefined) later(new Promise<void>((resolve) => (close = resolve)))
    return stubOf(namespace, name)
  })
  return containerExec(stub, {
    call: sha256(key).slice(0, 24),
    begun: () => begun,
    begin: () => void (begun = true),
    get tainted() {
      return tainted
    },
    taint: () => void (tainted = true),
    inTurn: (work) => work(),
    closed: () => (over ? "the call is over, and its sandbox with it" : undefined),
    end: async () => {
      over = true
      if (close === undefined) return
      try {
        await stubOf(namespace, name).destroy()
      } finally {
        close()
      }
    },
  })
}

/** Rejects when there is no answer in time. */
const answered = (answer: Promise<unknown>, ms = ANSWER_MS): Promise<unknown> => inTime(answer, ms, noAnswer)

function noAnswer(): never {
  throw new Error("a sandbox does not answer")
}

const nameOf = (parts: readonly string[]): string => `sluice-${sha256(JSON.stringify(parts)).slice(0, 48)}`

/** A fresh one for every call: one from before a reset of its object is dead for ever. */
const stubOf = (namespace: SandboxNamespace, name: string): SandboxStub => namespace.get(namespace.idFromName(name))

const lazily = (stub: () => SandboxStub): SandboxStub => ({
  exec: (command, options) => stub().exec(command, options),
  writeFile: (path, content, options) => stub().writeFile(path, content, options),
  readFile: (path, options) => stub().readFile(path, options),
  destroy: () => stub().destroy(),
})
