// Refuses headers and options of a provider [N6] that Sluice sets itself, or that would expose a secret.

/** What a request asks, and what a budget reserves for [B1]. */
const OWN_MEMBERS = new Set([
  "model",
  "messages",
  "input",
  "contents",
  "systemInstruction",
  "generationConfig",
  "toolConfig",
  "cachedContent",
  "instructions",
  "system",
  "prompt",
  "tools",
  "tool_choice",
  "functions",
  "function_call",
  "stream",
  "stream_options",
  "max_tokens",
  "max_completion_tokens",
  "max_output_tokens",
  "n",
  "best_of",
  "previous_response_id",
  "conversation",
  "background",
  "store",
  "mcp_servers",
  "container",
  "web_search_options",
  "__proto__",
])

const OWN_HEADERS = /^(?:host|connection|content-.*|transfer-encoding|upgrade|te|trailer|expect|keep-alive|accept-encoding|user-agent)$/i
const SECRET_HEADERS = /authorization|cookie|password|secret|credential|token|(?:^|[-_])key$|api-?key/i

export const isOwnMember = (name: string): boolean => OWN_MEMBERS.has(name)
export const isOwnHeader = (name: string): boolean => OWN_HEADERS.test(name) || SECRET_HEADERS.test(name) || name === "__proto__"
