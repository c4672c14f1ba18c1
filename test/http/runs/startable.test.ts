// Every place that starts a flow, or stores its start, finds the same faults [H3, W1, W5, W8, F79, K21].

import { Redactor } from "../../../src/core/secrets/redact.ts"
import { expect, test } from "vitest"
import type { Json, JsonObject } from "../../../src/core/json.ts"
import { ok } from "../../../src/core/result.ts"
import { launch } from "../../../src/cloudflare/tenant/starts/launch.ts"
import { hookFaults, scheduleFaults } from "../../../src/engine/catalog/config/trigger-faults.ts"
import { startable, unstartableText } from "../../../src/engine/catalog/pin/startable.ts"
import { runCase, type TrialDeps } from "../../../src/engine/trial/run-case.ts"
import type { PinResult } from "../../../src/ports/tenant/catalog.ts"
import type { RunPort, StartRequest } from "../../../src/ports/run.ts"
import { setUp } from "../../support/http/ask.ts"

const FLOW = {
  id: "f",
  autonomous: true,
  task_required: true,
  inputs: { n: { type: "number", required: true }, who: { type: "string", required: false, default: "Ada" } },
}
const PINNED: Extract<PinResult, { ok: true }> = {
  ok: true,
  pins: { revision: 1, flow: { id: "f", hash: "0" }, agents: {}, skills: {}, models: {} },
  flow: FLOW,
  rehearsed: false,
}

interface Fault {
  readonly pointer: string
  readonly message: string
}
interface Given {
  readonly task: string
  readonly inputs: JsonObject
}

const NO_N = { pointer: "/inputs/n", message: 'the flow needs the input "n" (number)' }
const NO_TASK = { pointer: "/task", message: "is required by the flow" }

test.each<[string, Given, readonly Fault[]]>([
  ["all is there", { task: "go", inputs: { n: 1 } }, []],
  ["no task", { task: " ", inputs: { n: 1 } }, [NO_TASK]],
  ["no input", { task: "go", inputs: {} }, [NO_N]],
  ["neither", { task: "", inputs: {} }, [NO_N, NO_TASK]],
  [
    "another type",
    { task: "go", inputs: { n: true } },
    [{ pointer: "/inputs/n", message: "must be of type number, but is of type boolean" }],
  ],
  ["a name that is close", { task: "go", inputs: { n: 1, whom: "x" } }, [{ pointer: "/inputs/whom", message: 'unknown input "whom"' }]],
])("%s: an API start, a schedule, a hook, a delivery and a test case agree", async (_name, given, faults) => {
  const { ask, acme } = setUp()
  acme.catalog.flow(FLOW)
  await acme.catalog.put("flow", "flows/f.yaml", "x")
  await acme.secrets.put("hs", ["a-secret-of-the-test"])
  const bare = ({ pointer, message }: Fault): Fault => ({ pointer, message })
  const post = async (path: string, body: Json, under = ""): Promise<readonly Fault[]> => {
    const answer = await ask("POST", path, { body })
    const errors = (answer.body["errors"] ?? []) as Fault[]
    expect(answer.status).toBe(errors.length > 0 ? 422 : path.endsWith("/runs") ? 202 : 201)
    return errors.map((fault) => ({ ...bare(fault), pointer: fault.pointer.slice(under.length) }))
  }
  const { task, inputs } = given
  const started = await post("/v1/flows/f/runs", { task, inputs })
  expect(started).toEqual(faults.toSorted((a, b) => (a === NO_TASK ? -1 : b === NO_TASK ? 1 : 0)))
  expect(await post("/v1/schedules", { flow: "f", cron: "0 9 * * *", task, inputs })).toEqual(faults)
  expect(await post("/v1/hooks", { flow: "f", kind: "token", secret: "hs", mapping: { task, inputs } }, "/mapping")).toEqual(faults)
  expect(scheduleFaults({ task, inputs }, FLOW).map(bare)).toEqual(faults)
  expect(hookFaults({ mapping: { task, inputs } }, FLOW).map(bare)).toEqual(
    faults.map(({ pointer, message }) => ({ pointer: `/mapping${pointer}`, message })),
  )

  const ready = startable(PINNED, given)
  const text = ready.ok ? undefined : unstartableText(ready.error)
  const requests: StartRequest[] = []
  const run = (): RunPort => fakeRun(requests)
  const keepFiles = async () => ok([])
  const why = await launch(
    {
      tenant: "acme",
      pin: async () => PINNED,
      run,
      keepFiles,
      giveBack: async () => undefined,
      arrive: async () => ({ ok: true, do: "stands" }),
      nextId: async (run) => `${run} again`,
      redactor: async () => new Redactor([]),
      tenancy: () => undefined,
    },
    { flow: "f", run: "r", task, inputs, trigger: { kind: "webhook", hook: "h", delivery: "1" } },
  )
  expect(why).toEqual(text === undefined ? undefined : { as: "failed", why: text })
  const deps: TrialDeps = { tenant: "acme", by: "me", runId: async () => "r", run, keepFiles, now: () => 0 }
  const { failures } = await runCase(deps, { name: "c", pinned: PINNED, task, inputs, answers: [], expect: {} } as never, 1_000)
  const [at] = failures.map((failure) => failure.at)
  expect(at).toBe(text === undefined ? undefined : faults.includes(NO_TASK) ? "/task" : "/inputs")
})

test("[H3] an input whose value nobody knows yet may fit; another one may not", () => {
  const open = new Set(["n", "stranger"])
  expect(startable({ flow: FLOW }, { task: "go", inputs: { n: "${{trigger.body.n}}" }, open }).ok).toBe(true)
  const strange = startable({ flow: FLOW }, { task: "go", inputs: { stranger: "${{trigger.body.n}}" }, open })
  expect(strange).toMatchObject({ ok: false, error: { code: "inputs", faults: [{ pointer: "/inputs/stranger" }] } })
})

test("[B3] money is judged when task and inputs fit, and names the models", () => {
  const pinned = { ...PINNED, pins: { ...PINNED.pins, models: { a: "acme/large" } } }
  const given = { task: "go", inputs: { n: 1 }, budget: { usd: 1 } }
  expect(startable(pinned, given)).toMatchObject({
    ok: false,
    error: {
      code: "no_price",
      models: ["acme/large"],
      faults: [{ pointer: "/budget/usd", message: "no price: acme/large", suggestion: expect.stringContaining("prices.yaml") }],
    },
  })
  expect(startable(pinned, { ...given, inputs: {} })).toMatchObject({ ok: false, error: { code: "inputs" } })
  expect(startable({ flow: FLOW }, given)).toEqual({ ok: true, value: { inputs: { n: 1, who: "Ada" } } })
})

/** A run that ends at once, or fails for what it is told. */
const fakeRun = (requests: StartRequest[]): RunPort => {
  const view = (request: StartRequest | undefined) => ({
    id: "r",
    flow: "f",
    status: request?.cannot === undefined ? "succeeded" : "failed",
    error: { message: request?.cannot },
    ended: 1,
    children: [],
    steps: {},
    usage: { tool_calls: 0 },
    interactions: [],
  })
  return {
    start: async (request: StartRequest) => {
      requests.push(request)
      return view(request)
    },
    wait: async () => view(requests.at(-1)),
    view: async () => view(requests.at(-1)),
    events: async () => ({ data: [] }),
  } as unknown as RunPort
}
