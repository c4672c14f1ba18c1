// GET /v1/runs/{id}/replay [K18].

import { trust } from "../../api/trust.ts"
import { routes, type Call } from "../middleware/call.ts"
import { lost, NOT_FOUND, refuse } from "../middleware/problem.ts"
import { runOf } from "../runs/runs.ts"

export async function replayRun(c: Call): Promise<Response> {
  const replayed = await runOf(c)?.replay()
  if (!replayed) return refuse(c, NOT_FOUND)
  return "code" in replayed ? refuse(c, lost(replayed.why)) : c.json(replayed)
}

export const REPLAY_ROUTES = routes(trust, { replayRun })
