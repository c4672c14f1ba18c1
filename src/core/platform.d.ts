// Platform features that core may use beyond the language itself: pure functions only. Every runtime of Sluice has them as globals.

interface URL {
  readonly href: string
  readonly origin: string
  readonly protocol: string
  readonly username: string
  readonly password: string
  readonly host: string
  readonly hostname: string
  readonly port: string
  readonly pathname: string
  readonly search: string
  hash: string
}

declare const URL: {
  new (url: string, base?: string | URL): URL
  canParse(url: string, base?: string | URL): boolean
}

/** Both know characters up to U+00FF only, one for each byte. */
declare function btoa(text: string): string
declare function atob(text: string): string
