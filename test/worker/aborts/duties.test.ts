// What a run owes others, while one of the two dies [J12, J14].

import type { RunView } from "../../../src/core/run/views/view.ts"
import { expect } from "vitest"
import { CATALOG, type Tenant } from "../../support/worker/service-client.ts"
import { aborted, type House, type Kind } from "./kinds.ts"

const flow = (name: string, steps: string, head = ""): string => `name: ${name}\ndescription: d\n${head}steps:\n${steps}`
const writes = (note: string): string =>
  `steps:\n  a:\n    - calls: [{ tool: memory.write, args: { namespace: n, content: ${note} } }]\n    - finish: { status: complete, summary: done }\n`
const chain = (count: number): string =>
  Array.from({ length: count }, (_, n) => `  - { id: s${n}, type: agent, agent: a${n === 0 ? "" : `, blockedBy: s${n - 1}`} }\n`).join("")

const SETUP = {
  tenant: "aborts-duties",
  catalog: {
    agents: {
      ...CATALOG.agents,
      "m.md": "---\nname: m\ndescription: m\nmodel: rehearsal/default\ntools: memory.write\n---\nDo it. ${{task}}\n",
    },
    flows: {
      ...CATALOG.flows,
      "asker.yaml": flow(
        "asker",
        '  - { id: f, type: fork, question: "which?", options: [one, two], branches: { one: x, two: x } }\n  - { id: x, type: agent, agent: a }\n',
      ),
      "patient.yaml": flow("patient", "  - { id: w, type: wait, signal: go }\n"),
      "family.yaml": flow("family", "  - { id: r, type: flow-ref, flow: quick, task: sub }\n"),
      "asking.yaml": flow("asking", "  - { id: r, type: flow-ref, flow: asker, task: sub }\n", "autonomous: false\n"),
      "parent.yaml": flow("parent", "  - { id: r, type: flow-ref, flow: patient }\n"),
      "chain.yaml": flow("chain", chain(24)),
      "diary.yaml": flow("diary", "  - { id: a, type: agent, agent: a, session: diary }\n"),
      "note.yaml": flow("note", "  - { id: a, type: agent, agent: m }\n"),
      "note.rehearsal.yaml": writes("one"),
      "both.yaml": flow("both", "  - { id: r, type: flow-ref, flow: note, task: sub }\n"),
      "sad.yaml": flow("sad", "  - { id: r, type: flow-ref, flow: note, task: sub }\n  - { id: a, type: agent, agent: m, blockedBy: r }\n"),
      "sad.rehearsal.yaml": "steps:\n  a:\n    - finish: { status: error, summary: no }\n",
    },
  },
  ready: (t: Tenant) => t.ask("POST", "/v1/tools/memory.read", { namespace: "n" }),
}

const status = (args: readonly unknown[]): string => (args[0] as { status: string }).status

/** A run that is started and comes to its end. */
const ending =
  (name: string, more: Omit<Kind, "begin" | "from" | "isAtRest"> & Partial<Kind>) =>
  (house: House): Kind => {
    let id = ""
    return {
      from: () => house.run(id),
      begin: async () => (id = await house.start(name)),
      isAtRest: () => house.isOver(id),
      holds: async () => expect((await house.t.ask<RunView>("GET", `/v1/runs/${id}`)).status).toBe("succeeded"),
      ...more,
    }
  }

