// Handles a sticky session outside the kernel [J25]: claims it before the first model call, reads earlier conversations for each call, and
// saves the conversation as one immutable body when the step is done. All three are idempotent.

import { defined } from "../../core/defined.ts"
import { tokensIn } from "../../core/run/session/files/attachment.ts"
import type { Turn } from "../../core/run/session/conversation.ts"
import type { Run, Transcript } from "../../core/run/state.ts"
import { holderOf, isCopied, type SessionGrant, type SessionWish } from "../../core/run/session/sticky.ts"
import { chunkOf, earlierTurns, type Chunk } from "../../core/run/session/transcript.ts"
import type { Blobs } from "../../ports/blobs.ts"
import type { Journal } from "../../ports/journal.ts"
import type { StickySessions } from "../../ports/tenant/sessions.ts"
import { passOf } from "../../core/run/key.ts"
import { pause } from "../../ports/timers.ts"

/** A session that another step of the same run just used, or a run that has ended, is released shortly; a longer use is a conflict. */
const HANDOVER_MS = 20_000 // limit: milliseconds that a step waits for a session that is about to be saved → the step fails: the session is busy
/** Another run may have ended a moment ago. */
const SAVING_MS = 2_000 // limit: milliseconds that a run waits for a session that another run has → the step fails: the session is busy
const PAUSE_MS = 100

export interface StickyDeps {
  readonly sessions: StickySessions
  readonly blobs: Blobs
}

export async function openSticky({ sessions, blobs }: StickyDeps, run: Run, wish: SessionWish, signal: AbortSignal): Promise<SessionGrant> {
  const { agent, session: id } = wish
  const pass = passOf(wish.key)
  const isOutside = run.tainted || run.steps[wish.step]?.session?.tainted === true
  const claim = { agent, id, by: holderOf(run.id, wish.step, pass), ...(isOutside ? { tainted: true } : {}) }
  const ours = `${run.id}/`
  const copied = isCopied(run, id)
  for (let waited = 0; ; waited += PAUSE_MS) {
    // The step ended during the claim, so nothing else would release the session. A claim without an answer may have been taken.
    const settle = async (): Promise<void> => (signal.aborted && !copied ? sessions.giveBack(claim) : undefined)
    const asked = copied ? sessions.look(agent, id) : sessions.claim(claim)
    const claimed = await asked.catch(async (e: unknown) => {
      await settle()
      throw e
    })
    if (claimed.ok) {
      await settle()
      const { chunks, bytes, tainted } = claimed
      const last = chunks.at(-1)
      const chunk = last === undefined ? undefined : await chunkAt(blobs, last)
      // A conversation with a missing part cannot continue. If the store does not answer, it throws instead.
      if (last !== undefined && !chunk) return { ok: false, fault: unreadable(last) }
      return { ok: true, chunks, bytes, tainted, private: claimed.private, ...defined({ prompt: chunk?.prompt }) }
    }
    if (claimed.code === "unknown") return { ok: false, fault: `unknown session "${id}" of agent "${agent}"` }
    const patience = claimed.by.startsWith(ours) || claimed.saves === true ? HANDOVER_MS : SAVING_MS
    if (signal.aborted || waited >= patience)
      return { ok: false, fault: `the session "${id}" of agent "${agent}" is busy: ${claimed.by.split("/")[0] ?? "another run"} has it` }
    await pause(PAUSE_MS)
  }
}

/** The store caches bodies, so only the first turn reads them. */
export async function readEarlier(blobs: Blobs, chunks: readonly string[]): Promise<Turn[]> {
  const parts = chunks.map(async (hash) => {
    const chunk = await chunkAt(blobs, hash)
    if (!chunk) throw new Error(unreadable(hash))
    return chunk.turns
  })
  return earlierTurns(await Promise.all(parts))
}

const unreadable = (hash: string): string =>
  `an earlier conversation of the session cannot be read (${hash.slice(0, 12)}…): delete the session to start over`

/** Parsed without validation, because the store checks the hash and only this file writes chunks. */
export async function chunkAt(blobs: Blobs, hash: string): Promise<Chunk | undefined> {
  const body = await blobs.get(hash)
  return body && JSON.parse(new TextDecoder().decode(body))
}

export async function saveTranscript({ sessions, blobs }: StickyDeps, journal: Journal, run: Run, transcript: Transcript): Promise<void> {
  const { agent, session: id, step, pass, seqs, tainted } = transcript
  const claim = { agent, id, by: holderOf(run.id, step, pass) }
  if (seqs.length === 0) return sessions.giveBack(claim)
  const part = chunkOf(run, transcript, journal.pick(seqs), (row) => journal.state(row))
  const body = new TextEncoder().encode(JSON.stringify(part))
  const tokens = tokensIn(part.turns.flatMap((turn) => (turn.role === "assistant" ? [] : (turn.attached ?? []))))
  const chunk = await blobs.put(body)
  await sessions.giveBack(claim, { chunk, bytes: body.byteLength + tokens, tainted, private: transcript.private })
}
