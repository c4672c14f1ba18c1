// While `sluice dev` runs, an input has the type that the file here declares.

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { inputTypesIn } from "../../cli/flow-inputs.ts"
import { inputsOf } from "../../cli/inputs.ts"

test("[H11] a number for an input of the type string is a text, in a draft too", async () => {
  const project = await mkdtemp(path.join(tmpdir(), "sluice-inputs-"))
  onTestFinished(() => rm(project, { recursive: true }))
  await mkdir(path.join(project, "flows"))
  const flow =
    "name: support\ndescription: d\ninputs: { ticket: { type: string, required: true } }\nsteps:\n  - { id: a, type: agent, agent: b }\n"
  await writeFile(path.join(project, "flows/support.yaml"), flow)
  expect(inputsOf(["ticket=5"], await inputTypesIn(project, "support"))).toEqual({ ticket: "5" })
  expect(inputsOf(["ticket=5"], await inputTypesIn(project, "other"))).toEqual({ ticket: 5 })
})
