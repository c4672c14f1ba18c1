// Decisions that wait for their commit: what stays in the house is stored together, and nothing leaves before it is stored.

import { describe, expect, test, vi } from "vitest"
import type { RunEvent } from "../../../src/core/run/event.ts"
import type { SandboxResult } from "../../../src/ports/sandbox.ts"
import type { Commit } from "../../../src/ports/journal.ts"
import { MemoryBlobs } from "../../../src/engine/run/memory-store.ts"
import { agent, done, flow, Stand, until, type Turn } from "../../support/engine/stand.ts"

const ok = (n: number): SandboxResult => ({ ok: true, value: { n }, logs: [] })
const code = (id: string, after?: string): string =>
  `  - { id: ${id}, type: code, outputs: [n]${after === undefined ? "" : `, blockedBy: ${after}`} }\n`
const CHAIN = ["a", "b", "c", "d", "e"]
const chain = CHAIN.map((id, i) => code(id, CHAIN[i - 1])).join("")

interface Held {
  readonly stand: Stand
  readonly commits: Commit[]
  /** Commits that are set for later, with their wait. */
  readonly later: { work: () => void; ms: number }[]
}

/** Handlers and `write` are in the house, and so are the models of these steps. */
function held(steps: string, agents: readonly string[] = [], builtInTools: readonly string[] = [], watched = false): Held {
  const stand = new Stand(flow(steps), agents)
  const commits: Commit[] = []
  const later: Held["later"] = []
  const commit = stand.journal.commit.bind(stand.journal)
  stand.journal.commit = (entry) => {
    commit(entry)
    commits.push(entry)
  }
  const isHouse = (step: string): boolean => builtInTools.includes(step)
  stand.holding = {
    isInHouse: (_, effect) =>
      effect.do === "run-code" ||
      (effect.do === "run-tool" && effect.call.name === "write") ||
      (effect.do === "call-model" && isHouse(effect.step)),
    mayWait: () => !watched,
    later: (work, ms) => {
      const one = { work, ms }
      later.push(one)
      return () => {
        const at = later.indexOf(one)
        if (at >= 0) later.splice(at, 1)
      }
    },
  }
  for (const [n, id] of CHAIN.entries()) stand.handlers.set(id, () => ok(n))
  stand.conductor = stand.boot()
  return { stand, commits, later }
}

const typesOf = (events: readonly RunEvent[]): string[] => events.map((e) => e.type)
const turns = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await new Promise((r) => setImmediate(r))
}
/** Without what differs between two lives of one run. */
const facts = (stand: Stand): unknown[] => stand.events().map(({ at: _at, prev: _prev, seq: _seq, ...fact }) => fact)

