// What is asked of a bound sandbox: four methods of the class `Sandbox` of @cloudflare/sandbox, by their shape [T20]. No code of the
// SDK is in this Worker; the class lives in one of its own with the container image, and the binding SANDBOX leads there. Why only four,
// and why not its own processes: docs/decisions/0020.

/** A Durable Object of that class, over RPC. */
export interface SandboxStub {
  exec(
    command: string,
    options?: { readonly timeout?: number },
  ): Promise<{ readonly stdout: string; readonly stderr: string; readonly exitCode: number }>
  writeFile(path: string, content: string, options: { readonly encoding: "base64" }): Promise<unknown>
  readFile(path: string, options: { readonly encoding: "base64" }): Promise<{ readonly content: string }>
  /** The container and all that is in it. Safe to repeat. */
  destroy(): Promise<void>
}

export interface SandboxNamespace {
  idFromName(name: string): DurableObjectId
  get(id: DurableObjectId): SandboxStub
  jurisdiction(jurisdiction: "eu" | "us"): SandboxNamespace
}