aborted(SETUP, {
  "the list hears of an end": ending("quick", { call: "runs.note", is: (args) => status(args) === "succeeded" }),

  "the inbox hears of a question"(house) {
    let id = ""
    return {
      call: "runs.note",
      is: (args) => status(args) === "waiting",
      from: () => house.run(id),
      begin: async () => (id = await house.start("asker")),
      isAtRest: () => house.waits(id),
      async holds() {
        const { data } = await house.t.ask<{ data: { id: string; run: string }[] }>("GET", "/v1/interactions?limit=100")
        expect(data.filter(({ run }) => run === id)).toHaveLength(1)
      },
    }
  },

  "the parent hears of an end"(house) {
    let id = ""
    return {
      call: "signals.childEnded",
      from: (call) => house.run((call.args[0] as { run: string }).run),
      begin: async () => (id = await house.start("family")),
      isAtRest: () => house.isOver(id),
    }
  },

  "the parent hears of a question"(house) {
    let id = ""
    return {
      call: "signals.childAsked",
      from: (call) => house.run((call.args[0] as { run: string }).run),
      begin: async () => (id = await house.start("asking")),
      isAtRest: async () => (await house.has(id, "child.asked")) && (await house.waits(id)),
      async holds() {
        const { asks = [], children } = await house.t.ask<RunView>("GET", `/v1/runs/${id}`)
        expect(asks.map(({ run }) => run)).toEqual(children)
        await house.t.ask("POST", `/v1/runs/${children[0]}/interactions/${asks[0]?.id}`, { answer: "one" })
        await house.aborts.calm(() => house.isOver(id))
      },
    }
  },

  "the rest of a slice is given back": ending("quick", { call: "dayBudget.close" }),

  "the first slice"(house) {
    let id = ""
    return {
      call: "dayBudget.lease",
      is: ([run, key]) => key === "start" && (id = String(run)) !== "",
      from: () => house.run(id),
      begin: () => house.start("quick"),
      isAtRest: async () => (await house.aborts.events(id)).length === 0 || (await house.isOver(id)),
    }
  },

  "the next slice": ending("chain", { call: "dayBudget.lease", is: ([, key]) => key !== "start" }),

  "a session is claimed": ending("diary", { call: "sessions.claim" }),
  "a conversation is given to its session": ending("diary", { call: "sessions.giveBack", is: ([, said]) => said !== undefined }),

  "a child is started": ending("family", { call: "start", is: ([asked]) => (asked as { parent?: object }).parent !== undefined }),

  "an orphan is canceled"(house) {
    let id = ""
    return {
      call: "signals.orphaned",
      from: () => house.run(id),
      async begin() {
        id = await house.start("parent")
        const child = await house.soon(() => house.child(id))
        await house.soon(() => house.waits(child))
        await house.t.ask("POST", `/v1/runs/${id}/cancel`, {})
      },
      isAtRest: async () => (await house.isOver(id)) && (await house.isOver((await house.child(id)) ?? "")),
    }
  },

  "a child is paused"(house) {
    let id = ""
    return {
      call: "signals.pause",
      is: ([reason]) => reason === "parent",
      from: () => house.run(id),
      async begin() {
        id = await house.start("parent")
        const child = await house.soon(() => house.child(id))
        await house.soon(() => house.waits(child))
        await house.t.ask("POST", `/v1/runs/${id}/pause`, {})
      },
      isAtRest: async () => house.has((await house.child(id)) ?? "", "run.paused"),
      holds: async () => {
        await house.t.ask("POST", `/v1/runs/${id}/resume`, {})
        await house.aborts.calm(async () => house.has((await house.child(id)) ?? "", "run.resumed"))
      },
    }
  },

  "a child is resumed"(house) {
    let id = ""
    return {
      call: "signals.resume",
      is: ([reason]) => reason === "parent",
      from: () => house.run(id),
      async begin() {
        id = await house.start("parent")
        const child = await house.soon(() => house.child(id))
        await house.soon(() => house.waits(child))
        await house.t.ask("POST", `/v1/runs/${id}/pause`, {})
        await house.soon(() => house.has(child, "run.paused"))
        await house.t.ask("POST", `/v1/runs/${id}/resume`, {})
      },
      isAtRest: async () => house.has((await house.child(id)) ?? "", "run.resumed"),
    }
  },

  "a child carries out an effect"(house) {
    let id = ""
    let before = 0
    return {
      call: "effects.carryOut",
      from: () => house.run(id),
      async begin() {
        before = await house.remembered()
        id = await house.start("both", { effects: "staged" })
        await house.soon(() => house.waits(id))
        await house.t.ask("POST", `/v1/runs/${id}/interactions/i1`, { answer: { commit: "all" } })
      },
      isAtRest: () => house.isOver(id),
      holds: async () => expect((await house.remembered()) - before).toBe(1),
    }
  },

  "a child hears that nobody wants its effects"(house) {
    let id = ""
    return {
      call: "effects.discard",
      from: () => house.run(id),
      begin: async () => (id = await house.start("sad", { effects: "staged" })),
      isAtRest: async () => (await house.isOver(id)) && (await house.aborts.rows("SELECT 1 FROM effect_open")).length === 0,
    }
  },

  "a memory is written"(house) {
    let id = ""
    let before = 0
    return {
      call: "add",
      from: () => house.run(id),
      async begin() {
        before = await house.remembered()
        id = await house.start("note")
      },
      isAtRest: () => house.isOver(id),
      // The agent was told how it went: that it is written, or that this failed.
      async holds() {
        const written = (await house.remembered()) - before
        const told = (await house.aborts.events(id)).filter((e) => e.type === "tool.returned" && !e.isError).length
        expect(written).toBeGreaterThanOrEqual(told)
        expect(written).toBeLessThanOrEqual(1)
      },
    }
  },

  "a memory takes its room": ending("note", { call: "storage.takeMemory", from: () => `memory aborts-duties` }),

  "a deleted run leaves the list"(house) {
    let id = ""
    return {
      call: "runs.remove",
      from: () => house.run(id),
      async begin() {
        id = await house.start("quick")
        await house.soon(() => house.isOver(id))
        await house.t.ask("DELETE", `/v1/runs/${id}`)
      },
      isAtRest: () => house.isGone(id),
    }
  },

  "a deleted run deletes its children"(house) {
    let [id, child]: (string | undefined)[] = []
    return {
      call: "remove",
      is: (_, { to }) => to !== house.run(id ?? ""),
      from: () => house.run(id ?? ""),
      async begin() {
        id = await house.start("family")
        await house.soon(() => house.isOver(id ?? ""))
        child = await house.child(id)
        await house.t.ask("DELETE", `/v1/runs/${id}`)
      },
      isAtRest: async () => (await house.isGone(id ?? "")) && (await house.isGone(child ?? "")),
    }
  },

  "a run asks how long it is kept"(house) {
    let id = ""
    return {
      call: "account.retention",
      from: () => house.run(id),
      async begin() {
        id = await house.start("quick")
        await house.aborts.calm(() => house.isOver(id))
        await house.aborts.ring(house.run(id))
      },
      isAtRest: () => house.isGone(id),
    }
  },

  "a run hears of a shorter retention"(house) {
    let id = ""
    return {
      call: "expire",
      is: (_, { to }) => to === house.run(id),
      from: () => house.tenant,
      async begin() {
        id = await house.start("quick")
        await house.aborts.calm(() => house.isOver(id))
        await house.t.ask("PUT", "/v1/settings/retention", { runs: "1s" })
        await house.aborts.ring(house.tenant)
      },
      isAtRest: () => house.isGone(id),
      holds: () => house.t.ask("PUT", "/v1/settings/retention", { runs: "30d" }),
    }
  },
})
