// Loads the code of a protocol with the first request that needs it: a Worker's start pays for every byte that it loads, and most instances use
// one protocol or none.

import { a2a } from "../api/a2a.ts"
import { protocols } from "../api/protocols.ts"
import type { Routes } from "../api/route/route.ts"
import { ui } from "../api/ui.ts"
import { lazy } from "../core/lazy.ts"
import { routes, type Handler, type HandledRoute } from "../http/middleware/call.ts"

type Handlers<Id extends string> = { readonly [K in Id]: Handler }

function later<T extends Routes, Id extends keyof T & string>(
  declared: T,
  ids: readonly Id[],
  load: () => Promise<Handlers<NoInfer<Id>>>,
): readonly HandledRoute[] {
  const handlers: { [K in keyof T]?: Handler } = {}
  const loaded = lazy(load)
  for (const id of ids) handlers[id] = async (c) => (await loaded())[id](c)
  return routes(declared, handlers)
}

const A2A = [
  "readAgentCard",
  "callA2a",
  "readExtendedAgentCard",
  "sendA2aMessage",
  "streamA2aMessage",
  "listA2aTasks",
  "cancelA2aTask",
  "followA2aTask",
  "subscribeA2aTask",
  "getA2aTask",
  "createA2aPush",
  "listA2aPushes",
  "getA2aPush",
  "deleteA2aPush",
] as const
const RESPONSES = ["createResponse", "getResponse", "cancelResponse", "deleteResponse"] as const

export const PROTOCOL_ROUTES: readonly HandledRoute[] = [
  ...later(protocols, ["runAgui"], async () => (await import("./agui/agui.ts")).AGUI_HANDLERS),
  ...later(
    protocols,
    ["createChatCompletion", "listModels", "getModel"],
    async () => (await import("./chat/completions.ts")).CHAT_HANDLERS,
  ),
  ...later(a2a, A2A, async () => (await import("./a2a/rest.ts")).A2A_HANDLERS),
  ...later(ui, ["chat", "resumeChat", "stopChat", "makeChatToken"], async () => (await import("./ui/ui-chat.ts")).UI_HANDLERS),
  ...later(protocols, RESPONSES, async () => (await import("./responses/responses.ts")).RESPONSE_HANDLERS),
]
