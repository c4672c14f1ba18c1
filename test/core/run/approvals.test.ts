// Approvals and taint in the kernel [Q3–Q5], [G1], [G11]: calls that a person must approve, what happens without an answer, and what a
// session may still do once it has read text from outside.

import { describe, expect, test } from "vitest"
import { DEFAULT_POLICY, type Policy, type Rules } from "../../../src/core/tool/policy/policy.ts"
import { compile } from "../../../src/core/run/plan.ts"
import type { Agent } from "../../../src/core/flow/agent.ts"
import type { ToolSpec } from "../../../src/core/tool/tool-spec.ts"
import { agent, agentOf, flowOf, TOOLS } from "../../support/kernel/builders.ts"
import { call, finish, Shell, type StartOptions } from "../../support/kernel/shell.ts"

const anything = {
  type: "object",
  properties: { n: { type: "integer" }, url: { type: "string" }, method: { type: "string" } },
  additionalProperties: false,
}
const made = (name: string, more: Partial<ToolSpec>): ToolSpec => ({
  name,
  description: name,
  parameters: anything,
  effect: "read",
  contexts: ["agent"],
  ...more,
})
const OWN: readonly ToolSpec[] = [
  made("send", { effect: "write", reach: { method: { fixed: "POST" } } }),
  made("page", { untrusted: true }),
  made("fetch", { reach: { to: { arg: "url" }, method: { arg: "method", fallback: "GET" } } }),
  made("memory", { private: true }),
  made("vaulted", { requiredSecretScopes: ["shop"] }),
]
const NAMES = [...OWN.map((t) => t.name), "post", "look", "save"]

const rulesOf = (policy: Partial<Policy>, scopes: readonly string[] = [], version = 0): Rules => ({
  policy: { ...DEFAULT_POLICY, ...policy },
  scopes,
  version,
})

function shellOf(more: Partial<Agent> = {}, options: StartOptions = {}, steps = [agent("a")]): Shell {
  const worker = agentOf("worker", { tools: { kind: "list", names: NAMES }, ...more })
  return new Shell(compile({ flow: flowOf(steps), agents: { worker }, skills: {}, tools: [...TOOLS, ...OWN] }), options)
}

const always = { approvals: { ...DEFAULT_POLICY.approvals, tools: "always" as const } }
const codes = (shell: Shell) => shell.events("tool.refused").map((e) => e.code)
const ran = (shell: Shell) => shell.events("tool.called").map((e) => [e.tool, e.args])
const read = (shell: Shell, name: string): void => {
  shell.reply("a", call(name, {}))
  shell.returns("a", "c0")
}

