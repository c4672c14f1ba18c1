// The document's operations, each with the bodies to send.

import { isObject } from "../../src/core/json.ts"
import { AGENT, flowOf, HANDLER, KIND, planOf, SKILL, TOOL, type Company } from "./possessions.ts"

export interface Operation {
  readonly method: string
  readonly path: string
  readonly names: readonly string[]
  readonly query: readonly string[]
  readonly types: readonly string[]
  readonly id: string
}

export async function operationsOf(url: string): Promise<Operation[]> {
  const document: unknown = await (await fetch(`${url}/openapi.json`)).json()
  const paths = isObject(document) && isObject(document["paths"]) ? document["paths"] : {}
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(isObject(item) ? item : {}).flatMap(([method, op]): Operation[] => {
      // A token in the path or body opens these routes; there is no key to tell tenants apart.
      if (!isObject(op) || (Array.isArray(op["security"]) && op["security"].length === 0)) return []
      const parameters = Array.isArray(op["parameters"]) ? op["parameters"].filter(isObject) : []
      const named = (where: string): string[] => parameters.flatMap((p) => (p["in"] === where ? [String(p["name"])] : []))
      const body = isObject(op["requestBody"]) && isObject(op["requestBody"]["content"]) ? Object.keys(op["requestBody"]["content"]) : []
      return [
        { method: method.toUpperCase(), path, names: named("path"), query: named("query"), types: body, id: String(op["operationId"]) },
      ]
    }),
  )
}

type Body = readonly [name: string, body: string | undefined, type: string | undefined]

/** With a valid body, an invalid body, and none: the fault matters only when the thing exists [H10]. */
export function bodiesFor({ method, types, id }: Operation, a: Company, b: Company): readonly Body[] {
  if (method === "GET" || method === "DELETE" || types.length === 0) return [["as it is", undefined, undefined]]
  const type = types[0] ?? "application/json"
  const right = RIGHT[id]?.(a, b)
  const bodies: Body[] = [
    ["no body", undefined, undefined],
    ["a wrong body", '{"zzz": 1}', "application/json"],
    ["broken JSON", "{", "application/json"],
  ]
  if (right !== undefined)
    bodies.unshift(["a right body", typeof right === "string" ? right : JSON.stringify(right), type === "*/*" ? "text/plain" : type])
  return bodies
}

const RIGHT: Readonly<Record<string, (a: Company, b: Company) => unknown>> = {
  startRun: () => ({ rehearse: true }),
  answerInteraction: () => ({ answer: "left" }),
  answerQuestion: () => ({ answer: "x" }),
  makeAnswerLink: () => ({}),
  makeRunToken: () => ({ ttl: 60 }),
  cancelRun: () => ({}),
  pauseRun: () => ({}),
  resumeRun: () => ({}),
  steerStep: () => ({ message: "go on" }),
  signalRun: () => ({ a: 1 }),
  resolveEffect: () => ({ resolve: "happened" }),
  undoRun: () => ({}),
  forkRun: () => ({ from: { step: "look" } }),
  runAgain: () => ({}),
  stopBulk: () => ({}),
  putDataset: (a) => ({ flow: a.ids["flow"] }),
  addRows: () => ({ rows: [{ task: "go on" }] }),
  repairRun: () => ({ notes: "look at it" }),
  acceptArchitect: () => ({}),
  reviseArchitect: () => ({ notes: "again" }),
  putFlow: () => flowOf("x"),
  putAgent: () => AGENT("x"),
  putSkillFile: () => SKILL("x"),
  putHandler: () => HANDLER,
  putRehearsal: () => "steps: {}\n",
  putPackage: () => ({ version: "1.0.0", agents: {} }),
  putTool: () => TOOL,
  callTool: () => ({}),
  putObject: () => "text",
  putProvider: () => ({ kind: "scripted", turns: { "*": [{ finish: { status: "complete" } }] } }),
  putSecret: () => ({ value: "another secret" }),
  putHook: (a) => ({ flow: a.ids["flow"], kind: "token", secret: a.ids["scope"] }),
  putSchedule: (a) => ({ flow: a.ids["flow"], cron: "0 0 1 1 *" }),
  fireSchedule: () => ({}),
  redriveCallbackDelivery: () => ({}),
  putMcpServer: (a) => ({ url: a.mcp, effect: "read" }),
  refreshMcpServer: () => ({}),
  connectMcpServer: () => ({}),
  // The same list that awaits approval at B.
  approveMcpServer: (_, b) => ({ hash: b.ids["listed"] }),
  putReferenceKind: () => KIND,
  createReference: (_, b) => ({ text: b.ids["kind"] }),
  putPlan: (a) => planOf(a.ids["scope"] ?? ""),
}
