// A tool that is deleted: one of HTTP by itself, one of an MCP server with its server.

import { Connect } from "../../../src/client/connect.ts"
import { Tools } from "../../../src/client/settings.ts"
import type { ToolRow } from "../../../web/tools/tool-list.ts"
import { visible } from "../../../web/chat/wording.ts"
import { AskOnce } from "../settings/parts/ask-once.tsx"
import type { Api } from "../shell/session.ts"

interface Props {
  readonly api: Api
  readonly tool: ToolRow
  readonly onClose: () => void
  readonly onGone: () => void
}

export function DeleteTool({ api, tool: { name, given }, onClose, onGone }: Props) {
  const server = given.source?.kind === "mcp" ? given.source.name : undefined
  return (
    <AskOnce
      title={
        server === undefined ? `Delete the tool “${visible(name)}”?` : `Delete the MCP server “${visible(server)}” with all its tools?`
      }
      act={server === undefined ? "Delete the tool" : "Delete the server"}
      onClose={onClose}
      send={async () => {
        if (server === undefined) await new Tools(api.transport).delete(name)
        else await new Connect(api.transport).deleteServer(server)
        onGone()
      }}
    >
      <p>
        Runs in progress keep it until they end. Agents that name it cannot be saved again without another tool.
        {server === undefined ? " To turn it off for a while, disable it." : " To take away one of its tools, disable that tool."}
      </p>
    </AskOnce>
  )
}
