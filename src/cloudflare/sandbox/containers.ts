// Chooses the sandbox for a run's commands and stores its state: the names of the opened sandboxes, so that each is destroyed when the run
// is over; which of them contain content from outside; and which calls have begun [J11].
//
// A sandbox's name is a hash of the tenant's name, the run and the agent's `access`, encoded as JSON. So no tenant can produce the name of
// another tenant's sandbox, and no character in one of the three can be mistaken for a separator.

import type { Exec } from "../../ports/exec.ts"
import type { SandboxNamespace, SandboxStub } from "../platform/sandbox-stub.ts"
import { containerExec } from "./container-exec.ts"
import type { Shell } from "../../tools/toolbox.ts"
import { jurisdictionOf, ownJurisdiction } from "../platform/jurisdiction.ts"
import { sha256 } from "../platform/sha256.ts"
import { inTime } from "../../ports/timers.ts"

export interface SandboxBinding {
  readonly SANDBOX?: SandboxNamespace
  readonly SANDBOX_EU?: SandboxNamespace
  readonly SANDBOX_US?: SandboxNamespace
  readonly SANDBOX_INTERNET?: string
  readonly JURISDICTION?: string
}

/**
 * The place where a tenant's sandboxes run; undefined: it has none. The sandboxes of a tenant in a jurisdiction run there or not at all
 * [N1].
 */
export function sandboxesOf(env: SandboxBinding, tenant: string): SandboxNamespace | undefined {
  const own = ownJurisdiction(env)
  const jurisdiction = jurisdictionOf(tenant) ?? own
  if (jurisdiction === undefined) return env.SANDBOX
  const namespace = { eu: env.SANDBOX_EU, us: env.SANDBOX_US }[jurisdiction] ?? (own === jurisdiction ? env.SANDBOX : undefined)
  return namespace?.jurisdiction(jurisdiction)
}

/**
 * The available shell tools [T20]: those of a sandbox with or without a network, or the Worker's own shell. Without `tenant` the answer is
 * for the whole instance: whether any tenant has a sandbox.
 */
export function shellOf(env: SandboxBinding, tenant?: string): Shell {
  const bound = tenant === undefined ? (env.SANDBOX ?? env.SANDBOX_EU ?? env.SANDBOX_US) : sandboxesOf(env, tenant)
  if (bound === undefined) return "worker"
  return env.SANDBOX_INTERNET === "off" ? "sealed" : "open"
}

const NAME = "sandbox/"
const MAX_PATIENCE_MS = 5_000 // limit: milliseconds between two tries to end a machine → the next try
const CALL = "sandbox_call/"
/** The key that counts how often the run has tried to destroy its sandboxes. With 10 s between tries and ANSWER_MS each, 20 tries take about ten
 *  minutes, which is how long a machine stays awake by itself. */
const TRIES = "sandbox_tries"
const MAX_TRIES = 20 // limit: tries to end a machine → it ends by its own idle time
const ANSWER_MS = 20_000 // limit: milliseconds of a machine's answer → it is tried again

/** The sandboxes of one run. Their state is in the object's storage, so the object continues with the same sandboxes after an eviction. */
export class RunContainers {
  readonly #env: SandboxBinding
  readonly #kv: SyncKvStorage
  readonly #turns = new Map<string, Promise<unknown>>()
  #over = false

  constructor(env: SandboxBinding, kv: SyncKvStorage) {
    this.#env = env
    this.#kv = kv
  }

  /** For one call. The sandbox is opened on first use. undefined: this tenant has no sandboxes. */
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
      closed: () => (this.#over ? "the run is over, and its sandbox is destroyed" : undefined),
      end: async () => {},
    })
  }

  /** Is there anything to destroy? */
  any(): boolean {
    for (const _ of this.#kv.list({ prefix: NAME, limit: 1 })) return true
    return false
  }

  /** The run is over: destroys its sandboxes and everything that still runs in them [T20]. Rejects if one does not answer; the caller tries again, at
   *  most MAX_TRIES times, because a machine that is not used goes to sleep by itself. */
  async destroy(tenant: string): Promise<void> {
    this.#over = true
    const namespace = sandboxesOf(this.#env, tenant)
    const keys = Array.from(this.#kv.list({ prefix: NAME }), ([key]) => key)
    // If the binding has been removed, the sandboxes cannot be reached any more, and they go to sleep by themselves.
    const tries = Number(this.#kv.get(TRIES) ?? 0) + 1
    this.#kv.put(TRIES, tries)
    await Promise.all(
      keys.map(async (key) => {
        if (namespace && tries <= MAX_TRIES) await answered(stubOf(namespace, key.slice(NAME.length)).destroy())
        this.#kv.delete(key)
      }),
    )
    this.#kv.delete(TRIES)
    for (const key of Array.from(this.#kv.list({ prefix: CALL }), ([call]) => call)) this.#kv.delete(key)
  }

  /** The run is deleted. Waits only briefly for a sandbox that does not answer, because it goes to sleep by itself. */
  async abandon(tenant: string | undefined): Promise<void> {
    if (tenant !== undefined && this.any()) {
      await answered(this.destroy(tenant), MAX_PATIENCE_MS).catch(() => undefined)
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

/** The sandbox for a call outside a run, which is destroyed after the call. `later` keeps the isolate alive until it is destroyed. */
export function callContainer(env: SandboxBinding, tenant: string, later: (work: Promise<unknown>) => void): Exec | undefined {
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
    closed: () => (over ? "the call is over, and its sandbox is destroyed" : undefined),
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

/** Rejects if there is no answer in time. */
const answered = (answer: Promise<unknown>, ms = ANSWER_MS): Promise<unknown> => inTime(answer, ms, noAnswer)

function noAnswer(): never {
  throw new Error("a sandbox does not answer")
}

const nameOf = (parts: readonly string[]): string => `sluice-${sha256(JSON.stringify(parts)).slice(0, 48)}`

/** A fresh stub for every call, because a stub from before a reset of its object never works again. */
const stubOf = (namespace: SandboxNamespace, name: string): SandboxStub => namespace.get(namespace.idFromName(name))

const lazily = (stub: () => SandboxStub): SandboxStub => ({
  exec: (command, options) => stub().exec(command, options),
  writeFile: (path, content, options) => stub().writeFile(path, content, options),
  readFile: (path, options) => stub().readFile(path, options),
  destroy: () => stub().destroy(),
})
