// Trials of a server whose disk fails below it: full, read-only, faulty once, slow. What was acknowledged is there afterwards, also after a kill;
// what was not says why; reads go on; and everything works again when the disk does, without a restart.

import { EIO, FaultyDisk } from "../disk/faulty-disk.ts"
import { isEnd } from "../crash/client.ts"
import { Stand } from "./stand.ts"
import type { Trial } from "./trial.ts"

const AT_ONCE = 8
const FLOW = (name: string): string => `name: ${name}\ndescription: d\nsteps:\n  - { id: a, type: agent, agent: quick }\n`

/** What a client sends, and how it sees afterwards that it is there. */
interface Wish {
  readonly name: string
  send(stand: Stand): Promise<Response>
  /** `said`: the acknowledgement. */
  isThere(stand: Stand, said: unknown): Promise<boolean>
}

const idIn = (said: unknown): string => (typeof said === "object" && said !== null && "id" in said ? String(said.id) : "")

const start = (name: string): Wish => ({
  name: `a start (${name})`,
  send: ({ client }) => client.ask("POST", "/v1/flows/quick/runs", { task: name }, { "idempotency-key": name }),
  async isThere(stand, said) {
    const { status } = await stand.until(idIn(said), (run) => isEnd(run.status), 40_000)
    return status === "succeeded"
  },
})

const signal = (run: string): Wish => ({
  name: `a signal (${run})`,
  send: ({ client }) => client.ask("POST", `/v1/runs/${run}/signals/go`, {}),
  isThere: async (stand) => (await stand.until(run, ({ status }) => isEnd(status))).status === "succeeded",
})

const key = (name: string): Wish => ({
  name: `a key (${name})`,
  send: ({ client }) => client.ask("POST", "/v1/keys", { name, scopes: ["runs:read"] }),
  isThere: async ({ client }, said) => (await (await client.ask("GET", "/v1/keys?limit=200")).text()).includes(idIn(said)),
})

const flow = (name: string): Wish => ({
  name: `a flow (${name})`,
  send: ({ victim }) =>
    fetch(`${victim.url}/v1/flows/${name}`, {
      method: "PUT",
      headers: { authorization: "Bearer sl_local_dev", "content-type": "application/yaml" },
      body: FLOW(name),
      signal: AbortSignal.timeout(60_000),
    }),
  isThere: async ({ client }) => (await client.ask("GET", `/v1/flows/${name}`)).ok,
})

/** What a refusal says: `503 disk_full`. */
const told = async (answer: Response): Promise<string> =>
  `${answer.status} ${/"code":"([a-z_]+)"/.exec(await answer.text())?.[1] ?? "without a code"}`

class Ledger {
  readonly #stand: Stand
  readonly #taken: { readonly wish: Wish; readonly said: unknown }[] = []

  constructor(stand: Stand) {
    this.#stand = stand
  }

  get taken(): number {
    return this.#taken.length
  }

  /** Once, all of them, some at a time. `may`: the refusal of a server with such a disk. */
  async send(wishes: readonly Wish[], may: (refusal: string) => boolean): Promise<void> {
    const rest = wishes.values()
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (const wish of rest) {
          const answer = await wish.send(this.#stand).catch((e: unknown) => (e instanceof Error ? e : new Error(String(e))))
          if (answer instanceof Error) this.#stand.expect(false, `${wish.name} has no answer: ${answer.message}`)
          else await this.#note(wish, answer, may)
        }
      }),
    )
  }

  async #note(wish: Wish, answer: Response, may: (refusal: string) => boolean): Promise<void> {
    const refusal = answer.ok ? "" : await told(answer.clone())
    const text = await answer.text()
    if (answer.ok) this.#taken.push({ wish, said: text === "" ? undefined : JSON.parse(text) })
    else {
      this.#stand.expect(may(refusal), `${wish.name} is refused with ${text.slice(0, 300)}`)
    }
  }

  /** Everything that was acknowledged is there. */
  async hold(when: string): Promise<void> {
    const gone: string[] = []
    for (const { wish, said } of this.#taken) if (!(await wish.isThere(this.#stand, said).catch(() => false))) gone.push(wish.name)
    this.#stand.expect(
      gone.length === 0,
      `${gone.length} of ${this.#taken.length} acknowledged are not there ${when}: ${gone.slice(0, 5).join(", ")}`,
    )
  }
}

type Act = (stand: Stand, disk: FaultyDisk) => Promise<void>

