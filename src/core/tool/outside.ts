// Effects [K31]: calls that change something outside their run. Read from the tool and the arguments alone, like its reach.

import type { JsonObject } from "../json.ts"
import { outsidePolicy } from "./policy/tool-names.ts"
import { goingOut, isWrite, staysInside } from "./reach.ts"
import type { ToolSpec } from "./tool-spec.ts"

/** `tool` undefined: no tool of this name is known, and whatever it does counts. The tool that ends a session does nothing. */
export const changesOutside = (name: string, tool: ToolSpec | undefined, args: JsonObject): boolean =>
  tool === undefined ? !outsidePolicy(name) : isWrite(tool, args) && !staysInside(tool)

/** Where a call goes, for people: its host, else the family of its tool, such as `memory`. */
export const targetOf = (name: string, tool: ToolSpec | undefined, args: JsonObject): string =>
  (tool && goingOut(tool, args)?.host) || (name.split(/[.:]/)[0] ?? name)
