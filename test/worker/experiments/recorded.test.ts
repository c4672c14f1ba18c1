// [V35] What a trial calls and asks is answered by its row's run: nothing that the run did is done again, no write leaves, and what else needs a
// person stops the trial.

import { afterAll, beforeAll, expect, test } from "vitest"
import type { ExperimentRowShown, ExperimentShown } from "../../../src/api/doc/experiments.doc.ts"
import type { RunEvent } from "../../../src/core/run/event.ts"
import { ask, ended, eventsOf, flow, runOf, start, until } from "../../support/worker/house.ts"

const HOST = "api.recorded.example"
let requests: string[] = []
const real = globalThis.fetch

const agent = (name: string, model = name): string =>
  `---\nname: ${name}\ndescription: ${name}\nmodel: said/${model}\ntools: look, send, ask_user\n---\nDo it. \${{task}}\n`
const tool = (method: string, effect: string, approval: string): object => ({
  description: "does it",
  parameters: { type: "object", properties: { n: { type: "integer" } }, required: ["n"], additionalProperties: false },
  request: { method, url: `https://${HOST}/${effect}/\${{args.n}}` },
  effect,
  untrusted: false,
  approval,
})
const finish = (summary: string) => ({ finish: { status: "complete", summary } })
const calls = (...list: readonly (readonly [tool: string, n: number])[]) => ({
  calls: list.map(([name, n]) => ({ tool: name, args: { n } })),
})
const TURNS = {
  caller: [calls(["look", 1], ["send", 1]), calls(["look", 1]), finish("Called.")],
  other: [calls(["look", 1], ["look", 7], ["send", 1]), calls(["look", 1], ["send", 7]), finish("Called otherwise.")],
  below: [calls(["look", 3]), finish("Below.")],
  beneath: [calls(["look", 3], ["look", 4]), finish("Beneath.")],
}

beforeAll(async () => {
  globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    const url = new URL(request.url)
    if (url.hostname !== HOST) return real(input, init)
    requests.push(`${request.method} ${url.pathname}`)
    return new Response(`answer ${requests.length}`)
  }
  await ask("PUT", "/v1/settings/providers/said", { kind: "scripted", turns: TURNS })
  await ask("PUT", "/v1/tools/look", tool("GET", "read", "never"))
  await ask("PUT", "/v1/tools/send", tool("POST", "write", "always"))
  await ask("PUT", "/v1/catalog", {
    agents: { "caller.md": agent("caller"), "below.md": agent("below") },
    flows: {
      "calls.yaml": flow("calls", "  - { id: c, agent: caller }\n"),
      "child.yaml": flow("child", "  - { id: b, agent: below }\n"),
      "over.yaml": flow("over", "  - { id: o, type: flow-ref, flow: child }\n"),
    },
    scorers: { "fine.yaml": "name: fine\ndescription: It succeeds.\nexpect: { status: succeeded }\n" },
  })
}, 60_000)
afterAll(() => {
  globalThis.fetch = real
})

interface Asked {
  readonly flow: string
  readonly run: string
  readonly definitions: Record<string, string>
}

/** Of the variant that changes something. */
async function tried({
  flow: name,
  run,
  definitions,
}: Asked): Promise<{ seen: ExperimentShown; trial: ExperimentRowShown["trials"][number] }> {
  const variants = [{ name: "now" }, { name: "changed", definitions }]
  const { id } = await ask<{ id: string }>("POST", "/v1/experiments", { flow: name, dataset: { runs: [run] }, scorers: ["fine"], variants })
  let seen: ExperimentShown | undefined
  await expect
    .poll(async () => (seen = await ask<ExperimentShown>("GET", `/v1/experiments/${id}`)).status, { timeout: 30_000 })
    .toBe("done")
  const { data } = await ask<{ data: ExperimentRowShown[] }>("GET", `/v1/experiments/${id}/rows`)
  const trial = data[0]?.trials.find(({ variant }) => variant === "changed")
  if (!seen || !trial) throw new Error(JSON.stringify(data))
  return { seen, trial }
}

const told = (events: readonly RunEvent[]): string[] =>
  events.flatMap((e) => {
    if (e.type !== "tool.returned" || e.tool === "finish") return []
    return [`${e.tool} ${e.content.map((part) => (part.type === "text" ? part.text : "")).join("")}${e.staged ? " kept" : ""}`]
  })

async function approved(run: string): Promise<void> {
  await until(run, (view) => view.pending > 0 || view.ended !== undefined)
  const { data } = await ask<{ data: { id: string }[] }>("GET", `/v1/runs/${run}/interactions?status=pending`)
  for (const { id } of data) await ask("POST", `/v1/runs/${run}/interactions/${id}`, { decision: "approve" })
}

test("[V35] equal calls are answered as recorded, other reads are made, and other writes are approved, kept and dropped", async () => {
  const run = await start("calls")
  await approved(run)
  await until(run, ended)
  const recorded = told(await eventsOf(run))
  expect(recorded).toHaveLength(3)
  requests = []
  const { seen, trial } = await tried({ flow: "calls", run, definitions: { "agents/caller.md": agent("caller", "other") } })
  expect(trial).toMatchObject({ state: "succeeded", scores: { fine: 1 } })
  expect(requests).toEqual(["GET /read/7"])
  const events = await eventsOf(trial.run ?? "")
  expect(told(events)).toEqual([
    recorded[0],
    expect.stringContaining("answer 1"),
    recorded[1],
    recorded[2],
    expect.stringMatching(/^send .* kept$/),
  ])
  expect(events.filter((e) => e.type === "interaction.answered").map((e) => [e.by, e.decision])).toEqual([
    ["experiment", "approve"],
    ["experiment", "approve"],
  ])
  expect(seen.variants).toMatchObject([{ reads: { recorded: 2, live: 0 } }, { reads: { recorded: 2, live: 1 } }])
}, 60_000)

test("[V35] calls of a run below are answered by what that step of the recording started", async () => {
  const run = await start("over")
  await until(run, ended)
  requests = []
  const { seen, trial } = await tried({ flow: "over", run, definitions: { "agents/below.md": agent("below", "beneath") } })
  expect(trial).toMatchObject({ state: "succeeded", scores: { fine: 1 } })
  expect(requests).toEqual(["GET /read/4"])
  expect(seen.variants).toMatchObject([{ reads: { recorded: 1, live: 0 } }, { reads: { recorded: 1, live: 1 } }])
  const below = (await eventsOf(trial.run ?? "")).flatMap((e) => (e.type === "child.started" ? [e.run] : []))
  expect((await runOf(below[0] ?? "")).trial).toMatchObject({ variant: "changed", recording: expect.stringMatching(/^run_/) })
}, 60_000)
