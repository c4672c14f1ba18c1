// POST /v1/runs/:run/repair [13.7]: opens an architect's session about a run that failed or scored low. It is read, revised and accepted like any session.

import { architect, RepairBody } from "../../api/architect.ts"
import { lowestIn } from "../../core/run/said/scored-events.ts"
import { ruleFor } from "../../core/score/scoring-setting.ts"
import { defined } from "../../core/defined.ts"
import { lazy } from "../../core/lazy.ts"
import { startable } from "../../engine/catalog/pin/startable.ts"
import type { RepairReport } from "../../engine/repair/repair-report.ts"
import type { ArchitectWish } from "../../ports/tenant/authoring/architect.ts"
import type { RepairedScore } from "../../ports/tenant/authoring/repairs.ts"
import type { RunView } from "../../core/run/views/view.ts"
import { json } from "../middleware/body.ts"
import { routes, type Call } from "../middleware/call.ts"
import { keyOf } from "../middleware/idempotency.ts"
import { NOT_FOUND, refuse, unsupported } from "../middleware/problem.ts"
import { whyNot } from "../runs/begin-run.ts"
import { refuseIf, runOf } from "../runs/runs.ts"
import { unstartable } from "../runs/start-refusal.ts"
import { answer, ARCHITECT, begin, isAnotherRun, refuseStart } from "./architect.ts"
import { notOpened, TAKEN } from "./architect-view.ts"

/** Few runs are repaired. */
const told = lazy(() => import("../../engine/repair/repair-report.ts"))

export async function repairRun(c: Call): Promise<Response> {
  const source = runOf(c)
  const body = json(c, RepairBody)
  if (!body.ok) return refuseIf(c, source?.view(), body.error)
  const view = await source?.view()
  if (!view) return refuse(c, NOT_FOUND)
  const { notes, budget, thread, scorer } = body.value
  const low = view.status === "succeeded" ? await lowScore(c, view, scorer) : undefined
  if (view.status !== "failed" && !low)
    return refuse(c, {
      code: "run_not_failed",
      detail: `The run is ${view.status}${view.status === "succeeded" ? `, and ${scorer === undefined ? "none of its scores" : `no score of "${scorer}"`} is below its rule's \`low\`` : ""}: only a run that failed or scored low is repaired. To change its flow, send \`flow\` and \`change\` to POST /v1/architect.`,
    })
  const tenant = c.get("tenant")
  const { readStory } = await told()
  const nonce = crypto.randomUUID().replaceAll("-", "")
  const story = await readStory((run) => tenant.run(run), { run: view.id, nonce, ...defined({ low }) })
  if (!story) return refuse(c, NOT_FOUND)
  if (story.isArchitects)
    return refuse(c, {
      code: "not_forkable",
      detail: "The run belongs to an architect's session: send the session back (revise) instead.",
    })
  const id = await tenant.runId(keyOf(c))
  const pinned = await tenant.catalog.pin({ agent: ARCHITECT }, { rehearse: false, autonomous: true, start: { run: id, kind: "api" } })
  if (!pinned.ok) return refuse(c, whyNot(pinned))
  const ready = startable(pinned, { budget })
  if (!ready.ok) return refuseStart(c, id, unstartable(pinned, ready.error))
  if (await isAnotherRun(c, id, (await tenant.architect.look(id)) !== undefined)) return refuseStart(c, id, TAKEN)
  const opened = await tenant.architect.open(wishOf(id, view, story, { notes, budget, low }))
  if (!opened.ok) {
    if (opened.code !== "no_flow") return refuseStart(c, id, notOpened(opened.code, view.flow))
    return refuseStart(c, id, unsupported(`A repair of "${view.flow}", which is not in the catalog or too long to show,`))
  }
  const marks = { tainted: story.isTainted, private: story.isPrivate }
  await begin(c, { id, run: id, task: opened.task, thread, pinned, ready: ready.value, ...marks })
  return answer(c, { id, run: id, iteration: 1 })
}

/** [V18] The lowest of its newest scores that its flow's rule calls low; with `scorer`, that scorer's. */
async function lowScore(c: Call, { id, flow }: RunView, scorer?: string): Promise<RepairedScore | undefined> {
  const tenant = c.get("tenant")
  const below = ruleFor(await tenant.settings.get("scoring"), flow)?.low
  const said = below === undefined ? undefined : await tenant.run(id).said()
  const found = below === undefined || !said ? undefined : lowestIn(said.events, below, scorer)
  if (below === undefined || !found) return undefined
  const { scorer: by, version, score, level, reason } = found
  return { scorer: by, version, score, ...defined({ level, reason }), below }
}

type Wished = { readonly [Name in "notes" | "budget"]: ReturnType<typeof RepairBody.parse>[Name] | undefined } & {
  readonly low: RepairedScore | undefined
}

function wishOf(id: string, view: RunView, story: RepairReport, { notes, budget, low }: Wished): ArchitectWish {
  const { text, flows, agents } = story
  const [flow] = flows
  // A low score is not a step's: it is tried from the start.
  const step = low ? undefined : story.step
  return {
    id,
    task: notes ?? (low ? `Improve what the run ${view.id} was scored low for.` : `Fix the failure of the run ${view.id}.`),
    ...defined({ flow }),
    repair: { run: view.id, flow: view.flow, ...defined({ step, budget, low }), rehearsed: view.rehearsed, story: text, flows, agents },
  }
}

export const REPAIR_ROUTES = routes(architect, { repairRun })