describe("an approval", () => {
  test("[Q3] nothing runs while an approval is pending; approve runs exactly what was shown, once", () => {
    const shell = shellOf({}, { rules: rulesOf(always) })
    shell.reply("a", call("post", { n: 7 }))
    const [asked] = shell.pending()
    expect(asked).toMatchObject({
      kind: "approval.tool",
      callId: "c0",
      payload: { tool: "post", args: { n: 7 }, reason: "policy", effect: "write" },
    })
    expect(asked?.payload["hash"]).toBeTypeOf("string")
    expect([shell.run.status, ran(shell), shell.keys()]).toEqual(["waiting", [], []])
    expect(shell.answer("i1", { decision: "approve" }).ok).toBe(true)
    expect(ran(shell)).toEqual([["post", { n: 7 }]])
    shell.returns("a", "c0")
    expect(shell.answer("i1", { decision: "approve" })).toMatchObject({ ok: false, error: { code: "already_answered" } })
    expect(ran(shell)).toHaveLength(1)
  })

  test("[Q3] an approved call still runs after a crash, and no other call does", () => {
    const shell = shellOf({}, { rules: rulesOf(always) })
    shell.reply("a", call("look", { n: 1 }), call("look", { n: 2 }))
    shell.crash()
    expect(ran(shell)).toEqual([])
    shell.answer("i2", { decision: "approve" })
    shell.crash()
    expect(ran(shell)).toEqual([["look", { n: 2 }]])
    expect(shell.keys()).toEqual(["a/1/0/tool/c1"])
  })

  test("[Q3] a hash of another call is refused and leaves the question open", () => {
    const shell = shellOf({}, { rules: rulesOf(always) })
    shell.reply("a", call("post"))
    expect(shell.answer("i1", { decision: "approve", hash: "other" })).toMatchObject({ ok: false, error: { code: "other_hash" } })
    expect(shell.pending()).toHaveLength(1)
    const hash = shell.pending()[0]?.payload["hash"]
    expect(shell.answer("i1", { decision: "approve", hash: String(hash) }).ok).toBe(true)
  })

  test("[Q3] reject: the call is refused with the feedback and the session continues", () => {
    const shell = shellOf({}, { rules: rulesOf(always) })
    shell.reply("a", call("post"))
    shell.answer("i1", { decision: "reject", feedback: "wrong person" })
    expect(codes(shell)).toEqual(["approval_rejected"])
    expect(shell.events("tool.refused")[0]?.reason).toContain("wrong person")
    shell.reply("a", finish())
    expect([shell.run.status, ran(shell)]).toEqual(["succeeded", []])
  })

  test("[Q3] edited arguments are validated, checked against access, and replace those shown", () => {
    const shell = shellOf({ access: { write: ["out/**"] } }, { rules: rulesOf(always) })
    shell.reply("a", call("save", { path: "out/a" }))
    for (const args of [{ path: 5 }, { other: "x" }, { path: "secret" }, { path: "out/../secret" }])
      expect(shell.answer("i1", { decision: "edit", args })).toMatchObject({ ok: false, error: { code: "invalid" } })
    expect(shell.answer("i1", { decision: "edit" })).toMatchObject({ ok: false, error: { code: "invalid" } })
    expect(shell.pending()).toHaveLength(1)
    expect(shell.answer("i1", { decision: "edit", args: { path: "out/b" } }).ok).toBe(true)
    expect(ran(shell)).toEqual([["save", { path: "out/b" }]])
  })

  test("[Q3] a tool denied while its approval was pending does not run, approved or not", () => {
    const shell = shellOf({}, { rules: rulesOf(always) })
    shell.reply("a", call("post"))
    shell.rules = rulesOf({ ...always, denylist: [{ tool: "post", reason: "not today" }] }, [], 1)
    expect(shell.answer("i1", { decision: "approve" }).ok).toBe(true)
    expect([codes(shell), ran(shell)]).toEqual([["denylist"], []])
  })

  test("[Q5] without an answer an approval expires into a refusal, in an autonomous run too", () => {
    const shell = shellOf({}, { rules: rulesOf({ ...always, approvals: { ...always.approvals, expires: 900 } }), autonomous: true })
    shell.reply("a", call("post"))
    const at = shell.pending()[0]?.expires ?? 0
    expect(at).toBeGreaterThan(shell.now)
    expect(shell.nextDue()).toBe(at)
    shell.pass(at - 1)
    expect(shell.pending()).toHaveLength(1)
    shell.pass(at)
    expect([shell.events("interaction.expired").length, codes(shell), ran(shell)]).toEqual([1, ["approval_rejected"], []])
  })

  test("[Q3] two calls of one turn are asked about at once, and each answer runs its own call", () => {
    const shell = shellOf({}, { rules: rulesOf(always) })
    shell.reply("a", call("post", { n: 1 }), call("post", { n: 2 }))
    expect(shell.pending().map((i) => i.id)).toEqual(["i1", "i2"])
    shell.answer("i2", { decision: "approve" })
    expect(ran(shell)).toEqual([["post", { n: 2 }]])
    shell.returns("a", "c1")
    shell.answer("i1", { decision: "reject" })
    expect([codes(shell), ran(shell)]).toEqual([["approval_rejected"], [["post", { n: 2 }]]])
  })

  test("[Q5] a logging hook marks the call and asks no one", () => {
    const shell = shellOf({}, { rules: rulesOf({ hooks: { confirm: [], log: ["po*"], silent: [] } }) })
    shell.reply("a", call("post"))
    expect(shell.events("tool.called")[0]?.hook).toBe("log")
  })
})