const onFaultyDisk =
  (act: Act): Trial =>
  async ({ worker, model }) => {
    const disk = FaultyDisk.build()
    if (typeof disk === "string") return disk
    let stand: Stand | undefined
    try {
      stand = await Stand.open(worker, model, { under: disk.folder, more: disk.settings })
      // Without these the trial would show nothing.
      stand.expect(disk.processes > 0 && disk.calls("write") > 0 && disk.calls("sync") > 0, "the library sees no writes of the server")
      await act(stand, disk)
      return stand.faults
    } finally {
      disk.sound()
      await stand?.victim.close()
      disk.remove()
    }
  }

const none = (): boolean => false
const sorts = (of: string): Wish[] => [...[1, 2, 3, 4].map((n) => start(`${of}-${n}`)), key(`${of}-key`), flow(`${of}-flow`)]

/** Patient runs wait for a signal. */
async function patient(stand: Stand, names: readonly string[]): Promise<string[]> {
  const ids = await Promise.all(names.map((name) => stand.client.start("patient", name)))
  for (const id of ids) await stand.until(id, ({ status }) => status === "waiting")
  return ids
}

/** While this is said of the disk, requests are refused with these words or acknowledged; then they work again. */
const whileItFails =
  (of: string, say: (disk: FaultyDisk) => void, may: (refusal: string) => boolean): Act =>
  async (stand, disk) => {
    const { client, victim } = stand
    const ledger = new Ledger(stand)
    const waiting = await patient(stand, ["w1", "w2", "w3"])
    await ledger.send(sorts("before"), none)
    await ledger.hold("before")
    const before = ledger.taken
    say(disk)
    await ledger.send([...sorts("while"), ...waiting.slice(0, 2).map(signal)], may)
    const read = await client.ask("GET", `/v1/runs/${waiting[2]}`)
    stand.expect(read.ok, `a read of a run answers ${read.status} while the disk is ${of}`)
    const list = await client.ask("GET", "/v1/runs?limit=1")
    stand.expect(list.ok || may(await told(list)), `the list answers ${list.status} while the disk is ${of}`)
    stand.expect(disk.failed("write") + disk.failed("sync") + disk.failed("open") > 0, "no call failed: the trial shows nothing")
    stand.expect(ledger.taken === before || of !== "read-only", "something is acknowledged on a disk that takes nothing")
    disk.sound()
    const works = await stand.comes(async () => (await start("again").send(stand)).ok, 30_000)
    stand.expect(
      works,
      `a start is still refused when the disk works again: ${(await (await start("again").send(stand)).text()).slice(0, 300)}`,
    )
    // What was refused is taken now, and what was acknowledged is there.
    await ledger.send([...sorts("while"), ...sorts("after")], none)
    const late = await stand.comes(async () => (await signal(waiting[2] ?? "").send(stand)).ok, 10_000)
    stand.expect(late, "a run from before takes no signal when the disk works again")
    await ledger.hold("when the disk works again")
    await victim.killAndRestart("both")
    await ledger.hold("after a kill")
  }

const full = onFaultyDisk(
  whileItFails(
    "full",
    (disk) => disk.full(),
    (refusal) => refusal === "503 disk_full",
  ),
)

const readOnly = onFaultyDisk(
  whileItFails(
    "read-only",
    (disk) => disk.readOnly(),
    (refusal) => refusal === "503 disk_full",
  ),
)

/** One call fails, many times over, each time another one. */
const faulty = onFaultyDisk(async (stand, disk) => {
  const ledger = new Ledger(stand)
  for (let n = 0; n < 12; n++) {
    const kind = n % 2 === 0 ? "sync" : "write"
    const failed = disk.failed(kind)
    disk.say(kind, { error: EIO, times: 1 })
    await ledger.send(sorts(`faulty-${n}`), (refusal) => refusal.startsWith("503"))
    stand.expect(disk.failed(kind) > failed, `no ${kind} failed in round ${n}`)
    const works = await stand.comes(async () => (await start(`sound-${n}`).send(stand)).ok, 30_000)
    stand.expect(works, `a start is still refused after one failed ${kind}`)
    if (!works) break
  }
  disk.sound()
  await ledger.hold("after single faults")
  await stand.victim.killAndRestart("both")
  await ledger.hold("after a kill")
})

/** A slow disk makes everything slow, and nothing wrong: each request has its answer, of which nothing is lost. */
const slow = onFaultyDisk(async (stand, disk) => {
  const ledger = new Ledger(stand)
  disk.say("sync", { ms: 40 })
  disk.say("write", { ms: 1 })
  disk.say("open", { ms: 5 })
  await ledger.send([...sorts("slow-1"), ...sorts("slow-2")], none)
  await stand.victim.killAndRestart("both")
  disk.sound()
  await ledger.hold("after a kill on a slow disk")
})

export const DISK_TRIALS: Readonly<Record<string, Trial>> = {
  "disk-full": full,
  "disk-read-only": readOnly,
  "disk-faulty": faulty,
  "disk-slow": slow,
}
