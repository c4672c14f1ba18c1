// Measure 3: a newer start ends the older family within a second, and begins within a second of its end [R8].

import { z } from "zod"
import type { Scene } from "../crash/scene.ts"
import { begin } from "./exclusion.ts"

const KEYS = 8
const WITHIN_MS = 1_000

export async function playSupersede(scene: Scene): Promise<void> {
  for (let n = 0; n < KEYS; n++) {
    const inputs = { key: `s${n}` }
    const older = await begin(scene, "longer", `older ${n}`, inputs)
    await scene.status(older, (status) => status !== "queued")
    const newer = await begin(scene, "longer", `newer ${n}`, inputs)
    const [before, after] = [await scene.ended(older), await scene.status(newer, (status) => status !== "queued")]
    const events = await scene.events(older)
    const at = events.find(({ type }) => type === "run.superseded")?.at
    const started = (await scene.events(newer)).find((event) => event.type === "run.started")
    const times = started?.type === "run.started" ? started.start : undefined
    const ends = [
      before.ended,
      ...(await Promise.all((await childrenOf(scene, older)).map(async (id) => (await scene.ended(id))["ended"]))),
    ]
    const end = Math.max(...ends.map((one) => Date.parse(String(one))))
    const [told, began] = [(at ?? Infinity) - (times?.ready ?? 0), (times?.began ?? Infinity) - end]
    scene.check(
      "[R8] an older run is superseded within 1 s after the newer start is ready",
      told <= WITHIN_MS ? undefined : `${older}: ${told} ms`,
    )
    scene.check(
      "[R8] the newer begins within 1 s of the older family's end",
      began <= WITHIN_MS && began >= 0 ? undefined : `${newer}: ${began} ms`,
    )
    scene.check(
      "[R8] the older one says which took its place",
      before["superseded"] === newer ? undefined : `${older}: ${String(before["superseded"])}`,
    )
    await scene.call("POST", `/v1/runs/${after.id}/cancel`)
  }
}

const Rows = z.object({ data: z.array(z.looseObject({ id: z.string() })) })
const childrenOf = async (scene: Scene, run: string): Promise<string[]> =>
  Rows.parse((await scene.call("GET", `/v1/runs?parent=${run}`)).said).data.map(({ id }) => id)
