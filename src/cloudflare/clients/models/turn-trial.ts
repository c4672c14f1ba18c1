// Tries a recorded turn in the Worker [K19]: the run's object only tells what was asked, so a try delays no run and leaves nothing in it.

import type { Pins } from "../../../core/run/event-parts.ts"
import { DefinitionsLost, loadDefinitions } from "../../../engine/catalog/definitions.ts"
import { isRehearsal } from "../../../engine/catalog/pin/model-choice.ts"
import { tryTurn } from "../../../engine/run/try-turn.ts"
import { chooseModel, type Choice } from "../../../models/choose.ts"
import { refusal } from "../../../models/failure.ts"
import type { RunPort } from "../../../ports/run.ts"
import type { TenantHouse } from "../../../ports/house.ts"
import type { TurnWish } from "../../../ports/turn.ts"
import { r2Blobs } from "../../blobs/blobs-r2.ts"
import { clock } from "../../platform/clock.ts"
import type { Env } from "../../platform/env.ts"
import { modelDoor } from "../../platform/model-door.ts"
import { sha256 } from "../../platform/sha256.ts"
import { tenantSealing } from "../../platform/tenant-sealing.ts"
import { portOf } from "../../platform/port-of.ts"
import { openVault } from "../secrets.ts"

export async function trialOf(
  { env, tenant, later }: { readonly env: Env; readonly tenant: string; readonly later: (work: Promise<unknown>) => void },
  run: RunPort,
  wish: TurnWish,
): ReturnType<TenantHouse["tryTurn"]> {
  const blobs = r2Blobs(env, tenant, later)
  const settings = portOf(env, tenant, "settings")
  return tryTurn(
    {
      turn: (ask) => run.turn(ask),
      ground: (recorded, wanted) => portOf(env, tenant, "starts").groundTurn(recorded, wanted),
      async choose(ref: string, pins: Pins | undefined): Promise<Choice> {
        try {
          const definitions = isRehearsal(ref) && pins ? await loadDefinitions(pins, blobs) : undefined
          return await chooseModel(ref, {
            ...modelDoor(env),
            provider: (name) => settings.provider(name),
            rehearsal: definitions?.rehearsal,
          })
        } catch (e) {
          if (e instanceof DefinitionsLost) return { error: refusal(e.message) }
          throw e
        }
      },
      redactor: async () => (await openVault(env, tenant, clock.now)()).redactor,
      hash: sha256,
      blobs,
      sealing: tenantSealing(env, tenant),
      dayBudget: portOf(env, tenant, "dayBudget"),
      used: (turn) => portOf(env, tenant, "usage").tried(turn),
      clock,
    },
    wish,
  )
}
