// Lists the rooms and packages that each room may import. ARCHITECTURE.md shows the table, and test/local/measure.test.ts enforces it.

import path from "node:path"
import type { Import } from "./tree.ts"

interface Border {
  /** The longest name that a file's path begins with, or fits, is its room. */
  readonly room: string
  /** Apart from itself. */
  readonly rooms: readonly string[]
  /** Types alone. */
  readonly types?: readonly string[]
  readonly packages?: readonly string[]
  readonly why: string
}

/** What an object of a run shows in each protocol. */
const FRAMES = "src/protocols/*/{frames,run-task,calls,interrupt,state,items}.ts"
const A2A_ROWS = "src/protocols/a2a/{push-store,task-list}.ts"

const CLOUDFLARE = ["src/core", "src/api", "src/ports", "src/engine", "src/models", "src/tools", "src/cloudflare/platform"]
const cloudflare = (room: string, rooms: readonly string[], why: string, packages: readonly string[] = []): Border => ({
  room: `src/cloudflare/${room}`,
  rooms: [
    ...(room === "platform" ? CLOUDFLARE.slice(0, -1) : CLOUDFLARE),
    ...rooms.map((name) => (name.startsWith("src/") ? name : `src/cloudflare/${name}`)),
  ],
  packages: ["cloudflare:workers", ...packages],
  why,
})

export const BORDERS: readonly Border[] = [
  { room: "src/core", rooms: [], packages: ["zod", "yaml"], why: "what core needs comes in as data" },
  { room: "src/api", rooms: ["src/core"], packages: ["zod"], why: "a handler needs what is declared here, and no `.doc.ts` file" },
  { room: "src/api/doc", rooms: ["src/api", "src/core"], packages: ["zod"], why: "loaded for the document" },
  { room: "src/client", rooms: [], types: ["src/core", "src/api", "src/api/doc"], why: "it runs anywhere and weighs nothing" },
  { room: "src/dispatch", rooms: ["src/core"], why: "it knows the names of instances, and nothing else of the Worker" },
  { room: "src/ports", rooms: ["src/core"], types: ["src/api", "src/api/doc"], packages: ["zod"], why: "ports are interfaces" },
  {
    room: "src/engine",
    rooms: ["src/core", "src/ports"],
    packages: ["@modelcontextprotocol/client", "@sveltejs/acorn-typescript", "acorn", "croner", "ipaddr.js", "yaml", "zod"],
    why: "the engine speaks to ports, never to an adapter, a server or a provider",
  },
  {
    room: "src/tools",
    rooms: ["src/core", "src/ports", "src/tools/own.ts"],
    packages: ["#shell-library", "just-bash", "htmlparser2"],
    why: "a tool gets its powers through its context",
  },
  { room: "src/tools/own.ts", rooms: ["src"], packages: ["*"], why: "a host's own tools" },
  {
    room: "src/models",
    rooms: ["src/core", "src/ports"],
    packages: ["@ai-sdk", "eventsource-parser", "workers-ai-provider"],
    why: "a provider gets what it needs as arguments",
  },
  {
    room: "src/mcp",
    rooms: ["src/core", "src/api", "src/ports", "src/engine"],
    packages: ["@modelcontextprotocol/server", "zod"],
    why: "it calls the API through the function that it is given",
  },
  {
    room: "src/http",
    rooms: ["src/core", "src/api", "src/ports", "src/engine", "src/http/openapi", "src/protocols"],
    types: ["src/api/doc"],
    packages: ["hono", "zod"],
    why: "ports are given to it at the door",
  },
  {
    room: "src/http/openapi",
    rooms: ["src/core", "src/api", "src/api/doc", "src/ports", "src/engine", "src/http"],
    packages: ["hono", "zod"],
    why: "the one part of the Worker that needs the `.doc.ts` files",
  },
  {
    room: "src/protocols",
    rooms: ["src/core", "src/api", "src/ports", "src/engine", "src/http/middleware", "src/http/runs", FRAMES],
    packages: ["hono"],
    why: "other forms of the same starts and answers",
  },
  { room: FRAMES, rooms: ["src/core"], why: "a run's object shows them" },
  { room: A2A_ROWS, rooms: ["src/core", "src/ports", "src/engine", FRAMES], why: "a tenant's object keeps them" },
  cloudflare("platform", [], "storage, alarms, stubs, clock: all other rooms stand on it", ["node:crypto"]),
  cloudflare("blobs", [], "bodies"),
  cloudflare("desks", [], "desks"),
  cloudflare("directory", [], "an object"),
  cloudflare("memory", [], "an object"),
  cloudflare("outgoing", [], "calls that leave through other invocations", ["node:async_hooks"]),
  cloudflare("sandbox", [], "machines and isolates"),
  cloudflare("clients", ["blobs", "desks", "memory"], "ports over the objects", ["zod"]),
  cloudflare("capabilities", ["blobs", "clients", "outgoing", "sandbox"], "what depends on a binding"),
  cloudflare("definitions", ["blobs", "capabilities", "sandbox"], "plans and tools"),
  cloudflare("authoring", ["blobs", "capabilities", "clients", "definitions", "sandbox"], "the catalog's writers"),
  cloudflare("tenant", ["blobs", "capabilities", "clients", "desks", "outgoing", "sandbox", A2A_ROWS], "an object", ["zod"]),
  cloudflare(
    "run",
    ["authoring", "blobs", "capabilities", "clients", "definitions", "desks", "outgoing", "sandbox", FRAMES],
    "an object, which no other room imports",
    ["node:zlib"],
  ),
  {
    room: "src/cloudflare/worker",
    rooms: ["src/core", "src/api", "src/ports", "src/engine", "src/models", "src/tools", "src/mcp", "src/cloudflare"],
    packages: ["cloudflare:workers"],
    why: "it wires ports; `src/worker.ts` puts http before them",
  },
  { room: "web", rooms: ["src/core", "src/client"], why: "it runs on other people's pages, and weighs little" },
]

