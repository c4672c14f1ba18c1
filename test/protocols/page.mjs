// A page as its authors write it with `useChat`: it keeps its messages in the browser, resumes after a reload, and posts by itself once all is answered.

import { useChat } from "@ai-sdk/react"
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses, lastAssistantMessageIsCompleteWithToolCalls } from "ai"
import { createElement as h, useEffect } from "react"
import { createRoot } from "react-dom/client"

const query = new URLSearchParams(location.search)
const [chat, flow] = [query.get("chat"), query.get("flow")]
const kept = JSON.parse(localStorage.getItem(chat) ?? "[]")

function Page() {
  const { messages, sendMessage, addToolOutput, addToolApprovalResponse, status, error } = useChat({
    id: chat,
    messages: kept,
    resume: kept.length > 0,
    transport: new DefaultChatTransport({ api: `/v1/flows/${flow}/chat` }),
    sendAutomaticallyWhen: (state) =>
      lastAssistantMessageIsCompleteWithToolCalls(state) || lastAssistantMessageIsCompleteWithApprovalResponses(state),
  })
  useEffect(() => localStorage.setItem(chat, JSON.stringify(messages.filter(({ role }) => role === "user"))), [messages])
  const parts = messages.flatMap((message) => (message.role === "assistant" ? message.parts : []))
  const run = messages.map(({ metadata }) => metadata?.run).find((id) => id !== undefined)
  const isReady = status === "ready"
  return h(
    "main",
    {},
    h("button", { id: "send", onClick: () => sendMessage({ text: "Guide me." }) }, "send"),
    h("p", { id: "run" }, run ?? ""),
    h("p", { id: "status" }, `${status} ${error?.message ?? ""}`),
    ...parts.map((part, i) => {
      const key = `${i}`
      if (part.type === "text") return h("p", { key, "data-answer": part.text }, part.text)
      if (part.type !== "dynamic-tool") return null
      if (isReady && part.state === "approval-requested")
        return h(
          "button",
          { key, "data-approval": "", onClick: () => addToolApprovalResponse({ id: part.approval.id, approved: true }) },
          "approve",
        )
      if (isReady && part.toolName === "ask_user" && part.state === "input-available")
        return h(
          "button",
          { key, "data-question": "", onClick: () => addToolOutput({ tool: part.toolName, toolCallId: part.toolCallId, output: "red" }) },
          part.input.question,
        )
      return h("p", { key }, `${part.toolName} ${part.state}`)
    }),
  )
}

createRoot(document.getElementById("root")).render(h(Page))
