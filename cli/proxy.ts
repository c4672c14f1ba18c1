// Chooses the proxy that the environment names for an address. Pure.

export type EnvVariables = Readonly<Record<string, string | undefined>>

/** The development server is this machine's, whatever the environment says of others. */
export const isLoopback = (url: string): boolean => /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname)

/** The proxy's address; undefined: none. Exceptions (NO_PROXY) are the library's to judge. */
export function proxyOf(env: EnvVariables, url: string): string | undefined {
  const isPlain = new URL(url).protocol === "http:"
  const plain = env["http_proxy"] || env["HTTP_PROXY"]
  return (isPlain ? plain : env["https_proxy"] || env["HTTPS_PROXY"] || plain) || undefined
}
