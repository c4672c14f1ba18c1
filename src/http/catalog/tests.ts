// POST /v1/flows/:flow/test [K21]: runs the cases of a flow's tests, rehearsed and dry. With `definitions` they run on a changed catalog
// that is not written.

import { isoTimes } from "../../core/text/iso-time.ts"
import { accepts } from "hono/accepts"
import { pointerStep } from "../../core/text/pointer.ts"
import { caseLines } from "../../core/case/case-lines.ts"
import { junit } from "../../core/case/junit.ts"
import { runTests } from "../../engine/trial/run-tests.ts"
import type { TrialDeps } from "../../engine/trial/run-case.ts"
import { parseTests } from "../../core/case/parse-tests.ts"
import { playText, type Plays } from "../../core/case/play.ts"
import { withCase } from "../../engine/trial/add-case.ts"
import { recordCase } from "../../engine/trial/record-case.ts"
import type { PlayTexts, TrialReady } from "../../ports/tenant/authoring/trials.ts"
import { refuseIf, runOf } from "../runs/runs.ts"
import { notWritten, revisionOf } from "./catalog.ts"
import { CaseBody, tests, TestBody } from "../../api/tests.ts"
import { defined } from "../../core/defined.ts"
import { json } from "../middleware/body.ts"
import { param, routes, type Call } from "../middleware/call.ts"
import { lacks } from "../middleware/door.ts"
import { startKind } from "../middleware/inside.ts"
import { limitHeaders } from "../middleware/limits.ts"
import { notFoundNear } from "../middleware/near.ts"
import { faultOf, invalid, NOT_FOUND, refuse, unsupported, type Fault } from "../middleware/problem.ts"
import { flowAt, whyNot } from "../runs/begin-run.ts"
import { cleanJson } from "../../engine/run/arrival.ts"

export async function testFlow(c: Call): Promise<Response> {
  const { flow, draft } = testedAt(param(c, "flow"))
  const tenant = c.get("tenant")
  const body = json(c, TestBody)
  if (!body.ok && draft !== undefined) return refuse(c, body.error)
  if (!body.ok) return (await tenant.catalog.read("flow", flow)) ? refuse(c, body.error) : notFoundNear(c, "flow", flow)
  const { case: only, definitions } = body.value
  if (draft !== undefined && definitions !== undefined)
    return refuse(
      c,
      invalid([{ pointer: "/definitions", message: "cannot be given with a draft: write them into the draft, or name the flow alone" }]),
    )
  const forbidden = definitions === undefined ? undefined : lacks(c, "catalog:write")
  if (forbidden) return forbidden
  const deps = trialDeps(c)
  const first = await deps.runId()
  const ready = await tenant.trials.ready({
    flow,
    ...defined({ case: only, definitions, draft }),
    start: { run: first, kind: startKind(c) },
  })
  if (!ready.ok) return refusedTests(c, flow, ready, "/definitions")
  if (ready.limits) for (const [name, value] of Object.entries(limitHeaders(ready.limits))) c.header(name, value)
  const report = await runTests(deps, ready, first).catch(async (e: unknown) => {
    await tenant.account.giveBack(first)
    throw e
  })
  // A case whose run did not start leaves its place free.
  if (report.cases.every(({ run }) => run !== first)) await tenant.account.giveBack(first)
  const revision = ready.cases[0]?.pinned.pins.revision
  if (definitions === undefined && draft === undefined && revision !== undefined)
    await tenant.testResults.keep(flow, revision, report.cases)
  const wanted = accepts(c, {
    header: "Accept",
    supports: ["application/json", "application/xml", "text/xml"],
    default: "application/json",
  })
  if (wanted === "application/json") return c.json(report)
  return c.body(junit(report), 200, { "content-type": `${wanted}; charset=utf-8` })
}

/** [F80] `flow@draft:NAME`; a test of a past revision does not exist. */
function testedAt(name: string): { readonly flow: string; readonly draft?: string } {
  const target = flowAt(name)
  return target?.draft === undefined ? { flow: name } : { flow: target.flow, draft: target.draft }
}

