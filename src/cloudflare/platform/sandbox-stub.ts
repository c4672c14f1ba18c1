// Declares a bound sandbox: four methods of the class `Sandbox` of @cloudflare/sandbox, by their shape [T20]. No code of the SDK is in this
// Worker; the class is in a separate Worker with the container image, which the binding SANDBOX reaches. docs/decisions/0020 says why only
// these four methods are used.

/** A Durable Object of that class, over RPC. */
export interface SandboxStub {
  exec(
    command: string,
    options?: { readonly timeout?: number },
  ): Promise<{ readonly stdout: string; readonly stderr: string; readonly exitCode: number }>
  writeFile(path: string, content: string, options: { readonly encoding: "base64" }): Promise<unknown>
  readFile(path: string, options: { readonly encoding: "base64" }): Promise<{ readonly content: string }>
  /** Deletes the container and everything in it. May be repeated. */
  destroy(): Promise<void>
}

export interface SandboxNamespace {
  idFromName(name: string): DurableObjectId
  get(id: DurableObjectId): SandboxStub
  jurisdiction(jurisdiction: "eu" | "us"): SandboxNamespace
}
