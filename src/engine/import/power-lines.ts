// Finds the lines of an agent file that grant or deny tools [F53]. A line counts in any form: without a space after its colon, with a wide
// colon, indented, in a longer text. An unreadable line has no value, so it grants nothing.

import { defined } from "../../core/defined.ts"
import type { Json } from "../../core/json.ts"
import { AGENT_KEYS } from "../../core/language/parse-agent.ts"
import { nearest } from "../../core/text/nearest.ts"

export type Power = "grant" | "deny" | "permission" | "mode" | "readonly"

export interface PowerLine {
  readonly power: Power
  /** As the file has it. */
  readonly key: string
  /** Absent: it cannot be read. */
  readonly value?: Json
  /** It is no field of a head that was read as YAML. */
  readonly stray: boolean
}

const KEYS: ReadonlyMap<string, Power> = new Map([
  ...["tools", "tool", "approvedtools", "allowedtools", "allowtools", "availabletools", "enabledtools", "toolsallowed"].map(
    (key) => [key, "grant"] as const,
  ),
  ...["deniedtools", "disallowedtools", "denytools", "disallowtools", "excludedtools", "excludetools", "blockedtools", "disabledtools"].map(
    (key) => [key, "deny"] as const,
  ),
  ["permission", "permission"],
  ["permissions", "permission"],
  ["permissionmode", "mode"],
  ["readonly", "readonly"],
  ["isreadonly", "readonly"],
])
const OWN: ReadonlySet<string> = new Set(AGENT_KEYS.map((key) => key.toLowerCase().replaceAll("_", "")))

/** What a key states about tools, in any spelling; undefined: nothing. */
export function powerOf(key: string): Power | undefined {
  const bare = key
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}]/gu, "")
  const known = KEYS.get(bare)
  if (known !== undefined || OWN.has(bare)) return known
  // A slip of the pen does not open what the line closes.
  return KEYS.get(nearest(bare, KEYS.keys()) ?? "")
}

/** A file may have any number of such lines; beyond these, they count as one that cannot be read. */
// Limit: lines about tools in an agent file whose head is not valid YAML → the agent gets no tools, and the report says so.
const MOST_LINES = 40
/** What stands before a key, save the sign of a comment; the key; what stands between; the value. */
const LINE = /^([^\p{L}\p{N}#]*)([A-Za-z][A-Za-z0-9 _-]{0,29})([^\p{L}\p{N}]{0,20}?)[:=\u2236\ua789\u02d0]\s*(.*)$/u
/** As `LINE`, with no sign after the key. Prose that was indented, or that begins a sentence, is none. */
const BARE = /^()([a-z][A-Za-z_-]{2,29})(?:\s+(\S.*))?$/
/** A key alone on its line. */
const ALONE = /^([^\p{L}\p{N}#]*)([a-z][A-Za-z_-]{2,29})[^\p{L}\p{N}.,;)]*$/u
const INVISIBLE = /[\u00ad\u200b-\u200f\u2060\ufeff]/g

interface Found {
  readonly power: Power
  readonly key: string
  readonly rest: readonly string[]
  readonly bare: boolean
}

/**
 * Every such line of a text that is no valid head, and what it says as far as `valueOf` can read it.
 * A line without a colon may be prose, so one that seems to grant counts only where no other does.
 */
export function powerLines(lines: readonly string[], valueOf: (lines: readonly string[]) => Json | undefined): readonly PowerLine[] {
  const found = foundIn(lines)
  const granted = found.some((line) => line.power === "grant" && !line.bare)
  const counted = found.filter((line) => !line.bare || line.power === "deny" || !granted)
  const read = counted.slice(0, MOST_LINES).map(({ power, key, rest, bare }): PowerLine => {
    const value = bare ? undefined : valueOf(rest)
    return { power, key, stray: true, ...defined({ value }) }
  })
  return counted.length > MOST_LINES ? [...read, { power: "grant", key: counted[0]?.key ?? "tools", stray: true }] : read
}

function foundIn(lines: readonly string[]): readonly Found[] {
  const found: { power: Power; key: string; rest: string[]; bare: boolean }[] = []
  let open: { rest: string[]; indent: number } | undefined
  for (const original of lines) {
    const line = original
      .normalize("NFKC")
      .replace(INVISIBLE, "")
      .replace(/[\u00a0\u3000]/g, " ")
    const plain = LINE.exec(line)
    const [, lead = "", key = "", between = "", rest = ""] = plain ?? BARE.exec(line) ?? ALONE.exec(line) ?? []
    const bare = key !== "" && plain === null
    const power = key === "" ? undefined : bare ? KEYS.get(key.toLowerCase().replace(/[_-]/g, "")) : powerOf(key)
    if (power !== undefined) {
      // In the middle of a map in braces, nobody knows where its value ends.
      const isInside = /[{,]/.test(lead) || !/^["'`*\s]*$/.test(between)
      found.push({ power, key: key.trim(), rest: [rest], bare: bare || isInside })
      open = isInside ? undefined : { rest: found.at(-1)?.rest ?? [], indent: lead.length }
      continue
    }
    const inBraces = /[{,]\s*["']?([A-Za-z][\w-]{2,29})["']?\s*:/g
    if (/^\s*\{/.test(line))
      for (const [, name = ""] of line.matchAll(inBraces)) {
        const inside = powerOf(name)
        if (inside !== undefined) found.push({ power: inside, key: name, rest: [], bare: true })
      }
    const indent = /^\s*/.exec(line)?.[0].length ?? 0
    if (open && (/^(?:---|\.\.\.)\s*$/.test(line) || (indent <= open.indent && /^\s*[A-Za-z][\w-]*\s*:/.test(line)))) open = undefined
    else open?.rest.push(line.slice(Math.min(indent, open.indent)))
  }
  return found
}
