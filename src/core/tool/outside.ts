// Recognizes effects [K31]: calls that change something outside their run. Derived from the tool and the arguments alone, like the call's reach.

import type { JsonObject } from "../json.ts"
import { outsidePolicy } from "./policy/tool-names.ts"
import { goingOut, isWrite, staysInside } from "./reach.ts"
import type { ToolSpec } from "./tool-spec.ts"

/**
 * Tells whether the call is an effect. `tool` undefined: the tool is unknown, so its call counts as an effect. The tool that ends a session
 * is not an effect.
 */
export const changesOutside = (name: string, tool: ToolSpec | undefined, args: JsonObject): boolean =>
  tool === undefined ? !outsidePolicy(name) : isWrite(tool, args) && !staysInside(tool)

/** The target of a call, for people: its host, or the family of its tool, such as `memory`. */
export const targetOf = (name: string, tool: ToolSpec | undefined, args: JsonObject): string =>
  (tool && goingOut(tool, args)?.host) || (name.split(/[.:]/)[0] ?? name)
