// Texts of flows and of their tests.

export const FLOW = (name: string, more = "", task = "${{task}}"): string =>
  `name: ${name}\ndescription: Answers.\nautonomous: false\n${more}steps:\n  - { id: help, type: agent, agent: helper, task: "${task}" }\n`

export const CASES = (...statuses: readonly (readonly [name: string, status: string])[]): string =>
  `cases:\n${statuses.map(([name, status]) => `  - name: ${JSON.stringify(name)}\n    task: go\n    expect:\n      status: ${status}\n`).join("")}`
