// The tenant for the suite: flows that do what its tools should do, as far as flows can. All are rehearsed, so no model is called.

const step = (id: string, agent = "quiet", after = ""): string =>
  `  - { id: ${id}, type: agent, agent: ${agent}${after === "" ? "" : `, blockedBy: [${after}]`} }\n`
const flow = (name: string, steps: string, head = ""): string =>
  `name: ${name}\ndescription: ${name} for the conformance suite\n${head}steps:\n${steps}`
const says = (summary: string, status = "complete"): string => `    - finish: { status: ${status}, summary: ${JSON.stringify(summary)} }\n`
const asks = (question: string, type = "input"): string =>
  `    - calls: [{ tool: ask_user, args: { question: ${JSON.stringify(question)}, type: ${type} } }]\n`
const rehearsed = (turns: string): string => `steps:\n  one:\n${turns}`

const ASKING = "autonomous: false\n"
const MESSAGE = "inputs:\n  message: { type: string }\n"

/** name → [flow, rehearsal] */
const TOOLS: Readonly<Record<string, readonly [string, string]>> = {
  test_simple_text: [step("one"), rehearsed(says("This is a simple text response for testing."))],
  test_error_handling: [step("one"), rehearsed(says("This tool intentionally returns an error for testing", "error"))],
  test_tool_with_progress: [step("one") + step("two", "quiet", "one") + step("three", "quiet", "two"), rehearsed(says("begun"))],
  test_logging_tool: [step("one"), rehearsed(says("done"))],
}
const QUESTIONS: Readonly<Record<string, readonly [question: string, type?: string]>> = {
  test_elicitation: ["Please provide your information"],
  test_streaming_elicitation: ["Who are you?"],
  test_missing_capability: ["Who are you?"],
  test_input_required_result_elicitation: ["What is your name?"],
  test_input_required_result_request_state: ["Please confirm", "confirm"],
  test_input_required_result_tampered_state: ["Please confirm", "confirm"],
  test_input_required_result_capabilities: ["Who are you?"],
}

const agent = (name: string, head: string): string =>
  `---\nname: ${name}\ndescription: ${name}\nmodel: rehearsal/default\n${head}---\nAs rehearsed.\n`

/** The body of PUT /v1/catalog. */
export const catalog = {
  agents: { "quiet.md": agent("quiet", ""), "asker.md": agent("asker", "tools: ask_user\n") },
  flows: Object.fromEntries([
    ...Object.entries(TOOLS).flatMap(([name, [steps, rehearsal]]) => [
      [`${name}.yaml`, flow(name, steps)],
      [`${name}.rehearsal.yaml`, rehearsal],
    ]),
    ...Object.entries(QUESTIONS).flatMap(([name, [question, type]]) => [
      [`${name}.yaml`, flow(name, step("one", "asker"), ASKING + MESSAGE)],
      [`${name}.rehearsal.yaml`, rehearsed(asks(question, type) + says("state-ok: asked and told"))],
    ]),
  ]),
}
