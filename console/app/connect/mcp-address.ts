// The address of the page where an MCP server is connected.

import { addressOf } from "../shell/place.ts"

export const mcpAddress = (name?: string, url?: string): string => {
  const query = new URLSearchParams({ tab: "mcp", ...(name === undefined ? {} : { name }), ...(url === undefined ? {} : { url }) })
  return `${addressOf("settings", "connect")}?${query.toString()}`
}
