// Faults in what an MCP server may do to others and to its own tools [N4, T27], each with the test that must find it.

import type { Mutant } from "./mutant.ts"

const FLOOD = "engine/net/mcp-flood.test.ts"

export const SERVERS: readonly Mutant[] = [
  {
    name: "N4 a server pings without end",
    file: "engine/net/mcp-flood.ts",
    find: `take("sent", 1, `,
    put: `take("sent", 0, `,
    test: [FLOOD, "a flood of pings ends the call"],
  },
  {
    name: "N4 a server sends events without end",
    file: "engine/net/mcp-flood.ts",
    find: `take("events", events, `,
    put: `take("events", 0, `,
    test: [FLOOD, "a flood of comments ends the call"],
  },
  {
    name: "N4 events are read as fast as they come",
    file: "engine/net/mcp-flood.ts",
    find: `await breath.compute(events * EVENT_WORK + (to - from) * BYTE_WORK, () => controller.enqueue(chunk.subarray(from, to)))`,
    put: `controller.enqueue(chunk.subarray(from, to))`,
    test: [FLOOD, "others have a turn between them"],
  },
  {
    name: "T26 the value of a cookie begins another one",
    file: "core/tool/http-template.ts",
    find: `fill(parts, args, isValue ? cookieValue : (text) => text)`,
    put: `fill(parts, args, (text) => text)`,
    test: ["core/tool/openapi.test.ts", "[T26] a value begins no other cookie"],
  },
]
