// Measures a wake-up: kill -9, start, then the request of a run whose object is not in memory.

import { Api } from "./api.ts"
import { spread, table } from "./figures.ts"
import { Server } from "./server.ts"

/** `small` only warms up the isolate; `first` and `second` are runs of one flow, so `second` finds its definitions loaded. */
export interface Sleepers {
  readonly small: string
  readonly first: string
  readonly second: string
}

export async function wake(data: string, { small, first, second }: Sleepers, restarts: number): Promise<string> {
  const times: Record<"cold" | "first" | "second" | "again", number[]> = { cold: [], first: [], second: [], again: [] }
  for (let n = 0; n < restarts; n++) {
    const server = await Server.start(data)
    try {
      const api = new Api(server.url)
      times.cold.push(await timed(() => api.view(small)))
      times.first.push(await timed(() => api.view(first)))
      times.second.push(await timed(() => api.view(second)))
      times.again.push(await timed(() => api.view(second)))
    } finally {
      await server.kill()
    }
  }
  return table(
    ["GET /v1/runs/ID after kill -9 and a new start", "ms"],
    [
      ["a run of 42 events, the first request to a run", spread(times.cold)],
      ["a run of 1,002 events, definitions read from R2 and parsed", spread(times.first)],
      ["another run of the same flow, definitions in memory", spread(times.second)],
      ["the same again, object awake", spread(times.again)],
    ],
  )
}

async function timed(work: () => Promise<void>): Promise<number> {
  const from = performance.now()
  await work()
  return performance.now() - from
}