export const isBelow = (name: string, room: string): boolean =>
  name === room || name.startsWith(`${room}/`) || (room.includes("{") && path.matchesGlob(name, room))
const roomOf = (file: string): Border | undefined =>
  BORDERS.filter(({ room }) => isBelow(file, room)).toSorted((a, b) => b.room.length - a.room.length)[0]

const isFile = (to: string): boolean => /^(?:src|web|cli|console|local)\//.test(to)

/** A room that has no row of its own stands for all rooms below it. */
const allows = (names: readonly string[], to: string): boolean => {
  const room = roomOf(to)?.room
  return names.some((name) => name === room || (isBelow(to, name) && BORDERS.every((border) => border.room !== name)))
}

/** The imports that no row allows, each with the allowed ones in a sentence. */
export function crossings(imports: readonly Import[]): string[] {
  return imports.flatMap(({ from, to, isType }) => {
    const border = roomOf(from)
    if (!border) return []
    const { room, rooms, types = [], packages = [], why } = border
    const isAllowed = isFile(to)
      ? allows([room, ...rooms, ...(isType ? types : [])], to)
      : packages.some((name) => name === "*" || isBelow(to, name))
    if (isAllowed) return []
    const most = [...rooms, ...types.map((name) => `types of ${name}`), ...packages].join(", ") || "nothing else"
    const next = "Pass it in as data or a port, or move what both need to a room below them (scripts/measure/borders.ts)."
    return [`${from} imports ${isType ? "a type of " : ""}${to}, but ${room} may import ${most}: ${why}. ${next}`]
  })
}

const short = (name: string): string => name.replace(/^src\/(?:cloudflare\/)?/, "")

/** The table of ARCHITECTURE.md. */
export const bordersTable = (): string =>
  [
    "| room | may import | because |",
    "|---|---|---|",
    ...BORDERS.map(({ room, rooms, types = [], packages = [], why }) => {
      const below = room.startsWith("src/cloudflare/") && !room.endsWith("/worker")
      const named = below ? rooms.filter((name) => !CLOUDFLARE.includes(name)) : rooms
      const said = [
        ...(below ? [room.endsWith("/platform") ? "all above but mcp, http and protocols" : "the same, platform"] : []),
        ...named.map(short),
        ...types.map((name) => `types of ${short(name)}`),
        ...packages.filter((name) => name !== "cloudflare:workers").map((name) => (name === "*" ? "any package" : `\`${name}\``)),
      ]
      return `| \`${room}\` | ${said.join(", ") || "nothing"} | ${why} |`
    }),
  ].join("\n")
