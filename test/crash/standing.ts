// What must persist once it is answered: keys created and revoked [H1, S18], runs paused and resumed [H5], schedules fired [W5]. Each kill
// comes with one of these answers; everything answered before is checked after every kill.

import { LOCAL_KEY } from "../../local/settings.ts"
import { z } from "zod"
import { Client } from "./client.ts"
import { sleep, textIn, type Scene } from "./scene.ts"

const Rows = z.object({ data: z.array(z.looseObject({ id: z.string(), trigger: z.looseObject({ schedule: z.string().optional() }) })) })

export async function playStanding(scene: Scene): Promise<void> {
  const { peer } = scene
  const good: string[] = []
  const revoked: string[] = []
  const fires: string[] = []
  const must = async (method: string, path: string, wanted: number, body?: unknown, key?: string): Promise<unknown> => {
    const { status, said } = await scene.call(method, path, body, key === undefined ? undefined : { "idempotency-key": key })
    if (status !== wanted) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(said)}`)
    return said
  }
  const make = async (): Promise<{ readonly id: string; readonly key: string }> => {
    const said = await must("POST", "/v1/keys", 201, { name: "crash", scopes: ["runs:read"] })
    return { id: textIn(said, "id"), key: textIn(said, "key") }
  }
  const answers = async (key: string): Promise<number> => (await new Client(scene.victim.url, key).ask("GET", "/v1/runs?limit=1")).status
  const checkKeys = async (): Promise<void> => {
    for (const key of good) {
      const status = await answers(key)
      scene.check("[H1] a created key works after a kill", status === 200 ? undefined : `${status}`)
    }
    for (const key of revoked) {
      const status = await answers(key)
      scene.check("[S18] a revoked key stays revoked across a kill", status === 401 ? undefined : `${status}`)
    }
  }
  const schedule = textIn(
    await must("POST", "/v1/schedules", 201, { flow: "work", cron: "0 0 1 1 *", task: "case-f", overlap: "parallel" }),
    "id",
  )
  const fire = async (key: string): Promise<string> => textIn(await must("POST", `/v1/schedules/${schedule}/fire`, 202, {}, key), "run")

  const [keep, drop] = [await make(), await make()]
  good.push(keep.key, drop.key)
  const asked = peer.when("asked", "case-p1")
  const paused = await scene.start("plod", "case-p1")
  await asked
  await must("POST", `/v1/runs/${paused}/pause`, 200)
  const before = peer.asked.filter((it) => it.name === "case-p1").length
  await scene.kill("standing: a pause is acknowledged")
  // Reading the run wakes it: calls that the kill interrupted are lost, and not restarted.
  await scene.client.run(paused)
  await checkKeys()
  fires.push(await fire("fire-1"))
  await scene.kill("standing: a fire is acknowledged")

  good.splice(good.indexOf(drop.key), 1)
  await must("DELETE", `/v1/keys/${drop.id}`, 204)
  revoked.push(drop.key)
  await scene.kill("standing: a revocation is acknowledged")
  await checkKeys()

  good.push((await make()).key)
  await scene.kill("standing: a new key is acknowledged")
  await checkKeys()

  // Sent again under its key until it is answered: one fire.
  const insisted = scene.insist("a fire", () => fire("fire-2"))
  await sleep(scene.chance(30))
  await scene.kill("standing: a fire is on its way")
  fires.push(await insisted)

  const { status } = await scene.client.run(paused)
  scene.check("[H5] a paused run stays paused across kills", status === "paused" ? undefined : status)
  const since = peer.asked.filter((it) => it.name === "case-p1").length - before
  scene.check("[H5] a paused run asks no model", since === 0 ? undefined : `${since} model calls while it is paused`)
  await must("POST", `/v1/runs/${paused}/resume`, 200)
  await scene.kill("standing: a resume is acknowledged")
  await checkKeys()
  const end = await scene.ended(paused)
  const events = await scene.events(paused)
  const counts = ["run.paused", "run.resumed"].map((type) => events.filter((e) => e.type === type).length)
  scene.check(
    "[H5] a paused run resumes",
    end.status === "succeeded" && counts.join() === "1,1" ? undefined : `${end.status}, ${counts.join(" and ")} events`,
  )

  for (const id of fires) {
    scene.runs.push(id)
    const run = await scene.ended(id)
    scene.check("[W5] the run of an acknowledged fire exists and ends", run.status === "succeeded" ? undefined : `${id}: ${run.status}`)
  }
  const rows = await scene.insist(
    "the list",
    async () => Rows.parse((await scene.call("GET", "/v1/runs?trigger=schedule&limit=200")).said).data,
  )
  const ours = rows.filter((row) => row.trigger.schedule === schedule).map((row) => row.id)
  scene.check(
    "[W5] each acknowledged fire has one run, and there are no other runs",
    [...ours].sort().join() === [...fires].sort().join() ? undefined : `fires ${fires.join()}, runs ${ours.join()}`,
  )
  scene.check("the local key still works", (await answers(LOCAL_KEY)) === 200 ? undefined : "it does not")
}
