// The package's name as package.json has it, in this repository and where it is installed.

import { readFileSync } from "node:fs"
import path from "node:path"
import { z } from "zod"
import { ROOT } from "./root.ts"

export const PACKAGE = z.object({ name: z.string() }).parse(JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8"))).name
