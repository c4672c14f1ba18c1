// How long a step waits for a session that somebody has [J25].

import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { newRun } from "../../../src/core/run/state.ts"
import { MemoryBlobs } from "../../../src/engine/run/memory-store.ts"
import { openSticky } from "../../../src/engine/run/sticky-session.ts"
import type { Claimed, StickySessions } from "../../../src/ports/tenant/sessions.ts"
import { agent, flowOf, planOf } from "../../support/kernel/builders.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const FREE: Claimed = { ok: true, isNew: false, chunks: [], bytes: 0, tainted: false, private: false }
const TRIES = 50

/** The answer to a step that asks again until the session is free, five seconds later. */
async function opened(busy: Extract<Claimed, { code: "busy" }>) {
  let tries = 0
  const sessions = { claim: async () => (++tries > TRIES ? FREE : busy) } as unknown as StickySessions
  const run = newRun(planOf(flowOf([agent("a")])))
  const wish = { do: "open-session", agent: "a", session: "s", step: "a", key: "a/1/0/session" } as const
  const grant = openSticky({ sessions, blobs: new MemoryBlobs() }, run, wish, new AbortController().signal)
  await vi.advanceTimersByTimeAsync(TRIES * 100)
  return grant
}

test("[J25] a session whose run has ended is waited for, and one that another run uses is busy", async () => {
  const busy = { ok: false, code: "busy", by: "run_other/a/1" } as const
  expect(await opened({ ...busy, saves: true })).toMatchObject({ ok: true })
  expect(await opened(busy)).toMatchObject({ ok: false, fault: expect.stringContaining("is busy: run_other has it") })
})
