// Recognizes effects [K31]: calls that change something outside their run. Derived from the tool and the arguments alone, like the call's reach.

import type { JsonObject } from "../json.ts"
import { outsidePolicy } from "./policy/tool-names.ts"
import { goingOut, isWrite, staysInside } from "./reach.ts"
import type { ToolSpec } from "./tool-spec.ts"

/** Tells whether the call is an effect. A call of an unknown tool (`tool` undefined) is; a call of the tool that ends a session is not. */
export const changesOutside = (name: string, tool: ToolSpec | undefined, args: JsonObject): boolean =>
  tool === undefined ? !outsidePolicy(name) : isWrite(tool, args) && !staysInside(tool)

/** The target of a call, for people: its host, or the family of its tool, such as `memory`. */
export const targetOf = (name: string, tool: ToolSpec | undefined, args: JsonObject): string =>
  (tool && goingOut(tool, args)?.host) || (name.split(/[.:]/)[0] ?? name)
