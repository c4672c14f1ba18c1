// How the guard treats shells and processes, depending on where their commands run [T20].

import { describe, expect, test } from "vitest"
import { goingOut, isWrite } from "../../../src/core/tool/reach.ts"
import type { Agent } from "../../../src/core/flow/agent.ts"
import type { SkillPermissions } from "../../../src/core/tool/policy/skill-permissions.ts"
import { compile } from "../../../src/core/run/plan.ts"
import { shellOf, sandboxesOf } from "../../../src/cloudflare/sandbox/containers.ts"
import { missingTools, shippedTools } from "../../../src/cloudflare/capabilities/missing-tools.ts"
import type { SandboxNamespace } from "../../../src/cloudflare/platform/sandbox-stub.ts"
import { specsFor, type Shell as Place } from "../../../src/tools/toolbox.ts"
import { agent, agentOf, flowOf } from "../../support/kernel/builders.ts"
import { call, Shell } from "../../support/kernel/shell.ts"

const PROCESSES = ["process.start", "process.status", "process.output", "process.kill", "process.list"]
const session = (place: Place, more: Partial<Agent>, permissions?: SkillPermissions): Shell => {
  const worker = agentOf("worker", { tools: { kind: "list", names: ["bash", "process.start"] }, ...more })
  const skills = permissions ? { s: { name: "s", description: "", text: "", permissions } } : {}
  return new Shell(compile({ flow: flowOf([agent("a")]), agents: { worker }, skills, tools: [...specsFor(place).values()] }))
}
const spec = (shell: Place, name: string) => {
  const found = specsFor(shell).get(name)
  if (found === undefined) throw new Error(`no ${name}`)
  return found
}
const said: string[] = []
const NAMESPACE: SandboxNamespace = {
  idFromName: () => {
    throw new Error("no person is asked")
  },
  get: () => {
    throw new Error("no person is asked")
  },
  jurisdiction: (where) => {
    said.push(where)
    return NAMESPACE
  },
}

describe("tools by shell", () => {
  test("[G11] a shell with a network leaves the run and writes, and its answer is from outside; other shells do not leave", () => {
    for (const name of ["bash", "shell.exec", "process.start"]) {
      expect(goingOut(spec("open", name), { command: "true" })).toEqual({ writes: true, port: 443 })
      expect(spec("open", name)).toMatchObject({ untrusted: true, private: true })
      expect(goingOut(spec("sealed", name), { command: "true" })).toBe(undefined)
      expect(spec("sealed", name).untrusted).toBe(undefined)
    }
    expect(goingOut(spec("worker", "bash"), { command: "true" })).toBe(undefined)
    expect(spec("open", "process.output").untrusted).toBe(true)
  })

  test("[D22] tools that start and end processes write; tools that look at processes do not", () => {
    expect(PROCESSES.map((name) => isWrite(spec("open", name), {}))).toEqual([true, false, false, true, false])
    for (const name of PROCESSES) expect(spec("open", name)).toMatchObject({ groups: ["runtime"], contexts: ["agent", "architect"] })
  })

  test("[T30] bound or not, bash and shell.exec are one tool, and no other tool changes", () => {
    for (const shell of ["open", "sealed"] as const) {
      expect([spec(shell, "bash").same, spec(shell, "shell.exec").same]).toEqual(["bash", "bash"])
      expect([...specsFor(shell).keys()].filter((name) => !specsFor("worker").has(name))).toEqual(PROCESSES)
      for (const [name, tool] of specsFor(shell)) if (tool.groups?.includes("runtime") !== true) expect(tool).toBe(spec("worker", name))
    }
  })

  test.each([
    ["open", "api.x", "access"],
    ["open", "*", undefined],
    ["sealed", "api.x", undefined],
    ["worker", "api.x", undefined],
  ] as const)("[T31] a manifest that names hosts does not allow a machine that reaches all hosts: %s, %s", (shell, host, code) => {
    const permissions = {
      tools: ["*"],
      fs: { read: ["**"], write: ["**"] },
      net: [{ host }],
      secrets: [],
      execution_environment: "sandbox" as const,
    }
    const run = session(shell, { skills: ["s"] }, permissions)
    run.reply("a", call("bash", { command: "true" }))
    expect(run.events("tool.refused").map((e) => e.code)).toEqual(code === undefined ? [] : [code])
  })

  test("[G7] a command that an agent must not run cannot be started as a process", () => {
    const run = session("open", { denied_commands: ["rm *", "curl"] })
    run.reply(
      "a",
      call("process.start", { command: "echo a; rm -rf b" }),
      call("process.start", { command: "rm", args: ["it's"] }),
      call("process.start", { command: "bash", args: ["-c", "curl x"] }),
      call("process.start", { command: "echo", args: ["rm x"] }),
    )
    expect(run.events("tool.refused").map((e) => [e.callId, e.code])).toEqual([
      ["c0", "access"],
      ["c1", "access"],
      ["c2", "access"],
    ])
  })
})

describe("bindings", () => {
  test("[T20] process.* exist exactly when a sandbox is bound", () => {
    for (const name of PROCESSES) {
      expect(missingTools({}).get(name)).toMatch(/needs a Sandbox binding/)
      expect(missingTools({ SANDBOX: NAMESPACE }).has(name)).toBe(false)
      expect(shippedTools({}).some((tool) => tool.name === name)).toBe(false)
      expect(shippedTools({ SANDBOX: NAMESPACE }).some((tool) => tool.name === name)).toBe(true)
    }
    expect([shellOf({}), shellOf({ SANDBOX: NAMESPACE }), shellOf({ SANDBOX: NAMESPACE, SANDBOX_INTERNET: "off" })]).toEqual([
      "worker",
      "open",
      "sealed",
    ])
  })

  test("[N1] machines for a tenant in a jurisdiction run there or not at all", () => {
    expect(sandboxesOf({ SANDBOX: NAMESPACE }, "acme_eu")).toBe(undefined)
    expect(shellOf({ SANDBOX: NAMESPACE }, "acme_eu")).toBe("worker")
    expect(sandboxesOf({ SANDBOX_EU: NAMESPACE }, "acme_eu")).toBe(NAMESPACE)
    expect(sandboxesOf({ SANDBOX_EU: NAMESPACE }, "acme_us")).toBe(undefined)
    expect(sandboxesOf({ SANDBOX_EU: NAMESPACE }, "acme")).toBe(undefined)
    expect(sandboxesOf({ SANDBOX: NAMESPACE, JURISDICTION: "us" }, "acme")).toBe(NAMESPACE)
    expect(said).toEqual(["eu", "us"])
  })
})
