// One of everything that a tenant can have, made over the API; and unused ids of the same form.

import { Sluice } from "../../src/client/sluice.ts"
import type { Json } from "../../src/core/json.ts"
import { SCOPES } from "../../src/api/route/route.ts"
import { untilAsked, untilAtRest } from "./at-rest.ts"

/** By the name of the path parameter, or by the preceding segment and the name (`objects.key`) where two kinds of things share a name. */
export type Ids = Readonly<Record<string, string>>

export interface Company {
  readonly tenant: string
  readonly key: string
  /** The address of its MCP server. */
  readonly mcp: string | undefined
  readonly ids: Ids
}

/** The value for an operation's parameter. A parameter without a value would be compared with nothing: that is an error. */
export function idOf(ids: Ids, path: string, name: string): string {
  const [before = ""] = path.split(`/{${name}}`)
  const kind = before.split("/").findLast((part) => !part.startsWith("{")) ?? ""
  const id = ids[`${kind}.${name}`] ?? ids[name] ?? ""
  if (id === "") throw new Error(`no possession for ${name}`)
  return id
}

const FLOW =
  "name: asks\ndescription: asks a person\nsteps:\n  - { id: look, type: agent, agent: looker }\n  - { id: choose, type: fork, blockedBy: look, question: Which?, options: [left, right], branches: { left: done, right: done } }\n  - { id: done, type: agent, agent: writer, blockedBy: choose }\n"
const coded = (name: string): string => `name: ${name}\ndescription: runs a handler\nsteps:\n  - { id: compute, type: code }\n`
export const AGENT = (name: string): string => `---\nname: ${name}\ndescription: writes\ntools: [write]\n---\nWrite what the task says.\n`
export const flowOf = (name: string, agent = "writer"): string =>
  `name: ${name}\ndescription: writes\nsteps:\n  - { id: go, type: agent, agent: ${agent} }\n`
export const SKILL = (name: string): string => `---\nname: ${name}\ndescription: how to write\n---\n# Writing\n`
export const HANDLER = "export default () => ({})\n"
/** Nothing listens there, and no name needs a lookup: a call out fails at once, with or without a network. */
const NOWHERE = "http://127.0.0.1:1"
export const TOOL = {
  description: "looks",
  parameters: { type: "object", properties: {} },
  request: { method: "GET", url: `${NOWHERE}/` },
}

export const KIND = { schema: { type: "object" } }
export const planOf = (secret: string): object => ({
  schema: { type: "object", properties: { kind: { const: "note" } }, required: ["kind"] },
  dispatcher: { url: "https://hooks.example.com/plans", secret },
})
const looker = (mark: string, mcp: string | undefined): string =>
  `---\nname: looker\ndescription: looks\nmodel: ${mark}/looker\ntools: [write, memory.write${mcp === undefined ? "" : `, "mcp:${mark}:long"`}]\n---\nLook, and write it down.\n`

const loser = (mark: string): string => `---\nname: loser\ndescription: fails\nmodel: ${mark}/loser\ntools: []\n---\nFail.\n`

/** The replies of a company's models: nothing that leaves a run open, except a long tool result and a flow for the architect's session. */
const turnsOf = (mark: string, mcp: string | undefined): Record<string, Json[]> => ({
  "*": [{ finish: { status: "complete", summary: mark } }],
  looker: [
    {
      calls: [
        { tool: "write", args: { path: "a.md", content: mark } },
        { tool: "memory.write", args: { namespace: "notes", content: mark } },
        ...(mcp === undefined ? [] : [{ tool: `mcp:${mark}:long`, args: {} }]),
      ],
    },
    { finish: { status: "complete", summary: mark } },
  ],
  loser: [{ finish: { status: "error", summary: mark } }],
  architect: [
    { calls: [{ tool: "flow_write", args: { path: `flows/${mark}-wish.yaml`, content: flowOf(`${mark}-wish`) } }] },
    { finish: { status: "complete", summary: mark, flow_path: `flows/${mark}-wish.yaml` } },
  ],
})

