// Detects that a provider refuses a request because it is longer than the model's context [J23], by the codes and words of many servers. A
// setting that the model refuses, such as too large a `max_tokens`, reads much like it, and a shorter conversation would not help.

/** Codes and types: OpenAI, Azure, Groq, Anthropic, llama.cpp, LiteLLM, Copilot, GitHub Models, Z.ai. */
const CODES =
  /context_(?:length|window)_exceeded|exceed_context_size|request_too_large|prompt_too_long|max_prompt_tokens_exceeded|tokens_limit_reached|ContextWindowExceeded/i

/** Words that say it whatever else they say: Anthropic and text-generation-inference name the setting as a summand. */
const SURE = /input length and `?max_tokens`? exceed|`?inputs`? tokens \+ `?max_new_tokens`?/i

/** vLLM: the room for the reply is too large beside this request. */
const BESIDE = /maximum context length is (\d+) tokens and your request has (\d+) input tokens/i

/** A setting, and what is wrong with it. */
const SETTING =
  /\bmax[_ ]?(?:completion[_ ]|output[_ ]|new[_ ])?tokens\b[^.]{0,60}(?:too (?:large|high|big)|must be|should be|cannot|not supported|supported range|at most|less than|> \d)|(?:unknown|unsupported|unrecognized|unexpected|invalid|extra) (?:request |keyword )?(?:parameter|argument|field|inputs)|at most \d+ (?:completion|output) tokens|maximum allowed number of output tokens/i

/** Anthropic, Bedrock, OpenAI and those that speak like it, vLLM, SGLang, llama.cpp, Ollama, LM Studio, Mistral, Groq, Cerebras, Gemini, xAI,
 *  Moonshot, DashScope, Copilot, Cohere, Workers AI. */
const WORDS = [
  /(?:prompt|input|request|conversation|messages?)(?: is| are|_)?(?: far)? ?too[ _](?:long|large)/i,
  /context.{0,20}(?:length|window|limit|size)/i,
  /maximum.{0,20}(?:context|(?:prompt|model|input) length|tokens allowed)/i,
  /longer than the (?:model|maximum)/i,
  /too many (?:input |prompt )?tokens/i,
  /exceed(?:s|ed)? (?:the |this |model.s )?(?:context|model|limit of \d|maximum (?:input|prompt|context|number of (?:input )?tokens))/i,
  /tokens?.{0,20} too large for model/i,
  /reduce the length of the (?:messages|prompt|input)/i,
  /(?:prompt|input) token count/i,
  /range of input length/i,
]

export function isOverflow(codes: readonly unknown[], words: string): boolean {
  if (codes.some((code) => typeof code === "string" && CODES.test(code)) || CODES.test(words) || SURE.test(words)) return true
  const [, most, sent] = BESIDE.exec(words) ?? []
  if (most !== undefined && sent !== undefined) return Number(sent) * 2 >= Number(most)
  return !SETTING.test(words) && WORDS.some((one) => one.test(words))
}
