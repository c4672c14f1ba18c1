// Proves a repair [13.7]. The session's run starts the proof when it ends; reading a session with an interrupted proof resumes it.

import { prove, type ProofDeps } from "../../engine/repair/prove.ts"
import { runTests } from "../../engine/trial/run-tests.ts"
import { whyNotReady } from "../../engine/trial/gated-write.ts"
import { versionsIn } from "../../core/run/said/scored-events.ts"
import { clock, derivedId } from "../platform/clock.ts"
import type { Env } from "../platform/env.ts"
import { runIdOf } from "../platform/run-id.ts"
import { backtestsPort } from "./backtests.ts"
import { portOf } from "../platform/port-of.ts"
import { runPort } from "../clients/run-port.ts"
import { trialDeps } from "./trial-deps.ts"

const BACKTESTED = 20 // limit: recorded runs that a repair is tried on → older ones are not

const UNSCORED = {
  unknown: "the scorer is gone, or it does not load",
  no_budget: "the scorer asks a judge with a price, and no budget bounds what judges use",
  quota: "what judges may use today is used up",
} as const

type Later = (work: Promise<unknown>) => void

/** `run`: the session's run whose files are proved; nothing happens if the session is no repair, or has gone on. */
export async function proveRepair(
  { env, later }: { readonly env: Env; readonly later: Later },
  tenant: string,
  session: string,
  run: string,
): Promise<void> {
  const found = await portOf(env, tenant, "architect").look(session)
  const { repair } = found ?? {}
  if (found?.state !== "open" || found.run !== run || found.files.length === 0 || !repair) return
  const by = (await runPort(env, tenant, run).view())?.trigger.key ?? "repair"
  await prove(depsOf(env, tenant, { session, run, by, flow: repair.flow, failed: repair.run, later }), run, repair)
}

interface About {
  readonly session: string
  readonly run: string
  readonly by: string
  readonly flow: string
  readonly failed: string
  readonly later: Later
}

function depsOf(env: Env, tenant: string, { session, run, by, flow, failed, later }: About): ProofDeps {
  const room = portOf(env, tenant, "architect")
  const starts = portOf(env, tenant, "starts")
  return {
    now: clock.now,
    keep: (proof) => room.keepProof(session, proof),
    texts: () => room.texts(session),
    async fork(wish, definitions) {
      const id = runIdOf(env, tenant, await derivedId(tenant, `repair ${run} ${"step" in wish.from ? "step" : "start"}`))
      const patch = { revision: "latest", definitions } as const
      return runPort(env, tenant, id).fork({ ...wish, patch, unaccepted: true, tenant, run: id, source: failed, by })
    },
    async tests(definitions) {
      // Tests that a person wrote are not changed by what they judge.
      const judges = (await portOf(env, tenant, "catalog").read("test", flow)) !== undefined
      const tried = Object.entries(definitions).filter(([path]) => !judges || !path.endsWith(".test.yaml"))
      const ready = await starts.ready({ flow, definitions: Object.fromEntries(tried) })
      if (ready.ok) return runTests({ ...trialDeps(env, tenant, by), unaccepted: true }, ready)
      return ready.code === "no_tests" ? undefined : whyNotReady(ready)
    },
    async backtest() {
      const change = { session }
      const newest = await portOf(env, tenant, "runs").list({ limit: BACKTESTED, flow: [flow], status: ["succeeded", "failed"] })
      const runs = "badCursor" in newest ? [] : newest.data.flatMap(({ id }) => (typeof id === "string" ? [id] : []))
      if (runs.length === 0) return undefined
      const proposal = await starts.propose({ flow, change, rehearse: true, autonomous: true })
      if (!proposal.ok) return { error: proposal.code === "not_pinned" && "message" in proposal.why ? proposal.why.message : proposal.code }
      const wish = { flow, runs, change, match: "position", beyond: "stop" } as const
      return { id: await backtestsPort(env, tenant, by, later).begin(wish) }
    },
    async score(fork, scorer) {
      const said = await runPort(env, tenant, fork).said()
      if (!said) return { error: "the fork was deleted" }
      if (!said.isOver) return undefined
      if (said.status === "canceled") return { error: "the fork was canceled, and canceled runs are not scored" }
      const about = { run: fork, flow, scorers: [scorer], by, ask: `repair ${run}`, versions: versionsIn(said.events) }
      const taken = await portOf(env, tenant, "scores").ask(about)
      if (!taken.ok) return { error: UNSCORED[taken.code] }
      return taken.data[0]?.state === "skipped" ? { error: "too many scorings wait" } : { asked: clock.now() }
    },
  }
}
