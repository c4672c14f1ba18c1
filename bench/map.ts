// Measures a map over 1,000 items, 20 at once: its duration, and its parent's memory. The children run in their own objects, which leave
// memory when they end; the parent keeps only numbers, so its state and its step must stay as small as at the start.

import { readFileSync } from "node:fs"
import type { Api } from "./api.ts"
import { short, table } from "./figures.ts"
import { pause, type Server } from "./server.ts"

const ITEMS = 1_000

/** One row per tenth of the children: time, resident memory of workerd, bytes of the parent's public view. */
export async function map(server: Server, api: Api): Promise<string> {
  const from = performance.now()
  const id = await api.begin("bench-map", { list: Array.from({ length: ITEMS }, (_, i) => ({ n: i, text: "x".repeat(100) })) })
  const rows: string[][] = []
  for (let tenth = 0; tenth <= 10;) {
    const { ended, bytes, status } = await api.children(id)
    if (status === "failed") throw new Error("the map failed")
    if (ended >= (tenth * ITEMS) / 10 || status === "succeeded") {
      rows.push([String(ended), short((performance.now() - from) / 1000), short(resident(server.pid) / 1024), short(bytes / 1024)])
      tenth += 1
    } else await pause(50)
  }
  while ((await api.children(id)).status !== "succeeded") await pause(20)
  rows.push(["end", short((performance.now() - from) / 1000), short(resident(server.pid) / 1024), ""])
  return table(["children ended", "s", "workerd RSS, MiB", "parent's view without its 100 latest children, KiB"], rows)
}

/** KiB. */
const resident = (pid: number): number => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0)
