// Service: the whole of Sluice in one process: its objects, stores and isolates, people's requests at its door, and what goes wrong.

import { Border } from "./border.ts"
import type { Dice } from "./dice.ts"
import { Faults, type Happened, type Rates } from "./faults.ts"
import { play } from "./globals.ts"
import { Store } from "./kv.ts"
import { Machines, workerOf, type Code } from "./machines.ts"
import { networkOf, type Host } from "./network.ts"
import { Namespace, type Ground, type HostedObject } from "./objects.ts"
import { Place } from "./place.ts"
import { Bucket } from "./r2.ts"
import { Timeline, type Coming } from "./timeline.ts"

export interface ServiceOptions {
  readonly dice: Dice
  readonly code: Code
  /** Of faults that this seed is about. */
  readonly rates?: Rates | undefined
  readonly hosts: ReadonlyMap<string, Host>
  /** Where traces of ended runs go. */
  readonly collector?: string | undefined
  readonly without?: readonly Happened[]
  readonly only?: readonly Happened[] | undefined
  /** Is told of each fault as it happens. */
  readonly fault?: (fault: Happened) => void
  /** Is told of each finding. */
  readonly finding?: (finding: string) => void
  /** Is told of each event. */
  readonly watch?: (event: Coming) => void
  /** After each event, with the objects that wrote in it. */
  readonly wrote?: (objects: readonly HostedObject[]) => void
  /** Whenever what an object wrote has become durable. */
  readonly committed?: (object: HostedObject) => void
  /** Whenever a statement of an object writes a table. */
  readonly wroteTable?: (object: HostedObject, table: string) => void
  /** Whenever an object has an answer. */
  readonly answers?: (object: HostedObject, room: string) => void
}

/** The body of an answer broke. */
class Cut extends Error {}

interface RequestOptions {
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Takes the text of a 200 as it comes. false: the reader goes away. */
  readonly read?: ((text: string) => boolean) | undefined
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

const STEP_MS = 1_200_000

export class Service {
  readonly border: Border
  readonly timeline: Timeline
  readonly dice: Dice
  readonly faults: Faults
  readonly runs: Namespace
  readonly tenants: Namespace
  readonly memories: Namespace
  readonly directory: Namespace
  readonly blobs: Bucket
  readonly cache: Store
  readonly machines: Machines
  /** Whether traces of ended runs are sent. */
  readonly isTraced: boolean
  /** What must never happen and did. */
  readonly findings: string[] = []
  readonly #env: object
  readonly #ground: Ground
  /** Requests under way. */
  readonly #invocations = new Set<Place>()
  readonly #wrote: (objects: readonly HostedObject[]) => void
  readonly #finding: (what: string) => void

