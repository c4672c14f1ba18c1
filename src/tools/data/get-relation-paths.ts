// get_relation_paths_between: paths from one entity to another over relations, shortest first [C42, T43]. Relations are
// walked in both directions; no path visits an entity twice.

import type { JsonObject } from "../../core/json.ts"
import { text, type Tool, type ToolPowers } from "../../ports/tool.ts"
import { CATALOG_TOOL, asked, ENTITY } from "./catalog-data.ts"
import { integer, string } from "../files/workspace-file.ts"

const MOST_HOPS = 5 // limit: relations of a path → the call is refused: `invalid_args`
const MOST_PATHS = 10 // limit: paths of an answer → further ones are left out
/** Bounds the walk in a densely connected catalog. */
const MOST_WAYS = 2_000 // limit: ways that the walk keeps open → the answer says that it may lack paths

interface Hop {
  readonly relation: string
  readonly from: string
  readonly to: string
  readonly condition: string
}

export const getRelationPaths: Tool = {
  ...CATALOG_TOOL,
  name: "get_relation_paths_between",
  label: "Find relation paths",
  description: `Find how two entities of the data catalog are connected: paths over relations, shortest first, ${MOST_PATHS} at most.`,
  parameters: {
    type: "object",
    properties: {
      from: ENTITY,
      to: ENTITY,
      max_hops: { type: "integer", minimum: 1, maximum: MOST_HOPS, description: "How long a path may be. Default: 3." },
    },
    required: ["from", "to"],
    additionalProperties: false,
  },

  async execute(_callId, params, signal, _onUpdate, powers) {
    const from = string(params, "from")
    const to = string(params, "to")
    const { paths, isCut } = await walk(powers, from, to, integer(params, "max_hops") ?? 3, signal)
    const shown = paths.map((hops) => hops.map((hop): JsonObject => ({ ...hop })))
    return text(JSON.stringify({ paths: shown, ...(isCut ? { incomplete: true } : {}) }), { paths: paths.length, incomplete: isCut })
  },
}

async function walk(
  powers: ToolPowers,
  from: string,
  to: string,
  most: number,
  signal: AbortSignal,
): Promise<{ readonly paths: readonly (readonly Hop[])[]; readonly isCut: boolean }> {
  const paths: (readonly Hop[])[] = []
  const known = new Map<string, readonly Hop[]>()
  let ways: readonly (readonly Hop[])[] = [[]]
  let isCut = false
  for (let length = 1; length <= most && ways.length > 0 && paths.length < MOST_PATHS; length++) {
    await look(powers, known, [...new Set(ways.map((way) => way.at(-1)?.to ?? from))], signal)
    const longer: (readonly Hop[])[] = []
    for (const way of ways) {
      const here = way.at(-1)?.to ?? from
      const met = new Set([from, ...way.map((hop) => hop.to)])
      for (const hop of known.get(here) ?? []) {
        if (met.has(hop.to)) continue
        if (hop.to === to) paths.push([...way, hop])
        else if (longer.length < MOST_WAYS) longer.push([...way, hop])
        else isCut = true
      }
    }
    ways = longer
  }
  return { paths: paths.slice(0, MOST_PATHS), isCut: isCut || paths.length > MOST_PATHS }
}

/** D1 takes 100 bound values per statement. */
const AT_ONCE = 50

async function look(
  powers: ToolPowers,
  known: Map<string, readonly Hop[]>,
  entities: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const fresh = entities.filter((entity) => !known.has(entity))
  for (let i = 0; i < fresh.length; i += AT_ONCE) {
    const some = fresh.slice(i, i + AT_ONCE)
    const marks = some.map(() => "?").join(", ")
    const sql = `SELECT id, source, target, condition FROM catalog_relation WHERE source IN (${marks}) OR target IN (${marks}) ORDER BY id LIMIT 5000`
    const rows = await asked(powers, sql, [...some, ...some], signal)
    for (const entity of some)
      known.set(
        entity,
        rows.flatMap(({ id, source, target, condition }): Hop[] => {
          const to = source === entity ? target : target === entity ? source : undefined
          if (typeof to !== "string" || typeof id !== "string" || typeof condition !== "string" || to === entity) return []
          return [{ relation: id, from: entity, to, condition }]
        }),
      )
  }
}
