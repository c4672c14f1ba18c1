// The list of who may set which members of a start: every place where a start comes from is held to it.

import { expect, test } from "vitest"
import { readMapping } from "../../../src/core/webhook/mapping.ts"
import { HookBody } from "../../../src/core/webhook/hook-body.ts"
import { ScheduleBody } from "../../../src/core/project/schedule-body.ts"
import { StartBody } from "../../../src/api/run/runs.ts"
import { closedMember, openMembers, START_MEMBERS, whoSets } from "../../../src/core/run/start-members.ts"
import { startBody } from "../../../src/mcp/flow-tool.ts"

const MEMBERS = Object.keys(START_MEMBERS).sort()
const common = (shape: object): string[] =>
  Object.keys(shape)
    .filter((name) => MEMBERS.includes(name))
    .sort()

test("[P9] it names every member of a start, and no other", () => {
  expect(Object.keys(StartBody.shape).sort()).toEqual(MEMBERS)
  expect(openMembers("key").sort()).toEqual(MEMBERS)
})

test("[P9] a chat token sets inputs and a budget, and what no caller is named for is closed", () => {
  expect(openMembers("chat")).toEqual(["inputs", "budget"])
  for (const name of MEMBERS.filter((one) => !["inputs", "budget"].includes(one))) expect(closedMember("chat", { [name]: 1 })).toBe(name)
  for (const name of ["start", "__proto__", "constructor", "Files", ""])
    expect(
      closedMember(
        "chat",
        Object.fromEntries([
          ["inputs", {}],
          [name, 1],
        ]),
      ),
    ).toBe(name)
  expect(whoSets("files")).toContain("runs:write")
})

test("[W1] [W5] [H12] hooks, deliveries, schedules and MCP set what it says", () => {
  expect(common(HookBody.shape)).toEqual(openMembers("hook").sort())
  expect(common(ScheduleBody.shape)).toEqual(openMembers("schedule").sort())
  for (const name of MEMBERS) {
    const read = readMapping({ [name]: name === "inputs" || name === "files" ? {} : "x" }, "")
    expect([name, read.ok]).toEqual([name, openMembers("delivery").includes(name)])
  }
  const named = Object.fromEntries(MEMBERS.map((name) => [name, name]))
  expect(
    Object.keys(startBody(named, { "dev.sluice/thread": "t", "dev.sluice/start": { priority: "low" } })).filter(
      (name) => !openMembers("mcp").includes(name),
    ),
  ).toEqual([])
})
