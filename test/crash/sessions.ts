// Sticky sessions under kills [J25]: the server dies in the second conversation of a session, once while the model speaks, once just
// after it has spoken and the session is released. The third conversation begins, and contains each earlier one exactly once.

import { sleep, type Scene } from "./scene.ts"

const CONVERSATIONS = ["first", "second", "third"]

export async function playSessions(scene: Scene): Promise<void> {
  // Also through the main session's tool: its caller goes down with the server, but its run does not, and only its alarm revives it.
  const byTool = "case-s3"
  const call = async (which: string, sessionId?: string): Promise<{ readonly id: string; readonly isError: boolean }> => {
    const body = { agent: "talker", task: `${byTool} ${which}`, ...(sessionId === undefined ? {} : { sessionId }) }
    const text = JSON.stringify((await scene.call("POST", "/v1/tools/subagent", body)).said)
    return { id: /"sessionId":"([^"]+)"/.exec(text)?.[1] ?? "", isError: text.includes('"isError":true') }
  }
  const { id } = await call("first")
  const cut = async (): Promise<void> => {
    const asked = scene.peer.when("asked", byTool)
    void call("second", id).catch(() => undefined)
    await asked
  }
  await playSession(scene, "case-s1", "half", cut)
  await playSession(scene, "case-s2", "answered")
  await scene.insist("the interrupted session is released", async () => {
    const { isError } = await call("third", id)
    if (isError) await sleep(500)
    return isError ? undefined : true
  })
  transcript(scene, byTool)
}

async function playSession(scene: Scene, session: string, moment: "half" | "answered", meanwhile?: () => Promise<void>): Promise<void> {
  const talk = (which: string): Promise<string> => scene.start("talk", `${session} ${which}`, { session })
  await scene.ended(await talk("first"))
  const now = scene.peer.when(moment, session)
  await meanwhile?.()
  const second = talk("second")
  await now
  await scene.kill(`sessions: the second call is ${moment}`)
  await scene.ended(await second)
  const run = await scene.ended(await talk("third"))
  scene.check(
    "[J25] a session is usable again after a kill",
    run.status === "succeeded" ? undefined : `${session}: ${JSON.stringify(run.steps)}`,
  )
  transcript(scene, session)
}

function transcript(scene: Scene, session: string): void {
  const asked = scene.peer.asked.findLast((it) => it.name === session && it.users.at(-1)?.includes("third"))
  const counts = CONVERSATIONS.map((which) => asked?.users.filter((it) => it.includes(`${session} ${which}`)).length ?? 0)
  scene.check(
    "[J25] a transcript has each accepted conversation once",
    counts.every((n) => n === 1) ? undefined : `${session}: ${counts.join(", ")} times`,
  )
}
