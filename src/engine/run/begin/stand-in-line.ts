// Takes a start into its tenant's line [R5, R11]: it joins the window of another run, or stands there itself. A run that has begun without it
// is no answer, so it is decided anew, also if it had opened that run's window and was lost on its way.

import { defined } from "../../../core/defined.ts"
import type { RunPort, StartRequest } from "../../../ports/run.ts"
import type { Limits } from "../../../ports/tenant/catalog.ts"
import { ANEW, type Arrived, type LineAsk } from "../../../ports/tenant/line.ts"

export interface LineGround {
  arrive(ask: LineAsk): Promise<Arrived>
  run(id: string): Pick<RunPort, "join">
  /** The run of a start whose own run has begun without it: the same however often it is asked for. */
  nextId(run: string): Promise<string>
}

export type Stood =
  | { readonly as: "refused"; readonly arrived: Extract<Arrived, { ok: false }> }
  | { readonly as: "merged"; readonly run: string; readonly limits?: Limits }
  /** `run`'s object is to hold the start, under this number if it opened a window. */
  | { readonly as: "stands"; readonly run: string; readonly number?: number; readonly limits?: Limits }
  /** Every run that it joined began without it. */
  | { readonly as: "late"; readonly run: string | undefined }

export async function standInLine({ arrive, run: runOf, nextId }: LineGround, ask: LineAsk, request: StartRequest): Promise<Stood> {
  let { run } = ask
  let refused: string | undefined
  const isIn = (of: string, number: number): Promise<boolean> => runOf(of).join({ ...request, run: of, number })
  for (let tries = 0; tries < ANEW; tries++) {
    const arrived = await arrive({ ...ask, run, ...defined({ refused }) })
    if (!arrived.ok) return { as: "refused", arrived }
    const limits = defined({ limits: arrived.limits })
    if (arrived.do === "joined") {
      if (await isIn(arrived.run, arrived.number)) return { as: "merged", run: arrived.run, ...limits }
      refused = arrived.run
      continue
    }
    const number = arrived.do === "stands" ? arrived.number : undefined
    const isSentAgain = ask.window !== undefined && arrived.do === "stands" && arrived.again === true
    if (!isSentAgain || number === undefined || (await isIn(run, number))) return { as: "stands", run, ...defined({ number }), ...limits }
    run = await nextId(run)
  }
  return { as: "late", run: refused }
}
