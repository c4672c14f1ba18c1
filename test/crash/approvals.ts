// Approvals under kills [Q3, J10]: a call waits for a person, was decided, is under way, or was just answered. The called server
// counts its calls; its tool writes and takes no key, so a call whose outcome is unknown is uncertain and never repeated.

import { sleep, type Scene } from "./scene.ts"

const CASES = ["rejected", "approved", "calling", "answered", "racing", "late"] as const
type Case = (typeof CASES)[number]
const nameOf = (it: Case): string => `case-q-${it}`

export async function playApprovals(scene: Scene): Promise<void> {
  const { client, peer } = scene
  const ids = new Map<Case, string>()
  const asked = new Map<Case, string>()
  /** The whole question, including the call, its arguments and the hash. */
  const question = async (id: string): Promise<string | undefined> => {
    const [it] = await client.pending(id)
    return it && JSON.stringify(it)
  }
  await Promise.all(CASES.map(async (it) => ids.set(it, await scene.start("note", nameOf(it)))))
  const idOf = (it: Case): string => ids.get(it) ?? ""
  for (const it of CASES) asked.set(it, await scene.insist(`a question about ${it}`, () => question(idOf(it))))
  await scene.kill("approvals: all are pending")
  for (const it of CASES) {
    const after = await scene.insist(`the question about ${it}`, () => question(idOf(it)))
    scene.check("[Q3] an open question stays the same across a kill", after === asked.get(it) ? undefined : `${it}: ${after}`)
  }
  scene.check("[Q3] nothing runs while it is pending", peer.reports[0])

  /** 200, or 409 when an earlier try succeeded. */
  const decide = (it: Case, decision: string): Promise<number> =>
    scene.insist(`the decision about ${it}`, async () => {
      const interaction = /"id":"([^"]+)"/.exec(asked.get(it) ?? "")?.[1]
      const status = await client.answer(idOf(it), interaction ?? "", { decision })
      return status === 200 || status === 409 ? status : undefined
    })
  await Promise.all([decide("rejected", "reject"), decide("approved", "approve")])
  await scene.kill("approvals: two decisions are acknowledged")

  const underWay = peer.when("reported", nameOf("calling"))
  await Promise.all([decide("calling", "approve"), underWay.then(() => scene.kill("approvals: the call is under way"))])
  const replied = peer.when("replied", nameOf("answered"))
  await Promise.all([decide("answered", "approve"), replied.then(() => scene.kill("approvals: the call was just answered"))])
  await Promise.all([
    decide("racing", "approve"),
    decide("late", "approve"),
    sleep(scene.chance(25)).then(() => scene.kill("approvals: answers are on their way")),
  ])

  for (const it of CASES) {
    const run = await scene.ended(idOf(it))
    const events = await scene.events(idOf(it))
    const calls = peer.reports.filter((name) => name === nameOf(it)).length
    const uncertain = events.some((e) => e.type === "tool.uncertain")
    const answers = events.filter((e) => e.type === "interaction.answered")
    const fault = (wrong: string | undefined): string | undefined => wrong && `${it} (${idOf(it)}): ${wrong}`
    scene.check("[Q3] an approved call reaches its server at most once", fault(calls > 1 ? `${calls} calls` : undefined))
    scene.check("[Q3] an acknowledged approval exists exactly once, and its run ends", fault(lost(run.status, answers)))
    if (it === "rejected") scene.check("[Q3] a rejected call never runs", fault(calls > 0 ? `${calls} calls` : undefined))
    else
      scene.check("[J11] an approved call is made, or reported as uncertain", fault(calls === 0 && !uncertain ? "it was not" : undefined))
    if (it === "calling") scene.check("[J11] an interrupted call is uncertain", fault(uncertain && calls === 1 ? undefined : "it is not"))
  }
}

function lost(status: string, answers: readonly { readonly decision?: string | undefined }[]): string | undefined {
  if (answers.length !== 1) return `${answers.length} answers in the journal`
  return status === "succeeded" ? undefined : `the run ${status}`
}
