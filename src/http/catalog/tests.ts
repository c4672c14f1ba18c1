// POST /v1/flows/:flow/test [K21]: the cases of a flow's tests, run rehearsed and dry. With `definitions` they are tried on a catalog that is
// not written.

import { accepts } from "hono/accepts"
import { pointerStep } from "../../core/text/pointer.ts"
import { junit } from "../../core/flow/case/junit.ts"
import { runTests } from "../../engine/trial/run-tests.ts"
import type { TrialDeps } from "../../engine/trial/run-case.ts"
import type { TrialReady } from "../../ports/trials.ts"
import { tests, TestBody } from "../../api/tests.ts"
import { json } from "../middleware/body.ts"
import { param, routes, type Call } from "../middleware/call.ts"
import { lacks } from "../middleware/door.ts"
import { startKind } from "../middleware/inside.ts"
import { limitHeaders } from "../middleware/limits.ts"
import { notFoundNear } from "../middleware/near.ts"
import { faultOf, invalid, refuse, type Fault } from "../middleware/problem.ts"
import { whyNot } from "../runs/begin-run.ts"

export async function testFlow(c: Call): Promise<Response> {
  const flow = param(c, "flow")
  const house = c.get("tenant")
  const body = json(c, TestBody)
  if (!body.ok) return (await house.catalog.read("flow", flow)) ? refuse(c, body.error) : notFoundNear(c, "flow", flow)
  const { case: only, definitions } = body.value
  const forbidden = definitions === undefined ? undefined : lacks(c, "catalog:write")
  if (forbidden) return forbidden
  const deps = trialDeps(c)
  const first = await deps.runId()
  const ready = await house.trials.ready({
    flow,
    ...(only === undefined ? {} : { case: only }),
    ...(definitions === undefined ? {} : { definitions }),
    start: { run: first, kind: startKind(c) },
  })
  if (!ready.ok) return refusedTests(c, flow, ready, "/definitions")
  if (ready.limits) for (const [name, value] of Object.entries(limitHeaders(ready.limits))) c.header(name, value)
  const report = await runTests(deps, ready, first).catch(async (e: unknown) => {
    await house.account.giveBack(first)
    throw e
  })
  // A case whose run did not start leaves its place free.
  if (report.cases.every(({ run }) => run !== first)) await house.account.giveBack(first)
  const wanted = accepts(c, {
    header: "Accept",
    supports: ["application/json", "application/xml", "text/xml"],
    default: "application/json",
  })
  if (wanted === "application/json") return c.json(report)
  return c.body(junit(report), 200, { "content-type": `${wanted}; charset=utf-8` })
}

export function trialDeps(c: Call): TrialDeps {
  const house = c.get("tenant")
  const { tenant, name } = c.get("caller")
  return {
    tenant,
    by: name,
    runId: () => house.runId(),
    run: (id) => house.run(id),
    keepFiles: house.givenFiles.keep,
    now: () => Date.now(),
  }
}

/** `pointer`: where the definitions stand in the body. */
export function refusedTests(
  c: Call,
  flow: string,
  ready: Extract<TrialReady, { ok: false }>,
  pointer: string,
): Response | Promise<Response> {
  switch (ready.code) {
    case "no_tests":
      return refuse(c, { code: "no_tests", detail: `The flow "${flow}" has no tests: write them with PUT /v1/flows/${flow}/tests.` })
    case "no_case": {
      const names = ready.names.slice(0, 20).map((name) => JSON.stringify(name))
      return refuse(c, invalid([{ pointer: "/case", message: `is not a case of the flow's tests; they are ${names.join(", ")}` }]))
    }
    case "faults": {
      const faults = Object.entries(ready.diagnostics).flatMap(([path, list]): Fault[] =>
        list
          .filter((d) => d.severity === "error")
          .map((d) => ({ ...faultOf(d, pointer + pointerStep(path)), message: `${path}: ${d.message}` })),
      )
      const refusal = invalid(faults)
      return refuse(c, { ...refusal, more: { diagnostics: ready.diagnostics } })
    }
    case "not_pinned":
      return ready.why.code === "not_found" ? notFoundNear(c, "flow", flow) : refuse(c, whyNot(ready.why))
  }
}

export const TEST_ROUTES = routes(tests, { testFlow })
