// Keeps the state that a provider wants back with each of its replies [J20]: signatures, reasoning, encrypted items. Sealed on arrival,
// stored in the run's own journal or in a session's saved part, and opened only for a request to the model that it came from.

import { fromBase64url, toBase64url } from "../../core/text/base64url.ts"
import { bareModel } from "../../core/money/prices.ts"
import type { Reply } from "../../core/run/signal.ts"
import type { KeptState, Turn } from "../../core/run/session/conversation.ts"
import type { Journal, SealedState } from "../../ports/journal.ts"
import type { ModelMessage, Sealing } from "../../ports/model.ts"

/** Bytes of one reply's state. The longest thinking that a model is known to send is 128,000 tokens, about half of this. */
// Limit: bytes that a provider wants back with a reply → they are not kept, and the session goes on.
export const MAX_STATE_BYTES = 1024 * 1024

interface StateDeps {
  readonly journal: Pick<Journal, "state">
  readonly sealing: Sealing
}

interface NewState {
  readonly state: NonNullable<Reply["state"]>
  readonly sealed: SealedState
}

/** Encrypts a state; undefined: it is empty or too large, or this Worker has no key. The session then continues without it. */
export async function sealState({ sealing }: StateDeps, row: string, ref: string, text: string | undefined): Promise<NewState | undefined> {
  if (text === undefined) return undefined
  const bytes = new TextEncoder().encode(text).byteLength
  if (bytes > MAX_STATE_BYTES) return undefined
  const model = bareModel(ref)
  try {
    return { state: { model, bytes }, sealed: { row, body: toBase64url(new Uint8Array(await sealing.seal(text, placeOf(model)))) } }
  } catch {
    return undefined
  }
}

/** The conversation for a request to this model: each of the model's own replies has its state. */
export function withStates(deps: StateDeps, ref: string, turns: readonly Turn[]): Promise<ModelMessage[]> {
  const model = bareModel(ref)
  return Promise.all(
    turns.map(async (turn): Promise<ModelMessage> => {
      if (turn.role !== "assistant") return turn
      const { state: kept, ...rest } = turn
      const state = kept?.model === model ? await open(deps, kept) : undefined
      return state === undefined ? rest : { ...rest, state }
    }),
  )
}

/** [T27] Encrypts the state of an MCP server's questions for the repeated call. Without a state, an earlier one is dropped. */
export async function sealNote({ sealing }: StateDeps, row: string, note = ""): Promise<SealedState> {
  if (note.length > MAX_STATE_BYTES) throw new Error("the server's note for the next call is larger than 1 MiB")
  return { row, body: note === "" ? "" : toBase64url(new Uint8Array(await sealing.seal(note, placeOf(row)))) }
}

export async function openNote({ journal, sealing }: StateDeps, row: string): Promise<string | undefined> {
  const bytes = fromBase64url(journal.state(row) ?? "")
  return bytes && bytes.byteLength > 0 ? sealing.open(bytes.slice().buffer, placeOf(row)) : undefined
}

/** undefined: it is lost, or was sealed under another key. The provider then decides whether it goes on without it. */
async function open({ journal, sealing }: StateDeps, kept: KeptState): Promise<string | undefined> {
  const sealed = "sealed" in kept ? kept.sealed : journal.state(kept.row)
  const bytes = sealed === undefined ? undefined : fromBase64url(sealed)
  if (!bytes) return undefined
  try {
    return await sealing.open(bytes.slice().buffer, placeOf(kept.model))
  } catch {
    return undefined
  }
}

const placeOf = (model: string): string => `state/${model}`