/**
 * `mark` is in every name, so that the owner shows in any answer. `mcp` is the address of its MCP server; without it, the company
 * has none, and no tool that returns more than a result may hold.
 */
export async function found(
  url: string,
  admin: string,
  tenant: string,
  mark: string,
  receiver = `${NOWHERE}/in`,
  mcp?: string,
): Promise<Company> {
  const instance = new Sluice({ url, key: admin })
  await instance.tenants.create({ id: tenant, name: mark })
  const { key = "" } = await instance.tenants.keys(tenant).create({ name: mark, scopes: [...SCOPES] })
  const own = new Sluice({ url, key })
  const raw: Raw = async (method, place, body) => {
    const answer = await fetch(`${url}${place}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${method} ${place}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as Record<string, unknown>
  }
  const listed = mcp === undefined ? "" : await listedOf(raw, mark, mcp)

  await own.catalog.replace({
    agents: { "writer.md": AGENT("writer"), "looker.md": looker(mark, mcp), [`${mark}.md`]: AGENT(mark), "loser.md": loser(mark) },
    flows: {
      "asks.yaml": FLOW,
      [`${mark}-coded.yaml`]: coded(`${mark}-coded`),
      [`${mark}.yaml`]: flowOf(mark),
      [`${mark}-fails.yaml`]: flowOf(`${mark}-fails`, "loser"),
      [`${mark}.rehearsal.yaml`]: "steps: {}\n",
      [`${mark}.test.yaml`]: `cases:\n  - { name: ${mark}, task: go, expect: { status: succeeded } }\n`,
    },
    skills: { [`${mark}/SKILL.md`]: SKILL(mark) },
    code: { [`${mark}-coded/compute.ts`]: HANDLER },
  })
  await own.secrets.put(mark, `whsec_${btoa(mark.padEnd(24, "0"))}`)
  await own.settings.providers.put(mark, { kind: "scripted", turns: turnsOf(mark, mcp) })
  await own.settings.roles.put({ default: `${mark}/m`, planning: `${mark}/architect` })
  await own.tools.put(mark, TOOL)
  await own.catalog.drafts.put(mark, { mode: "merge", agents: { [`${mark}-d.md`]: AGENT(`${mark}-d`) } })
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
  await own.session.open({ name: mark })
  const [signedIn] = await own.session.all().all()
  const question = (await raw("POST", "/v1/tools/ask_user", { question: mark, type: "input" }))["interaction"] as
    | { id?: string }
    | undefined

  await own.references.putKind(mark, KIND)
  const reference = await own.references.create(mark, { text: mark })
  await raw("PUT", `/v1/plans/${mark}`, planOf(mark))
  const sticky = (await own.tools.call("subagent", { agent: mark, task: mark }))["details"] as { sessionId?: string } | undefined
  const wish = await own.architect.open({ task: mark }, 20)

  const asking = await own.flows.start("asks", { tags: [mark] })
  const { interaction, handle } = await untilAsked(own, asking.id)
  const [effect] = (await own.runs.effects(asking.id).page()).data
  if (!effect) throw new Error("the run that asks has changed nothing outside")
  const written = await own.flows.run(mark, { rehearse: true, tags: [mark] }).result()
  await own.runs.cancel(written.id)
  const bulk = await own.bulk.start({ action: "cancel", runs: [written.id] })
  const scorer = { name: mark, description: mark, judge: { rubric: mark } }
  for (const [place, body] of [
    [mark, JSON.stringify(scorer)],
    [`${mark}/code`, "export default () => 1"],
  ] as const) {
    const answer = await fetch(`${url}/v1/scorers/${place}`, { method: "PUT", headers: { authorization: `Bearer ${key}` }, body })
    if (!answer.ok) throw new Error(`PUT /v1/scorers/${place}: ${answer.status} ${await answer.text()}`)
  }
  for (let tries = 0, added: unknown = 0; added !== 1 && tries < 100; tries++)
    ({ added } = await raw("POST", "/v1/grading", { scorer: mark, runs: [written.id] }))
  await own.datasets.put(mark, { flow: mark })
  await own.datasets.add(mark, { rows: [{ task: mark }] })
  const [row] = (await own.datasets.rows(mark).page()).data
  const wanted = { flow: mark, dataset: mark, variants: [{ name: mark }], scorers: ["succeeded"] }
  const { id: experiment } = await own.experiments.start(wanted)
  await own.experiments.stop(experiment)
  const { id: backtest } = await raw("POST", `/v1/flows/${mark}/backtest`, { against: { runs: [written.id] }, change: {} })
  const { id: response } = await raw("POST", "/v1/responses", { model: mark, input: mark })
  const task = await taskOf(url, key, mark)
  await own.flows.start(`${mark}-fails`, { tags: [mark] })
  await untilAtRest(own)
  let failure = ""
  for (let tries = 0; failure === "" && tries < 300; tries++) {
    failure = (await own.failures.list().page()).data[0]?.key ?? ""
    if (failure === "") await new Promise((wake) => setTimeout(wake, 100))
  }
  let message = ""
  for (let tries = 0; message === "" && tries < 300; tries++) {
    message = (await own.callbacks.deliveries().page()).data[0]?.id ?? ""
    if (message === "") await new Promise((wake) => setTimeout(wake, 100))
  }
  return {
    tenant,
    key,
    mcp,
    ids: {
      tenant,
      run: asking.id,
      interaction,
      other: written.id,
      backtest: String(backtest),
      bulk: bulk.id,
      dataset: mark,
      experiment,
      scorer: mark,
      "grading.run": written.id,
      row: row?.id ?? "",
      "responses.id": String(response),
      ...task,
      flow: mark,
      agent: mark,
      skill: mark,
      package: mark,
      draft: mark,
      scope: mark,
      provider: mark,
      tool: mark,
      hook: hook.id,
      delivery,
      callback: callback.id,
      message,
      schedule: schedule.id,
      question: question?.id ?? "",
      key: extra.id,
      sign_in: signedIn?.id ?? "",
      "objects.key": `${mark}/a.txt`,
      session: wish.id,
      "sessions.session": sticky?.sessionId ?? "",
      server: mark,
      /** The hash of the list that waits for approval. */
      listed,
      kind: mark,
      id: reference.id,
      plan: mark,
      handle,
      "code.flow": `${mark}-coded`,
      // Positions within things, and names that every tenant has.
      step: "look",
      effect: effect.key,
      failure,
      "code.step": "compute",
      path: "a.md",
      file: "SKILL.md",
      schema: "flow.json",
      signal: "go",
    },
  }
}

type Raw = (method: string, place: string, body: unknown) => Promise<Record<string, unknown>>

/** A task of its flow over A2A, which is a thread's newest run too, and where that task is pushed to. */
async function taskOf(url: string, key: string, flow: string): Promise<Ids> {
  const ask = async (place: string, body: unknown): Promise<Record<string, unknown>> => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", "a2a-version": "1.0" }
    const answer = await fetch(`${url}/a2a/${flow}${place}`, { method: "POST", headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`POST ${place}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as Record<string, unknown>
  }
  // The flow's name is not in it: answers are compared with each id in them replaced.
  const thread = `thread-${flow.slice(4)}`
  const message = { messageId: `${flow}-message`, contextId: thread, role: "ROLE_USER", parts: [{ text: flow }] }
  const { task } = (await ask("/message:send", { message })) as { task: { id: string } }
  const config = await ask(`/tasks/${task.id}/pushNotificationConfigs`, { url: `${NOWHERE}/in` })
  return { task: task.id, chat: thread, config: String(config["id"]) }
}

/** Its server's list has changed since registration: the hash of the waiting list. */
async function listedOf(raw: Raw, mark: string, mcp: string): Promise<string> {
  await raw("PUT", `/v1/mcp-servers/${mark}`, { url: mcp, effect: "read", approve: true })
  const { pending } = (await raw("POST", `/v1/mcp-servers/${mark}/refresh`, {})) as { pending?: { hash?: string } }
  if (pending?.hash === undefined) throw new Error("the MCP server's list did not change")
  return pending.hash
}
