// What the model plays when it is the architect: it looks, writes a flow with a fault, mends it, and ends.

import { FLOW } from "./flow-texts.ts"
import { finish, type Turn } from "../model.ts"
import { ATTACK } from "../scenes.ts"

const ended = (path: string, summary: string): Turn["calls"] => [{ tool: "finish", args: { status: "complete", summary, flow_path: path } }]
const write = (name: string, content: string): Turn => ({
  calls: [{ tool: "flow_write", args: { path: `flows/${name}.yaml`, content } }],
})
const brief = (name: string): string => FLOW(name, "", "${{task}} Be brief.")

export const ARCHITECT_SCENES: Readonly<Record<string, readonly Turn[]>> = {
  "arch-mend": [
    { text: "I look first.", calls: [{ tool: "agent_catalog", args: {} }] },
    write("fa-mend", FLOW("fa-mend").replace("agent: helper", "agent: nobody")),
    { gate: "arch-mend", ...write("fa-mend", brief("fa-mend")) },
    { calls: ended("flows/fa-mend.yaml", "The task says to be brief now.") },
  ],
  "arch-stop": [
    { text: "I look first.", calls: [{ tool: "agent_catalog", args: {} }] },
    { gate: "arch-stop", calls: [finish("Never.")] },
  ],
  "arch-new": [write("fa-made", FLOW("fa-made")), { calls: ended("flows/fa-made.yaml", "A flow with one step.") }],
  "arch-look": [write("fa-look", brief("fa-look")), { calls: ended("flows/fa-look.yaml", "The task says to be brief now.") }],
  "arch-attack": [
    write("fa-attack", `# ${ATTACK.replaceAll("\n", " ").replaceAll(/\u202e|\u202c/g, "")}\n${brief("fa-attack")}`),
    { calls: ended("flows/fa-attack.yaml", ATTACK) },
  ],
}
