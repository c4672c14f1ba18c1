// What the stand-in gives tests to look at: what runs in the sandboxes.

declare global {
  namespace Cloudflare {
    interface Env {
      readonly SANDBOX_HOST: Fetcher
    }
  }
}
export {}
