// Sticky sessions under kills [J25]: the server dies in the second conversation of a session, once while the model speaks, once when it
// has just spoken and the session is given back. The third conversation begins, and has each one before it exactly once.

import { isEnd } from "./client.ts"
import { sleep, type Scene } from "./scene.ts"

const CONVERSATIONS = ["first", "second", "third"]

export async function playSessions(scene: Scene): Promise<void> {
  const { peer } = scene
  for (const [session, moment] of [["case-s1", "half"], ["case-s2", "answered"]] as const) {
    const talk = (which: string, more = ""): Promise<string> => scene.start("talk", `${session} ${which}${more}`, { session })
    await scene.ended(await talk("first"))
    const now = peer.when(moment, session)
    const second = talk("second")
    await now
    await scene.kill(`sessions: the second call is ${moment}`)
    await scene.ended(await second)
    await third(scene, session, () => talk("third"))
  }

  // By the main session's tool: its caller is gone with the server, its run is not.
  const session = "case-s3"
  const call = async (task: string, sessionId?: string): Promise<{ readonly id: string; readonly isError: boolean }> => {
    const { said } = await scene.call("POST", "/v1/tools/subagent", { agent: "talker", task, ...(sessionId === undefined ? {} : { sessionId }) })
    const text = JSON.stringify(said)
    return { id: /"sessionId":"([^"]+)"/.exec(text)?.[1] ?? "", isError: text.includes('"isError":true') }
  }
  const { id } = await call(`${session} first`)
  const now = peer.when("half", session)
  const second = call(`${session} second`, id).catch(() => undefined)
  await now
  await scene.kill("sessions: the tool's second call is half there")
  await second
  await scene.insist("the session is given back", async () => {
    const { isError } = await call(`${session} third`, id)
    if (isError) await sleep(500)
    return isError ? undefined : true
  })
  transcript(scene, session)
}

async function third(scene: Scene, session: string, talk: () => Promise<string>): Promise<void> {
  const run = await scene.status(await talk(), isEnd)
  scene.check("[J25] a session is usable again after a kill", run.status === "succeeded" ? undefined : `${session}: ${JSON.stringify(run.steps)}`)
  transcript(scene, session)
}

function transcript(scene: Scene, session: string): void {
  const asked = scene.peer.asked.findLast((it) => it.name === session && it.users.at(-1)?.includes("third"))
  const told = CONVERSATIONS.map((which) => asked?.users.filter((it) => it.includes(`${session} ${which}`)).length ?? 0)
  scene.check("[J25] a transcript has each accepted conversation once", told.every((n) => n === 1) ? undefined : `${session}: ${told.join(", ")} times`)
}
