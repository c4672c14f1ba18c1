// The third server: what a service promises besides its runs, each round with its own kills [S1, S3, S13, S14, S18].

import { playAlone } from "./alone.ts"
import { playApprovals } from "./approvals.ts"
import { playBudgets } from "./budgets.ts"
import { playCallbacks } from "./callbacks.ts"
import { playDeliveries } from "./deliveries.ts"
import { playLooks } from "./looks.ts"
import { Scene } from "./scene.ts"
import { playSessions } from "./sessions.ts"
import { playStanding } from "./standing.ts"
import type { Victim } from "./victim.ts"

const ROUNDS: readonly [name: string, play: (scene: Scene) => Promise<void>][] = [
  ["looks", playLooks],
  ["approvals", playApprovals],
  ["budgets", playBudgets],
  ["webhooks", playDeliveries],
  ["callbacks", playCallbacks],
  ["sessions", playSessions],
  ["keys, pauses and fires", playStanding],
  ["runs that nobody looks at", playAlone],
]

export async function playService(victim: Victim, seed: number): Promise<Scene> {
  const scene = new Scene(victim, seed)
  try {
    await scene.prepare()
    for (const [name, play] of ROUNDS) {
      const began = Date.now()
      try {
        await play(scene)
      } catch (error) {
        scene.check(`the round of ${name} reached its end`, error instanceof Error ? (error.stack ?? error.message) : String(error))
      }
      if (process.env["CRASH_TIMES"]) console.log(`round ${name}: ${Date.now() - began} ms`)
    }
    await scene.close()
  } finally {
    await scene.peer.close()
  }
  return scene
}
