// `sluice/worker`: the Worker and its objects. Written by hand, because the Worker's own types need the platform's.

import type { Tool } from "./tools.js"

export interface OwnTools {
  /** They behave like built-in tools: one name, policy, approvals, secrets, taint. */
  readonly tools?: readonly Tool[]
  /** Wraps every tool, also those of tenants and MCP servers: `(tool) => wrapTool(tool, hooks)`. */
  readonly around?: (tool: Tool) => Tool
}

export interface SluiceWorker {
  fetch(request: Request, env: unknown, ctx: unknown): Response | Promise<Response>
}

/** Call it once, at the top of `src/index.ts`. */
export declare function createWorker(own?: OwnTools): SluiceWorker

/** Each is exported by the project's `src/index.ts` under its own name: the bindings of wrangler.toml name them. */
export declare class Couriers {}
export declare class DirectoryObject {}
export declare class MemoryObject {}
export declare class RunObject {}
export declare class TenantObject {}
