// Runs that nobody looks at, under kills [J12]: a model or a tool works, and the server dies. Nothing but the run's own alarm may wake it: no
// reader, no client, nothing that the tenant does. So the round waits for the next request in the book of the world outside, and for the
// tenant's list, which touches no run.
//
// The alarm of a start rings after ten seconds and would hide that nothing else is set. So some runs are older than that, some are not, and
// one kill comes just after the run was back.

import { isEnd } from "./client.ts"
import { sleep, type Scene } from "./scene.ts"

/** A start's own alarm has rung: it comes after 10 s, and the rest is for a busy machine. */
const OLD_MS = 14_000
/** A run with something under way is checked every 10 s. */
const BACK_WITHIN_MS = 40_000
const TOOL = "case-alone-old-tool"
const OLD = "case-alone-old-model"
const YOUNG = "case-alone-young-model"
const NAMES = [TOOL, OLD, YOUNG]

export async function playAlone(scene: Scene): Promise<void> {
  const { peer } = scene
  /** It is asked about this case again. */
  const backOf = async (name: string, stage: "asked" | "looked" = "asked"): Promise<void> => {
    const inTime = await Promise.race([peer.when(stage, name).then(() => true), sleep(BACK_WITHIN_MS).then(() => false)])
    scene.check(
      "[J12] a run with something under way continues by its own alarm",
      inTime ? undefined : `${name}: nothing in ${BACK_WITHIN_MS / 1_000} s after the kill`,
    )
  }
  try {
    const looked = peer.when("looked", TOOL)
    const ids = [await scene.start("look", TOOL)]
    await looked
    peer.isHolding = true
    for (const name of [OLD, YOUNG]) {
      if (name === YOUNG) await sleep(OLD_MS)
      const asked = peer.when("asked", name)
      ids.push(await scene.start("plod", name))
      await asked
    }
    const back = [backOf(TOOL, "looked"), backOf(OLD), backOf(YOUNG)]
    await scene.kill("alone: calls are under way, of old runs and a young one")
    await Promise.all(back)
    const again = NAMES.map((name) => backOf(name))
    await scene.kill("alone: the runs are just back")
    await Promise.all(again)
    peer.isHolding = false
    // Nobody answers the calls that are held.
    await scene.kill("alone: the runs are back once more")
    const until = Date.now() + BACK_WITHIN_MS
    for (;;) {
      const rows = await scene.insist("the list", () => scene.client.list())
      const late = NAMES.filter((_, i) => !isEnd(rows.find((row) => row.id === ids[i])?.status ?? ""))
      if (late.length > 0 && Date.now() < until) {
        await sleep(250)
        continue
      }
      scene.check("[J12] [J14] a run that nobody looks at ends, and the list says so", late[0] && `${late.join(", ")}: not in time`)
      return
    }
  } finally {
    peer.isHolding = false
  }
}
