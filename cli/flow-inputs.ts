// Reads the types of a flow's inputs from the project's file.

import { readFile } from "node:fs/promises"
import path from "node:path"
import { parseFlow } from "../src/core/language/parse-flow.ts"
import type { InputTypes } from "./inputs.ts"

/** undefined: there is no such flow, or it cannot be read. */
export async function inputTypesIn(project: string, flow: string): Promise<InputTypes | undefined> {
  const text = await readFile(path.join(project, "flows", `${flow.replaceAll(":", "/")}.yaml`), "utf8").catch(() => undefined)
  return text === undefined ? undefined : parseFlow(text, flow).flow?.inputs
}
