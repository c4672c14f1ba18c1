// A start whose caller waits for more than its commit [J15]: it shares the commit of what follows, and nothing else learns of a run that is not stored.

import { expect, test } from "vitest"
import type { Signal } from "../../../src/core/run/signal.ts"
import type { Commit } from "../../../src/ports/journal.ts"
import { agent, done, flow, Stand } from "../../support/engine/stand.ts"

const CHAIN = ["a", "b", "c"]
const chain = CHAIN.map((id, i) => `  - { id: ${id}, type: code, outputs: [n]${i === 0 ? "" : `, blockedBy: ${CHAIN[i - 1]}`} }\n`).join("")

const START: Signal = {
  type: "start",
  started: {
    type: "run.started",
    tenant: "t",
    run: "run_x",
    flow: "f",
    task: "go",
    inputs: {},
    autonomous: true,
    rehearsed: false,
    trigger: { kind: "api" },
    pinned: { revision: 1, flow: { id: "f", hash: "h" }, agents: {}, skills: {}, models: {} },
  },
}

function held(steps: string, agents: readonly string[] = []) {
  const stand = new Stand(flow(steps), agents)
  const commits: Commit[] = []
  const later: (() => void)[] = []
  const commit = stand.journal.commit.bind(stand.journal)
  stand.journal.commit = (entry) => {
    commit(entry)
    commits.push(entry)
  }
  stand.holding = {
    isInHouse: (_, effect) => effect.do === "run-code",
    mayWait: () => true,
    later: (work) => {
      later.push(work)
      return () => void later.splice(later.indexOf(work), 1)
    },
  }
  for (const id of CHAIN) stand.handlers.set(id, () => ({ ok: true, value: { n: 1 }, logs: [] }))
  stand.conductor = stand.boot()
  return { stand, commits, later }
}
const turns = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await new Promise((r) => setImmediate(r))
}

test("[J15] a start that may wait and its chain are one commit, byte for byte what two would be", async () => {
  const texts = async (mayWait: boolean): Promise<[number, string]> => {
    const { stand, commits, later } = held(chain)
    expect(stand.conductor.tell(START, { mayWait }).ok).toBe(true)
    expect(commits).toHaveLength(mayWait ? 0 : 1)
    await turns()
    expect(stand.conductor.run.status).toBe("succeeded")
    expect(later).toEqual([])
    return [commits.length, JSON.stringify(stand.events())]
  }
  const [one, two] = [await texts(true), await texts(false)]
  expect([one[0], two[0]]).toEqual([1, 2])
  expect(one[1]).toBe(two[1])
})

test("[J14] whoever looks at the run, a moment, and what leaves the object have the start stored first", async () => {
  const looks: ((world: ReturnType<typeof held>) => void)[] = [
    ({ stand }) => expect(stand.conductor.run.seq).toBeGreaterThan(0),
    ({ later }) => later[0]?.(),
    ({ stand }) => expect(stand.conductor.tell({ type: "pause", reason: "operator" }).ok).toBe(true),
  ]
  for (const look of looks) {
    const world = held(chain)
    world.stand.conductor.tell(START, { mayWait: true })
    expect(world.stand.journal.last()).toBe(0)
    look(world)
    expect(world.stand.journal.last()).toBeGreaterThan(0)
  }
  const { stand, commits } = held("  - { id: m, type: agent, agent: a }\n", [agent("a")])
  stand.conductor.tell(START, { mayWait: true })
  expect(commits).toHaveLength(1)
  await (await stand.next("m")).answer(done())
  await turns()
  expect(stand.conductor.run.status).toBe("succeeded")
})

test("[J10] a start that was not stored did not happen: the same start begins the run", async () => {
  const { stand } = held(chain)
  stand.conductor.tell(START, { mayWait: true })
  stand.conductor.halt()
  expect(stand.journal.last()).toBe(0)
  stand.conductor = stand.boot()
  stand.conductor.tell(START)
  await turns()
  expect(stand.conductor.run.status).toBe("succeeded")
  expect(stand.events().filter(({ type }) => type === "run.started")).toHaveLength(1)
})