describe("what stays in the house", () => {
  test("[J2] [J15] a chain of it is two commits: the start that was answered, and the rest with the end", async () => {
    const { stand, commits, later } = held(chain)
    stand.start()
    expect(typesOf(commits[0]?.events ?? [])).toEqual(["run.started", "step.opened", "action.begun"])
    await until(
      () => commits.length > 1,
      () => "no second commit",
    )
    expect(commits).toHaveLength(2)
    expect(stand.conductor.run.status).toBe("succeeded")
    expect(later).toEqual([])
    // Each decision is still a cut [K8].
    expect(commits[1]?.cuts?.length).toBeGreaterThan(2 * (CHAIN.length - 1))
  })

  test("[K18] it writes the journal that it would write decision by decision, to the byte", async () => {
    const texts = async (watched: boolean): Promise<string> => {
      const { stand } = held(chain, [], [], watched)
      stand.start()
      await turns()
      return JSON.stringify(stand.events())
    }
    expect(await texts(false)).toBe(await texts(true))
  })

  test("[E4] while someone follows the run, each decision is a commit of its own", async () => {
    const { stand, commits } = held(chain, [], [], true)
    stand.start()
    await turns()
    expect(stand.conductor.run.status).toBe("succeeded")
    expect(commits).toHaveLength(1 + CHAIN.length)
  })

  test("[J10] a kill in the middle decides the chain again, with the same result", async () => {
    const calm = held(chain)
    calm.stand.start()
    await turns()

    const { stand, commits } = held(chain)
    let kills = 0
    stand.handlers.set("d", () => {
      // The process dies here: nothing of the chain is stored.
      if (kills++ === 0) {
        expect(commits).toHaveLength(1)
        queueMicrotask(() => stand.crash())
      }
      return ok(3)
    })
    stand.start()
    await turns()
    expect(kills).toBe(2)
    expect(stand.conductor.run.status).toBe("succeeded")
    expect(stand.conductor.run.output).toEqual(calm.stand.conductor.run.output)
    const isOfLoss = (f: unknown): boolean => JSON.stringify(f).includes("action.lost") || JSON.stringify(f).includes('"attempt":2')
    const again = facts(stand).filter((f) => !isOfLoss(f))
    expect(again).toEqual(facts(calm.stand))
    // From here on each decision is stored before the next: what kills the object is found by its own key [J12].
    expect(commits.length).toBeGreaterThan(CHAIN.length)
  })

  test("[J14] a reader sees nothing that a crash could take back", async () => {
    const { stand, later } = held(chain)
    stand.start()
    for (let i = 0; i < 200; i++) {
      await Promise.resolve()
      // Whatever is seen is in the journal.
      if (i % 7 === 0) expect(stand.conductor.run.seq).toBe(stand.journal.last())
    }
    await turns()
    expect(stand.conductor.run.status).toBe("succeeded")
    expect(later).toEqual([])
  })

  test("[J12] what waits is stored after a moment, even if nothing else happens", async () => {
    const { stand, commits, later } = held(chain + "  - { id: m, type: agent, agent: a, blockedBy: e }\n", [agent("a")], ["m"])
    stand.start()
    await stand.next("m")
    await turns()
    expect(commits).toHaveLength(1)
    expect(later.map(({ ms }) => ms)).toEqual([1_000])
    later[0]?.work()
    expect(commits).toHaveLength(2)
    expect(typesOf(commits[1]?.events ?? []).at(-1)).toBe("action.begun")
    expect(stand.published.at(-1)?.type).toBe("action.begun")
  })

  test("[J14] a message from outside is answered when it is stored, with all that was decided before it", async () => {
    const { stand, commits } = held(chain + "  - { id: m, type: agent, agent: a, blockedBy: e }\n", [agent("a")], ["m"])
    stand.start()
    await stand.next("m")
    await turns()
    expect(stand.conductor.tell({ type: "pause", reason: "operator" }).ok).toBe(true)
    expect(commits).toHaveLength(2)
    expect(typesOf(commits[1]?.events ?? []).at(-1)).toBe("run.paused")
  })

  test("[J15] if the commit fails, the run is what the journal says, and its alarm brings it on", async () => {
    const { stand, commits, later } = held(chain + "  - { id: m, type: agent, agent: a, blockedBy: e }\n", [agent("a")], ["m"])
    stand.start()
    await stand.next("m")
    await turns()
    const commit = stand.journal.commit
    stand.journal.commit = () => {
      throw new Error("the disk is full")
    }
    later[0]?.work()
    expect(stand.faults).toEqual(["commit: Error: the disk is full"])
    expect(stand.alarm).toBeGreaterThan(stand.now)
    stand.journal.commit = commit
    expect(stand.conductor.run.seq).toBe(3)
    expect(commits).toHaveLength(1)
    stand.conductor.tick()
    await turns()
    await (await stand.next("m")).answer(done())
    await turns()
    expect(stand.conductor.run.status).toBe("succeeded")
  })

  test("[J8] a long chain is stored in pieces", async () => {
    const ids = Array.from({ length: 200 }, (_, i) => `s${i}`)
    const { stand, commits } = held(ids.map((id, i) => code(id, ids[i - 1])).join(""))
    for (const id of ids) stand.handlers.set(id, () => ok(1))
    stand.start()
    await until(
      () => commits.at(-1)?.events.at(-1)?.type === "run.ended",
      () => "no end",
    )
    expect(commits.length).toBeLessThanOrEqual(6)
    for (const { events } of commits) expect(events.length).toBeLessThan(300)
    expect(commits.filter((c) => c.snapshot).length).toBeGreaterThan(0)
  })
})

test("[J8] much text is not held back", async () => {
  const { stand, commits } = held(chain)
  for (const id of CHAIN) stand.handlers.set(id, () => ({ ok: true, value: { n: "x".repeat(20_000) }, logs: [] }))
  stand.start()
  await turns()
  expect(stand.conductor.run.status).toBe("succeeded")
  expect(commits.length).toBeGreaterThan(2)
  for (const { texts = [] } of commits) expect(texts.join("").length).toBeLessThan(64_000 + 50_000)
})

