// What a client of the line was told: it sends each start until it is answered, and reads afterwards what became of it.

import { z } from "zod"
import { isEnd } from "../crash/client.ts"
import type { Scene } from "../crash/scene.ts"
import type { HeldRun } from "./held.ts"

const Times = z.looseObject({
  ready: z.number().optional(),
  began: z.number().optional(),
  merged: z.number().optional(),
  concurrency: z.looseObject({ pool: z.string(), key: z.string(), limit: z.number() }).optional(),
})
const View = z.looseObject({
  id: z.string(),
  flow: z.string(),
  status: z.string(),
  created: z.string(),
  ended: z.string().optional(),
  superseded: z.string().optional(),
  inputs: z.record(z.string(), z.unknown()).optional(),
  error: z.looseObject({ source: z.string() }).optional(),
  parent: z.looseObject({ run: z.string() }).optional(),
  start: Times.optional(),
})
export type Seen = z.infer<typeof View>
const Rows = z.object({ data: z.array(z.looseObject({ id: z.string(), status: z.string() })), next_cursor: z.string().nullable() })

const AT_ONCE = 24
const PATIENCE_MS = 600_000

/** Carries out all of it, so many at once. */
export async function together<T>(all: readonly T[], work: (one: T, at: number) => Promise<void>, atOnce = AT_ONCE): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let at = next++; at < all.length; at = next++) await work(all[at] as T, at)
    }),
  )
}

/** Every run of the tenant once all have ended: listing wakes no run. */
export async function allEnded(scene: Scene, progress: (left: number) => void): Promise<readonly string[]> {
  const until = Date.now() + PATIENCE_MS
  for (;;) {
    const rows: { id: string; status: string }[] = []
    let cursor: string | null = null
    do {
      const page: z.infer<typeof Rows> = await scene.insist("the list", async () =>
        Rows.parse((await scene.call("GET", `/v1/runs?children=1&limit=200${cursor === null ? "" : `&cursor=${cursor}`}`)).said),
      )
      rows.push(...page.data)
      cursor = page.next_cursor
    } while (cursor !== null)
    const open = rows.filter(({ status }) => !isEnd(status))
    progress(open.length)
    if (open.length === 0) return rows.map(({ id }) => id)
    if (Date.now() > until) throw new Error(`${open.length} runs go on, ${open[0]?.id} is ${open[0]?.status}`)
    await new Promise((wake) => setTimeout(wake, 1_000))
  }
}

export async function viewsOf(scene: Scene, ids: readonly string[]): Promise<Map<string, Seen>> {
  const seen = new Map<string, Seen>()
  await together(
    ids,
    async (id) => void seen.set(id, await scene.insist(id, async () => View.parse((await scene.call("GET", `/v1/runs/${id}`)).said))),
  )
  return seen
}

/** A child whose start comes after its parent was canceled ends as it begins, and does nothing. */
const isBornOver = ({ status, parent, created, ended }: Seen): boolean => parent !== undefined && status === "canceled" && created === ended

export const heldRuns = (seen: readonly Seen[]): HeldRun[] => seen.filter((run) => !isBornOver(run)).map(heldRun)

const heldRun = ({ id, flow, parent, start, ended }: Seen): HeldRun => ({
  id,
  flow,
  ...(parent ? { parent: parent.run } : {}),
  ...(start?.began === undefined ? {} : { began: start.began }),
  ...(start?.ready === undefined ? {} : { ready: start.ready }),
  ended: Date.parse(ended ?? ""),
  ...start?.concurrency,
})