describe("rules that change under a run", () => {
  test("[G1] a withdrawn tool is refused at once, a new tool is granted only for the next step", () => {
    const shell = shellOf({}, { rules: rulesOf({ tools: { ...DEFAULT_POLICY.tools, deny: ["look"] } }) }, [
      agent("a"),
      agent("b", { blockedBy: ["a"] }),
    ])
    shell.rules = rulesOf({ tools: { ...DEFAULT_POLICY.tools, deny: ["post"] } }, [], 1)
    shell.reply("a", call("post"), call("look"))
    expect(codes(shell)).toEqual(["policy", "undeclared"])
    expect(shell.events("rules.changed")).toHaveLength(1)
    shell.reply("a", finish())
    expect(shell.events("step.opened").at(-1)?.tools).toContain("look")
    expect(shell.events("step.opened").at(-1)?.tools).not.toContain("post")
  })

  test("[G1] older rules that arrive late are ignored", () => {
    const shell = shellOf({}, { rules: rulesOf({ tools: { ...DEFAULT_POLICY.tools, deny: ["post"] } }, [], 5) })
    shell.rules = rulesOf({}, [], 4)
    shell.reply("a", call("post"))
    expect([codes(shell), shell.events("rules.changed")]).toEqual([["policy"], []])
  })

  test("[T32] a tool whose scope is not in the vault is refused and nothing is sent; with the scope, it runs", () => {
    const shell = shellOf()
    shell.reply("a", call("vaulted", {}))
    expect([codes(shell), ran(shell)]).toEqual([["scope"], []])
    shell.rules = rulesOf({}, ["shop"], 1)
    shell.reply("a", call("vaulted", {}))
    expect(ran(shell)).toEqual([["vaulted", {}]])
  })
})

describe("taint", () => {
  test("[G11] before untrusted text an outgoing write runs; after it a person is asked, and reject says why", () => {
    const shell = shellOf()
    shell.reply("a", call("send", { n: 1 }))
    shell.returns("a", "c0")
    read(shell, "page")
    expect(shell.events("tool.returned").at(-1)?.tainted).toBe(true)
    shell.reply("a", call("send", { n: 2 }))
    expect(shell.pending()[0]?.payload).toMatchObject({ reason: "tainted", args: { n: 2 } })
    shell.answer("i1", { decision: "reject" })
    expect([codes(shell), ran(shell).filter(([t]) => t === "send")]).toEqual([["tainted"], [["send", { n: 1 }]]])
  })

  test("[G11] writes inside the run need no approval; `after_untrusted: allow` covers calls that leave it", () => {
    const inside = shellOf()
    read(inside, "page")
    inside.reply("a", call("save", { path: "x" }))
    expect(inside.pending()).toEqual([])
    const trusting = shellOf({ effects: { after_untrusted: "allow" } })
    read(trusting, "page")
    trusting.reply("a", call("send"))
    expect(ran(trusting).at(-1)?.[0]).toBe("send")
  })

  test("[G11] a GET asks only when something private was read too, and not for a host that the policy names", () => {
    const shell = shellOf({}, { rules: rulesOf({ network: { allow: ["*.good.example"] } }) })
    read(shell, "page")
    shell.reply("a", call("fetch", { url: "https://evil.example/?q=1" }))
    expect(shell.pending()).toEqual([])
    shell.returns("a", "c0")
    read(shell, "memory")
    shell.reply("a", call("fetch", { url: "https://api.good.example/x" }, "c1"))
    expect(shell.pending()).toEqual([])
    shell.returns("a", "c1")
    for (const url of ["https://evil.example/", "https://api.good.example@evil.example/", "https://good.example\\.evil/"]) {
      shell.reply("a", call("fetch", { url }))
      expect(shell.pending(), url).toHaveLength(1)
      shell.answer(shell.pending()[0]?.id ?? "", { decision: "reject" })
    }
  })

  test("[G11] a method other than GET and HEAD is an outgoing write, whatever the tool declares", () => {
    const shell = shellOf()
    read(shell, "page")
    shell.reply("a", call("fetch", { url: "https://x.example/", method: "post" }))
    expect(shell.pending()[0]?.payload["reason"]).toBe("tainted")
  })

  test("[G11] taint passes with a step's result, and only to steps that use it", () => {
    const steps = [
      agent("a"),
      agent("b", { blockedBy: ["a"], task: "about ${{result.a}}" }),
      agent("c", { blockedBy: ["b"], task: "fresh" }),
    ]
    const shell = shellOf({}, {}, steps)
    read(shell, "page")
    shell.reply("a", finish())
    expect(shell.events("step.opened").map((e) => [e.step, e.tainted ?? false])).toEqual([
      ["a", false],
      ["b", true],
    ])
    shell.reply("b", call("send"))
    expect(shell.pending()[0]?.payload["reason"]).toBe("tainted")
    shell.answer("i1", { decision: "reject" })
    shell.reply("b", finish())
    expect(shell.state("c").session?.tainted).toBe(false)
  })

  test("[G11] a run whose payload came from outside is tainted from its first step", () => {
    const shell = shellOf({}, { tainted: true })
    shell.reply("a", call("send"))
    expect(shell.pending()[0]?.payload["reason"]).toBe("tainted")
  })
})