/** Lists the cases of the flow's tests, each with its place in the file and its last result. */
export async function listCases(c: Call): Promise<Response> {
  const flow = param(c, "flow")
  const tenant = c.get("tenant")
  const revision = revisionOf(c)
  if (!(await tenant.catalog.read("flow", flow))) return notFoundNear(c, "flow", flow)
  if (!revision.ok) return refuse(c, revision.error)
  const [file, results] = await Promise.all([tenant.catalog.read("test", flow), tenant.testResults.newest(flow, revision.value)])
  const kept = new Map(results.map(({ name, ...result }) => [name, isoTimes(result, "at")]))
  return c.json({
    flow,
    ...(file ? { path: file.path, tier: file.tier, hash: file.hash } : {}),
    cases: caseLines(file?.content ?? "").map(({ name, line }) => {
      const last = kept.get(name)
      return { name, line, ...defined({ last }) }
    }),
  })
}

export function trialDeps(c: Call): TrialDeps {
  const tenantServices = c.get("tenant")
  const { tenant, name } = c.get("caller")
  return {
    tenant,
    by: name,
    runId: () => tenantServices.runId(),
    run: (id) => tenantServices.run(id),
    keepFiles: tenantServices.givenFiles.keep,
    now: () => Date.now(),
  }
}

/** `pointer`: the place of the definitions in the body. */
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
      return ready.why.code === "not_found" && ready.why.message === undefined
        ? notFoundNear(c, "flow", flow)
        : refuse(c, whyNot(ready.why))
  }
}

/** [K22] Makes a test from an ended run. */
export async function testOfRun(c: Call): Promise<Response> {
  const tenant = c.get("tenant")
  const run = runOf(c)
  const body = json(c, CaseBody)
  if (!body.ok) return refuseIf(c, run?.view(), body.error)
  const view = await run?.view()
  if (!run || !view) return refuse(c, NOT_FOUND)
  if (view.ended === undefined) return refuse(c, { code: "run_not_over", detail: "The run has not ended: a test needs its result." })
  const { name } = body.value
  const flow = await tenant.catalog.read("flow", view.flow)
  if (!flow) return refuse(c, unsupported(`A test of the flow "${view.flow}", which is not in the catalog,`))
  const now = await tenant.catalog.read("test", view.flow)
  const known = now && parseTests(now.content)
  if (known && !known.tests) return refuse(c, invalid([{ pointer: "", message: `${now.path} has errors: fix it first` }]))
  if (known?.tests?.cases.some((one) => one.name === name))
    return refuse(c, { code: "taken", detail: `The tests of ${view.flow} already have a case with this name.` })
  const made = await recordCase({ ...trialDeps(c), pinned: (pins, plays) => tenant.trials.replayed(pins, textsOf(plays)) }, view, name)
  if (!made.ok) return refuse(c, { code: "unsupported", detail: `No test can be made of this run: ${made.error}.` })
  const one = await cleanJson(made.value, await tenant.secrets.redactor())
  const path = now?.tier === "local" ? now.path : `flows/${view.flow.replaceAll(":", "/")}.test.yaml`
  const written = await tenant.catalog.put("test", path, withCase(now?.content, one), now?.hash)
  if ("stale" in written)
    return refuse(c, { code: "catalog_moved", detail: "The flow's tests have changed in the meantime: send the request again." })
  if (!written.written) return refuse(c, notWritten(written))
  return c.json({ flow: view.flow, case: one, revision: written.revision }, 201)
}

function textsOf({ own, flows, children }: Plays): PlayTexts {
  const others: [string, string][] = [...flows, ...children].map(([place, turns]) => [place, playText(turns)])
  return { ...(own.size > 0 ? { own: playText(own) } : {}), others: Object.fromEntries(others) }
}

export const TEST_ROUTES = routes(tests, { testFlow, listCases, testOfRun })
