// Rares: who starts flows in which something rare happens: a child that is deleted while its parent has its effects carried out [K32], more
// questions below than there is room for [P5], a step that is tried again beside a question [F33], a tool that sends and writes a file.

import type { Actor, Life } from "./life.ts"
import { STORM_MS } from "./life.ts"

const FLOWS = ["both", "both", "both", "family", "family", "family", "orders", "orders", "crowded"] as const
const TOLD = new Set([202, 404, 409])

export const rares: Actor = {
  name: "rares",
  often: 0.25,
  play(life) {
    const rolls = life.rollsOf("rares")
    for (let n = 0; n < 4; n++) {
      const flow = rolls.pick("flow", FLOWS)
      life.at(rolls.roll("when") * STORM_MS * 0.8, `a rare start of ${flow}`, () => start(life, flow, n))
    }
  },
  rest: async (life) => orderedTwice(life),
}

async function start(life: Life, flow: (typeof FLOWS)[number], n: number): Promise<void> {
  const name = life.name(`r${n}`)
  const asked = life.now
  const effects = flow === "family" ? ({ effects: "staged" } as const) : {}
  const { id } = await life.admin.get<{ id: string }>(
    "POST",
    `/v1/flows/${flow}/runs`,
    { task: name, ...effects },
    { "idempotency-key": `start-${name}` },
  )
  life.started(flow, name, id, "start", asked, effects)
  if (flow === "family") await disinherit(life, id)
}

/** Has the effects of a family carried out, and deletes the child that carries them out. */
async function disinherit(life: Life, run: string): Promise<void> {
  const rolls = life.rollsOf("rares")
  while (!life.isCalm && !life.isOver) {
    const found = await life.admin.insist("GET", `/v1/runs/${run}`)
    if (found.status === 404 || (JSON.parse(found.text) as { ended?: string }).ended !== undefined) return
    const open = await life.admin.all<{ id: string; run: string; kind: string }>("/v1/interactions?limit=200")
    const question = open.find((it) => it.run === run && it.kind === "effects")
    if (!question) {
      await life.sleep(1_000 + rolls.roll("pause") * 2_000)
      continue
    }
    const children = await life.admin.all<{ id: string }>(`/v1/runs?parent=${run}`)
    await Promise.all([
      commit(life, run, question.id),
      ...children.map(async ({ id }) => {
        await life.sleep(rolls.roll("delete") * 6_000)
        const { status, text } = await life.admin.insist("DELETE", `/v1/runs/${id}`)
        if (status < 300 || status === 404) life.told.deleted.add(id)
        else if (!TOLD.has(status)) throw new Error(`${status} ${text.slice(0, 200)}`)
      }),
    ])
    return
  }
}

async function commit(life: Life, run: string, question: string): Promise<void> {
  const body = { answer: { commit: "all" } }
  const { status, text } = await life.admin.insist("POST", `/v1/runs/${run}/interactions/${question}`, body)
  if (status === 200) life.told.answers.set(`${run}/${question}`, JSON.stringify(body))
  else if (!TOLD.has(status)) throw new Error(`${status} ${text.slice(0, 200)}`)
}

/** [S3] What a project's tool has sent is sent once, whatever becomes of its file. */
function orderedTwice({ told, world }: Life): string[] {
  const names = told.starts.filter(({ flow, name }) => flow === "orders" && !told.repeats.has(name)).map(({ name }) => name)
  const seen = new Set<string>()
  const wrong: string[] = []
  for (const { path, body } of world.services.arrivals) {
    if (path !== "/order" || !names.some((name) => body.startsWith(`${name}-`))) continue
    if (seen.size === seen.add(body).size) wrong.push(`[S3] ${body} was ordered twice`)
  }
  return wrong
}
