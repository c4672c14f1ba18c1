// Answers a write that needs a proof for the gate with the data for that proof [K24], instead of an error.

import { HeldWrite } from "../../../engine/catalog/catalog-gate.ts"
import type { Held } from "../../../ports/tenant/authoring/gate.ts"
import type { StartRoom } from "../starts/start-room.ts"

export const holding =
  (starts: Pick<StartRoom, "held">) =>
  async <T>(write: Promise<T>): Promise<T | { readonly held: Held }> => {
    try {
      return await write
    } catch (e) {
      if (e instanceof HeldWrite) return { held: await starts.held(e) }
      throw e
    }
  }