describe("what leaves", () => {
  test("[J2] finds its beginning in the journal, and with it the chain before it", async () => {
    const { stand, commits } = held(chain + "  - { id: m, type: agent, agent: a, blockedBy: e }\n", [agent("a")])
    stand.start()
    await stand.next("m")
    const last = stand.events().at(-1)
    expect(last).toMatchObject({ type: "action.begun", key: "m/1/0/model" })
    expect(commits).toHaveLength(2)
  })

  test("[J2] a model that was in the house and is no longer is asked after the commit", async () => {
    const { stand, commits } = held(chain + "  - { id: m, type: agent, agent: a, blockedBy: e }\n", [agent("a")], ["m"])
    const seen: number[] = []
    stand.asking = (_, conductor) => {
      conductor.save()
      seen.push(commits.length)
    }
    stand.start()
    await stand.next("m")
    expect(seen).toEqual([2])
    expect(stand.events().at(-1)).toMatchObject({ type: "action.begun", key: "m/1/0/model" })
  })

  test("[J15] replies of one turn of the event loop are one commit, and what follows them begins after it", async () => {
    const fan = ["a", "b", "c", "d"].map((id) => `  - { id: ${id}, type: agent, agent: w }\n`).join("")
    const { stand, commits, later } = held(`${fan}  - { id: z, type: agent, agent: w, blockedBy: [a, b, c, d] }\n`, [agent("w")])
    stand.start()
    const asked = await Promise.all(["a", "b", "c", "d"].map((id) => stand.next(id)))
    await Promise.all(asked.slice(0, 3).map((one) => one.answer(done())))
    await turns()
    expect(commits).toHaveLength(1)
    expect(later.map(({ ms }) => ms)).toEqual([0])
    later[0]?.work()
    expect(commits).toHaveLength(2)
    expect(typesOf(commits[1]?.events ?? []).filter((t) => t === "model.replied")).toHaveLength(3)
    // The last one: nothing else can come.
    await asked[3]?.answer(done())
    await turns()
    expect(commits).toHaveLength(3)
    await (await stand.next("z")).answer(done())
    await turns()
    expect(stand.conductor.run.status).toBe("succeeded")
    expect(commits).toHaveLength(4)
  })

  test("[J3] an effect whose step ends before the commit does not begin", async () => {
    const { stand, later } = held(
      "  - { id: a, type: agent, agent: w }\n  - { id: b, type: agent, agent: w }\n  - { id: c, type: agent, agent: w, blockedBy: a }\n",
      [agent("w")],
    )
    stand.start()
    const [a, b] = [await stand.next("a"), await stand.next("b")]
    await a.answer(done())
    await turns()
    expect(later).toHaveLength(1)
    // `b` fails the run in the same turn.
    await b.answer({ finish: { status: "error", summary: "no", files: [] } })
    await turns()
    expect(stand.conductor.run.status).toBe("failed")
    expect(stand.asked.filter(({ request }) => request.place.step === "c")).toEqual([])
  })

  test("[J12] a run that is deleted stores nothing more", async () => {
    const { stand, commits, later } = held(chain + "  - { id: m, type: agent, agent: a, blockedBy: e }\n", [agent("a")], ["m"])
    stand.start()
    await stand.next("m")
    await turns()
    stand.conductor.halt()
    expect(later).toEqual([])
    expect(commits).toHaveLength(1)
  })
})

describe("a reply that was paid for", () => {
  const STEP = "  - { id: m, type: agent, agent: w }\n"
  const writing = { calls: [{ name: "write", args: { path: "a.md", content: "text" } }] }
  const asked = async (turn: Turn = writing): Promise<Held> => {
    const one = held(STEP, [agent("w", "tools: write, ls\n")])
    one.stand.start()
    await (await one.stand.next("m")).answer(turn)
    return one
  }
  /** Bodies do not arrive in R2. */
  const stuck = async (turn?: Turn): Promise<Held> => {
    const put = vi.spyOn(MemoryBlobs.prototype, "put").mockReturnValue(new Promise<string>(() => {}))
    const one = await asked(turn)
    await turns()
    put.mockRestore()
    return one
  }

  test("[J2] [J15] shares the commit of the file that it writes, and of the next request", async () => {
    const { stand, commits, later } = await asked()
    await (await stand.next("m")).answer(done())
    await turns()
    expect(stand.conductor.run.status).toBe("succeeded")
    expect(commits.map(({ events }) => typesOf(events))).toEqual([
      ["run.started", "step.opened", "action.begun"],
      ["model.replied", "tool.called", "action.begun", "file.changed", "tool.returned", "action.begun"],
      ["model.replied", "step.finished", "run.ended"],
    ])
    expect(later).toEqual([])
  })

  test("[J20] also with what its provider wants back", async () => {
    const { stand, commits } = await asked({ ...writing, state: "signed" })
    await (await stand.next("m")).answer(done())
    await turns()
    expect(commits.map(({ states = [] }) => states.length)).toEqual([0, 1, 0])
    expect(stand.conductor.run.status).toBe("succeeded")
  })

  test("[J15] waits a tenth of a second for a tool that takes longer", async () => {
    const { commits, later } = await stuck()
    expect(commits).toHaveLength(1)
    expect(later.map(({ ms }) => ms)).toEqual([100])
    later[0]?.work()
    expect(commits).toHaveLength(2)
    expect(typesOf(commits[1]?.events ?? [])).toEqual(["model.replied", "tool.called", "action.begun"])
  })

  test("[J10] [J11] after a kill in that time the model is asked again, and each decision is stored", async () => {
    const { stand, commits } = await stuck()
    stand.crash()
    await (await stand.next("m")).answer(writing)
    await (await stand.next("m")).answer(done())
    await turns()
    expect(stand.conductor.run.status).toBe("succeeded")
    expect(typesOf(stand.events()).filter((type) => type === "model.replied")).toHaveLength(2)
    expect(stand.journal.list("").map(({ path }) => path)).toEqual(["a.md"])
    expect(commits.map(({ events }) => typesOf(events).at(-1))).toEqual([
      "action.begun",
      "action.begun",
      "action.begun",
      "action.begun",
      "run.ended",
    ])
  })

  test("[J2] does not wait when its next call leaves", async () => {
    const { stand } = await stuck({ calls: [{ name: "ls", args: {} }, ...writing.calls] })
    expect(stand.events().find((e) => e.type === "action.begun" && e.key.includes("/tool/"))).toMatchObject({ key: "m/1/0/tool/c0" })
  })
})
