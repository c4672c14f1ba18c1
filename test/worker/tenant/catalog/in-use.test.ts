// What others name is not removed by accident [F76]: 409 with the list, or `?force=1`.

import { describe, expect, test } from "vitest"
import { tenant, type Tenant } from "../../../support/worker/service-client.ts"

const agent = (name: string, more = ""): string =>
  `---\nname: ${name}\ndescription: ${name}\nmodel: "@fast"\ntools: read\n${more}---\nDo it.\n\n\${{task}}\n`
const flow = (name: string, steps: string): string => `name: ${name}\ndescription: the flow ${name}\nsteps:\n${steps}`

const ready = async (id: string): Promise<Tenant> => {
  const t = await tenant(id)
  await t.ask("PUT", "/v1/catalog", {
    agents: {
      "keeper.md": agent("keeper", "skills: [style]\n"),
      "lead.md": agent("lead", "role: coordinator\nroutes: [keeper]\n"),
      "free.md": agent("free"),
      "triage-reporter.md": agent("triage-reporter"),
    },
    flows: {
      "house.yaml": flow(
        "house",
        "  - { id: sweep, type: agent, agent: keeper }\n  - { id: end, type: agent, agent: triage-reporter, blockedBy: sweep }\n",
      ),
      "street.yaml": flow("street", "  - { id: one, type: flow-ref, flow: house }\n"),
      "self.yaml": flow(
        "self",
        "  - { id: a, type: agent-decision, agent: free, branches: { again: b, stop: c } }\n  - { id: b, type: flow-ref, flow: self, on_complete: c }\n  - { id: c, type: agent, agent: free }\n",
      ),
    },
    skills: { "style/SKILL.md": "---\nname: style\ndescription: how to write\n---\nWrite well.\n", "style/more.md": "more" },
  })
  return t
}

const remove = async (t: Tenant, path: string) => {
  const answer = await t.raw("DELETE", path)
  const body = answer.status === 204 ? {} : ((await answer.json()) as { code?: string; detail?: string; used_by?: unknown })
  return { status: answer.status, code: body.code, used_by: body.used_by, detail: body.detail }
}

