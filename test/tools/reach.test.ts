// Where calls go [G11, K31]: a tool that changes something outside its run says so, and one that says nothing leaves the run all the same.

import { describe, expect, test } from "vitest"
import { changesOutside } from "../../src/core/tool/outside.ts"
import { goingOut, sendsOut } from "../../src/core/tool/reach.ts"
import type { ToolSpec } from "../../src/core/tool/tool-spec.ts"
import { defineTool } from "../../src/engine/dialects/define-tool.ts"
import { text } from "../../src/ports/tool.ts"
import { specsFor, type Shell } from "../../src/tools/toolbox.ts"

/** They change the run's files, its machine, its plans, or start a run whose own calls are judged. */
const INSIDE = ["write", "edit", "file.write", "file.edit", "storePlan", "call_agent"]
const COMMANDS = ["bash", "shell.exec", "process.start"]
/** A machine with a network is reached by what starts in it. */
const SIGNALS = ["process.kill"]
/** Only for callers outside a run, where no session reads anything. */
const MAIN = ["subagent"]

describe("every tool", () => {
  test.each<Shell>(["worker", "sealed", "open"])("[G11] [K31] that writes outside its run says where: shell %s", (shell) => {
    const inside = new Set([...INSIDE, ...SIGNALS, ...(shell === "open" ? [] : COMMANDS)])
    for (const tool of specsFor(shell).values()) {
      if (tool.effect !== "write" || MAIN.includes(tool.name)) continue
      const isInside = inside.has(tool.name)
      expect([tool.name, tool.reach === undefined, goingOut(tool, {})?.writes, changesOutside(tool.name, tool, {})]).toEqual(
        isInside ? [tool.name, true, undefined, false] : [tool.name, false, true, true],
      )
    }
  })

  test.each(["memory.write", "r2.ingest", "r2.sync", "minio.ingest", "minio.sync", "sessions.delete"])(
    "[G11] %s changes what other runs see, and sends nothing out of the tenant's hands",
    (name) => {
      const tool = specsFor("worker").get(name)
      if (tool === undefined) throw new Error(`no tool ${name}`)
      for (const args of [{}, { mode: "append" }, { mode: "replace" }]) expect(goingOut(tool, args)).toEqual({ writes: true, port: 443 })
      expect(sendsOut(tool)).toBe(false)
    },
  )
})

describe("a tool that says nothing", () => {
  const made = (more: Partial<ToolSpec>) => defineTool({ name: "own", execute: async () => text("done"), ...more })

  test("[G11] leaves the run when it writes, and when it does not say what it does", () => {
    for (const tool of [made({}), made({ effect: "write" }), made({ effect: "write", groups: ["memory"] })])
      expect([goingOut(tool, {})?.writes, sendsOut(tool)]).toEqual([true, true])
  })
  test("[G11] stays inside when it reads, or works on files and commands of the run", () => {
    for (const tool of [made({ effect: "read" }), made({ effect: "none" }), made({ groups: ["fs"] }), made({ groups: ["runtime"] })])
      expect([goingOut(tool, {}), sendsOut(tool)]).toEqual([undefined, false])
  })
})
