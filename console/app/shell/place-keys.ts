// The places of the console by name, with the key that leads there after a G. What each shows is told in places.ts.

export const PLACE_KEYS = [
  { name: "overview", label: "Overview", key: "o" },
  { name: "runs", label: "Runs", key: "r" },
  { name: "inbox", label: "Inbox", key: "i" },
  { name: "flows", label: "Flows", key: "f" },
  { name: "agents", label: "Agents", key: "a" },
  { name: "tools", label: "Tools", key: "t", under: "agents" },
  { name: "quality", label: "Quality", key: "q" },
  { name: "chat", label: "Chat", key: "c" },
  { name: "settings", label: "Settings", key: "s" },
] as const

export type PlaceName = (typeof PLACE_KEYS)[number]["name"]

export const FIRST_PLACE: PlaceName = PLACE_KEYS[0].name