describe("removing what others name", () => {
  test("[F76] of many steps 50 are listed", async () => {
    const t = await tenant("in-use-many")
    const steps = Array.from({ length: 60 }, (_, n) => `  - { id: s${n}, type: agent, agent: busy }\n`).join("")
    await t.ask("PUT", "/v1/catalog", { agents: { "busy.md": agent("busy") }, flows: { "many.yaml": flow("many", steps) } })
    expect((await remove(t, "/v1/agents/busy")).used_by).toHaveLength(50)
  })

  test("[F76] an agent: flows and the routes of other agents are listed, and force removes it", async () => {
    const t = await ready("in-use-1")
    expect(await remove(t, "/v1/agents/keeper")).toEqual({
      status: 409,
      code: "in_use",
      used_by: [
        { kind: "flow", id: "house", step: "sweep" },
        { kind: "agent", id: "lead" },
      ],
      detail: 'flow "house" (step "sweep"), agent "lead" would be left without it. Change them first, or remove it with ?force=1.',
    })
    expect((await t.raw("GET", "/v1/agents/keeper")).status).toBe(200)
    expect((await remove(t, "/v1/agents/keeper?force=1")).status).toBe(204)
    expect((await remove(t, "/v1/agents/keeper")).status).toBe(404)
  })

  test("[F76] a skill, by its SKILL.md; its other files are free", async () => {
    const t = await ready("in-use-2")
    expect(await remove(t, "/v1/skills/style/SKILL.md")).toMatchObject({ status: 409, used_by: [{ kind: "agent", id: "keeper" }] })
    expect((await remove(t, "/v1/skills/style/more.md")).status).toBe(204)
    expect((await remove(t, "/v1/skills/style/SKILL.md?force=1")).status).toBe(204)
  })

  test("[F76] a flow: flows that run it, hooks and schedules; itself does not count", async () => {
    const t = await ready("in-use-3")
    await t.ask("PUT", "/v1/secrets/hs", { value: "12345678" })
    const hook = await t.ask<{ id: string }>("POST", "/v1/hooks", { flow: "house", kind: "token", secret: "hs" })
    const schedule = await t.ask<{ id: string }>("POST", "/v1/schedules", { flow: "house", cron: "0 0 1 1 *", task: "go" })
    expect((await remove(t, "/v1/flows/house")).used_by).toEqual([
      { kind: "flow", id: "street", step: "one" },
      { kind: "hook", id: hook.id },
      { kind: "schedule", id: schedule.id },
    ])
    expect((await remove(t, "/v1/flows/self")).status).toBe(204)
    expect((await remove(t, "/v1/flows/house?force=1")).status).toBe(204)
  })

  test("[F76] a provider: roles, agents and steps", async () => {
    const t = await tenant("in-use-4")
    const turns = { "*": [{ finish: { status: "complete", summary: "done" } }] }
    await t.ask("PUT", "/v1/settings/providers/script", { kind: "scripted", turns })
    await t.ask("PUT", "/v1/settings/providers/other", { kind: "scripted", turns })
    await t.ask("PUT", "/v1/settings/roles", { default: "script/x", fast: "other/x" })
    await t.ask("PUT", "/v1/catalog", {
      agents: { "a.md": agent("a").replace('"@fast"', "script/a"), "b.md": agent("b") },
      flows: { "f.yaml": flow("f", "  - { id: s, type: agent, agent: b, model: script/y }\n") },
    })
    expect((await remove(t, "/v1/settings/providers/script")).used_by).toEqual([
      { kind: "role", id: "default" },
      { kind: "flow", id: "f", step: "s" },
      { kind: "agent", id: "a" },
    ])
    expect((await remove(t, "/v1/settings/providers/other")).used_by).toEqual([{ kind: "role", id: "fast" }])
    expect((await remove(t, "/v1/settings/providers/none")).status).toBe(404)
    await t.ask("PUT", "/v1/settings/roles", { default: "script/x" })
    expect((await remove(t, "/v1/settings/providers/other")).status).toBe(204)
    expect((await remove(t, "/v1/settings/providers/script?force=1")).status).toBe(204)
  })

  test("[F76] what hides a built-in is free, because the built-in is used again", async () => {
    const t = await ready("in-use-5")
    expect((await remove(t, "/v1/agents/triage-reporter")).status).toBe(204)
    expect((await t.ask<{ tier: string }>("GET", "/v1/agents/triage-reporter", undefined, { accept: "application/json" })).tier).toBe(
      "built-in",
    )
  })
})

describe("a name that does not exist", () => {
  test("[F3] a start and a read of a flow name the nearest, for a key that may read the catalog", async () => {
    const t = await ready("in-use-6")
    for (const [method, path] of [
      ["POST", "/v1/flows/huose/runs"],
      ["GET", "/v1/flows/huose"],
      ["GET", "/v1/flows/huose/graph"],
      ["GET", "/v1/flows/huose/check"],
      ["GET", "/v1/agents/keepr"],
    ] as const) {
      const answer = await t.raw(method, path, method === "POST" ? { task: "go" } : undefined)
      const body = (await answer.json()) as { code: string; errors?: { suggestion: string }[] }
      const right = path.includes("keepr") ? "keeper" : "house"
      expect([path, answer.status, body.code, body.errors?.[0]?.suggestion]).toEqual([path, 404, "not_found", `did you mean "${right}"?`])
    }
    const far = (await (await t.raw("GET", "/v1/flows/zzzzzzzz")).json()) as { errors?: unknown; detail: string }
    expect([far.errors, far.detail]).toEqual([undefined, "There is nothing at this address that this key can see."])
  })
})
