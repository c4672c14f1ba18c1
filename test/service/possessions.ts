// One of everything that a tenant can have, made over the API; and ids of the same form that nobody has.

import { Sluice } from "../../src/client/sluice.ts"
import { SCOPES } from "../../src/ports/tenants.ts"

/** By the name of the path parameter. `step`, `file`, `path` are places in other things. */
export type Ids = Readonly<Record<string, string>>

export interface Company {
  readonly tenant: string
  readonly key: string
  readonly ids: Ids
}

const FLOW =
  "name: asks\ndescription: asks a person\nsteps:\n  - { id: choose, type: fork, question: Which?, options: [left, right], branches: { left: done, right: done } }\n  - { id: done, type: agent, agent: writer, blockedBy: choose }\n"
const CODED = "name: coded\ndescription: runs a handler\nsteps:\n  - { id: compute, type: code }\n"
export const AGENT = (name: string): string => `---\nname: ${name}\ndescription: writes\ntools: [write]\n---\nWrite what the task says.\n`
export const flowOf = (name: string): string => `name: ${name}\ndescription: writes\nsteps:\n  - { id: go, type: agent, agent: writer }\n`
export const SKILL = (name: string): string => `---\nname: ${name}\ndescription: how to write\n---\n# Writing\n`
export const HANDLER = "export default () => ({})\n"
export const TOOL = {
  description: "looks",
  parameters: { type: "object", properties: {} },
  request: { method: "GET", url: "https://api.example.com/" },
}

/** `mark` is in every name, so that what belongs to whom can be told in any answer. */
export async function found(
  url: string,
  admin: string,
  tenant: string,
  mark: string,
  receiver = "https://hooks.example.com/in",
): Promise<Company> {
  const instance = new Sluice({ url, key: admin })
  await instance.tenants.create({ id: tenant, name: mark })
  const { key = "" } = await instance.tenants.keys(tenant).create({ name: mark, scopes: [...SCOPES] })
  const own = new Sluice({ url, key })

  await own.catalog.replace({
    agents: { "writer.md": AGENT("writer"), [`${mark}.md`]: AGENT(mark) },
    flows: { "asks.yaml": FLOW, "coded.yaml": CODED, [`${mark}.yaml`]: flowOf(mark), [`${mark}.rehearsal.yaml`]: "steps: {}\n" },
    skills: { [`${mark}/SKILL.md`]: SKILL(mark) },
    code: { "coded/compute.ts": HANDLER },
  })
  await own.secrets.put(mark, `whsec_${btoa(mark.padEnd(24, "0"))}`)
  await own.settings.providers.put(mark, { kind: "scripted", turns: { "*": [] } })
  await own.settings.roles.put({ default: `${mark}/m` })
  await own.tools.put(mark, TOOL)
  const raw = async (method: string, place: string, body: unknown): Promise<Record<string, unknown>> => {
    const answer = await fetch(`${url}${place}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${method} ${place}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as Record<string, unknown>
  }
  await raw("PUT", `/v1/packages/${mark}`, { version: "1.0.0", agents: { [`${mark}-p.md`]: AGENT(`${mark}-p`) } })
  await raw("PUT", `/v1/objects/${mark}/a.txt`, {})
  const hook = await own.hooks.create({ flow: mark, kind: "token", secret: mark, mapping: { task: "${{trigger.body.text}}" } })
  const delivered = await fetch(hook.url, {
    method: "POST",
    headers: { authorization: `Bearer whsec_${btoa(mark.padEnd(24, "0"))}`, "content-type": "application/json" },
    body: JSON.stringify({ text: mark }),
  })
  const { delivery = "" } = (await delivered.json()) as { delivery?: string }
  const callback = await own.callbacks.create({ url: receiver, secret: mark })
  const schedule = await own.schedules.create({ flow: mark, cron: "0 0 1 1 *", task: mark })
  const extra = await own.keys.create({ name: `${mark}-extra`, scopes: ["runs:read"] })
  const question = (await raw("POST", "/v1/tools/ask_user", { question: mark, type: "input" }))["interaction"] as
    | { id?: string }
    | undefined

  const asking = await own.flows.start("asks", { rehearse: true, tags: [mark] })
  const interaction = await untilAsked(own, asking.id)
  const written = await own.flows.run(mark, { rehearse: true, tags: [mark] }).result()
  await own.runs.cancel(written.id)
  let message = ""
  for (let tries = 0; message === "" && tries < 50; tries++) {
    message = (await own.callbacks.deliveries().page()).data[0]?.id ?? ""
    if (message === "") await new Promise((wake) => setTimeout(wake, 100))
  }
  return {
    tenant,
    key,
    ids: {
      run: asking.id,
      interaction,
      flow: mark,
      agent: mark,
      skill: mark,
      package: mark,
      scope: mark,
      provider: mark,
      tool: mark,
      hook: hook.id,
      delivery,
      callback: callback.id,
      message,
      schedule: schedule.id,
      question: question?.id ?? "",
      // Of two kinds of thing: a key's id where keys are, a file's key where files are.
      key: extra.id,
      object: `${mark}/a.txt`,
      session: asking.id,
      server: mark,
      handle: "0".repeat(64),
      signal: "go",
    },
  }
}

async function untilAsked(client: Sluice, run: string): Promise<string> {
  for await (const event of client.runs.events(run)) if (event.type === "interaction.asked") return event.id
  throw new Error("the run ended without asking")
}