  constructor({
    dice,
    code,
    rates,
    hosts,
    collector,
    without = [],
    only,
    fault = () => {},
    watch = () => {},
    wrote = () => {},
    committed = () => {},
    wroteTable = () => {},
    answers = () => {},
    finding = () => {},
  }: ServiceOptions) {
    this.#finding = finding
    this.isTraced = collector !== undefined
    this.dice = dice
    this.faults = new Faults(this.dice, { rates, without, only, told: fault })
    this.timeline = new Timeline(watch, () => this.#after())
    this.border = new Border(this.timeline, this.dice, this.faults)
    this.#wrote = wrote
    play(this.border, networkOf(this.border, hosts))
    this.blobs = new Bucket(this.border)
    this.cache = new Store(this.border)
    const ground = {
      border: this.border,
      env: {} as object,
      machine: () => this.machines.any("machine"),
      found: (what: string) => this.found(what),
      committing: () => {},
      committed,
      wroteTable,
      answers,
    } satisfies Ground
    this.#ground = ground
    this.runs = new Namespace(ground, "RunObject")
    this.tenants = new Namespace(ground, "TenantObject")
    this.memories = new Namespace(ground, "MemoryObject")
    this.directory = new Namespace(ground, "DirectoryObject")
    this.#env = {
      RUN: this.runs,
      TENANT: this.tenants,
      MEMORY: this.memories,
      DIRECTORY: this.directory,
      BLOBS: this.blobs,
      CACHE: this.cache,
      ENVIRONMENT: "local",
      REQUEST_LOG: "off",
      ALLOWED_PRIVATE_HOSTS: [...hosts.keys()].join(","),
      VAULT_KEY: "c2ltdWxhdGVkLXZhdWx0LWtleS1vZi0zMi1ieXRlcyEh",
      ADMIN_KEY: "sl_admin_simulated",
      ...(collector === undefined ? {} : { OTLP_ENDPOINT: collector }),
    }
    Object.assign(ground.env, this.#env)
    this.machines = new Machines(this.border, code, this.#env, 1 + this.dice.below("machines", 3))
  }

  /** From now on nothing goes wrong: the clock is right, and alarms ring in time. */
  calm(): void {
    this.faults.isCalm = true
    this.border.step = 0
    for (const object of this.objects()) object.armed(true)
  }

  found(what: string): void {
    this.findings.push(what)
    this.#finding(what)
  }

  /** Objects of another class of the bundle. */
  space(kind: string, binding: string): Namespace {
    const space = new Namespace(this.#ground, kind)
    Object.assign(this.#env, { [binding]: space })
    Object.assign(this.#ground.env, { [binding]: space })
    return space
  }

  *objects(): Generator<HostedObject> {
    for (const space of [this.runs, this.tenants, this.memories, this.directory]) yield* space.objects.values()
  }

  /** A request from outside. Rejects if the connection is lost; nobody knows then whether it was done. */
  request(method: string, path: string, { body, headers = {}, read }: RequestOptions = {}): Promise<Answer> {
    const { border } = this
    const label = `client → ${method} ${path}`
    return new Promise((resolve, reject) => {
      border.at(border.way("door"), undefined, label, () => {
        if (this.faults.of("lost call")) return void border.at(border.way("door"), undefined, `${label}: lost`, () => reject(gone()))
        const machine = this.machines.any("door")
        const place = new Place(`${method} ${path}`, machine)
        this.#invocations.add(place)
        place.onEnd(() => void border.at(border.way("door"), undefined, `${label}: cut`, () => reject(gone())))
        this.timeline.here = place
        const request = new Request(`http://sluice.test${path}`, {
          method,
          headers: { ...headers },
          ...(body === undefined ? {} : { body }),
        })
        const context = {
          waitUntil: (work: Promise<unknown>) => void work.catch(() => {}),
          passThroughOnException: () => {},
          exports: machine.exports["couriers"],
        }
        void this.#answered(machine, request, context, read).then(
          (answer) => {
            this.#invocations.delete(place)
            const lose = this.faults.of("lost answer")
            border.at(border.way("door"), undefined, `${label}: ${answer.status}`, () => (lose ? reject(gone()) : resolve(answer)))
          },
          (e: unknown) => {
            if (!(e instanceof Cut)) this.found(`${label}: the Worker threw ${String(e)}`)
            reject(gone())
          },
        )
      })
    })
  }

  /** Virtual milliseconds of the world. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.timeline.in(ms, undefined, "the world waits", resolve))
  }

  /** Plays until nothing happens any more or the time has come. */
  async until(at: number): Promise<void> {
    while ((this.timeline.next ?? Number.POSITIVE_INFINITY) <= at) await this.timeline.step()
    this.timeline.now = Math.max(this.timeline.now, at)
  }

  close(): void {
    for (const object of this.objects()) object.storage.close()
  }

  async #answered(
    machine: Parameters<typeof workerOf>[0],
    request: Request,
    context: object,
    read: RequestOptions["read"],
  ): Promise<Answer> {
    const response = await workerOf(machine).fetch(request, this.#env, context)
    const { status, headers, body } = response
    let text = ""
    const take = read && status === 200 ? read : (more: string): boolean => ((text += more), true)
    const reader = body?.getReader()
    const decoder = new TextDecoder()
    while (reader) {
      const { done, value } = await reader.read().catch((e: unknown) => Promise.reject(new Cut(String(e))))
      if (done) break
      if (take(decoder.decode(value, { stream: true }))) continue
      void reader.cancel().catch(() => {})
      break
    }
    return { status, headers, text: text + decoder.decode() }
  }

  #after(): void {
    const { border, faults, dice } = this
    const touched = [...border.touched] as HostedObject[]
    border.touched.clear()
    for (const object of touched) {
      if (faults.of("aborted object")) object.abort("the object was reset")
      else object.settle()
    }
    if (touched.length > 0) this.#wrote(touched)
    if (faults.of("evicted")) dice.pick("evicted one", [...this.objects()]).evict()
    if (faults.of("aborted isolate")) this.#lose(this.machines.any("lost machine"))
    if (faults.of("aborted service")) for (const machine of this.machines.all.slice()) this.#lose(machine)
    if (faults.of("clock step")) border.step = (dice.roll("step") - 0.5) * STEP_MS
  }

  #lose(machine: (typeof this.machines.all)[number]): void {
    this.machines.replace(machine)
    for (const object of this.objects()) if (object.machine === machine) object.abort("the isolate was reset")
    for (const place of this.#invocations) {
      if (place.machine !== machine) continue
      this.#invocations.delete(place)
      place.end()
    }
  }
}

const gone = (): Error => new Error("the connection was lost")
