// Reads the body of a request from a file, as YAML or JSON.

import { readFile } from "node:fs/promises"
import { text as streamText } from "node:stream/consumers"
import { parse } from "yaml"
import { Trouble } from "../local/trouble.ts"
import type { JsonObject } from "../src/core/json.ts"
import { messageOf } from "../src/core/text/fault-text.ts"
import type { Context } from "./context.ts"
import { EXIT } from "./exit.ts"
import { usage } from "./program.ts"

/** `-` is standard input. */
export async function bodyIn(context: Context, file: string): Promise<JsonObject> {
  const text =
    file === "-"
      ? await streamText(context.world.input)
      : await readFile(context.file(file), "utf8").catch(() => {
          throw usage(`${file} cannot be read`)
        })
  let value: unknown
  try {
    value = parse(text)
  } catch (error) {
    throw new Trouble(`${file}: ${messageOf(error)}`, EXIT.invalid)
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject
  throw new Trouble(`${file}: must hold an object`, EXIT.invalid)
}
