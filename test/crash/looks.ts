// A tool call under way when the server dies [J10, J11]: it only reads, so it is repeated. Its server never answers the first call, so
// the kill finds it under way on any machine, fast or slow.

import type { Scene } from "./scene.ts"

const NAMES = ["case-l1", "case-l2"]

export async function playLooks(scene: Scene): Promise<void> {
  const { peer } = scene
  const under = NAMES.map((name) => peer.when("looked", name))
  const ids = await Promise.all(NAMES.map((name) => scene.start("look", name)))
  await Promise.all(under)
  await scene.kill("looks: the calls are under way")
  for (const [i, id] of ids.entries()) {
    const name = NAMES[i] ?? ""
    const run = await scene.ended(id)
    const events = await scene.events(id)
    const lost = events.filter((e) => e.type === "action.lost" && e.kind === "tool").length
    const calls = peer.looked.filter((it) => it.name === name).length
    const fault = (holds: boolean): string | undefined =>
      holds ? undefined : `${name} (${id}, ${run.status}): ${calls} calls, ${lost} lost`
    scene.check("[J10] an interrupted tool call is lost", fault(lost === 1))
    scene.check("[J11] a call that only reads is repeated, once", fault(calls === 2 && run.status === "succeeded"))
  }
}
